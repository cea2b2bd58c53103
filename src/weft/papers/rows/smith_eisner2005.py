"""Smith and Eisner (2005): taggers learnt from raw text and a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.automata import del1subseq, del1word, delortrans1, trans1
from weft.automata.drawing import to_svg
from weft.papers.contrastive.figure2 import (
    PAPER,
    RANDOM,
    REFERENCE,
    SIZES,
    Chosen,
    paper_figures,
)
from weft.papers.contrastive.learning import COUNTED, METHODS, SUPERVISED
from weft.papers.contrastive.restarts import restart_table
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.results import Finding, Picture, Result, ResultTable, make_table
from weft.papers.rows.across import combine_divergence, combine_footnote
from weft.papers.rows.compared import find_better, share
from weft.papers.rows.diluted import DILUTIONS, combine_figure3, combine_table3
from weft.papers.rows.learnt import (
    Learnt,
    by_text,
    choose,
    learn_part,
    learning_part,
    oracle,
    pair_up,
    plot_by_smoothing,
    select,
    show_pair,
    show_smoothing,
)

SENTENCE = "natural language is a delicate thing"
"""That of the paper's figure 1."""


def _draw(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:  # noqa: ARG001
    words = SENTENCE.split()
    made = {"DEL1WORD": del1word, "TRANS1": trans1, "DELORTRANS1": delortrans1}
    made["DEL1SUBSEQ"] = del1subseq
    found = {}
    for name, neighbours in made.items():
        lattice = neighbours(words)
        title = f"{name} of: {SENTENCE}"
        found[name] = {
            "svg": to_svg(lattice, words, title),
            "strings": lattice.count(),
            "states": lattice.state_count,
            "arcs": lattice.arc_count,
        }
    return found


def _combine_lattices(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    found = parts[0][1]
    m = len(SENTENCE.split())
    expected = {
        "DEL1WORD": m + 1,
        "TRANS1": m,
        "DELORTRANS1": 2 * m,
        "DEL1SUBSEQ": m * (m + 1) // 2,
    }
    columns = {"neighbourhood": "", "strings": ",d", "states": ",d", "arcs": ",d"}
    rows = [
        (name, *(each[key] for key in ("strings", "states", "arcs")))
        for name, each in found.items()
    ]
    pictures = [Picture(f"{name}: {SENTENCE}", each["svg"]) for name, each in found.items()]
    counts = {name: each["strings"] for name, each in found.items()}
    finding = Finding(
        "Figure 1: so many strings in the neighbourhoods of a sentence of m words",
        SENTENCE,
        "m + 1, m, 2m, m(m + 1)/2",
        ", ".join(map(str, counts.values())),
        holds=counts == expected,
    )
    title = f"Minimal deterministic lattices of: {SENTENCE}"
    return Result((make_table(title, columns, rows),), tuple(pictures), (finding,))


_BETTER = (
    *(("length", "em"), ("trans1", "em"), ("delortrans1", "em"), ("em", "del1word")),
    *(("em", "del1subseq"), ("hmm, same text", "length"), ("crf, same text", "hmm, same text")),
    *(("hmm, held out", "length"), ("crf, held out", "hmm, held out")),
)
"""What figure 2 shows of the accuracies, and the same of supervised taggers on other sentences."""


def _label(arguments: Mapping[str, Any]) -> str:
    """The method, and whether a supervised tagger had seen the tags that it is scored on."""
    method: str = arguments["method"]
    if method not in SUPERVISED:
        return method
    return f"{method}, held out" if arguments.get("folds") else f"{method}, same text"


def _paper(label: str, words: int | None) -> Chosen | None:
    """The paper's figures, of whose supervised taggers none is held out."""
    return None if "held out" in label else paper_figures(label.partition(",")[0], words)


def _combine_figure2(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    tables, pictures, findings = [], [], []
    texts: dict[str, dict[str, list[Learnt]]] = {}
    for name, rows in by_text(pair_up(parts)).items():
        by_method = texts.setdefault(name, {})
        for row in rows:
            by_method.setdefault(_label(row[0]), []).append(row)
        tables.append(_figure2_table(name, by_method, rows[0][1]))
        if len({arguments["smoothing"] for arguments, _ in rows}) > 1:
            pictures = [_figure2_picture(name, by_method)]  # of the largest text, as in the paper
        chosen = {method: choose(own)[1]["ambiguous"] for method, own in by_method.items()}
        for better, worse in _BETTER:
            if better in chosen and worse in chosen:
                figures = [_paper(each, rows[0][0]["words"]) for each in (better, worse)]
                findings.append(
                    find_better(
                        f"{_upper(better)} > {_upper(worse)} on ambiguous words",
                        name,
                        chosen[better],
                        chosen[worse],
                        paper=_selected(figures),
                    )
                )
    if len(texts) > 1:
        tables = [*_by_size(texts), *tables]
    notes = (
        "The text that is learnt from is what is tagged, as in the paper. Where there are several "
        "smoothings, the one whose criterion is highest on a development text without tags is "
        "taken for the findings; for supervised taggers, which have none, and where no text is "
        "left for development, it is 1. Supervised taggers learn from the tags that they are "
        "scored on (same text), as in the paper, and from those of other sentences, fold by fold "
        "(held out). A held-out HMM without smoothing has no "
        "tagging of some sentences, and is left out.",
    )
    return Result(tuple(tables), tuple(pictures), tuple(findings), notes)


def _selected(figures: Sequence[Chosen | None]) -> tuple[float, float] | None:
    """The paper's figures, the smoothing chosen by the criterion as ours is; None without both."""
    known = [each[0] for each in figures if each is not None]
    return (known[0], known[1]) if len(known) == 2 else None


def _upper(label: str) -> str:
    method, comma, seen = label.partition(",")
    return method.upper() + comma + seen


def _figure2_picture(name: str, by_method: Mapping[str, list[Learnt]]) -> Picture:
    """Draw the accuracies, those of supervised taggers on held-out sentences if there are any."""
    apart = any("held out" in label for label in by_method)
    drawn = {label: own for label, own in by_method.items() if not (apart and "same text" in label)}
    picture = plot_by_smoothing(name, drawn)
    if not apart:
        return picture
    said = "; CRF and HMM, which learn from tags, tag sentences that they did not see"
    return replace(picture, title=picture.title + said)


def _by_size(texts: Mapping[str, Mapping[str, list[Learnt]]]) -> list[ResultTable]:
    """The table of figure 2, the paper's and ours."""
    chosen = "ambiguous words right in per cent, the oracle's choice in brackets"
    sizes = [f"{(size or 96_000):,} words" for size in SIZES]
    paper = [
        (label, *map(show_pair, several)) for label, several in PAPER.items() if label != RANDOM
    ]
    labels = dict.fromkeys(label for by_method in texts.values() for label in by_method)
    ours = [
        (label, *(_show_choices(by_method.get(label, ())) for by_method in texts.values()))
        for label in labels
    ]
    return [
        make_table(f"The paper's: {chosen}", {"method": "", **dict.fromkeys(sizes, "")}, paper),
        make_table(f"Ours: {chosen}", {"method": "", **dict.fromkeys(texts, "")}, ours),
    ]


def _show_choices(rows: Sequence[Learnt]) -> str:
    if not rows:
        return "—"
    both = (choose(rows), oracle(rows, "ambiguous"))
    first, second = (share(found["ambiguous"]) for _, found in both)
    return show_pair((first, second))


def _figure2_table(
    name: str, by_method: Mapping[str, list[Learnt]], first: PartFound
) -> ResultTable:
    columns = {"method": "", "smoothing": "", "paper: oracle": "%", "independent": "%"}
    columns |= {"ambiguous words": "%", "all words": "%", "chosen by": ""}
    rows: list[tuple[Any, ...]] = []
    words = next(iter(by_method.values()))[0][0]["words"]
    for method, own in by_method.items():
        selected, best = select(own), oracle(own, "ambiguous")
        for row in own:
            arguments, found = row
            marks = ["criterion"] * (row is selected) + ["oracle"] * (row is best)
            rows.append(
                (
                    method,
                    show_smoothing(arguments),
                    None if (paper := _paper(method, words)) is None else paper[1],
                    _independent(arguments, found),
                    share(found["ambiguous"]),
                    share(found["all"]),
                    ", ".join(marks) if len(own) > 1 else "",
                )
            )
    rows.append((RANDOM, "", paper_figures(RANDOM, words)[1], None, first["random"], None, ""))
    size = f"{first['ambiguous_tokens']:,} ambiguous, {first['tags_per_token']:.2f} tags per word"
    return make_table(f"{name}, {size}: right tags in per cent", columns, rows)


def _independent(arguments: Mapping[str, Any], found: PartFound) -> float | None:
    """The figure of an independent implementation on the whole WSJ sample."""
    if arguments.get("folds"):
        return None
    if arguments["corpus"] != "wsj-sample" or found["tokens"] != 94_084:
        return None
    return REFERENCE.get(arguments["method"], {}).get(arguments["smoothing"] or 0.0)


_CLOSELY = {"tolerance": "1e-7"}
_CLIMB = {**_CLOSELY, "period": "10"}

RESTARTED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "EM": ("hmm-em", _CLOSELY),
    "variational Bayes": ("hmm-vb", _CLOSELY),
    "DELORTRANS1": ("contrastive-tagger", _CLIMB),
    "LENGTH": ("contrastive-tagger", {**_CLIMB, "criterion": "contrastive:length"}),
}
"""By what is learnt by, a recipe, and what is changed in it: climbs end close to a maximum."""

APART = 1e-4
"""A share of the value: a thousand times what a last step may gain."""


def _restart(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    made = restart_table(
        arguments["corpus"],
        arguments["restarts"],
        [arguments["recipe"]],
        settings=arguments["settings"],
        words=arguments["words"],
        seed=options.seed,
        threads=options.threads,
    )
    return made.as_json()


def _combine_restarts(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"learnt by": "", "own start": "%", "mean": "%", "sd": "%", "min": "%", "max": "%"}
    columns |= {"highest value": "%", "values differ by, %": ".3f"}
    rows, findings = [], []
    for part, found in parts:
        [row] = found["rows"]
        spread = [row["spread"][key] for key in ("mean", "sd", "min", "max")]
        plain, highest = (row[key]["ambiguous"] for key in ("plain", "highest"))
        name = part.arguments["name"]
        values = [climb["value"] for climb in (row["plain"], *row["restarts"])]
        apart = (max(values) - min(values)) / abs(max(values))
        rows.append((name, plain, *spread, highest, 100 * apart))
        findings.append(
            Finding(
                f"The criterion of {name} is not concave: climbs from different starts end at "
                "different values",
                f"{part.arguments['corpus']}, {found['tokens']:,} words",
                "bumpy",
                f"values differ by {100 * apart:.3f} %",
                holds=True if apart > APART else None,  # one maximum found proves nothing
            )
        )
    count = parts[0][0].arguments["restarts"]
    title = f"Right tags of ambiguous words in per cent, from {count} random starts"
    notes = (
        "Climbs end where ten iterations gain less than 10⁻⁷ of the value, EM where one does. "
        f"Values that differ by more than {APART:g} of the highest are taken to be of different "
        "maxima; where they do not, these starts cannot tell.",
    )
    return Result((make_table(title, columns, rows),), findings=tuple(findings), notes=notes)


_COSTS = {"length": 4.0, "corpus": 4.0, "crf": 2.0}
_FIGURE = ("crf", "hmm", "em", "length", "delortrans1", "trans1", "del1word", "del1subseq")
_SMOOTHINGS = (0.1, 1.0, 10.0)
_NONE_TOO = (None, *_SMOOTHINGS)


def _curve(
    corpus: str,
    words: int | None,
    development: int,
    smoothings: Sequence[float | None],
    folds: int,
    long: float,
    *,
    criteria: bool,
) -> list[Part]:
    """Every method with every smoothing; what the criteria say of one is of other experiments."""
    return [
        learning_part(
            corpus,
            words,
            method,
            long * _COSTS.get(method, 1.0) * (folds if apart else 1),
            smoothing=smoothing,
            development=development,
            criteria=criteria and smoothing == 1.0 and not apart,
            **({"folds": folds} if apart else {}),
        )
        for apart in (False, True)
        for method in (SUPERVISED if apart else _FIGURE)
        for smoothing in smoothings
        if smoothing is not None or not apart or method not in COUNTED
    ]


def _diluted(
    corpus: str,
    words: int,
    development: int,
    dilutions: Sequence[str],
    smoothings: Sequence[float],
    long: float,
) -> tuple[Part, ...]:
    tag_map = "penn-17"
    return tuple(
        learning_part(
            corpus,
            words,
            method,
            long * _COSTS.get(method, 1.0) * (1 + spelling),
            smoothing=smoothing,
            development=development,
            tag_map=tag_map,
            dilution=dilution,
            spelling=spelling,
        )
        for dilution in dilutions
        for method in ("em", "length", "delortrans1", "trans1")
        for spelling in ((False,) if method == "em" else (False, True))
        for smoothing in smoothings
    )


_QUICK = tuple(_curve("english", 1500, 500, _SMOOTHINGS, 2, 1.0, criteria=True))
_EVERY = tuple(
    part
    for words in SIZES
    for part in _curve(
        "wsj-sample",
        words,
        5_000 if words else 0,
        _NONE_TOO,
        5,
        (words or 94_084) / 2400,
        criteria=words == 24_000,
    )
)
_ONE_QUICK = tuple(
    learning_part("english", 1500, method, 1.0, development=500, criteria=True)
    for method in METHODS
)
_ONE = tuple(
    learning_part(
        "wsj-sample",
        24_000,
        method,
        10.0 * _COSTS.get(method, 1.0),
        development=5_000,
        criteria=True,
    )
    for method in METHODS
)
_TABLE3 = (
    _diluted("english", 1500, 500, ("", "count<3"), (1.0,), 1.0),
    _diluted("wsj-sample", 24_000, 5_000, DILUTIONS, _SMOOTHINGS, 3.0),
)
_DIFFERS = (
    "The paper's text is another part of the Wall Street Journal, 96,000 words with 2.3 tags per "
    "word; ours is the WSJ sample with its own dictionary, 94,084 words with 1.67. Settings are "
    "the paper's: trigrams of tags and words with tags, EM from uniform distributions, an end at a "
    "relative change of 10⁻⁴."
)


def _restarts(corpus: str, words: int, restarts: int, seconds: Sequence[float]) -> tuple[Part, ...]:
    folder = () if corpus == "english" else (corpus,)
    sizes = {"corpus": corpus, "words": words, "restarts": restarts}
    return tuple(
        Part(
            f"{corpus} {words} {name}",
            {**sizes, "name": name, "recipe": recipe, "settings": dict(settings)},
            folder,
            long,
        )
        for (name, (recipe, settings)), long in zip(RESTARTED.items(), seconds, strict=True)
    )


_DIFFERS_QUICK = (
    "The paper's text is of the Wall Street Journal, 96,000 words with 2.3 tags per word; ours is "
    "the first 1,500 words of the small English corpus that comes with the package, with its own "
    "dictionary."
)

EXPERIMENTS = (
    Experiment(
        "smith-eisner-2005/figure-1",
        "Figure 1: lattices of neighbours",
        _draw,
        _combine_lattices,
        (Part("all"),),
        (Part("all"),),
    ),
    Experiment(
        "smith-eisner-2005/figure-2",
        "Figure 2: taggers from raw text and a dictionary",
        learn_part,
        _combine_figure2,
        _QUICK,
        _EVERY,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-eisner-2005/table-3",
        "Table 3: a dictionary with gaps, and spelling features",
        learn_part,
        combine_table3,
        *_TABLE3,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-eisner-2005/figure-3",
        "Figure 3: the same on ambiguous words, by smoothing",
        learn_part,
        combine_figure3,
        *_TABLE3,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-eisner-2005/footnote-7",
        "Footnote 7: every model under every criterion",
        learn_part,
        combine_footnote,
        _ONE_QUICK,
        _ONE,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-eisner-2005/lexical-divergence",
        "Section 5.2: whose p(word | tag) is close to the relative frequencies",
        learn_part,
        combine_divergence,
        _ONE_QUICK,
        _ONE,
        _DIFFERS,
        _DIFFERS_QUICK,
    ),
    Experiment(
        "smith-eisner-2005/restarts",
        "How much depends on the start",
        _restart,
        _combine_restarts,
        _restarts("english", 1500, 2, (3, 3, 3, 6)),
        _restarts("wsj-sample", 12_000, 5, (12, 8, 6, 90)),
        "The paper asks for this, and has no figures. Ours are of the WSJ sample.",
        "The paper asks for this, and has no figures. Ours are of the small English corpus that "
        "comes with the package.",
    ),
)
