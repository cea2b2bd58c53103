"""How a parser chooses its tree: by expected brackets, unless its file or a user says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from weft import Decoder, fit
from weft.archive import load_archive, save_archive
from weft.models.instances import instances
from weft.models.storage import STORAGES
from weft.structures.tree import Tree, placed_subtrees


def attached(label: str) -> Tree:
    """A noun phrase whose first words are three phrases, and the others one of several."""
    first = Tree("G", (Tree("H", (Tree("J", ("old", "men")),)),))
    return Tree("NP", (first, Tree(label, ("and", "women"))))


FLAT = Tree("NP", ("old", Tree("NX", ("men", "and", "women"))))
TREES = [FLAT, FLAT, attached("A"), attached("B"), attached("C")]
"""The first tree is the most probable, and three of five trees have other brackets in common."""


def test_most_expected_brackets_are_the_default() -> None:
    parser = weft.fit(weft.Cfg(normalisation="joint"), TREES)
    sentence = [["old", "men", "and", "women"]]
    assert parser.decoder is Decoder.POSTERIOR
    [usual], [viterbi] = parser.predict(sentence), parser.predict(sentence, Decoder.VITERBI)
    assert viterbi == FLAT
    [expected] = parser.marginals(sentence)

    def gain(tree: Tree) -> float:
        spans = [(each.label, start, end) for each, start, end in placed_subtrees(tree)]
        probs = {(span.label, span.start, span.end): p for span, p in expected.items()}
        return sum(2 * probs[each] - 1 for each in spans)

    listed = [each.answer for each in parser.kbest(sentence, 10)[0]]
    assert gain(usual) == pytest.approx(max(map(gain, listed)))
    assert gain(usual) > gain(viterbi)
    assert [each.tree for each in parser.parse(sentence)] == [usual]


def test_a_decoder_is_part_of_the_model(tmp_path: Path) -> None:
    for decoder in Decoder:
        parser = weft.fit(weft.Cfg(normalisation="joint"), TREES, decoder=decoder)
        weft.save(tmp_path / "p.weft", parser)
        assert weft.load(tmp_path / "p.weft").decoder is decoder
    manifest, arrays = load_archive(tmp_path / "p.weft", *STORAGES)
    older = {name: each for name, each in manifest.items() if name not in ("decoder", "arrays")}
    save_archive(tmp_path / "older.weft", older, arrays)
    assert weft.load(tmp_path / "older.weft").decoder is Decoder.POSTERIOR


def test_rounds_of_labels_that_are_expected_end() -> None:
    """S over SBAR and SBAR over S are expected over one span more than half of the time."""
    inner = Tree("S", (Tree("SBAR", (Tree("S", ("go",)),)),))
    corpus = [Tree("TOP", (inner,))] * 3 + [Tree("TOP", (Tree("S", ("go",)),))]
    parser = weft.fit(weft.Cfg(normalisation="joint"), corpus)
    [tree] = parser.predict([["go"]], Decoder.POSTERIOR)
    assert tree in corpus
    # Of several sentences, the others are as they are alone.
    assert parser.predict([["go"], ["go"]], Decoder.POSTERIOR) == [tree, tree]


def test_sentences_are_decoded_some_at_a_time() -> None:
    parser = weft.fit(weft.Cfg(normalisation="joint"), TREES)
    sentences = [["old", "men", "and", "women"]] * 3
    evidences = parser.evidences(sentences)
    charts = parser.derivations(evidences, 1)
    charts.most_scores = 20
    assert charts.surest(parser.weights) == parser.derivations(evidences, 1).surest(parser.weights)


@pytest.mark.parametrize("name", sorted(instances()))
def test_the_usual_decoder_is_the_first_of_a_family(name: str) -> None:
    instance = instances()[name]
    found = fit(instance.spec, instance.corpora["complete"])
    usual = instance.spec.decoders[:1]
    assert not usual or usual == (found.usual,)
