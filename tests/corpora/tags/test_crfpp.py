"""Template files of CRF++ and Wapiti."""

from __future__ import annotations

import io

import pytest

import weft
from weft.corpora.tags.crfpp import read_template_file
from weft.errors import FormatError
from weft.structures.evidence import Sentence

CRFPP = b"""# Unigram
U00:%x[-2,0]
U01:%x[0,0]
U02:%x[-1,0]/%x[0,1]

# Bigram
B
B01:%x[ 0,1]
"""

WAPITI = rb"""*
u:word=%X[0,0]
*:end=%m[ 0,0,".?.?$"]
b:caps=%t[-1,0,"^\u"]
u:End=%M[+1,0,".$"]
"""

ROWS = [
    [("The", "DT"), ("dog", "NN"), ("barks", "VBZ")],
    [("A", "DT"), ("Dog", "NN")],
    [("dog", "NN"), ("the", "DT"), ("barks", "NNS")],
]
TAGS = [("B", "I", "O"), ("B", "I"), ("I", "B", "O")]


def test_crfpps_templates_are_read():
    found = read_template_file(io.BytesIO(CRFPP))
    assert [str(each) for each in found.templates] == [
        "word[-2]",
        "word[0]",
        "word[-1]|column2[0]",
    ]
    assert [str(each) for each in found.pair_templates] == ["column2[0]"]


def test_comments_end_lines():
    text = b'U0:%x[0,0] # words\n  # none\nU#1:%t[0,0,"a #b"]\t#\nB #\n'
    found = read_template_file(io.BytesIO(text))
    assert [str(each) for each in found.templates] == ["word[0]", "test:a%20%23b[0]"]
    assert found.pair_templates == ()


def test_pairs_of_tags_may_be_all():
    found = read_template_file(io.BytesIO(b"# pairs\nB\n"))
    assert [str(each) for each in found.templates] == ["bias"]
    assert found.pair_templates == ()


def test_wapitis_patterns_are_read():
    found = read_template_file(io.BytesIO(WAPITI))
    assert [str(each) for each in found.templates] == [
        "bias",
        "lower[0]",
        "match:.%3F.%3F%24[0]",
        "lowermatch:.%24[1]",
    ]
    assert [str(each) for each in found.pair_templates] == [
        "match:.%3F.%3F%24[0]",
        "test:%5E%5Cu[-1]",
    ]


def expand(rows, place):
    """The strings that CRF++ makes of its templates at a token, by its documentation."""

    def x(row, column):
        at = place + row
        if at < 0:
            return f"_B{at}"
        return f"_B+{at - len(rows) + 1}" if at >= len(rows) else rows[at][column]

    return [f"U00:{x(-2, 0)}", f"U01:{x(0, 0)}", f"U02:{x(-1, 0)}/{x(0, 1)}"]


def test_a_model_of_templates_is_that_of_the_strings_that_crfpp_makes():
    made = read_template_file(io.BytesIO(CRFPP)).templates
    columns = [tuple(zip(*rows, strict=True)) for rows in ROWS]
    ours = [weft.Example(Sentence(c), t) for c, t in zip(columns, TAGS, strict=True)]
    strings = [tuple(expand(rows, place) for place in range(len(rows))) for rows in ROWS]
    theirs = [
        weft.Example(Sentence(c, given), t)
        for c, given, t in zip(columns, strings, TAGS, strict=True)
    ]
    dense = {"attributes": "all", "ngrams": "all", "boundaries": False}
    first = weft.fit(weft.Chain(templates=made, **dense), ours)
    second = weft.fit(weft.Chain(**dense), theirs)
    assert len(first.weights) == len(second.weights)
    assert first.trace[-1].value == pytest.approx(second.trace[-1].value, rel=1e-6)


def test_models_with_expressions_are_saved_and_loaded(tmp_path):
    found = read_template_file(io.BytesIO(WAPITI))
    chain = weft.Chain(templates=found.templates, pair_templates=found.pair_templates)
    corpus = [
        weft.Example(Sentence(tuple(zip(*rows, strict=True))), tags)
        for rows, tags in zip(ROWS, TAGS, strict=True)
    ]
    tagger = weft.fit(chain, corpus)
    weft.save(tmp_path / "m.weft", tagger)
    sentences = [each.tokens for each in corpus]
    assert weft.load(tmp_path / "m.weft").tag(sentences) == tagger.tag(sentences) == TAGS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X:%x[0,0]", "template:2: 'X:%x.0,0.' is no template: expected U, B"),
        ("U:%x[0]", r"expected %x\[ROW,COLUMN\]"),
        ("U:%x[@1,0]", "rows from the start"),
        ("U:%t[0,0]", "%t takes an expression in quotes"),
        ('U:%x[0,0,"a"]', "%x takes no expression"),
        ('U:%m[0,0,"*"]', "nothing to repeat"),
        ("U:%x[99,0]", "offsets are at most 20 away"),
        ("U0:%x[0,0]\nU0:%x[1,0]", "template:3: .*has the name of another template"),
    ],
)
def test_what_is_no_template_is_refused_with_its_line(text, message):
    source = io.BytesIO(f"U1:%x[0,1]\n{text}\n".encode())
    source.name = "template"
    with pytest.raises(FormatError, match=message):
        read_template_file(source)


def test_a_file_without_templates_is_refused():
    with pytest.raises(FormatError, match="there is no template"):
        read_template_file(io.BytesIO(b"# nothing\n"))
