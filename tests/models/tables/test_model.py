"""Table models against their definition, written out with dictionaries and loops."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from weft.derivations import Trellis
from weft.derivations.chain.layout import ChainMembers
from weft.errors import EvidenceError, NotDefined, OptionError
from weft.models.smoothing.mixtures import Events, fit_mixture
from weft.models.tables import Form, TableModel, Tables, estimate_tables
from weft.models.tables.factors import end_probs, pair_probs, step_probs, token_probs
from weft.models.tables.scores import TableScoring
from weft.models.tagger import Decoder, Tagger
from weft.structures.evidence import EVERYTHING, Evidence, OfLength, example, sentence
from weft.structures.lattice import lattice

BOUNDARY = "⋆"
WORDS = ("the", "a", "run", "runs", "Run")
TAGS = ("D", "N", "V")
JOINT = [form for form in Form if form is not Form.CONDITIONAL]


def random_corpus(rng, sentences=12, weighted=False):
    corpus = []
    for number in range(sentences):
        length = 1 + number % 4
        words = rng.choice(WORDS, length, p=[0.4, 0.3, 0.1, 0.1, 0.1]).tolist()
        tags = rng.choice(TAGS, length).tolist()
        corpus.append(example(words, tags, weight=float(1 + weighted * rng.integers(3))))
    return [*corpus, example(["once"], ["N"]), example(["Twice", "the"], ["V", "D"])]


@pytest.fixture(params=Form, ids=str)
def form(request) -> Form:
    return request.param


@pytest.fixture(params=[1, 2], ids=["order 1", "order 2"])
def order(request) -> int:
    return request.param


def bucket_by_hand(count: float) -> int:
    return 0 if count == 0 else 1 + max(0, math.floor(math.log2(count)))


class Definition:
    """The products of the module's formulas, computed one factor at a time.

    Only the weights of the interpolation are taken from the model.
    """

    def __init__(self, model: TableModel, spec: Tables, corpus) -> None:
        self.model, self.spec = model, spec
        self.counts: Counter = Counter()
        self.totals: Counter = Counter()
        self.tokens: Counter = Counter()
        for each in corpus:
            for word in each.tokens.words:
                self.tokens[word] += each.weight
        self.rare = {w for w, count in self.tokens.items() if count <= spec.rare}
        self.class_mass: Counter = Counter()
        self.mixed: list = []  # what was interpolated: which distribution, and its components
        for each in corpus:
            self._count(each)

    def class_of(self, word):
        signatures = self.model.items.signatures
        return ("class", signatures.names[signatures.class_of(word)])

    def item(self, word):
        return word if word == BOUNDARY or word in self.tokens else self.class_of(word)

    def _as(self, word):
        """What a word of the corpus is counted as."""
        return [word, self.class_of(word)] if word in self.rare else [word]

    def _add(self, kind, context, outcome, weight):
        self.counts[kind, context, outcome] += weight
        self.totals[kind, context] += weight

    def _count(self, each):
        words = [BOUNDARY, *each.tokens.words, BOUNDARY]
        tags = [
            BOUNDARY,
            *each.analysis,
            BOUNDARY,
            BOUNDARY,
        ]  # the last is the one before the first
        weight, form = each.weight, self.spec.form
        for j in range(1, len(words)):
            end = j == len(words) - 1
            earlier, before, tag, word = tags[j - 2], tags[j - 1], tags[j], words[j]
            if not end or form not in (Form.CONDITIONAL, Form.NEXT_WORD):
                self._add("tag", before, tag, weight)
                self._add("tag 2", (earlier, before), tag, weight)
                self._add("any tag", "inside", tag, weight)
                if not end:
                    self._add("any tag", "beginning", tag, weight)
                of = words[j - 1] if form is Form.PREVIOUS_WORD else word
                for item in self._as(of):
                    self._add("item tag", (item, before), tag, weight)
                    self._add("item tag 2", (item, earlier, before), tag, weight)
                    self._add("item", item, tag, weight)
            for item in self._as(word):
                self._add("word", before, item, weight)
                self._add("word 2", (earlier, before), item, weight)
                self._add("any word", "inside", item, weight)
                if not end:
                    self._add("any word", "beginning", item, weight)
                self._add("words", (before, tag), item, weight)
            if not end:
                self._add("word tags", word, tag, weight)
                self._add("tags", "", tag, weight)
                if word in self.rare:
                    self.class_mass[self.class_of(word)] += weight
                    self._add("class tags", self.class_of(word)[1], tag, weight)

    def frequency(self, kind, context, outcome):
        total = self.totals[kind, context]
        return self.counts[kind, context, outcome] / total if total else 0.0

    def mix(self, name, contexts, outcome):
        """The interpolation of components given as (kind, context) or as (total, probability)."""
        weights = getattr(self.model.factors, name).mixture.weights
        pairs = [
            (self.totals[kind, context], self.frequency(kind, context, outcome))
            if isinstance(kind, str)
            else (kind, context)
            for kind, context in contexts
        ]
        self.mixed.append((name, pairs))
        pattern = sum(2**i for i, (total, _) in enumerate(pairs) if total > 0)
        bucket = min(bucket_by_hand(pairs[0][0]), weights.shape[1] - 1)
        return sum(w * p for w, (_, p) in zip(weights[pattern, bucket], pairs, strict=True))

    def place(self, before):
        return "beginning" if before == BOUNDARY else "inside"

    def narrow(self, *contexts):
        """The contexts of order 2, if that is the order."""
        return list(contexts) if self.spec.order == 2 else []

    def tag_given_tag(self, tag, before, earlier):
        contexts = [
            *self.narrow(("tag 2", (earlier, before))),
            ("tag", before),
            ("any tag", self.place(before)),
        ]
        return self.mix("next_tag", contexts, tag)

    def tag_given_word(self, tag, item, before, earlier):
        contexts = [
            *self.narrow(("item tag 2", (item, earlier, before))),
            ("item tag", (item, before)),
            ("item", item),
            *self.narrow(("tag 2", (earlier, before))),
            ("tag", before),
            ("any tag", self.place(before)),
        ]
        return self.mix("next_tag", contexts, tag)

    def word_given_tag(self, item, before, earlier):
        classes = [("class", name) for name in self.model.items.signatures.names]
        place = self.place(before)
        added = 0.5 if item in classes else 0.0
        total = self.totals["any word", place] + 0.5 * len(classes)
        wide = (self.counts["any word", place, item] + added) / total
        contexts = [*self.narrow(("word 2", (earlier, before))), ("word", before), (1.0, wide)]
        return self.mix("next_word", contexts, item)

    def class_tag_probs(self, name):
        """q(t | class), up the tree of classes."""
        signatures = self.model.items.signatures
        number = signatures.names.index(name)
        inside = {number}
        for other, parent in enumerate(signatures.parents.tolist()):
            inside |= {other} if parent in inside else set()
        names = [signatures.names[each] for each in inside]
        counts = {t: sum(self.counts["class tags", n, t] for n in names) for t in self.model.tags}
        if number:
            around = self.class_tag_probs(signatures.names[signatures.parents[number]])
        else:
            around = {t: self.frequency("tags", "", t) for t in self.model.tags}
        strength = self.spec.class_backoff
        total = sum(counts.values()) + strength
        return {t: (counts[t] + strength * around[t]) / total for t in self.model.tags}

    def mass(self, item, tag):
        if isinstance(item, tuple):
            return (self.class_mass[item] + 0.5) * self.class_tag_probs(item[1])[tag]
        seen, strength = self.tokens[item], self.spec.word_backoff
        around = self.class_tag_probs(self.class_of(item)[1])[tag]
        count = self.counts["word tags", item, tag]
        return seen * (count + strength * around) / (seen + strength)

    def every_item(self):
        return [*self.tokens, *(("class", n) for n in self.model.items.signatures.names)]

    def lexicon(self, item, tag):
        return self.mass(item, tag) / sum(self.mass(each, tag) for each in self.every_item())

    def word_given_tags(self, item, before, tag):
        contexts = [("words", (before, tag)), (1.0, self.lexicon(item, tag))]
        return self.mix("next_word", contexts, item)

    def probability(self, words, tags):
        """Of a sentence with its tags; for (5), of the tags given the sentence."""
        items = [BOUNDARY, *map(self.item, words), BOUNDARY]
        tags = [BOUNDARY, *tags, BOUNDARY, BOUNDARY]
        result, form = 1.0, self.spec.form
        for j in range(1, len(items)):
            end = j == len(items) - 1
            item, tag, before, earlier = items[j], tags[j], tags[j - 1], tags[j - 2]
            if form in (Form.HMM, Form.MEALY):
                result *= self.tag_given_tag(tag, before, earlier)
            if form is Form.PREVIOUS_WORD:
                result *= self.tag_given_word(tag, items[j - 1], before, earlier)
            if form is Form.NEXT_WORD:
                result *= self.word_given_tag(item, before, earlier)
            if not end:
                if form in (Form.HMM, Form.PREVIOUS_WORD):
                    result *= self.lexicon(item, tag)
                if form in (Form.CONDITIONAL, Form.NEXT_WORD):
                    result *= self.tag_given_word(tag, item, before, earlier)
                if form is Form.MEALY:
                    result *= self.word_given_tags(item, before, tag)
        return result


SENTENCES = [
    ["the"],
    ["never"],
    ["the", "run"],
    ["Strange", "a", "once"],
    ["runs", "the", "", "12-a"],
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("enough", [1, 100])
def test_sums_equal_the_definition_over_every_tag_sequence(form, order, seed, enough):
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, weighted=seed == 2)
    spec = Tables(form, order, enough=enough, rare=seed, parts=3)
    model = estimate_tables(spec, corpus)
    by_hand = Definition(model, spec, corpus)
    for words in SENTENCES:
        tokens = sentence(words)
        sequences = list(product(model.tags, repeat=len(words)))
        expected = np.array([by_hand.probability(words, tags) for tags in sequences])
        assert (expected > 0).all()
        evidences = [Evidence(tokens, tags) for tags in sequences]
        scores = model.trellis(evidences).log_partition(model.weights)
        np.testing.assert_allclose(scores, np.log(expected), atol=1e-10)
        sums, probs = model.trellis([Evidence(tokens)]).marginals(model.weights)
        assert sums[0] == pytest.approx(np.log(expected.sum()), abs=1e-10)
        marginals = np.zeros((len(words), len(model.tags)))
        for tags, p in zip(sequences, expected / expected.sum(), strict=True):
            for position, tag in enumerate(tags):
                marginals[position, model.tags.index(tag)] += p
        np.testing.assert_allclose(probs[0], marginals, atol=1e-10)


@pytest.mark.parametrize("parts", [2, 5])
def test_weights_are_fitted_to_parts_that_were_not_counted(form, order, parts, rng):
    """Every part is predicted by hand from the others."""
    corpus = random_corpus(rng, 60)
    spec = Tables(form, order, enough=1, parts=parts)
    model = estimate_tables(spec, corpus)
    part_of = [number * parts // len(corpus) for number in range(len(corpus))]
    happened: dict[str, list] = {"next_tag": [], "next_word": []}
    for part in range(parts):
        others = [each for each, of in zip(corpus, part_of, strict=True) if of != part]
        by_hand = Definition(model, spec, others)
        for each, of in zip(corpus, part_of, strict=True):
            if of == part:
                by_hand.probability(each.tokens.words, each.analysis)
        for name, pairs in by_hand.mixed:
            happened[name].append(pairs)
    for name, several in happened.items():
        fitted = getattr(model.factors, name)
        assert (fitted is None) == (not several)
        if several:
            totals, probs = np.moveaxis(np.array(several), -1, 0)
            buckets = np.array([bucket_by_hand(pairs[0][0]) for pairs in several])
            events = Events(probs, totals > 0, buckets, np.ones(len(several)))
            expected = fit_mixture(events).weights
            np.testing.assert_allclose(fitted.mixture.weights, expected, atol=1e-6)


def test_batches_and_threads_change_nothing(form, order, rng, monkeypatch):
    corpus = random_corpus(rng)
    model = estimate_tables(Tables(form, order, enough=1), corpus)
    evidences = [Evidence(each.tokens) for each in corpus]
    evidences.insert(3, Evidence(sentence([])))
    whole = model.trellis(evidences, 1).marginals(model.weights)
    monkeypatch.setattr("weft.derivations.chain.layout._BATCH_TOKENS", 3)
    monkeypatch.setattr("weft.models.tables.scores._CELLS", 1)
    for threads in (1, 2):
        parts = model.trellis(evidences, threads).marginals(model.weights)
        np.testing.assert_array_equal(parts[0], whole[0])
        for part, together in zip(parts[1], whole[1], strict=True):
            np.testing.assert_array_equal(part, together)


def test_the_conditional_form_sums_to_one_over_the_tags_of_any_sentence(rng):
    model = estimate_tables(Tables(Form.CONDITIONAL), random_corpus(rng))
    evidences = [Evidence(sentence(words)) for words in SENTENCES]
    sums = model.derivations(evidences).log_partition(model.weights)
    np.testing.assert_allclose(sums, 0.0, atol=1e-12)


def sums_by_length(model: TableModel, longest: int) -> np.ndarray:
    """[longest]: the mass of all sentences of items of length 1, 2, …, with all tags.

    A state is an item with its tag.
    """
    factors = model.factors
    count, tags = factors.boundary, factors.tags
    items = np.arange(count)
    lagging = factors.form is Form.PREVIOUS_WORD
    steps = step_probs(factors)
    pairs = np.ones((count + 1, tags + 1, tags))
    if factors.form is not Form.HMM:
        pairs = pair_probs(factors, np.arange(count + 1) if lagging else items)
    tokens, ends = token_probs(factors, items), end_probs(factors, items) * steps[:tags, tags]

    def advance(item, before):
        """[items, tags]: from an item and a tag to every item and tag."""
        pair = pairs[item, before] if lagging else pairs[:count, before]
        return pair * tokens * steps[before, :tags]

    arriving = advance(count, tags)
    masses = []
    for _ in range(longest):
        masses.append((arriving * ends).sum())
        arriving = sum(
            arriving[item, tag] * advance(item, tag) for item in range(count) for tag in range(tags)
        )
    return np.array(masses)


@pytest.mark.parametrize("form", JOINT, ids=str)
def test_joint_forms_sum_to_one_over_all_sentences(form, rng):
    corpus = random_corpus(rng, 4)
    model = estimate_tables(Tables(form, enough=100), corpus)
    masses = np.cumsum(sums_by_length(model, 60))
    assert (np.diff(masses) >= 0).all()
    assert (masses < 1 + 1e-12).all()
    assert masses[-1] == pytest.approx(1.0, abs=1e-5)
    # The same from the trellis: all sentences of up to two items, an unknown word for the class.
    words = [*model.items.words, "something else"]
    for length in (1, 2):
        evidences = [Evidence(sentence(words)) for words in product(words, repeat=length)]
        sums = model.derivations(evidences).log_partition(model.weights)
        expected = masses[length - 1] - (masses[length - 2] if length > 1 else 0.0)
        assert np.exp(sums).sum() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("form", Form, ids=str)
@pytest.mark.parametrize("enough", [1, 100])
def test_every_conditional_is_proper(form, order, enough, rng):
    model = estimate_tables(Tables(form, order, enough=enough), random_corpus(rng))
    factors = model.factors
    tags, count = factors.tags, factors.boundary
    items = np.arange(count)
    steps = step_probs(factors)
    if form in (Form.HMM, Form.MEALY):
        np.testing.assert_allclose(steps[:tags].sum(axis=-1), 1.0)
        np.testing.assert_allclose(steps[(tags,) * order][:tags].sum(), 1.0)
    if form in (Form.HMM, Form.PREVIOUS_WORD):
        np.testing.assert_allclose(token_probs(factors, items).sum(axis=0), 1.0)
    if form is Form.MEALY:
        np.testing.assert_allclose(pair_probs(factors, items).sum(axis=0), 1.0)
    if form is Form.CONDITIONAL:
        np.testing.assert_allclose(pair_probs(factors, items).sum(axis=-1), 1.0)
    ends = end_probs(factors, items)  # [items, (earlier,) tag], and below [items, tag (, earlier)]
    if form is Form.PREVIOUS_WORD:
        inside = pair_probs(factors, items)[:, :tags].sum(axis=-1) + np.moveaxis(ends, -1, 1)
        np.testing.assert_allclose(inside, 1.0)
        start = pair_probs(factors, np.array([count]))[0][(tags,) * order]
        np.testing.assert_allclose(start.sum(), 1.0)
    if form is Form.NEXT_WORD:
        sums = pair_probs(factors, items).sum(axis=(0, -1))
        np.testing.assert_allclose(sums[:tags] + np.moveaxis(ends, -1, 1)[0], 1.0)
        np.testing.assert_allclose(sums[(tags,) * order], 1.0)


@pytest.mark.parametrize("form", JOINT, ids=str)
def test_joint_is_conditional_plus_marginal(form, order, rng):
    corpus = random_corpus(rng)
    model = estimate_tables(Tables(form, order), corpus)
    evidences = [Evidence(corpus[5].tokens, corpus[5].analysis), Evidence(corpus[5].tokens)]
    complete, given, everything = model.derivations([*evidences, EVERYTHING]).log_partition(
        model.weights
    )
    assert everything == 0.0
    assert complete - everything == pytest.approx((complete - given) + (given - everything))
    assert complete < given < everything


@pytest.mark.parametrize("decoder", Decoder, ids=str)
def test_a_tagger_needs_no_weights(form, order, decoder, rng):
    corpus = random_corpus(rng)
    model = estimate_tables(Tables(form, order), corpus)
    tagger = Tagger(model, model.weights, decoder=decoder)
    assert model.parameters.size == len(model.weights) == 0
    assert [len(tags) for tags in tagger.tag([["the", "zork"], [], ["a"]])] == [2, 0, 1]
    sums = tagger.log_sums(corpus)
    assert (sums.conditional < 0).all()
    if form is Form.CONDITIONAL:
        assert sums.joint is None
    else:
        assert model.closed([["zork"]])
        np.testing.assert_allclose(sums.joint, sums.conditional + sums.marginal)


def test_everything_is_refused_where_words_have_no_distribution(rng):
    model = estimate_tables(Tables(Form.CONDITIONAL), random_corpus(rng))
    with pytest.raises(OptionError, match="has no distribution over words"):
        model.derivations([EVERYTHING])


def test_sentences_of_a_length_are_sums_over_all_items(form, order, rng):
    model = estimate_tables(Tables(form, order), random_corpus(rng))
    lengths = [Evidence(OfLength(length)) for length in range(1, 4)]
    if form is Form.CONDITIONAL:
        with pytest.raises(NotDefined, match="has no distribution over words"):
            model.derivations(lengths)
        return
    found = model.derivations(lengths).log_partition(model.weights)
    for length, value in zip((1, 2, 3), found, strict=True):
        items = np.array(list(product(range(model.items.boundary), repeat=length)), np.int64)
        sizes = np.full(len(items), length)
        plain = model.trellis([Evidence(sentence(["a"] * length))])
        trellis = Trellis(
            plain.topology,
            sizes,
            TableScoring(model.factors, items.reshape(-1), sizes),
            ChainMembers(np.arange(len(items)), [plain.members.sets[0]] * len(items)),
            plain.sets,
        )
        expected = np.logaddexp.reduce(trellis.log_partition(model.weights))
        assert value == pytest.approx(expected, abs=1e-10)
    many = [Evidence(OfLength(length)) for length in range(1, 400)]
    total = np.logaddexp.reduce(model.derivations(many).log_partition(model.weights))
    assert total == pytest.approx(0.0, abs=1e-9)


def test_lattices_are_sums_over_their_strings(form, order, rng):
    model = estimate_tables(Tables(form, order), random_corpus(rng))
    strings = lattice([(0, "the", 1), (0, "a", 1), (1, "zork", 2)], [1, 2])
    if form is Form.CONDITIONAL:
        with pytest.raises(NotDefined, match="has no distribution over words"):
            model.derivations([Evidence(strings)])
        return
    listed = [Evidence(sentence(words)) for words in strings.strings()]
    members = model.derivations([Evidence(strings), *listed])
    values = members.log_partition(model.weights)
    assert len(listed) == 4
    assert values[0] == pytest.approx(np.logaddexp.reduce(values[1:]))


def test_gradients_are_refused(form, order, rng):
    corpus = random_corpus(rng)
    model = estimate_tables(Tables(form, order), corpus)
    derivations = model.derivations([Evidence(corpus[0].tokens)])
    with pytest.raises(OptionError, match="no gradient"):
        derivations.evaluate(model.weights, np.ones(1))


@pytest.mark.parametrize(
    "corpus",
    [
        [example(["a"], ["X"])],
        [example(["a", "a"], ["X", "X"])],
        [example(["a", "b", "c"], ["X", "Y", "Z"])],
        [example(["a"], ["X"])] * 30,
        [example(["a"], ["X"], weight=0.1), example([], []), example(["b"], ["Y"], weight=0.0)],
    ],
    ids=["one word", "one word twice", "one sentence", "thirty", "light"],
)
@pytest.mark.parametrize("options", [{}, {"rare": 0}, {"word_backoff": 0.0}, {"suffix": 0}])
def test_the_smallest_corpora_work(form, order, corpus, options):
    model = estimate_tables(Tables(form, order, **options), corpus)
    evidences = [Evidence(sentence(words)) for words in ([], ["a"], ["x", "a"], ["", "X1-é"])]
    sums, probs = model.trellis(evidences).marginals(model.weights)
    assert np.isfinite(sums).all()
    assert (sums <= 1e-12).all()
    for words, each in zip(evidences, probs, strict=True):
        np.testing.assert_allclose(each.sum(axis=1), np.ones(len(words.tokens)))


def test_unknown_words_never_fail_with_any_tags(form, order, rng):
    model = estimate_tables(Tables(form, order), random_corpus(rng))
    for tags in product(model.tags, repeat=3):
        evidence = Evidence(sentence(["zork", "12%", "Xyz-ing"]), tags)
        assert np.isfinite(model.trellis([evidence]).log_partition(model.weights)).all()


def test_partial_labels_restrict_the_sum(rng):
    model = estimate_tables(Tables(), random_corpus(rng))
    tokens = sentence(["the", "run"])
    some, d, n = (
        model.trellis([Evidence(tokens, (label, "V"))]).log_partition(model.weights)[0]
        for label in (frozenset({"D", "N"}), "D", "N")
    )
    assert some == pytest.approx(np.logaddexp(d, n))


def test_relative_frequencies_are_what_large_counts_give():
    """With much data and no rare words the HMM is the empirical one."""
    corpus = [example(["a", "b"], ["X", "Y"])] * 300 + [example(["a"], ["Y"])] * 100
    model = estimate_tables(Tables(word_backoff=0.0), corpus)
    steps = step_probs(model.factors)
    np.testing.assert_allclose(steps[2, :2], [0.75, 0.25], atol=0.01)
    np.testing.assert_allclose(steps[0], [0, 1, 0], atol=0.01)
    np.testing.assert_allclose(steps[1], [0, 0, 1], atol=0.01)
    numbers = model.items.numbers_of([sentence(["a", "b"])])
    np.testing.assert_allclose(
        token_probs(model.factors, numbers), [[1, 0.25], [0, 0.75]], atol=0.01
    )


def test_weights_count_like_repetition(form, order, rng):
    corpus = random_corpus(rng, 6)
    heavy = [example(e.tokens.words, e.analysis, weight=2.0) for e in corpus]
    twice = [each for each in corpus for _ in range(2)]
    spec = Tables(form, order, parts=len(corpus), rare=2)
    evidence = [Evidence(sentence(["the", "unknown", "run"]))]
    first, second = (estimate_tables(spec, each) for each in (heavy, twice))
    a, b = (m.trellis(evidence).log_partition(m.weights) for m in (first, second))
    np.testing.assert_allclose(a, b, atol=1e-9)


def test_estimation_is_deterministic(form, order, rng):
    corpus = random_corpus(rng)
    evidence = [Evidence(sentence(["the", "unknown", "run"]))]
    models = [estimate_tables(Tables(form, order), corpus) for _ in range(2)]
    a, b = (m.trellis(evidence).log_partition(m.weights)[0] for m in models)
    assert a == b


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([], "no tokens"),
        ([example([], [])], "no tokens"),
        ([example(["a"], ["X"], weight=0.0)], "no tokens"),
        ([example(["a"])], "token 1, 'a', has no tag"),
        ([example(["a", "b"], ["X", {"X", "Y"}])], "token 2, 'b', has a set of tags"),
    ],
)
def test_corpora_without_every_tag_are_refused(corpus, message):
    with pytest.raises(EvidenceError, match=message):
        estimate_tables(Tables(), corpus)


def test_too_many_tags_are_refused(monkeypatch):
    monkeypatch.setattr("weft.models.tables.observe.MOST_TAGS", {1: 1})
    with pytest.raises(EvidenceError, match="2 tags"):
        estimate_tables(Tables(), [example(["a", "b"], ["X", "Y"])])


@pytest.mark.parametrize(
    "options",
    [
        {"form": "johnson-8"},
        {"order": 3},
        {"rare": -1},
        {"suffix": -1},
        {"enough": 0},
        {"parts": 1},
        {"word_backoff": -0.1},
        {"word_backoff": float("nan")},
        {"class_backoff": 0.0},
        {"class_backoff": float("inf")},
    ],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError):
        Tables(**options)
