"""Reference distributions: another model's log-weights, listed and packed."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from parse_sets import derivations, random_packed
from weft.corpora import bundled_parse_sets
from weft.errors import FormatError, OptionError
from weft.features.compile import compile_parses, unpack_parses
from weft.features.derived import preterminals_of
from weft.features.properties import properties
from weft.features.reference import UNKNOWN, Reference, Scored, add_references
from weft.models.options import Shape, phrase_features
from weft.models.storage import load_model, save_model
from weft.structures.alternatives import row_features
from weft.structures.evidence import Example, example, sentence
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet
from weft.structures.tree import Tree, leaves

SETS = bundled_parse_sets()
FIRST = [each.analyses[each.right[0]].tree for each in SETS[:50]]


def treebank(trees, root=True):
    """Trees as examples, under a root of their own."""
    tops = [Tree("TOP", (tree,)) for tree in trees] if root else trees
    return [Example(sentence(tuple(leaves(tree))), parse=tree) for tree in tops]


def packed_and_trees(seed, words=4):
    packed = random_packed(np.random.default_rng(seed), words)
    plain = Packed(tuple(replace(e, features={}, score=0.0) for e in packed.edges), packed.root)
    return plain, [tree for tree, _ in derivations(plain)]


def rows_of(compiled):
    """Log-weights with the counts of unknown parts, of listed analyses in any order."""
    tokens = compiled.tokens
    unknown = [row_features(tokens, [row]).get(UNKNOWN, 0.0) for row in range(len(tokens))]
    return sorted(zip(tokens.base.round(8).tolist(), unknown, strict=True))


SHAPES = [{}, {"parents": 1}, {"parents": 2}, {"binarise": Shape.RIGHT}, {"binarise": Shape.HEAD}]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pcfg_gives_trees_their_log_probability(shape):
    parser = weft.fit(weft.Cfg(normalisation="joint", **shape), treebank(FIRST))
    for tree in FIRST[:10]:
        [own] = treebank([tree])
        expected = parser.log_sums([own]).complete[0]
        one = ParseSet("1", "", (Candidate(tree),))
        compiled = compile_parses(one, (), parser.as_reference())
        assert compiled.tokens.base[0] == pytest.approx(expected)
        assert UNKNOWN not in compiled.tokens.names


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_packed_analyses_have_the_log_weights_of_listed_ones(seed, shape):
    packed, trees = packed_and_trees(seed)
    # Some rules are unknown: of the trees that the parser is read off there are a few only.
    parser = weft.fit(weft.Cfg(normalisation="joint", **shape), treebank(trees[::5]))
    selection = weft.Selection(properties("rules entries"))
    listed = ParseSet("1", "", tuple(map(Candidate, trees)), (0,))
    selector = weft.fit(selection, [listed])
    for model in (parser, selector):
        reference = model.as_reference()
        flat = compile_parses(listed, (), reference)
        forest = compile_parses(ParseSet("1", "", packed), (), reference)
        assert rows_of(unpack_parses(forest)) == rows_of(flat)
    unknown = [count for _, count in rows_of(compile_parses(listed, (), parser.as_reference()))]
    assert 0.0 in unknown
    assert max(unknown) > 0


def test_a_selector_as_reference_is_where_it_left_off():
    """With the same properties: at weights 0 the reference's probabilities, and these for good."""
    first = weft.fit(weft.Selection(), SETS[:50])
    spec = weft.Selection(properties("heights"), reference=first)
    again = weft.fit(spec, SETS[50:])
    zero = replace(again, weights=np.zeros_like(again.weights))
    for one, other in zip(zero.marginals(SETS[50:]), first.marginals(SETS[50:]), strict=True):
        np.testing.assert_allclose(one, other)
    # A reference of a reference: the sum of both.
    third = weft.fit(weft.Selection(properties("right-branching"), reference=again), SETS[50:])
    zero = replace(third, weights=np.zeros_like(third.weights))
    for one, other in zip(zero.marginals(SETS[50:]), again.marginals(SETS[50:]), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("how", [{}, {"normalisation": "joint"}])
def test_taggers_score_lexical_entries(how):
    corpus = [
        example(
            [each.children[0] for each in preterminals_of(tree)],
            [each.label for each in preterminals_of(tree)],
        )
        for tree in FIRST
    ]
    tagger = weft.fit(weft.Chain(templates=weft.templates("word[0]"), **how), corpus)
    tree = FIRST[0]
    other = Tree("np", (Tree("unheard_of", ("dog",)),))
    both = ParseSet("1", "", (Candidate(tree), Candidate(other)))
    compiled = compile_parses(both, (), tagger.as_reference())
    sums = tagger.log_sums(corpus[:1])
    joint = tagger.model.normalisation == "joint"
    expected = sums.complete[0] if joint else sums.conditional[0]
    # What it excludes has the least weight, and is counted.
    assert compiled.tokens.base.tolist() == pytest.approx([expected, expected])
    assert row_features(compiled.tokens, [1]) == {UNKNOWN: 1.0}
    forest = Packed((PackedEdge("top", "it_x", (), ("it",)),), "top")
    with pytest.raises(OptionError, match=r"looks at neighbouring words.*are packed: list them"):
        compile_parses(ParseSet("1", "", forest), (), tagger.as_reference())


def test_types_are_tags_where_the_tagger_has_them():
    tagger = weft.fit(weft.Chain(), [example(["it", "rains"], ["pron", "verb"])])
    tree = Tree("s", (Tree("it_x@pron", ("it",)), Tree("rain_v@verb", ("rains",))))
    compiled = compile_parses(ParseSet("1", "", (Candidate(tree),)), (), tagger.as_reference())
    assert UNKNOWN not in compiled.tokens.names


def test_features_of_phrases_are_for_listed_analyses():
    parser = weft.fit(weft.Cfg(features=phrase_features("length first")), treebank(FIRST[:9]))
    [own] = treebank(FIRST[:1])
    compiled = compile_parses(ParseSet("1", "", (Candidate(FIRST[0]),)), (), parser.as_reference())
    assert compiled.tokens.base[0] == pytest.approx(parser.log_sums([own]).complete[0])
    forest = Packed((PackedEdge("top", "it_x", (), ("it",)),), "top")
    with pytest.raises(OptionError, match="features of phrases"):
        compile_parses(ParseSet("1", "", forest), (), parser.as_reference())


def test_the_file_of_a_model_has_its_reference(tmp_path):
    parser = weft.fit(weft.Cfg(normalisation="joint"), treebank(FIRST))
    inner = weft.fit(weft.Selection(properties("entries"), reference=parser), SETS[:50])
    selector = weft.fit(weft.Selection(reference=inner), SETS[50:])
    save_model(tmp_path / "one.weft", selector)
    again = load_model(tmp_path / "one.weft")
    for one, other in zip(again.marginals(SETS), selector.marginals(SETS), strict=True):
        np.testing.assert_array_equal(one, other)
    save_model(tmp_path / "two.weft", again)
    assert (tmp_path / "one.weft").read_bytes() == (tmp_path / "two.weft").read_bytes()


def test_an_analysis_without_a_derivation_is_named():
    one = ParseSet("1", "", (Candidate(features={"x": 1.0}),), source="a.jsonl:7")
    looking = Reference(of_node=lambda node: Scored(float(len(node.words))))
    with pytest.raises(FormatError, match=r"a.jsonl:7: analysis 0 has no derivation"):
        compile_parses(one, (), looking)
    given = add_references(Reference(of_given=lambda each: each["x"]), Reference())
    assert compile_parses(one, (), given).tokens.base.tolist() == [1.0]
