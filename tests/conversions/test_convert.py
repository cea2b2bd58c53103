"""Conversions keep what they promise to keep, tagging by tagging."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from random_taggers import MEALY, MOORE, OPTIONS, examples_of, random_tagger
from weft.conversions import growth as convert_growth
from weft.conversions.check import joint_log_probs
from weft.conversions.convert import (
    Target,
    convert,
    hmm_to_mrf,
    mealy_to_moore,
    memm_to_mrf,
    moore_to_mealy,
    mrf_to_hmm,
)
from weft.conversions.growth import growth_rate
from weft.criteria import Dirichlet, joint
from weft.errors import EvidenceError, OptionError
from weft.features.templates import templates
from weft.models import Chain, Normalisation, Scheme, prepare
from weft.models.chain.multinomials import check_multinomials
from weft.models.storage import load_tagger, save_tagger
from weft.models.tagger import Decoder, Tagger
from weft.optimise.em import EM
from weft.report.features import strongest_features
from weft.structures.evidence import Example, example
from weft.train import fit

orders = pytest.mark.parametrize("order", [1, 2])
every_kind = pytest.mark.parametrize("name", OPTIONS)
mealy_kinds = pytest.mark.parametrize("name", MEALY)
moore_kinds = pytest.mark.parametrize("name", MOORE)
normalisations = pytest.mark.parametrize("normalisation", Normalisation)


def check_conditional(before: Tagger, after: Tagger, unknown: bool = True) -> None:
    """p(tags | words) is the same for every tagging of many sentences, and so are predictions."""
    every = examples_of(before, unknown=unknown)
    expected = before.log_probs(every)
    np.testing.assert_allclose(after.log_probs(every), expected, atol=1e-9)
    possible = (each for each, value in zip(every, expected, strict=True) if value > -np.inf)
    sentences = list(dict.fromkeys(each.tokens.words for each in possible))
    assert len(sentences) > 20
    tagged = [example(*each) for each in zip(sentences, after.tag(sentences), strict=True)]
    best = [each.log_prob for each in before.best(sentences)]
    assert before.log_probs(tagged) == pytest.approx(best, abs=1e-9)
    likely = after.tag(sentences, Decoder.POSTERIOR)
    for one, other, tags in zip(
        before.marginals(sentences), after.marginals(sentences), likely, strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-9)
        chosen = [row[before.model.tags.index(tag)] for row, tag in zip(one, tags, strict=True)]
        assert chosen == pytest.approx(one.max(axis=1), abs=1e-9)
    np.testing.assert_allclose(before.entropy(sentences), after.entropy(sentences), atol=1e-8)


def check_joint(before: Tagger, after: Tagger, unknown: bool = True) -> None:
    every = examples_of(before, unknown=unknown)
    expected = joint_log_probs(before, every)
    assert np.isfinite(expected).sum() > 100
    np.testing.assert_allclose(joint_log_probs(after, every), expected, atol=1e-9)


def log_total(hmm: Tagger) -> float:
    """The log of the sum over everything of an HMM's weights, by the linear system."""
    written = hmm_to_mrf(hmm)
    return float(written.model.everything().log_partition(written.weights)[0])


@orders
@every_kind
@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_mrf_to_hmm_keeps_conditional_probabilities(rng, name, order, spread):
    mrf = random_tagger(rng, name, order, "none", spread)
    hmm = mrf_to_hmm(mrf)
    assert hmm.model.normalisation is Normalisation.JOINT
    assert hmm.model.topology.order == order
    assert (hmm.model.pair_rows is None) == (mrf.model.pair_rows is None)
    check_conditional(mrf, hmm)


@orders
@every_kind
def test_mrf_to_hmm_gives_a_proper_hmm(rng, name, order):
    hmm = mrf_to_hmm(random_tagger(rng, name, order, "none"))
    assert log_total(hmm) == pytest.approx(0.0, abs=1e-9)
    # The weights of n-grams are probabilities themselves, before anything normalises them.
    ngrams, run = hmm.model.topology.longest
    contexts = np.unique(ngrams[:, :-1], axis=0, return_inverse=True)[1].reshape(-1)
    sums = np.bincount(contexts, np.exp(hmm.weights[run]))
    np.testing.assert_allclose(sums[sums > 0], 1.0, atol=1e-9)
    assert (sums > 0).sum() > 2


@orders
def test_sums_that_diverge_are_no_obstacle(rng, order):
    mrf = random_tagger(rng, "plain", order, "none", 3.0)
    assert mrf.model.everything().log_partition(mrf.weights)[0] == np.inf
    assert growth_rate(mrf.model, mrf.weights) > 1
    check_conditional(mrf, mrf_to_hmm(mrf, mean_length=3.0))


@orders
@every_kind
@pytest.mark.parametrize("length", [1.01, 20.0, 3000.0])
def test_the_mean_length_is_what_was_asked_for(rng, name, order, length):
    """By the derivative of log Z with respect to the log of the scale, from the linear system."""
    hmm = mrf_to_hmm(random_tagger(rng, name, order, "none"), mean_length=length)
    written = hmm_to_mrf(hmm)
    words = np.ones_like(written.weights)
    words[written.model.topology.longest[1]] = 0.0  # each word has one of the weights that are left
    step = 1e-6 / length

    def log_z(change: float) -> float:
        changed = written.weights + change * words
        return float(written.model.everything().log_partition(changed)[0])

    slope = (log_z(step) - log_z(-step)) / (2 * step)
    assert slope == pytest.approx(length, rel=1e-4)
    assert float(hmm.notes["mean length"]) == pytest.approx(length, rel=1e-5)


@orders
def test_every_scale_above_the_growth_rate_will_do(rng, order):
    mrf = random_tagger(rng, "both", order, "none")
    rate = growth_rate(mrf.model, mrf.weights)
    several = [mrf_to_hmm(mrf, scale=rate * factor) for factor in (1 + 1e-6, 1.1, 1e3)]
    lengths = [float(each.notes["mean length"]) for each in several]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 1e5
    assert lengths[-1] < 1.1
    for each in several[1:]:
        check_conditional(mrf, each)
    every = examples_of(mrf)
    expected = mrf.log_probs(every)
    np.testing.assert_allclose(several[0].log_probs(every), expected, atol=1e-7)
    for scale in (rate * (1 - 1e-9), 0.0, -1.0, np.inf, np.nan):
        with pytest.raises(OptionError, match="above the growth rate, which is"):
            mrf_to_hmm(mrf, scale=scale)


@orders
@every_kind
def test_hmm_to_mrf_keeps_joint_probabilities(rng, name, order):
    hmm = random_tagger(rng, name, order, "joint")
    mrf = hmm_to_mrf(hmm)
    assert mrf.model.normalisation is Normalisation.NONE
    assert [str(each) for each in mrf.model.index.templates] == ["word[0]"]
    assert log_total(hmm) == pytest.approx(0.0, abs=1e-9)
    check_joint(hmm, mrf, unknown=False)
    check_conditional(hmm, mrf, unknown=False)


@orders
@pytest.mark.parametrize("name", ["plain", "pairs"])
def test_an_hmm_that_is_written_out_has_nothing_but_its_probabilities(rng, name, order):
    written = hmm_to_mrf(random_tagger(rng, name, order, "joint"))
    distributions = check_multinomials(written.model)  # every weight that EM knows, and no other
    sums = np.bincount(distributions.groups[distributions.members], np.exp(written.weights))
    np.testing.assert_allclose(sums[sums > 0], 1.0)


def counted(**options) -> Tagger:
    """The HMM of a corpus, with classes of unknown words."""
    corpus = [
        example(["the", "dog", "saw", "the", "cat"], ["DT", "NN", "VBD", "DT", "NN"]),
        example(["a", "cat", "barked"], ["DT", "NN", "VBD"]),
    ]
    default = {"templates": templates("word[0]"), "attributes": "all", "ngrams": "all"}
    chain = Chain(normalisation="joint", **{**default, **options})
    return fit(chain, corpus, criterion=joint, penalty=Dirichlet(0.5), optimiser=EM())


@pytest.mark.parametrize(
    "options",
    [{}, {"order": 2}, {"templates": (), "pair_templates": templates("word[0]")}],
    ids=str,
)
def test_classes_of_unknown_words_are_converted_too(options):
    hmm = counted(**options)
    assert hmm.model.signatures is not None
    mrf = hmm_to_mrf(hmm)
    back = mrf_to_hmm(mrf, scale=1.0)
    other = mealy_to_moore(hmm) if hmm.model.pair_rows else moore_to_mealy(hmm)
    sentences = [["the", "zebra", "slept"], ["dog"], ["Zebras", "-", "7", "saw"]]
    tags = np.array(hmm.model.tags)
    rng = np.random.default_rng(0)
    every = [example(w, rng.choice(tags, len(w)).tolist()) for w in sentences for _ in range(20)]
    expected = joint_log_probs(hmm, every)
    for tagger in (mrf, back, other):
        np.testing.assert_allclose(joint_log_probs(tagger, every), expected, atol=1e-9)
        # Taggings may tie, but the best are equally good.
        best = [
            [example(*pair) for pair in zip(sentences, each.tag(sentences), strict=True)]
            for each in (hmm, tagger)
        ]
        first, second = (joint_log_probs(hmm, each) for each in best)
        np.testing.assert_allclose(first, second, atol=1e-9)


@orders
@every_kind
def test_memm_to_mrf_to_hmm_keeps_conditional_probabilities(rng, name, order):
    memm = random_tagger(rng, name, order, "conditional")
    mrf = memm_to_mrf(memm)
    hmm = mrf_to_hmm(mrf)
    for tagger in (mrf, hmm, convert(memm, Target.HMM)):
        check_conditional(memm, tagger, unknown=False)
    assert log_total(hmm) == pytest.approx(0.0, abs=1e-9)
    assert {kind.name for kind in mrf.model.parameters.kinds} == {"bigram", "pair:word[0]"}


@orders
@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "chunks"])
def test_the_growth_rate_of_a_memm_is_the_number_of_words(rng, name, order):
    mrf = memm_to_mrf(random_tagger(rng, name, order, "conditional"))
    expected = len(mrf.model.vocabulary)
    assert growth_rate(mrf.model, mrf.weights) == pytest.approx(expected, rel=1e-12)


def test_lemma_1_in_the_right_order(rng):
    """The weights of tags k y and of word w with them add up to log p(y | k, w): y comes later."""
    memm = random_tagger(rng, "features", 1, "conditional")
    mrf = memm_to_mrf(memm)
    [first, second] = memm.log_probs([example(["u"], ["A"]), example(["u", "v"], ["A", "B"])])
    a, b = (mrf.model.tags.index(tag) for tag in "AB")
    names = strongest_features(mrf, 1000) + strongest_features(mrf, 1000, negative=True)
    weights = {(each.attribute, each.tags): each.weight for each in names}
    total = weights[None, ("A", "B")] + weights["word[0]=v", ("A", "B")]
    assert total == pytest.approx(second - first)
    table = mrf.model.topology.table(mrf.weights)[0]
    np.testing.assert_allclose(np.exp(table[:, : len(mrf.model.tags)]).sum(axis=1)[[a, b]], 1.0)
    assert table[a, len(mrf.model.tags)] == 0.0  # the end weighs 1


@orders
@pytest.mark.parametrize("name", ["plain", "pairs", "dictionary", "observed"])
def test_unknown_words_of_a_memm_of_words_are_converted_too(rng, name, order):
    memm = random_tagger(rng, name, order, "conditional")
    check_conditional(memm, convert(memm, Target.HMM), unknown=True)


@orders
@normalisations
@moore_kinds
def test_moore_to_mealy_keeps_everything(rng, name, order, normalisation):
    moore = random_tagger(rng, name, order, normalisation)
    mealy = moore_to_mealy(moore)
    assert mealy.model.pair_rows is not None
    assert len(mealy.model.tag_rows) == 0
    check_conditional(moore, mealy)
    if normalisation is Normalisation.JOINT:
        check_joint(moore, mealy)


@orders
@normalisations
@mealy_kinds
def test_mealy_to_moore_keeps_everything(rng, name, order, normalisation):
    mealy = random_tagger(rng, name, order, normalisation)
    moore = mealy_to_moore(mealy)
    model = moore.model
    assert model.pair_rows is None
    assert model.topology.order == 1
    assert len(model.states) == (~mealy.model.topology.forbidden[:, :-1]).sum()
    check_conditional(mealy, moore)
    if normalisation is Normalisation.JOINT:
        check_joint(mealy, moore)


@orders
@moore_kinds
def test_moore_to_mealy_to_moore_keeps_joint_probabilities(rng, name, order):
    moore = random_tagger(rng, name, order, "joint")
    again = mealy_to_moore(moore_to_mealy(moore))
    check_joint(moore, again)
    check_conditional(moore, again)
    written = hmm_to_mrf(again)
    assert written.model.shown == again.model.shown
    check_joint(moore, written, unknown=False)
    check_conditional(moore, mrf_to_hmm(written), unknown=False)


@orders
def test_windows_are_no_obstacle_between_mealy_and_moore(rng, order):
    corpus = examples_of(random_tagger(rng, "plain", 1, "none"))[-40:]
    chain = Chain(
        order=order, templates=templates("word[-1] word[0]"), pair_templates=templates("word[1]")
    )
    model = prepare(chain, corpus)
    mealy = Tagger(model, rng.normal(size=model.parameters.size))
    check_conditional(mealy, mealy_to_moore(mealy))


def test_labels_are_evidence_for_states(rng):
    mealy = random_tagger(rng, "pairs", 1, "joint")
    moore = mealy_to_moore(mealy)
    words = example(["u", "w", "x"]).tokens
    labels = [
        ("A", frozenset({"B", "BC"}), None),
        (None, None, "B"),
        (frozenset({"A"}), "Z", None),
        (frozenset({"A", "Z"}), None, frozenset({"BC", "B", "A"})),
    ]
    every = [Example(words, each) for each in labels]
    expected = mealy.log_probs(every)
    assert np.isfinite(expected).tolist() == [True, True, False, True]
    np.testing.assert_allclose(moore.log_probs(every), expected, atol=1e-9)


def test_states_are_kept_in_the_file_and_shown_in_reports(rng, tmp_path):
    moore = mealy_to_moore(random_tagger(rng, "pairs", 1, "joint"))
    save_tagger(tmp_path / "moore.weft", moore)
    loaded = load_tagger(tmp_path / "moore.weft")
    assert loaded.model.shown == moore.model.shown
    every = examples_of(moore)
    np.testing.assert_array_equal(loaded.log_probs(every), moore.log_probs(every))
    named = strongest_features(loaded, 1000, tag="B")
    assert {tag.split("#")[0] for each in named for tag in each.tags} >= {"B"}
    assert all(any(tag.startswith("B#") for tag in each.tags) for each in named)
    states = {tag for each in named for tag in each.tags if tag.startswith("B#")}
    assert len(states) == 4  # after A, B, C and the start


def test_what_looks_beyond_the_word_is_refused_by_name():
    corpus = [example(["u", "v"], ["A", "B"])]
    for normalisation, into in (("none", "hmm"), ("conditional", "mrf"), ("conditional", "hmm")):
        chain = Chain(templates=templates("word[0] word[-1]"), normalisation=normalisation)
        model = prepare(chain, corpus)
        tagger = Tagger(model, np.zeros(model.parameters.size))
        with pytest.raises(OptionError, match=r"template word\[-1\] looks at other words"):
            convert(tagger, Target(into))
    rows = [Example(example(["u", "v"]).tokens, ("A", "B"))]
    two = [replace(e, tokens=replace(e.tokens, columns=(("u", "v"), ("P", "Q")))) for e in rows]
    model = prepare(Chain(templates=templates("column2[0]")), two)
    with pytest.raises(OptionError, match=r"template column2\[0\] looks at another column"):
        mrf_to_hmm(Tagger(model, np.zeros(model.parameters.size)))
    given = [replace(rows[0], tokens=replace(rows[0].tokens, attributes=(["x"], ["y"])))]
    model = prepare(Chain(), given)
    with pytest.raises(OptionError, match="attributes were given by the user"):
        mrf_to_hmm(Tagger(model, np.zeros(model.parameters.size)))


@pytest.mark.parametrize(
    ("kind", "form", "message"),
    [
        ("none", "mrf", "the model is an mrf already"),
        ("joint", "hmm", "the model is an hmm already"),
        ("none", "moore", "single tags already"),
        ("none", "what", "'what' is none of hmm, memm, mrf, mealy, moore"),
    ],
)
def test_what_is_nothing_to_do_is_said(rng, kind, form, message):
    with pytest.raises(OptionError, match=message):
        convert(random_tagger(rng, "plain", 1, kind), form)


def test_options_that_do_not_fit_are_refused(rng):
    mrf = random_tagger(rng, "plain", 1, "none")
    with pytest.raises(OptionError, match="give one of them"):
        mrf_to_hmm(mrf, scale=3.0, mean_length=4.0)
    with pytest.raises(OptionError, match="for conversion into an hmm, not mealy"):
        convert(mrf, Target.MEALY, scale=3.0)
    with pytest.raises(OptionError, match="for models of the kind hmm, and this is an mrf"):
        hmm_to_mrf(mrf)
    with pytest.raises(OptionError, match="pairs of tags already"):
        moore_to_mealy(random_tagger(rng, "pairs", 1, "none"))
    for length in (1.0, 0.0, np.nan, np.inf):
        with pytest.raises(OptionError, match="shortest sentence has 1 words"):
            mrf_to_hmm(mrf, mean_length=length)


def test_a_model_without_sentences_is_refused(rng):
    mrf = random_tagger(rng, "plain", 1, "none")
    empty = {word: frozenset[str]() for word in mrf.model.vocabulary}
    hmm = random_tagger(rng, "plain", 1, "joint")
    for tagger, change in ((mrf, mrf_to_hmm), (hmm, hmm_to_mrf)):
        with pytest.raises(OptionError, match="word by word, but this model has none"):
            change(replace(tagger, model=replace(tagger.model, vocabulary=())))
    with pytest.raises(EvidenceError, match="gives no sentence of its vocabulary any weight"):
        mrf_to_hmm(replace(mrf, model=replace(mrf.model, dictionary=empty)))


def test_where_there_is_a_longest_sentence_any_scale_will_do():
    """B-X must be followed by I-X, and I-X by the end: two words or one, and none longer."""
    model = prepare(
        Chain(templates=templates("word[0]"), scheme=Scheme.CHUNKS, ngrams="all"),
        [example(["u", "v"], ["B-X", "I-X"]), example(["v"], ["B-X"])],
    )
    forbidden = model.topology.forbidden.copy()
    forbidden[0, 0] = forbidden[1, 0] = forbidden[1, 1] = True  # B-X B-X, I-X B-X, I-X I-X
    bigrams = model.topology.bigrams
    kept = ~forbidden[tuple(bigrams.T)]
    topology = replace(
        model.topology,
        forbidden=forbidden,
        bigrams=bigrams[kept],
        trigram_start=int(kept.sum()),
    )
    rows = replace(model.tag_rows, start=int(kept.sum()))
    model = replace(model, topology=topology, tag_rows=rows)
    mrf = Tagger(model, np.linspace(-1, 1, model.parameters.size))
    assert growth_rate(model, mrf.weights) == 0.0
    every = examples_of(mrf, unknown=False)
    expected = mrf.log_probs(every)
    for made in (mrf_to_hmm(mrf, scale=1e-6), mrf_to_hmm(mrf, mean_length=1.5)):
        np.testing.assert_allclose(made.log_probs(every), expected, atol=1e-9)
    probs = np.exp(joint_log_probs(made, every))
    assert probs.sum() == pytest.approx(1.0)
    assert probs @ [len(each.tokens) for each in every] == pytest.approx(1.5)
    with pytest.raises(OptionError, match="there is a longest sentence"):
        mrf_to_hmm(mrf)


@pytest.mark.parametrize(
    ("what", "limit", "change", "kind"),
    [
        ("the matrix of its steps", 143, mrf_to_hmm, ("plain", 2, "none")),
        ("the table of tag n-grams", 63, hmm_to_mrf, ("plain", 2, "joint")),
        ("its table of words", 47, hmm_to_mrf, ("pairs", 1, "joint")),
        ("its table of words", 47, memm_to_mrf, ("plain", 1, "conditional")),
        ("its table of pairs", 47, moore_to_mealy, ("plain", 1, "joint")),
        ("the matrix of its steps", 168, mealy_to_moore, ("pairs", 1, "joint")),
        ("its table of states", 239, mealy_to_moore, ("many", 1, "joint")),
    ],
)
def test_what_would_be_too_large_is_refused(rng, monkeypatch, what, limit, change, kind):
    if kind[0] == "many":  # 20 words with 12 pairs of tags
        corpus = [example([f"w{n}"], ["ABC"[n % 3]]) for n in range(20)]
        word = templates("word[0]")
        chain = Chain(templates=(), pair_templates=word, attributes="all", normalisation=kind[2])
        model = prepare(chain, corpus)
        tagger = Tagger(model, rng.normal(size=model.parameters.size))
    else:
        tagger = random_tagger(rng, *kind)
    monkeypatch.setattr(convert_growth, "MOST_NUMBERS", limit + 1)
    change(tagger)
    monkeypatch.setattr(convert_growth, "MOST_NUMBERS", limit)
    with pytest.raises(OptionError, match=f"{what} would have {limit + 1} numbers, and at most"):
        change(tagger)


def test_a_conversion_says_where_it_came_from(rng):
    memm = random_tagger(rng, "plain", 1, "conditional")
    memm = replace(memm, notes={"format": "tagged"}, lexicon={"u": frozenset({"A"})})
    hmm = convert(memm, Target.HMM, mean_length=5.0)
    assert hmm.notes["converted"] == "memm to mrf, mrf to hmm"
    assert hmm.notes["format"] == "tagged"
    assert hmm.lexicon == memm.lexicon
    assert not hmm.weights.flags.writeable
