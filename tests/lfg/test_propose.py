"""Analyses of lexical-functional grammars that a covering grammar draws."""

from __future__ import annotations

import io
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from weft.conversions.covering_lfg import bound_lfg_partition
from weft.corpora.parses.drawn import drawn_set
from weft.criteria import contrast, joint, marginal
from weft.errors import OptionError
from weft.features.functional import Functions, make_candidate
from weft.lfg.alike import sees_names
from weft.lfg.analysis import Analysis, CNode
from weft.lfg.covering import build_covering, list_ways
from weft.lfg.generate import generate_lfg, generate_random_lfg
from weft.lfg.parser import LfgParser
from weft.lfg.propose import LfgProposals, propose_lfg
from weft.lfg.read import read_lfg
from weft.lfg.vocabulary import START, build_vocabulary
from weft.models.selection.spec import Sampling, Selection
from weft.structures.parse_set import ParseSet
from weft.structures.tree import Tree, write_brackets

CONFIG = """T E CONFIG (1.0)
  ROOTCAT S.  RULES (T E).  LEXENTRIES (T E).
  GOVERNABLERELATIONS SUBJ OBJ XCOMP OBL.  SEMANTICFUNCTIONS ADJUNCT TOPIC.
  NONDISTRIBUTIVES CONJ.  OPTIMALITYORDER Bad NOGOOD Rare.
----
T E RULES (1.0)
"""
RULES = """
S --> { N: (^ TOPIC)=! (^ XCOMP* OBJ)=! | e: (^ PLAIN)=+ } NP: (^ SUBJ)=!; VP.
NP --> { N | N: ! $ ^; C N: ! $ ^ }.
VP --> V (N: (^ OBJ)=!) (P: { ! $ (^ ADJUNCT) | (^ OBL)=! | Bad $ o::* })
       (V: (^ XCOMP)=! (^ XCOMP SUBJ)=(^ SUBJ)).
"""
WORDS = """
Kim    N * (^ PRED)='Kim' (^ NUM)=sg.
fish   N * (^ PRED)='fish' { (^ NUM)=pl | (^ KIND)=c sort | Rare $ o::* }.
and    C * (^ CONJ)=and.
swims  V * { (^ PRED)='swim<(^ SUBJ)>' | (^ PRED)='swim<(^ SUBJ)(^ OBJ)>' } (^ SUBJ NUM)~=pl.
lets   V * (^ PRED)='let<(^ SUBJ)(^ XCOMP)>' ~(^ SUBJ CONJ).
in     P * (^ PRED)='in'.
"""
FREE = CONFIG + (
    "S --> N (e: (^ A)=b) V+.  N --> { X | Y }.\n----\nT E LEXICON (1.0)\n"
    "k X *; Y *.  m X * { (^ B)=c | (^ B)=d }.  v V *.\n----"
).replace("V+", "V (V)")


def load(rules: str, words: str) -> LfgParser:
    text = f"{CONFIG}{rules}----\nT E LEXICON (1.0)\n{words}----"
    return LfgParser(read_lfg(io.BytesIO(text.encode())))


@pytest.fixture(scope="module")
def parser():
    return load(RULES, WORDS)


@pytest.fixture(scope="module")
def every(parser):
    """All analyses, found by parsing all strings that the rules make."""
    found = [each for sentence in generate_lfg(parser, 6, 10**6) for each in sentence]
    return [plain(each) for each in found]


def plain(analysis: Analysis) -> Analysis:
    """An analysis without the places of its nodes."""

    def bare(node: CNode) -> CNode:
        return CNode(node.label, tuple(map(bare, node.children)), node.value)

    return replace(analysis, tree=bare(analysis.tree))


@pytest.fixture(scope="module")
def cover(parser):
    return build_covering(parser.grammar, build_vocabulary(parser.grammar))


@pytest.fixture(scope="module")
def samples(cover):
    """Draws, independent of each other."""
    return [propose_lfg(cover, 400, np.random.default_rng(seed)) for seed in range(10)]


@pytest.mark.slow
def test_all_that_is_drawn_is_an_analysis_and_most_of_them_are_drawn(samples, every):
    assert len(set(every)) == len(every) == 100
    drawn = {plain(each) for one in samples for each in one.analyses}
    assert drawn <= set(every)
    assert len(drawn) > 60
    assert any("Rare" in each.marks for each in drawn)
    assert not any("Bad" in each.marks for each in drawn)


def test_draws_are_as_frequent_as_their_probabilities_say(samples):
    probs, seen = {}, Counter()
    for one in samples:
        probs.update(zip(one.analyses, np.exp(one.log_probs), strict=True))
        seen.update(one.analyses)
    tried = sum(one.tried for one in samples)
    for analysis, prob in probs.items():
        error = math.sqrt(prob * (1 - prob) / tried)
        assert abs(seen[analysis] / tried - prob) < 5 * error
    assert sum(probs.values()) < 1


def test_the_sum_over_draws_stands_for_the_number_of_analyses(samples, every):
    sums = [np.exp(-one.log_probs).sum() / one.tried for one in samples]
    error = np.std(sums) / math.sqrt(len(sums))
    assert error < len(every) / 8
    assert abs(np.mean(sums) - len(every)) < 5 * error


def universe(parser, analyses, scores=None):
    functions = Functions.of(parser.grammar)
    made = [make_candidate(each, functions) for each in analyses]
    scores = np.zeros(len(made)) if scores is None else scores
    both = zip(made, scores.tolist(), strict=True)
    return ParseSet("all", "", tuple(replace(each, score=score) for each, score in both))


@pytest.mark.parametrize("criterion", [joint, marginal], ids=lambda each: each.name)
@pytest.mark.parametrize("sampling", list(Sampling))
def test_the_drawn_gradient_is_the_exact_one_but_for_chance(
    parser, samples, every, criterion, sampling
):
    """Within five standard errors, each coordinate of θ."""
    exact = Selection((), relevance=0, universe=universe(parser, every))
    some = [every[number::9][:3] for number in (1, 5, 7)]
    corpus = [ParseSet("", "", universe(parser, each).analyses, (0,)) for each in some]
    examples = exact.compile(corpus)
    model = exact.prepare(examples)
    theta = np.random.default_rng(3).normal(size=len(model.names)) / 4
    gradient = contrast(model, examples, criterion)(theta)[1]
    functions = Functions.of(parser.grammar)

    def gradient_of(found):
        sample = drawn_set(found, functions)
        spec = Selection((), relevance=0, universe=sample, sampling=sampling)
        # The names of the exact model, so that coordinates are the same.
        one = type(model)(spec, model.names, model.largest, spec.compiler()(sample).tokens)
        return contrast(one, examples, criterion)(theta)[1]

    error = np.std([gradient_of(each) for each in samples], axis=0) / math.sqrt(len(samples))
    assert (error > 0.01).sum() > 5
    assert (np.abs(gradient_of(pool(samples)) - gradient) < 5 * error + 1e-6).all()


def pool(samples):
    """All draws together."""
    return LfgProposals(
        tuple(each for one in samples for each in one.analyses),
        tuple(each for one in samples for each in one.sentences),
        np.concatenate([one.log_probs for one in samples]),
        sum(one.tried for one in samples),
        0,
    )


def score(model, theta, candidates):
    tokens = model.selection.compiler()(ParseSet("", "", candidates)).tokens
    return model.analyses([tokens]).scores(theta, 1)


def test_the_covering_grammar_bounds_the_sum():
    parser = LfgParser(read_lfg(io.BytesIO(FREE.encode())))
    analyses = [each for sentence in generate_lfg(parser, 5) for each in sentence]
    whole = universe(parser, analyses)
    model = Selection((), relevance=0, universe=whole).prepare([])
    theta = np.random.default_rng(4).normal(size=len(model.names))
    local = [name.startswith("productions") for _, name in model.names]
    assert any(local)
    assert not all(local)
    theta = np.where(local, theta, -np.abs(theta))
    cover = build_covering(parser.grammar, build_vocabulary(parser.grammar))
    found = bound_lfg_partition(cover, model, np.where(local, theta, 0.0))
    # Nothing that these rules say can fail: the bound is the sum.
    exact = np.logaddexp.reduce(score(model, np.where(local, theta, 0.0), whole.analyses))
    assert found == pytest.approx(exact)
    less = np.logaddexp.reduce(score(model, theta, whole.analyses))
    assert bound_lfg_partition(cover, model, theta) > less + 0.01
    with pytest.raises(OptionError, match="'atoms' is not known from productions"):
        bound_lfg_partition(cover, model, np.abs(theta))


def test_endless_paths_have_no_bound(parser, cover, every):
    model = Selection((), relevance=0, universe=universe(parser, every[:5])).prepare([])
    with pytest.raises(OptionError, match="along a path without end"):
        bound_lfg_partition(cover, model, np.zeros(len(model.names)))


def test_counts_move_weights(parser):
    vocabulary = build_vocabulary(parser.grammar)
    tree = Tree("NP", (Tree("N", ("fish",)), Tree("C", ("and",)), Tree("N", ("fish",))))
    cover = build_covering(parser.grammar, vocabulary, [(tree, 2.0)], 0.5)
    assert {entry.word: weight for entry, weight in cover.entries["N"]} == {"Kim": 0.5, "fish": 4.5}
    first = {arc.step.notes: arc.weight for arc in cover.states["NP"][0].arcs}
    assert sorted(first.values()) == [0.5, 2.5]
    assert list_ways(parser._solver.machines["NP"], ("C",)) == []
    with pytest.raises(OptionError, match="no node of the given analyses"):
        build_covering(parser.grammar, vocabulary, [(Tree("X", ("y",)), 1.0)])
    with pytest.raises(OptionError, match="must be positive"):
        build_covering(parser.grammar, vocabulary, smoothing=0.0)


def test_headwords_of_several_words_are_counted_and_written():
    parser = load("S --> A.\n", "of` course A *.  no A *.\n")
    [analysis] = parser.parse("of course")
    made = make_candidate(analysis, Functions.of(parser.grammar))
    assert write_brackets(made.tree) == "(S (A of course))"
    cover = build_covering(
        parser.grammar, build_vocabulary(parser.grammar), [(made.tree, 3.0)], 0.5
    )
    assert {entry.word: weight for entry, weight in cover.entries["A"]} == {
        "of course": 3.5,
        "no": 0.5,
    }
    drawn = propose_lfg(cover, 20, np.random.default_rng(0))
    assert ("of course",) in drawn.sentences


def test_names_of_forms_matter_only_where_something_tests_them(parser):
    assert not sees_names(parser.grammar)
    assert sees_names(load(RULES, WORDS + "x V * (^ OBJ PRED)=c 'fish'.\n").grammar)


def test_depth_is_kept(cover, parser):
    with pytest.raises(OptionError, match="3 categories or more"):
        propose_lfg(cover, 1, np.random.default_rng(0), depth=2)
    with pytest.raises(OptionError, match="at least 1"):
        propose_lfg(cover, 0, np.random.default_rng(0))
    low = propose_lfg(cover, 300, np.random.default_rng(0), depth=3)
    assert not any(str(plain(each).tree).count("'VP'") > 1 for each in low.analyses)
    found = [next(generate_random_lfg(parser, 3, np.random.default_rng(seed))) for seed in (1, 2)]
    assert all(len(parser.parse(each.words)) for each in found)


def test_a_category_over_itself_is_not_drawn():
    parser = load("S --> { S | N }.\n", "a N *.\n")
    cover = build_covering(parser.grammar, build_vocabulary(parser.grammar))
    found = propose_lfg(cover, 40, np.random.default_rng(0))
    assert {plain(each) for each in found.analyses} == {plain(each) for each in parser.parse("a")}
    assert len(found.analyses) < 40


def test_nothing_drawn_is_no_universe(parser):
    none = LfgProposals((), (), np.zeros(0), 7, 0)
    with pytest.raises(OptionError, match="none of 7 trials"):
        drawn_set(none, Functions.of(parser.grammar))


# ------------------------------------------------------------------------------- morphology


@pytest.fixture
def suffixes(tmp_path):
    (tmp_path / "m.tsv").write_text("cows\tcow+N+Pl\ncow\tcow+N+Sg\npigs\tpig+N+Pl\n")
    text = CONFIG.replace("RULES (T E).", "RULES (T E). MORPHOLOGY (T E).") + (
        "S --> N N.  N --> N_BASE TAG_BASE NUM_BASE.\n----\nT E LEXICON (1.0)\n"
        "cow N XLE (^ PRED)='cow'.  pig N XLE (^ PRED)='pig'.  the N * (^ SPEC)=def.\n"
        "+N TAG XLE.  +Pl NUM XLE (^ NUM)=pl.  +Sg NUM XLE (^ NUM)=sg.\n----\n"
        "T E MORPHOLOGY (1.0)\nANALYZE:\nm.tsv\n----\n"
    )
    path = tmp_path / "t.lfg"
    path.write_text(text)
    return LfgParser(read_lfg(path))


def test_morphemes_are_drawn_as_words_have_them(suffixes):
    vocabulary = build_vocabulary(suffixes.grammar)
    inside = vocabulary.follow(START, ("pig", False))
    assert not vocabulary.follow(vocabulary.follow(inside, ("+N", False)), ("+Sg", False))
    chain = [("cow", False), ("+N", False), ("+Sg", False)]
    assert vocabulary.spell([("the", True), *chain]) == ["the", "cow"]
    assert vocabulary.spell(chain[:2]) is None
    cover = build_covering(suffixes.grammar, vocabulary)
    found = propose_lfg(cover, 200, np.random.default_rng(0))
    every = {("the",), ("cows",), ("cow",), ("pigs",)}
    agree = {("the", "the"), ("the", "cow"), ("cow", "the"), ("the", "cows"), ("cows", "the")}
    assert set(found.sentences) == agree | {("the", "pigs"), ("pigs", "the")}
    assert len(every) == 4
    for sentence in agree:
        assert len(suffixes.parse(sentence)) == 1
    only = build_vocabulary(suffixes.grammar, ["pigs", "the"])
    assert only.spell(chain) is None
    with pytest.raises(OptionError, match="no word has an entry"):
        build_vocabulary(suffixes.grammar, ["zebra"])
