"""XLE's files as parse sets: plain and packed, folders, what is right, and what is refused."""

import gzip
import io
from pathlib import Path

import pytest

from weft.corpora.parses.xle.files import is_xle, read_xle
from weft.errors import FormatError
from weft.structures.parse_set import Candidate, Packed
from xle_files import ATTACHMENT_FACTS, ATTACHMENT_TREE, attachment, attachment_alone, written


def read(*texts: str):
    return list(read_xle(io.BytesIO("".join(texts).encode())))


SHARED = {
    "form see/2": 1.0,
    "form with/1": 1.0,
    "form telescope/0": 1.0,
    "form pro/0": 1.0,
    "form man/0": 1.0,
    "value NUM=sg": 1.0,
    "function SUBJ": 1.0,
    "pred SUBJ pro": 1.0,
    "pair see SUBJ pro": 1.0,
    "function OBJ": 2.0,
    "pred OBJ man": 1.0,
    "pair see OBJ man": 1.0,
    "pred OBJ telescope": 1.0,
    "pair with OBJ telescope": 1.0,
    "function ADJUNCT": 1.0,
    "pred ADJUNCT with": 1.0,
    "rule S → PRON VP": 1.0,
    "rule PRON → 'I'": 1.0,
    "rule V → 'saw'": 1.0,
    "rule NP → 'him'": 1.0,
    "rule PP → 'with it'": 1.0,
}
HIGH = {"pair see ADJUNCT with": 1.0, "rule VP → V NP PP": 1.0}
LOW = {"pair man ADJUNCT with": 1.0, "rule VP → V NP": 1.0, "rule NP → NP PP": 1.0}


def test_one_reading_is_a_list_of_one() -> None:
    [found] = read(attachment_alone("A2"))
    assert found.text == "I saw the man with the telescope"
    assert found.right is None
    [only] = found.analyses
    assert isinstance(only, Candidate)
    assert only.features == SHARED | LOW
    assert found.flags == {"whole": False}  # there were two solutions


@pytest.mark.parametrize(("selected", "right"), [("A1", (0, 1)), ("A2", (0, 2)), ("", None)])
def test_packed_readings_and_what_was_selected(selected: str, right) -> None:
    [found] = read(attachment(selected))
    assert isinstance(found.analyses, Packed)
    both = [dict(edge.features) for edge in found.analyses.edges]
    assert both == [SHARED, HIGH, LOW]  # an ADJUNCT of either is in all readings
    assert found.right == right
    assert found.flags == {"whole": True}


@pytest.mark.parametrize(("statistics", "whole"), [("2", True), ("2+7", True), ("3", False)])
def test_the_number_of_solutions_is_compared(statistics: str, whole: bool) -> None:
    [found] = read(written(choices=["choice([A1,A2], 1)"], statistics=statistics))
    assert found.flags == {"whole": whole}


def test_equal_variables_are_one_f_structure() -> None:
    facts = [
        ("1", "eq(attr(var(7),'NUM'),'sg')"),
        ("A1", "eq(attr(var(3),'NUM'),'sg')"),
        ("A1", "eq(var(7),var(5))"),
        ("A1", "eq(var(3),var(5))"),
        ("A2", "eq(attr(var(3),'NUM'),'sg')"),
    ]
    [found] = read(written(choices=["choice([A1,A2], 1)"], facts=facts))
    assert [dict(edge.features) for edge in found.analyses.edges] == [
        {"value NUM=sg": 1.0},  # of variable 3, whatever else it is
        {},
        {"value NUM=sg": 1.0},  # of variable 7
    ]


def test_a_single_solution_beside_the_packed_ones_is_the_right_one(tmp_path: Path) -> None:
    [found] = read(attachment(""), attachment_alone("A2"))
    assert (found.id, found.right) == ("<stream>.1", (0, 2))
    (tmp_path / "s10.pl").write_text(attachment(""))
    (tmp_path / "s9.pl").write_text(attachment("A2", "another"))
    (tmp_path / "gold.pl").write_text(attachment_alone("A1"))
    (tmp_path / "alone.pl").write_text(attachment_alone("A1", "a third"))
    (tmp_path / "empty.pl").write_text("")
    (tmp_path / "notes.txt").write_text("not read")
    found = [(each.id, each.right) for each in read_xle(tmp_path)]
    assert found == [("alone", None), ("s9", (0, 2)), ("s10", (0, 1))]
    pattern = [(each.id, each.right) for each in read_xle(f"{tmp_path}/s*.pl")]
    assert pattern == [("s9", (0, 2)), ("s10", None)]


def test_a_single_solution_that_is_no_reading_is_refused() -> None:
    other = attachment_alone("A1").replace("'telescope'", "'microscope'")
    with pytest.raises(FormatError, match="is none of the readings here"):
        read(attachment(""), other)
    with pytest.raises(FormatError, match="not the reading marked before"):
        read(attachment("A2"), attachment_alone("A1"))


def test_many_ways_to_build_a_node_are_told_apart_by_daughters() -> None:
    choices = [f"choice([C{k}a,C{k}b], 1)" for k in range(8)]
    tree = [("1", "subtree(100,'NP',7,50)"), ("1", "subtree(50,'N',-,51)")]
    for k in range(8):
        left = "-" if k == 0 else str(k - 1)
        tree += [
            (f"C{k}{which}", f"subtree({k},'NP',{left},{60 + place})")
            for place, which in enumerate("ab")
        ]
    tree += [("1", "terminal(60,'x',[1])"), ("1", "terminal(61,'y',[1])")]
    [found] = read(written(choices=choices, tree=tree))
    names = {name for edge in found.analyses.edges for name in edge.features}
    assert names == {"rule NP → … N", "rule NP → … 'x'", "rule NP → … 'y'", "rule N → ?"}
    assert len(found.analyses.edges) == 1 + 2 * 8


def test_encodings_and_gzip(tmp_path: Path) -> None:
    text = attachment("", "Nå svingte hun")
    latin = tmp_path / "a.pl.gz"
    latin.write_bytes(gzip.compress(text.replace("utf-8", "iso-8859-1").encode("latin-1")))
    [found] = read_xle(latin)
    assert (found.id, found.text) == ("a", "Nå svingte hun")
    wrong = tmp_path / "b.pl"
    wrong.write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=r"b\.pl:3: byte 0xE5 is not utf-8; name the encoding"):
        list(read_xle(wrong))
    wrong.write_text(text.replace("utf-8", "utf-7"))
    with pytest.raises(FormatError, match="no encoding utf-7"):
        list(read_xle(wrong))


def test_what_is_an_xle_file(tmp_path: Path) -> None:
    assert not is_xle(tmp_path)
    assert not is_xle("train.jsonl")
    (tmp_path / "a.pl").write_text("")
    assert is_xle(tmp_path)
    assert is_xle(str(tmp_path / "a.pl"))
    with pytest.raises(FormatError, match="no file has such a name"):
        list(read_xle(f"{tmp_path}/b*.pl"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cf(A1,", "cf(Z9,", r":24: there is no choice with 'Z9'"),
        ("cf(A1,", "cf(xor(A1),", r":24: a context is 1"),
        ("cf(A1,", "cf(not(A1,A2),", r":24: a context is 1"),
        ("cf(A1,", "cf(", r":24: constraints must have nothing but cf"),
        ("select(A1", "select(Q7", r":16: there is no choice with 'Q7'"),
        ("select(A1", "select(a", r":16: a selection is select"),
        ("select(A1, 1)", "select(A1, 0)", r":3: no reading has all alternatives"),
        ("select(A1, 1)", "define(A1, 1)", r":12: the name 'A1' comes twice"),
        ("select(A1, 1)", "define(x, 1)", r":16: a definition is define"),
        (
            "choice([A1,A2], 1)",
            "choice([A1,A2], A2)",
            r":12: the choice of A1, A2 depends",
        ),
        ("choice([A1,A2], 1)", "choice([A1,A1], 1)", r":12: a choice is choice"),
        ("choice([A1,A2], 1)", "choice([], 1)", r":12: a choice is choice"),
        ("choice([A1,A2], 1)", "A1", "a choice is choice"),
        ("fstructure(", "fstructure('x',", r":3: fstructure has six parts .* not 7"),
        ("fstructure(", "structure(", r":3: expected fstructure\(...\), .* not structure"),
    ],
)
def test_what_is_broken_is_refused_with_its_line(old: str, new: str, message: str) -> None:
    text = attachment("A1")
    assert old in text
    with pytest.raises(FormatError, match=f"<stream>{message}" if message[0] == ":" else message):
        read(text.replace(old, new, 1))
    skipped: list[FormatError] = []
    assert not list(read_xle(io.BytesIO(text.replace(old, new, 1).encode()), skip=skipped.append))
    assert len(skipped) == 1


def test_definitions_by_themselves_and_nodes_below_themselves_are_refused() -> None:
    with pytest.raises(FormatError, match="defined by itself"):
        read(written(equivalences=["define(X, or(X,1))"], facts=[("X", "phi(1,var(0))")]))
    with pytest.raises(FormatError, match="by itself, or nested"):
        read(written(tree=[("1", "subtree(1,'S',1,2)"), ("1", "subtree(3,'S',1,1)")]))


def _wide(count: int) -> str:
    choices = [f"choice([C{k}a,C{k}b], 1)" for k in range(2 * count)]
    facts = [
        (f"and(C{k}a,C{2 * count - 1 - k}a)", f"eq(attr(var({k}),'X'),'y')") for k in range(count)
    ]
    return written(choices=choices, facts=facts)


@pytest.mark.parametrize(
    "text",
    [
        _wide(40),
        written(choices=[f"choice([{','.join(f'A{k}' for k in range(501))}], 1)"]),
        written(
            equivalences=[f"define(X{k}, or(X{k + 1},0))" for k in range(5000)]
            + ["define(X5000, 1)"],
            facts=[("X0", "phi(1,var(0))")],
        ),
        written(
            facts=[
                *(("1", f"in_set(var({k}),var(9999))") for k in range(1000, 2000)),
                *(("1", f"eq(attr(var({k}),'PRED'),semform('p',1,[],[]))") for k in range(2000)),
                *(("1", f"eq(attr(var({k}),'X'),var(9999))") for k in range(1000)),
            ]
        ),
        written(
            choices=[f"choice([C{k}a,C{k}b], 1)" for k in range(60)],
            facts=[
                (f"C{k % 60}a", f"eq(var({k * k % 47}),var({k * 11 % 47}))") for k in range(300)
            ],
        ),
    ],
    ids=["frontier", "alternatives", "definitions", "sets", "equalities"],
)
def test_hostile_files_are_refused_in_time(text: str) -> None:
    with pytest.raises(FormatError, match=r"too large|a choice is|nested too deeply"):
        read(text)


@pytest.mark.parametrize(
    ("context", "fact", "feature"),
    [
        ("1", "cproj(30,var(23))", None),
        ("or(and(not(A1),A2),A1)", "subsume(var(1),var(2))", None),
        ("CV_001", "scopes(var(1),var(2))", None),
        ("1", "eq(proj(var(1),'s::'),var(7))", None),
        ("1", "eq(attr(proj(var(0),'o::'),'Z'),'q')", None),
        ("and(A1,not(CV_001))", "eq(attr(var(0),'X'),'never')", None),
        ("CV_001", "eq(attr(var(0),'X'),'ö')", "value X=ö"),
        ("1", r"eq(attr(var(0),'X'),'it\'s')", "value X=it's"),
        ("1", "eq(attr(var(0),'X'),'it''s')", "value X=it's"),
        ("1", r"eq(attr(var(0),'X'),'a\\b')", "value X=a\\b"),
        ("1", "eq(attr(var(0),'X'),-2)", "value X=-2"),
        ("1", "eq('y',attr(var(0),'X'))", "value X=y"),
        ("1", "eq(var(1),attr(var(0),'X'))", "function X"),
        ("1", "eq(attr(var(0),'X'),semform('y',-1,['NULL',var(1)],[]))", "form X y/2"),
    ],
)
def test_facts_of_every_kind_are_read_or_left_alone(context: str, fact: str, feature) -> None:
    """In a packed file with definitions, selections and weights, as XLE's tools write them."""
    equivalences = [
        "define(CV_001, or(A1,and(A2,1)))",
        "select(A1, 1)",
        "weight(A1, 0.25)",
        "weight(A2, -1.5)",
        "",
    ]

    def features(*more: tuple[str, str]) -> set[str]:
        facts = [*ATTACHMENT_FACTS, *more]
        choices = ["choice([A1,A2], 1)"]
        text = written("I saw", choices, equivalences, facts, ATTACHMENT_TREE, 2)
        latin = text.replace("utf-8", "iso-8859-1").encode("latin-1")
        [found] = read_xle(io.BytesIO(latin))
        assert found.right == (0, 1)
        return {name for edge in found.analyses.edges for name in edge.features}

    plain = features()
    assert features((context, fact)) - plain >= ({feature} if feature else set())
    assert feature is not None or features((context, fact)) == plain
