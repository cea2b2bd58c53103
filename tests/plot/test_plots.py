"""Pictures of every family, and reasons where there is none."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weft
from trees import tree
from weft.commands.pictures import confusion_grid, restart_values, weight_bars
from weft.commands.tasks import TASKS, task_of
from weft.commands.tasks.tree_looks import constituents
from weft.errors import EvidenceError, FormatError, NotDefined, OptionError, WeftError
from weft.evaluate.calibration import calibrate
from weft.evaluate.confusion import confusion_of
from weft.models.examples import tree_example
from weft.models.instances import instances
from weft.models.model import Outcome
from weft.models.progress import Progress
from weft.models.stack.spec import MoveTables
from weft.plot.draw import as_rgb, ink_on, luminance, shade
from weft.plot.draw import draw as draw_shape
from weft.plot.figure import avoid_windows
from weft.report.palette import AGAINST, FOR, RIGHT
from weft.report.shapes import Axis, Bars, Grid, Lines, Spans
from weft.structures.constituents import Span

plot = weft.plot
TRACE = [Progress(k, -10.0 / (k + 1), 1.0, 0.1 * k, 0.5 if k else None) for k in range(5)]

FAMILIES = (
    "free chain",
    "hidden Markov model",
    "chain normalised by steps, order 2",
    "tables johnson-4",
    "grammar, free",
    "grammar, pcfg",
    "shift-reduce, joint",
    "selection, listed",
    "selection, packed",
)
"""An instance of each family, and of what differs within one."""


@pytest.fixture(autouse=True)
def figures():
    avoid_windows()
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def made(name):
    """A model of an instance, and its complete examples."""
    instance = instances()[name]
    size = instance.model.parameters.size
    weights = np.random.default_rng(1).normal(size=size) / 4
    if getattr(instance.spec, "normalisation", None) == "joint":
        weights = instance.spec.counts(instance.model, instance.corpora["complete"])
    trained = instance.spec.trained(instance.model, Outcome(weights, trace=tuple(TRACE)))
    return trained, list(instance.corpora["complete"])


def test_every_task_is_tried():
    assert {type(task_of(made(name)[0])) for name in FAMILIES} == {type(each) for each in TASKS}


def attempt(draw):
    """The axes that something is drawn in, or why it is not."""
    try:
        return draw()
    except NotDefined as error:
        return str(error)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(
    ("kind", "refused"),
    [
        ("confusion", {"selection": "analyses of its own"}),
        ("calibration", {}),
        ("transitions", dict.fromkeys(("grammar", "shift", "selection"), "no transitions")),
        ("weights", {"tables": "no weights", "shift": "no weights"}),
        ("marginals", {}),
        ("spans", dict.fromkeys(("free", "hidden", "chain", "tables", "selection"), "no spans")),
    ],
)
def test_every_kind_of_every_family(name, kind, refused):
    trained, corpus = made(name)
    given = corpus[0].evidence(labelled=False)
    drawn = attempt(
        {
            "confusion": lambda: plot.confusion(trained, corpus),
            "calibration": lambda: plot.calibration(trained, corpus),
            "transitions": lambda: plot.transitions(trained),
            "weights": lambda: plot.weights(trained),
            "marginals": lambda: plot.marginals(trained, given),
            "spans": lambda: plot.spans(trained, given),
        }[kind]
    )
    reasons = [why for start, why in refused.items() if name.startswith(start)]
    if reasons:
        assert isinstance(drawn, str)
        assert reasons[0] in drawn
    else:
        assert not isinstance(drawn, str), drawn
        assert drawn.has_data() or drawn.patches


def test_marginals_are_those_of_the_model():
    trained, corpus = made("free chain")
    given = corpus[0].evidence(labelled=False)
    shape = task_of(trained).looks.marginals(trained, given)
    assert isinstance(shape, Grid)
    np.testing.assert_allclose(shape.values.T, trained.marginals([given])[0])
    assert shape.columns == corpus[0].tokens.words
    trained, corpus = made("selection, listed")
    shape = task_of(trained).looks.marginals(trained, corpus[0].evidence(labelled=False))
    assert isinstance(shape, Bars)
    found = dict(shape.bars)
    [probs] = trained.marginals([corpus[0].tokens])
    assert [found[f"analysis {n}"] for n in range(len(probs))] == pytest.approx(probs.tolist())


def test_spans_are_those_of_the_parser():
    trained, corpus = made("grammar, pcfg")
    given = corpus[0].evidence(labelled=False)
    shape = task_of(trained).looks.spans(trained, given)
    assert isinstance(shape, Spans)
    [probs] = trained.marginals([given])
    assert all(prob == probs[span] for span, prob in shape.probs.items())
    assert {span.label for span in probs} - {span.label for span in shape.probs} == {"TOP"}


def test_transitions_of_an_hmm_sum_to_one():
    trained, _ = made("hidden Markov model")
    shape = task_of(trained).looks.transitions(trained)
    np.testing.assert_allclose(shape.values.sum(axis=1), 1.0)


def test_transitions_of_a_free_chain_are_its_weights():
    trained, _ = made("free chain")
    shape = task_of(trained).looks.transitions(trained)
    named = {name: place for place, (kind, name) in enumerate(trained.model.named(
        np.arange(len(trained.weights)))) if kind == "bigram"}  # fmt: skip
    for row, before in enumerate(shape.rows):
        for column, after in enumerate(shape.columns):
            place = named.get(f"{before} → {after}")
            shown = shape.texts[row][column]
            assert shown == ("" if place is None else f"{trained.weights[place]:.2f}")


def test_impossible_pairs_of_tags_are_the_worst():
    trained, _ = made("free chain")
    topology = trained.chain.topology
    weights = trained.weights.copy()
    weights[topology.bigram_start :][:3] = -np.inf, -2.0, -1.0
    shape = task_of(trained).looks.transitions(replace(trained, weights=weights))
    shown = {text: float(shade) for texts, shades in zip(shape.texts, shape.values, strict=True)
             for text, shade in zip(texts, shades, strict=True)}  # fmt: skip
    assert shown["−∞"] == -1.0
    assert shown["-2.00"] == 2 * shown["-1.00"] == -1.0


def test_labels_over_spans_are_confused():
    gold = tree("(TOP (S (NP (DT a) (NN b)) (VP (VB c) (NP (NN d)))))")
    tokens = weft.example(["a", "b", "c", "d"]).tokens
    found = constituents(gold, tokens, "TOP")
    assert [(each.label, each.start, each.end) for each in found] == [
        ("NP", 0, 2),
        ("NP", 3, 4),
        ("VP", 2, 4),
        ("S", 0, 4),
    ]


def test_a_sentence_within_a_sentence_is_a_constituent():
    gold = tree("(S (NP (P he)) (VP (V says) (S (NP (P it)) (VP (V rains)))))")
    corpus = [tree_example(gold)]
    found = constituents(gold, corpus[0].tokens, "S")
    assert [each for each in found if each.label == "S"] == [Span(2, 4, "S")]
    for spec in (weft.Cfg(normalisation="joint"), MoveTables()):
        looks = task_of(trained := weft.fit(spec, corpus)).looks
        assert ("S", "S", 1) in zip(*looks.confuse(trained, corpus).columns().values(), strict=True)
        probs, right = looks.judge(trained, corpus)
        assert len(probs) == len(found)
        assert right.all()
        assert probs == pytest.approx(np.ones(len(found)))
        shown = looks.spans(trained, corpus[0].evidence(labelled=False)).probs
        assert Span(0, 4, "S") not in shown
        assert shown[Span(2, 4, "S")] == pytest.approx(1.0)


def test_a_root_below_the_root_is_as_probable_as_it_is():
    plain, twice = tree("(S (P he) (V rains))"), tree("(S (S (P he) (V rains)))")
    corpus = [tree_example(each) for each in (plain, plain, plain, twice)]
    trained = weft.fit(weft.Cfg(normalisation="joint"), corpus, penalty=None)
    shown = task_of(trained).looks.spans(trained, corpus[0].evidence(labelled=False)).probs
    [probs] = trained.marginals([["he", "rains"]])
    assert 0.01 < shown[Span(0, 2, "S")] < 1
    assert shown[Span(0, 2, "S")] == pytest.approx(probs[Span(0, 2, "S")] - 1)


def test_confusions_of_a_tagger_are_its_mistakes():
    trained, corpus = made("free chain")
    found = task_of(trained).looks.confuse(trained, corpus)
    tags = trained.tag([each.tokens for each in corpus])
    wrong = sum(a != b for each, some in zip(corpus, tags, strict=True)
                for a, b in zip(each.analysis, some, strict=True))  # fmt: skip
    assert sum(count for _, _, count in found.mistakes) == wrong > 0
    assert int(found.counts.sum()) == sum(len(each.tokens) for each in corpus)


def test_shades_are_shares_of_all_that_have_a_label():
    found = confusion_of([("A", "A"), ("A", "B"), *[("A", "C")] * 2, *[("B", "A")] * 9])
    shape = confusion_grid(found, 2)
    assert shape.rows == ("A", "B")
    assert (shape.values**2).tolist() == pytest.approx(np.array([[0.25, 0.25], [1, 0]]))


def test_calibration_counts_every_token_of_a_tagger():
    trained, corpus = made("free chain")
    probs, right = task_of(trained).looks.judge(trained, corpus)
    assert len(probs) == sum(len(each.tokens) for each in corpus)
    found = calibrate(probs, right)
    assert found.counts @ found.right == pytest.approx(right.sum())
    assert found.counts @ found.probs == pytest.approx(probs.sum())


def test_probabilities_are_drawn_as_such():
    trained, _ = made("grammar, pcfg")
    shape = weight_bars(trained)
    probs = [prob for _, prob in shape.bars]
    assert shape.label == "probability"
    assert probs == pytest.approx(sorted(probs, reverse=True), rel=1e-8)
    assert all(0 < prob < 1 for prob in probs)
    free, _ = made("free chain")
    shape = weight_bars(free, count=2)
    extremes = np.sort(free.weights)
    assert [value for _, value in shape.bars] == pytest.approx(extremes[[-1, -2, 1, 0]])


@pytest.mark.parametrize("name", ["grammar, pcfg", "free chain"])
def test_bars_of_equal_weights_are_in_the_order_of_names(name):
    trained, _ = made(name)
    noise = 1e-12 * np.arange(len(trained.weights))
    level = replace(trained, weights=np.log(0.5) - noise)
    names = [feature for feature, _ in weight_bars(level).bars]
    assert len(names) > 1
    assert names == sorted(names)


def test_a_sentence_without_a_tree_is_named():
    trained, _ = made("grammar, pcfg")
    with pytest.raises(EvidenceError, match="no tree"):
        plot.spans(trained, ["v", "v", "v"])


def test_curves_of_training():
    trained, _ = made("free chain")
    axes = plot.training(trained)
    [line] = axes.get_lines()
    assert line.get_ydata().tolist() == [step.value for step in TRACE]
    [right] = [each for each in axes.figure.axes if each is not axes]
    assert right.get_lines()[0].get_xdata().tolist() == [1, 2, 3, 4]
    axes = plot.path(trained)
    [line] = axes.get_lines()
    assert line.get_ydata() == pytest.approx([-2.0 - step.value for step in TRACE[:-1]])
    assert axes.get_title() == "Way to the last iteration"
    assert axes.get_ylabel() == "objective of the last iteration − objective"
    axes = plot.training({"one": trained, "two": trained})
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["one", "two"]


def test_restarts_mark_what_was_kept():
    words = ["time", "flies", "fruit"]
    corpus = [weft.example([a, b]) for a in words for b in words if a != b]
    chain = weft.Chain(normalisation="joint", templates=weft.templates("word[0]"), attributes="all",
                       ngrams="all", dictionary={"time": frozenset({"N", "V"}),
                                                 "flies": frozenset({"N", "V"})})  # fmt: skip
    from weft.optimise.search import Search

    trained = weft.fit(chain, corpus, criterion=weft.marginal, optimiser=weft.EM(),
                       penalty=None, search=Search(restarts=3))  # fmt: skip
    axes = plot.restarts(trained)
    marks = {line.get_label(): line.get_ydata()[0] for line in axes.get_lines()}
    assert len(axes.get_lines()) == 4
    assert marks["kept"] == pytest.approx(trained.trace[-1].value)
    assert marks["kept"] == max(line.get_ydata()[0] for line in axes.get_lines())
    with pytest.raises(WeftError, match="restarts=10"):
        plot.restarts(made("free chain")[0])


@pytest.mark.parametrize(
    "notes",
    [
        {"restart_values": "-1, -2"},
        {"restart_values": "-1, x", "restart_kept": "1"},
        {"restart_values": "-1, -2", "restart_kept": "first"},
        {"restart_values": "-1, -2", "restart_kept": "0"},
        {"restart_values": "-1, -2", "restart_kept": "3"},
    ],
)
def test_notes_on_restarts_may_be_wrong(notes: dict[str, str]) -> None:
    assert restart_values({"restart_values": "-1, -2", "restart_kept": "2"}) == ([-1.0, -2.0], 1)
    with pytest.raises(FormatError, match="not what training writes"):
        restart_values(notes)


def test_it_draws_in_the_axes_it_is_given():
    from matplotlib import pyplot

    trained, corpus = made("free chain")
    figure, (left, right) = pyplot.subplots(1, 2)
    assert plot.confusion(trained, corpus, ax=left) is left
    assert plot.weights(trained, ax=right) is right
    assert figure.axes == [left, right]


def test_shares_against_numbers_and_names():
    axes = plot.curve([10, 100], {"a": [0.5, None], "b": [0.25, 0.75]})
    assert axes.get_xscale() == "log"
    assert axes.get_lines()[1].get_ydata().tolist() == [25, 75]
    assert [each.get_text() for each in plot.curve(["x", "y"], {"a": [0.5, 1]}).get_xticklabels()
            ] == ["x", "y"]  # fmt: skip
    with pytest.raises(WeftError, match="nothing to draw"):
        plot.curve([], {})


ODD = "$ 5 {$"
"""Which would be mathematics, and wrong at that."""


@pytest.mark.parametrize(
    "shape",
    [
        Lines(ODD, Axis(ODD), Axis(ODD), {ODD: [(0, 1.0), (1, 2.0)], "b": [(0, 1.0)]}),
        Grid(ODD, (ODD,), (ODD,), np.ones((1, 1)), ((ODD,),), up=ODD, across=ODD),
        Bars(ODD, ODD, ((ODD, 1.0),)),
        Spans(ODD, (ODD, "b"), {Span(0, 2, ODD): 1.0}),
    ],
)
def test_dollars_are_shown_as_they_are(shape, tmp_path: Path) -> None:
    plot.save(draw_shape(shape), tmp_path / "a.svg")
    texts = {Lines: 4, Grid: 6, Bars: 3, Spans: 3}[type(shape)]
    assert (tmp_path / "a.svg").read_text().count(f">{ODD}</text>") == texts


def test_names_with_dollars_are_shown_as_they_are(tmp_path: Path) -> None:
    trained, _ = made("free chain")
    plot.save(plot.training({ODD: trained, "b": trained}), tmp_path / "a.svg")
    plot.save(plot.curve([ODD, "b"], {"c": [0.5, 1]}), tmp_path / "b.svg")
    for name in ("a.svg", "b.svg"):
        assert f">{ODD}</text>" in (tmp_path / name).read_text()


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml"), ("a.pdf", b"%PDF")]
)
def test_pictures_by_their_names(tmp_path: Path, name: str, start: bytes) -> None:
    for _ in range(2):
        plot.save(plot.training(made("free chain")[0]), tmp_path / name)
        written = (tmp_path / name).read_bytes()
        assert written.startswith(start)
    plot.save(plot.training(made("free chain")[0]), tmp_path / name)
    assert (tmp_path / name).read_bytes() == written


def test_the_ground_is_transparent(tmp_path: Path) -> None:
    from matplotlib.image import imread

    plot.save(plot.training(made("free chain")[0]), tmp_path / "a.png")
    assert imread(tmp_path / "a.png")[0, 0, 3] == 0


def test_what_cannot_be_written(tmp_path: Path) -> None:
    axes = plot.training(made("free chain")[0])
    with pytest.raises(OptionError, match=r"end it in \.png, \.svg, \.pdf"):
        plot.save(axes, tmp_path / "trace.doc")
    with pytest.raises(FormatError, match="cannot be written"):
        plot.save(axes, tmp_path / "nowhere" / "trace.png")
    assert not list(tmp_path.iterdir())


def test_no_trace_is_no_picture() -> None:
    instance = instances()["free chain"]
    size = instance.model.parameters.size
    trained = instance.spec.trained(instance.model, Outcome(np.zeros(size)))
    for draw in (plot.training, plot.path):
        with pytest.raises(WeftError, match="no trace to draw"):
            draw(trained)


def test_without_matplotlib_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained, corpus = made("free chain")
    for name in [each for each in sys.modules if each.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    for draw in (avoid_windows, lambda: plot.training(trained),
                 lambda: plot.confusion(trained, corpus)):  # fmt: skip
        with pytest.raises(WeftError, match=r"pip install 'weft-nlp\[plot\]'"):
            draw()


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.5, 0.55, 0.8, 1.0])
@pytest.mark.parametrize("colour", [FOR, AGAINST, RIGHT])
def test_texts_in_cells_can_be_read(colour, strength):
    ground = shade(as_rgb(colour), strength)
    lighter, darker = sorted((luminance(ground), luminance(as_rgb(ink_on(ground)))), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_cells_are_the_same_on_any_ground():
    values = np.array([[1.0, 0.25], [-0.5, 0.0]])
    axes = draw_shape(Grid("t", ("a", "b"), ("c", "d"), values, (("1", "2"), ("3", "4"))))
    [image] = axes.images
    assert image.get_array().shape == (2, 2, 3)  # nothing shines through
    assert image.get_array()[1, 1].tolist() == [1, 1, 1]
    assert [text.get_color() for text in axes.texts] == ["#000000"] * 4
