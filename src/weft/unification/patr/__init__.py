"""PATR-II: rules with equations of paths, words and templates."""

from weft.unification.patr.reader import read_patr as read_patr
