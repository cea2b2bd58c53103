"""Feature structures, and grammars whose categories are feature structures."""

from weft.unification.fcfg import read_fcfg as read_fcfg
from weft.unification.forest import FeatureForest as FeatureForest
from weft.unification.forest import pack as pack
from weft.unification.grammar import FeatureGrammar as FeatureGrammar
from weft.unification.grammar import FeatureRule as FeatureRule
from weft.unification.limits import ParseLimits as ParseLimits
from weft.unification.matrix import write_matrix as write_matrix
from weft.unification.nltk import from_nltk as from_nltk
from weft.unification.notation import read_structure as read_structure
from weft.unification.notations import read_feature_grammar as read_feature_grammar
from weft.unification.parser import FeatureParser as FeatureParser
from weft.unification.parser import load as load
from weft.unification.patr import read_patr as read_patr
from weft.unification.structure import FeatureStructure as FeatureStructure
from weft.unification.trees import FeatureTree as FeatureTree
from weft.unification.trees import resolve as resolve
from weft.unification.unify import subsumes as subsumes
from weft.unification.unify import unify as unify
from weft.unification.write import write_structure as write_structure
