"""Parsers as estimators."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from weft.corpora.trees.brackets import read_trees
from weft.criteria import Criterion, Penalty
from weft.errors import EvidenceError, quote
from weft.estimators.base import RecipeEstimator, read_tokens
from weft.estimators.messages import told_in_python
from weft.grammars.forms.nltk import is_nltk_tree, tree_from_nltk
from weft.models.tree_scores import assess_parser
from weft.recipes import Recipe
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Example, Sentence, sentence
from weft.structures.tree import Tree


class Parser(RecipeEstimator):
    """A parser.

    A sentence of ``X`` is a list of words (or of tags, where trees end in tags). ``y`` has a tree
    per sentence: in brackets, as :class:`weft.structures.tree.Tree` or NLTK's; or None where
    nothing is known. Its score is the F-score of labelled brackets.

    >>> X = [["dogs", "bark"], ["cats", "sleep"]]
    >>> y = ["(S (NP dogs) (VP bark))", "(S (NP cats) (VP sleep))"]
    >>> Parser().fit(X, y).predict([["cats", "bark"]])
    [Tree('(S (NP cats) (VP bark))')]

    Args:
        recipe: The name of a recipe of parsers (``weft recipes``), or a recipe.
        criterion: Which two sums are compared; None for the recipe's own.
        penalty: What large weights cost, or what is added to counts.
        optimiser: How weights move, a name or an optimiser.
        settings: Other settings of the recipe by name (``weft recipes pcfg``), such as
            ``{"parents": 1}``; each is a parameter, too: ``settings__parents``.
        threads: How many threads to use, all by default; no result depends on it.
        cluster: The address of a Dask scheduler whose workers sum over examples; or a client, which
            clones share, and whose address is pickled.

    Attributes:
        model_: The :class:`weft.Parser`, which :func:`weft.save` saves.
        n_iter_: How many iterations training took.
    """

    family = "Parser"

    def __init__(
        self,
        recipe: str | Recipe = "pcfg",
        *,
        criterion: str | Criterion | None = None,
        penalty: str | Penalty | None = None,
        optimiser: Any = None,
        settings: Mapping[str, Any] | None = None,
        threads: int | None = None,
        cluster: Any = None,
    ) -> None:
        super().__init__(recipe, criterion, penalty, optimiser, settings, threads, cluster)

    def predict(self, X: Any) -> list[Tree | None]:  # noqa: N803
        """Return the best tree of each sentence; None where it has none."""
        return self._nearest(X)

    @told_in_python()
    def predict_marginals(self, X: Any) -> list[dict[Span, float]]:  # noqa: N803
        """Return, for each sentence, how often labels are expected over spans of its words."""
        check_is_fitted(self)
        found: list[dict[Span, float]] = self.model_.marginals(self._inputs(X), self.threads)
        return found

    def _example(self, given: Any, answer: Any, weight: float, source: str) -> Example:
        tokens = given if isinstance(given, Sentence) else sentence(_words(given, source))
        named = replace(tokens, source=tokens.source or source)
        return Example(named, None, weight, _tree(answer, source))

    def _score(self, examples: Sequence[Example]) -> float | None:
        if not any(isinstance(each.parse, Tree) for each in examples):
            return None
        return assess_parser(self.model_, examples, threads=self.threads).overall.f1


def _words(given: Any, source: str) -> list[str]:
    found = read_tokens(given, source)
    for place, word in enumerate(found, 1):
        if not isinstance(word, str):
            raise EvidenceError(f"{source}, token {place}: a word is a text, not {quote(word)}")
    return found


class _Named(io.BytesIO):
    """A text with a name, for messages about it."""

    name = ""


def _tree(given: Any, source: str) -> Tree | Constituents | None:
    if isinstance(given, str):
        stream = _Named(given.encode())
        stream.name = f"the tree of {source}"
        found = [each.tree for each in read_trees(stream)]
        if len(found) != 1:
            raise EvidenceError(f"{source}: expected one tree in brackets, not {len(found)}")
        return found[0]
    if is_nltk_tree(given):
        return tree_from_nltk(given)
    if given is None or isinstance(given, Tree | Constituents):
        return given
    raise EvidenceError(
        f"{source}: expected a tree, such as '(S (NP dogs) bark)', not {quote(given)}"
    )
