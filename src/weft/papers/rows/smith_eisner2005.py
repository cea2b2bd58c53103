"""Smith and Eisner (2005): taggers learnt from raw text and a dictionary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.automata import del1subseq, del1word, delortrans1, trans1
from weft.automata.drawing import to_svg
from weft.criteria import conditional, contrast
from weft.evaluate.significance import compare
from weft.models.tagger_scores import divergence_of
from weft.papers.contrastive.figure2 import PAPER, RANDOM, REFERENCE, prepare_text
from weft.papers.contrastive.learning import (
    METHODS,
    SUPERVISED,
    Settings,
    criterion_of,
    learn,
    value_of,
)
from weft.papers.contrastive.restarts import RECIPES, restart_table
from weft.papers.experiment import Experiment, Part, PartFound, PartOptions
from weft.papers.results import Finding, Picture, Result, gain_of, make_table
from weft.papers.rows.compared import Counts, find_better, share, tag_counts
from weft.report.plots import Axis, line_plot

SENTENCE = "natural language is a delicate thing"
"""That of the paper's figure 1."""

_WHOLE = 1_000_000  # a nat in whole numbers
_MOST_FREQUENT = 10

Learnt = tuple[Mapping[str, Any], PartFound]
"""The arguments of a part, and what it found."""


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


def _learn(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Learn a tagger, and look at it from all sides."""
    text = prepare_text(
        arguments["corpus"],
        arguments["words"],
        arguments["development"],
        arguments["tag_map"],
        arguments["dilution"],
    )
    settings = Settings(spelling=arguments["spelling"], threads=options.threads)
    method, threads = arguments["method"], options.threads
    tagger = learn(
        method, arguments["smoothing"], text.corpus, text.held_out, text.dictionary, settings
    )
    tags = tagger.tag([each.tokens for each in text.corpus], threads=threads)
    gold = [each.analysis or () for each in text.corpus]
    chosen_by = None
    if text.held_out and method not in SUPERVISED:
        chosen_by = _finite(value_of(tagger, text.held_out, criterion_of(method), threads))
    found = {
        "tokens": text.tokens,
        "ambiguous_tokens": text.ambiguous_tokens,
        "tags_per_token": text.tags_a_token,
        "random": text.random,
        "development": chosen_by,
        "iterations": tagger.trace[-1].iteration,
        "ambiguous": tag_counts(gold, tags, text.ambiguous),
        "all": tag_counts(gold, tags),
    }
    if not arguments["criteria"]:
        return found
    under = {
        each: _finite(value_of(tagger, text.corpus, criterion_of(each), threads) / text.tokens)
        for each in METHODS
    }
    each_given = contrast(tagger.chain, text.corpus, conditional, threads).per_example(
        tagger.weights
    )
    divergence = divergence_of(tagger, text.corpus)
    by_tag = {} if divergence is None else dict(divergence.by_tag)
    return {
        **found,
        "criteria": under,
        "conditional": [round(_WHOLE * float(each)) for each in each_given],
        "divergences": {tag: _finite(value) for tag, value in by_tag.items()},
        "divergence": None if divergence is None else _finite(divergence.mean or 0.0),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _several(parts: Sequence[tuple[Part, PartFound]]) -> list[Learnt]:
    return [(part.arguments, found) for part, found in parts]


def _select(rows: Sequence[Learnt]) -> Learnt | None:
    """The row whose criterion is highest on the development text; None without one."""
    known = [each for each in rows if each[1]["development"] is not None]
    return max(known, key=lambda each: each[1]["development"]) if known else None


def _oracle(rows: Sequence[Learnt], key: str) -> Learnt:
    return max(rows, key=lambda each: share(each[1][key]))


def _smoothing(arguments: Mapping[str, Any]) -> str:
    return "none" if arguments["smoothing"] is None else f"{arguments['smoothing']:g}"


def _texts(rows: Sequence[Learnt]) -> dict[str, list[Learnt]]:
    """The rows of each text, by its name and size."""
    found: dict[str, list[Learnt]] = {}
    for arguments, each in rows:
        name = f"{arguments['corpus']}, {each['tokens']:,} words"
        found.setdefault(name, []).append((arguments, each))
    return found


_BETTER = (
    *(("length", "em"), ("trans1", "em"), ("delortrans1", "em"), ("em", "del1word")),
    *(("em", "del1subseq"), ("hmm", "length"), ("crf", "hmm")),
)
"""What figure 2 shows of the accuracies."""


def _combine_figure2(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    tables, pictures, findings = [], [], []
    for name, rows in _texts(_several(parts)).items():
        by_method: dict[str, list[Learnt]] = {}
        for row in rows:
            by_method.setdefault(row[0]["method"], []).append(row)
        tables.append(_figure2_table(name, by_method, rows[0][1]))
        if len({arguments["smoothing"] for arguments, _ in rows}) > 1:
            pictures.append(_by_smoothing(name, by_method))
        chosen = {method: _select(own) or own[0] for method, own in by_method.items()}
        for better, worse in _BETTER:
            if better in chosen and worse in chosen:
                findings.append(
                    find_better(
                        f"{better.upper()} > {worse.upper()} on ambiguous words",
                        name,
                        chosen[better][1]["ambiguous"],
                        chosen[worse][1]["ambiguous"],
                        paper=(PAPER[better], PAPER[worse]),
                    )
                )
    notes = (
        "The text that is learnt from is what is tagged, as in the paper. Where there are several "
        "smoothings, the one whose criterion is highest on a development text without tags is "
        "taken for the findings; supervised taggers, which have none, take the first.",
    )
    return Result(tuple(tables), tuple(pictures), tuple(findings), notes)


def _figure2_table(name: str, by_method: Mapping[str, list[Learnt]], first: PartFound) -> Any:
    columns = {"method": "", "smoothing": "", "paper": "%", "independent": "%"}
    columns |= {"ambiguous words": "%", "all words": "%", "chosen by": ""}
    rows: list[tuple[Any, ...]] = []
    for method, own in by_method.items():
        selected, oracle = _select(own), _oracle(own, "ambiguous")
        for row in own:
            arguments, found = row
            marks = ["criterion"] * (row is selected) + ["oracle"] * (row is oracle)
            rows.append(
                (
                    method,
                    _smoothing(arguments),
                    PAPER.get(method),
                    _independent(arguments, found),
                    share(found["ambiguous"]),
                    share(found["all"]),
                    ", ".join(marks) if len(own) > 1 else "",
                )
            )
    rows.append((RANDOM, "", PAPER[RANDOM], None, first["random"], None, ""))
    size = f"{first['ambiguous_tokens']:,} ambiguous, {first['tags_per_token']:.2f} tags per word"
    return make_table(f"{name}, {size}: right tags in per cent", columns, rows)


def _independent(arguments: Mapping[str, Any], found: PartFound) -> float | None:
    """The figure of an independent implementation on the whole WSJ sample."""
    if arguments["corpus"] != "wsj-sample" or found["tokens"] != 94_084:
        return None
    return REFERENCE.get(arguments["method"], {}).get(arguments["smoothing"] or 0.0)


def _by_smoothing(
    name: str, by_method: Mapping[str, list[Learnt]], key: str = "ambiguous"
) -> Picture:
    every = {
        _smoothing(arguments): arguments["smoothing"] or math.inf
        for own in by_method.values()
        for arguments, _ in own
    }
    places = sorted(every, key=lambda each: every[each])
    lines = {
        method: sorted(
            (float(places.index(_smoothing(arguments))), 100 * share(found[key]))
            for arguments, found in own
        )
        for method, own in by_method.items()
    }
    picture = line_plot(
        f"Right tags by smoothing, {name}",
        Axis("smoothing", tuple(places)),
        Axis("ambiguous words tagged right, %"),
        lines,
    )
    return Picture(f"{name}: right tags of ambiguous words by smoothing", picture)


Case = tuple[str, str, bool]
"""A dictionary, a method, and whether there are spelling features."""


def _cases(parts: Sequence[tuple[Part, PartFound]]) -> dict[Case, list[Learnt]]:
    found: dict[Case, list[Learnt]] = {}
    for arguments, each in _several(parts):
        case = (arguments["dilution"], arguments["method"], arguments["spelling"])
        found.setdefault(case, []).append((arguments, each))
    return found


def _named(dilution: str) -> str:
    return {"": "all words", "500": "first 500 sentences"}.get(
        dilution, dilution.replace("count<", "count ≥ ")
    )


def _combine_table3(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    cases = _cases(parts)
    dilutions = list(dict.fromkeys(dilution for dilution, _, _ in cases))
    kinds = list(dict.fromkeys((method, spelt) for _, method, spelt in cases))
    names = [method + (" + spelling" if spelt else "") for method, spelt in kinds]
    columns = {"dictionary": "", "tags per word": ".2f", **dict.fromkeys(names, "")}
    rows = []
    for dilution in dilutions:
        own = [cases.get((dilution, *kind)) for kind in kinds]
        first = next(each for each in own if each)[0][1]
        cells = ["—" if each is None else _selected_cell(each) for each in own]
        rows.append((_named(dilution), first["tags_per_token"], *cells))
    corpus = parts[0][0].arguments["corpus"]
    findings = _dilution_findings(f"{corpus}", cases, dilutions)
    table = make_table(
        "Right tags of all words in per cent, the oracle's in brackets", columns, rows
    )
    return Result((table,), findings=tuple(findings))


def _selected_cell(rows: Sequence[Learnt]) -> str:
    selected, oracle = _select(rows) or rows[0], _oracle(rows, "all")
    text = f"{100 * share(selected[1]['all']):.1f}"
    return text if selected is oracle else f"{text} ({100 * share(oracle[1]['all']):.1f})"


def _dilution_findings(
    corpus: str, cases: Mapping[Case, list[Learnt]], dilutions: Sequence[str]
) -> list[Finding]:
    """What section 5.2 says, of the smallest dictionary beside the whole one."""
    whole, poorest = dilutions[0], dilutions[-1]

    def counts(dilution: str, method: str, spelt: bool = False) -> Counts | None:
        rows = cases.get((dilution, method, spelt))
        found: Counts | None = (_select(rows) or rows[0])[1]["all"] if rows else None
        return found

    def compared(claim: str, better: Counts | None, worse: Counts | None) -> list[Finding]:
        if better is None or worse is None:
            return []
        return [find_better(claim, corpus, better, worse)]

    found: list[Finding] = []
    for method in ("em", "length", "delortrans1", "trans1"):
        claim = f"Without rare words ({_named(poorest)}) {method.upper()} falls"
        found += compared(claim, counts(whole, method), counts(poorest, method))
    for method in ("em", "delortrans1", "trans1"):
        ends = [counts(which, each) for each in (method, "length") for which in (whole, poorest)]
        if None not in ends:
            found.append(_falls_more(corpus, method, [each for each in ends if each]))
    for method in ("delortrans1", "trans1"):
        claim = f"Spelling features help {method.upper()} without rare words"
        found += compared(claim, counts(poorest, method, True), counts(poorest, method))
        claim = f"With spelling features {method.upper()} > LENGTH without rare words"
        found += compared(claim, counts(poorest, method, True), counts(poorest, "length", True))
    return found


def _falls_more(corpus: str, method: str, ends: Sequence[Counts]) -> Finding:
    """Whether LENGTH loses more than a method; each with all words and without rare ones."""
    arrays = [np.array(each) for each in ends]
    falls = [
        np.column_stack([full[:, 0] - poor[:, 0], full[:, 1]])
        for full, poor in (arrays[:2], arrays[2:])
    ]
    test = compare(falls[0], falls[1])
    return Finding(
        f"Without rare words and spelling features LENGTH falls more than {method.upper()}",
        corpus,
        "LENGTH most",
        f"by {100 * test.second:.2f} and {100 * test.first:.2f}",
        gain_of(test),
    )


def _combine_figure3(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    pictures = []
    columns = {"dictionary": "", "method": "", "smoothing": "", "ambiguous words": "%"}
    rows = []
    by_dilution: dict[str, dict[str, list[Learnt]]] = {}
    for (dilution, method, spelt), own in _cases(parts).items():
        name = method + (" + sp." if spelt else "")
        by_dilution.setdefault(dilution, {})[name] = own
        for arguments, found in own:
            cells = (_named(dilution), name, _smoothing(arguments), share(found["ambiguous"]))
            rows.append(cells)
    for dilution, by_method in by_dilution.items():
        if max(map(len, by_method.values())) > 1:
            pictures.append(_by_smoothing(f"dictionary: {_named(dilution)}", by_method))
    table = make_table("Right tags of ambiguous words in per cent", columns, rows)
    return Result((table,), tuple(pictures))


def _combine_footnote(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    rows = {
        arguments["method"]: each
        for arguments, each in _several(parts)
        if "criteria" in each and arguments["method"] in METHODS
    }
    columns = {"learnt by": "", **dict.fromkeys(METHODS, ".4f"), "conditional": ".4f"}
    listed = [
        (
            method,
            *(each["criteria"][own] for own in METHODS),
            sum(each["conditional"]) / _WHOLE / each["tokens"],
        )
        for method, each in rows.items()
    ]
    best = {
        own: max(rows, key=lambda method: _value(rows[method]["criteria"][own])) for own in rows
    }
    own_best = [method for method, first in best.items() if method == first]
    corpus = parts[0][0].arguments["corpus"]
    findings = [
        Finding(
            "Footnote 7: most models are the best by their own criterion",
            corpus,
            "most",
            f"{len(own_best)} of {len(rows)}: {', '.join(own_best)}",
            holds=2 * len(own_best) > len(rows),
        )
    ]
    for method in ("em", "trans1", "delortrans1"):
        if {"length", method} <= set(rows):
            test = compare(_per_sentence(rows[method]), _per_sentence(rows["length"]))
            findings.append(
                Finding(
                    f"Footnote 7: LENGTH finds the right tags likelier than {method.upper()}",
                    corpus,
                    "LENGTH the likeliest",
                    f"{test.second:.3f} and {test.first:.3f} per sentence",
                    gain_of(test),
                    unit="nats per sentence",
                )
            )
    title = "Values per word under each criterion; a dash where the sum is infinite"
    return Result((make_table(title, columns, listed),), findings=tuple(findings))


def _value(value: float | None) -> float:
    return -math.inf if value is None else value


def _per_sentence(found: PartFound) -> IntArray:
    return np.array([[each, _WHOLE] for each in found["conditional"]])


def _combine_divergence(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    rows = {
        arguments["method"]: each for arguments, each in _several(parts) if each.get("divergences")
    }
    tags = list(next(iter(rows.values()))["divergences"])[:_MOST_FREQUENT] if rows else []
    columns = {"learnt by": "", "all tags": ".3f", **dict.fromkeys(tags, ".3f")}
    listed = [
        (method, each["divergence"], *(each["divergences"].get(tag) for tag in tags))
        for method, each in rows.items()
    ]
    findings = []
    if {"length", "trans1"} <= set(rows):
        pair = [_divergences(rows[method], tags) for method in ("trans1", "length")]
        closer = int((pair[1] > pair[0]).sum())
        test = compare(
            *(
                np.rint(_WHOLE * np.column_stack([each, np.ones(len(tags))])).astype(int)
                for each in pair
            )
        )
        findings.append(
            Finding(
                "LENGTH’s p(word | tag) is closer to the relative frequencies than TRANS1’s",
                parts[0][0].arguments["corpus"],
                "closer (KL)",
                f"for {closer} of the {len(tags)} most frequent tags",
                gain_of(test),
                unit="nats",
            )
        )
    title = "Divergence of p(word | tag) from relative frequencies, in nats"
    return Result((make_table(title, columns, listed),), findings=tuple(findings))


def _divergences(found: PartFound, tags: Sequence[str]) -> FloatArray:
    """Minus the divergences; one that is infinite counts as 100 nats."""
    return np.array(
        [-100.0 if (own := found["divergences"][tag]) is None else -own for tag in tags]
    )


def _restart(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    made = restart_table(
        arguments["corpus"],
        arguments["restarts"],
        [arguments["recipe"]],
        words=arguments["words"],
        seed=options.seed,
        threads=options.threads,
    )
    return made.as_json()


def _combine_restarts(parts: Sequence[tuple[Part, PartFound]]) -> Result:
    columns = {"recipe": "", "own start": "%", "mean": "%", "sd": "%", "min": "%", "max": "%"}
    columns |= {"highest value": "%"}
    rows, findings = [], []
    for part, found in parts:
        [row] = found["rows"]
        spread = [row["spread"][key] for key in ("mean", "sd", "min", "max")]
        plain, highest = (row[key]["ambiguous"] for key in ("plain", "highest"))
        rows.append((row["recipe"], plain, *spread, highest))
        values = [climb["value"] for climb in (row["plain"], *row["restarts"])]
        apart = (max(values) - min(values)) / abs(max(values))
        findings.append(
            Finding(
                f"The criterion of {row['recipe']} is not concave: starts end at different values",
                f"{part.arguments['corpus']}, {found['tokens']:,} words",
                "bumpy",
                f"values differ by {100 * apart:.3f} %",
                holds=apart > 1e-4,
            )
        )
    count = parts[0][0].arguments["restarts"]
    title = f"Right tags of ambiguous words in per cent, from {count} random starts"
    return Result((make_table(title, columns, rows),), findings=tuple(findings))


def _case(corpus: str, words: int | None, method: str, seconds: float, **more: Any) -> Part:
    folder = () if corpus == "english" else (corpus,)
    usual = {"corpus": corpus, "words": words, "method": method, "smoothing": 1.0}
    usual |= {
        "development": 0,
        "tag_map": None,
        "dilution": "",
        "spelling": False,
        "criteria": False,
    }
    arguments = {**usual, **more}
    named = [corpus, str(words or "all"), method, _smoothing(arguments), arguments["dilution"]]
    name = " ".join([*filter(None, named), *(["spelling"] if arguments["spelling"] else [])])
    return Part(name, arguments, folder, seconds)


_COSTS = {"length": 8.0, "corpus": 4.0, "crf": 2.0}
_FIGURE = ("crf", "hmm", "em", "length", "delortrans1", "trans1", "del1word", "del1subseq")
_SMOOTHINGS = (0.1, 1.0, 10.0)


def _curve(
    corpus: str, words: int, development: int, methods: Sequence[str], long: float
) -> list[Part]:
    return [
        _case(
            corpus,
            words,
            method,
            long * _COSTS.get(method, 1.0),
            smoothing=smoothing,
            development=development,
            criteria=smoothing == 1.0,
        )
        for method in methods
        for smoothing in _SMOOTHINGS
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
        _case(
            corpus,
            words,
            method,
            long * _COSTS.get(method, 1.0) * (1 + 3 * spelling),
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


_QUICK = tuple(_curve("english", 1500, 500, _FIGURE, 1.0))
_EVERY = tuple(_curve("wsj-sample", 24_000, 5_000, _FIGURE, 10.0))
_ONE_QUICK = tuple(
    _case("english", 1500, method, 1.0, development=500, criteria=True) for method in METHODS
)
_ONE = tuple(
    _case(
        "wsj-sample",
        24_000,
        method,
        10.0 * _COSTS.get(method, 1.0),
        development=5_000,
        criteria=True,
    )
    for method in METHODS
)
_WHOLE_SAMPLE = tuple(
    _case("wsj-sample", None, method, 40.0 * _COSTS.get(method, 1.0)) for method in _FIGURE
)
_TABLE3 = (
    _diluted("english", 1500, 500, ("", "count<3"), (1.0,), 1.0),
    _diluted("wsj-sample", 24_000, 5_000, ("", "500", "count<2", "count<3"), (1.0, 10.0), 8.0),
)
_DIFFERS = (
    "The paper's text is another part of the Wall Street Journal, 96,000 words with 2.3 tags per "
    "word; ours is the WSJ sample with its own dictionary, 94,084 words with 1.67. Settings are the "
    "paper's: trigrams of tags and words with tags, EM from uniform distributions, an end at a "
    "relative change of 10⁻⁴."
)


def _restarts(corpus: str, words: int, restarts: int, seconds: float) -> tuple[Part, ...]:
    folder = () if corpus == "english" else (corpus,)
    return tuple(
        Part(
            f"{corpus} {words} {recipe}",
            {"corpus": corpus, "words": words, "restarts": restarts, "recipe": recipe},
            folder,
            seconds,
        )
        for recipe in RECIPES
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
        _learn,
        _combine_figure2,
        _QUICK,
        (*_EVERY, *_WHOLE_SAMPLE),
        _DIFFERS,
    ),
    Experiment(
        "smith-eisner-2005/table-3",
        "Table 3: a dictionary with gaps, and spelling features",
        _learn,
        _combine_table3,
        *_TABLE3,
        _DIFFERS,
    ),
    Experiment(
        "smith-eisner-2005/figure-3",
        "Figure 3: the same on ambiguous words, by smoothing",
        _learn,
        _combine_figure3,
        *_TABLE3,
        _DIFFERS,
    ),
    Experiment(
        "smith-eisner-2005/footnote-7",
        "Footnote 7: every model under every criterion",
        _learn,
        _combine_footnote,
        _ONE_QUICK,
        _ONE,
        _DIFFERS,
    ),
    Experiment(
        "smith-eisner-2005/lexical-divergence",
        "Section 5.2: whose p(word | tag) is close to the relative frequencies",
        _learn,
        _combine_divergence,
        _ONE_QUICK,
        _ONE,
        _DIFFERS,
    ),
    Experiment(
        "smith-eisner-2005/restarts",
        "How much depends on the start",
        _restart,
        _combine_restarts,
        _restarts("english", 1500, 2, 3),
        _restarts("wsj-sample", 12_000, 5, 40),
        "The paper asks for this, and has no figures. Recipes are as they are in Weft.",
    ),
)
