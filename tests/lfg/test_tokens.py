"""Sentences looked up in lexicons: splitting, networks, morphemes, unknown words."""

from __future__ import annotations

import io

import pytest

from lfg.reading import read
from weft.errors import FormatError, LimitError
from weft.lfg import read_lfg
from weft.lfg.networks import analyses, read_network
from weft.lfg.splitting import split_by, split_text
from weft.lfg.tokens import analyse


def network(text):
    return read_network(io.BytesIO(text.encode()))


def found(grammar, sentence):
    return [
        (arc.start, arc.end, arc.text, " ".join(entry.category for entry in arc.entries))
        for arc in analyse(grammar, sentence).arcs
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cow sleeps.", ["The", "cow", "sleeps", "."]),
        ('said: "(No, no)!"', ["said", ":", '"', "(", "No", ",", "no", ")", "!", '"']),
        ("John's 3.5 % of e-mail", ["John's", "3.5", "%", "of", "e-mail"]),
        ("A.B. wait...", ["A.B", ".", "wait", ".", ".", "."]),
        ("  ", []),
    ],
)  # fmt: skip
def test_text_is_split_at_white_space_and_signs(text, words):
    assert [word.text for word in split_text(text)[0]] == words


def test_the_first_word_may_be_written_small():
    grammar = read(lexicon="the D *.\nThe T *.\nCow N *.\ncow M *.")
    assert found(grammar, "The Cow") == [(0, 1, "The", "T"), (0, 1, "the", "D"), (1, 2, "Cow", "N")]
    assert found(grammar, ['"', "The", "cow"])[-2:] == [(1, 2, "the", "D"), (2, 3, "cow", "M")]


def test_headwords_of_several_words():
    grammar = read(lexicon="le` long` de P *.\nle D *.\nde P *.\nMr. T *.\nau-delà` de P *.")
    assert found(grammar, "Le long de Mr. de") == [
        (0, 1, "le", "D"),
        (0, 3, "le long de", "P"),
        (2, 3, "de", "P"),
        (3, 5, "Mr.", "T"),
        (5, 6, "de", "P"),
    ]
    assert found(grammar, "x au-delà de")[0] == (1, 3, "au-delà de", "P")


def test_words_without_entries_are_named():
    lattice = analyse(read(lexicon="a A *.\nb` c A *.\n-token TOKEN * (^ T)=%stem."), "a x b c")
    assert lattice.unknown == ("x",)
    assert [arc.text for arc in lattice.arcs if arc.start == 1] == ["x"]
    assert lattice.arcs[1].entries[0].notes[0].right.text == "x"
    assert lattice.words == ("a", "x", "b", "c")


def test_unknown_words_are_taken_where_nothing_else_is():
    grammar = read(lexicon="the D *.\n-unknown N * (^ PRED)='%stem'; A XLE *.")
    assert found(grammar, "The cow") == [(0, 1, "the", "D"), (1, 2, "cow", "N")]
    assert analyse(grammar, "The cow").arcs[1].entries[0].notes[0].right.name == "cow"
    assert analyse(grammar, "The cow").arcs[1].entries[0].word == "cow"
    assert analyse(grammar, "cow").unknown == ()


LEXICON = """
    cow N XLE (^ PRED)='cow'.
    cows C *.
    +N N_SFX XLE.
    +Pl N_SFX XLE; V_SFX XLE.
    -unknown N XLE (^ PRED)='%stem'.
"""
TABLE = b"cows\tcow+N+Pl\ncows\tcow +N +Pl\ncows\tcow+V\nboys\tboy+N+Pl\nit\tit\n"


def test_morphemes_are_put_between_words():
    grammar = read(lexicon=LEXICON, analyser=io.BytesIO(TABLE))
    assert found(grammar, "cows cows") == [
        (0, 1, "cow", "N_BASE"),
        (0, 3, "cows", "C"),
        (1, 2, "+N", "N_SFX_BASE"),
        (2, 3, "+Pl", "N_SFX_BASE V_SFX_BASE"),
        (3, 4, "cow", "N_BASE"),
        (3, 6, "cows", "C"),
        (4, 5, "+N", "N_SFX_BASE"),
        (5, 6, "+Pl", "N_SFX_BASE V_SFX_BASE"),
    ]
    assert found(grammar, "boys")[0] == (0, 1, "boy", "N_BASE")
    assert found(grammar, "it") == [(0, 1, "it", "N_BASE")]
    assert analyse(grammar, "boys it the").unknown == ("the",)


def test_stems_with_an_entry_are_not_unknown_unless_it_says_etc():
    lexicon = """
        cow N * (^ PRED)='cow'.
        it N * (^ PRED)='it'; ETC.
        -unknown N XLE (^ PRED)='%stem'; A XLE (^ PRED)='%stem'.
    """
    table = b"cow\tcow\nit\tit\nboy\tboy\nboys\tboy\ncows\tcow\n"
    grammar = read(lexicon=lexicon, analyser=io.BytesIO(table))
    assert found(grammar, "cow") == [(0, 1, "cow", "N")]
    assert found(grammar, "it") == [(0, 1, "it", "N A_BASE")]
    assert found(grammar, "boys") == [(0, 1, "boy", "N_BASE A_BASE")]
    assert analyse(grammar, "cows").unknown == ("cows",)


PROLOG = r"""# a comment
network(net_1).
arc(net_1, 0, 1, "c").
arc(net_1, 1, 2, "o").
arc(net_1, 2, 3, "w").
arc(net_1, 3, 4, "+N":"0").
arc(net_1, 4, 5, "+Pl":"s").
arc(net_1, 4, 5, "+Sg":"0").
arc(net_1, 0, 6, "?").
arc(net_1, 6, 6, "?").
arc(net_1, 6, 5, "+Guess":"0").
arc(net_1, 0, 7, "%?":"?").
arc(net_1, 0, 7, "%0":"%0").
final(net_1, 5).
final(net_1, 7).

network(net_2).
arc(net_2, 0, 1, "x":"cow").
final(net_2, 1).
"""


def test_networks_in_the_text_form_of_xfst():
    net = network(PROLOG)
    assert analyses(net, "cow") == (("cow", "+N", "+Sg"),)
    assert analyses(net, "cows") == (("cow", "+N", "+Pl"),)
    # ? is what the network does not name: x is such a symbol, c is none.
    assert analyses(net, "xyz") == (("xyz", "+Guess"),)
    assert analyses(net, "xcz") == ()
    assert analyses(net, "0") == (("0",),)


def test_networks_in_the_form_of_att():
    net = network("0 1 c c\n1 2 o o\n2 3 <any> <any>\n3 4 s +Pl\n3 4 <eps> +Sg\n4\n")
    assert analyses(net, "cow") == (("cow", "+Sg"),)
    assert analyses(net, "cots") == (("cot", "+Pl"),)


def test_symbols_that_foma_and_hfst_do_not_name():
    same, other = "@_IDENTITY_SYMBOL_@", "@_UNKNOWN_SYMBOL_@"
    net = network(f"0 0 {same} {same}\n0 1 s +Pl\n0 1 {other} +Odd\n0 2 c c\n1\n")
    assert analyses(net, "xys") == (("xy", "+Pl"),)
    assert analyses(net, "xyz") == (("xy", "+Odd"),)
    assert analyses(net, "cs") == ()  # c has a name


def test_sides_of_a_network_that_seem_to_be_exchanged_are_warned_of(tmp_path):
    config = "D E CONFIG (1.0)\nROOTCAT S. MORPHOLOGY (D E).\n----\n"
    (tmp_path / "g.lfg").write_text(f"{config}D E MORPHOLOGY (1.0)\nANALYZE:\nlex.fst\n----\n")
    (tmp_path / "lex.att").write_text("0 1 c c\n1 2 +Sg @0@\n1 2 +Pl s\n2\n")
    [(text, place)] = read_lfg(tmp_path / "g.lfg").warnings
    assert text.startswith("lex.fst reads symbols such as +Pl and writes none: ")
    assert "invert net" in text
    assert place.line == 6
    (tmp_path / "lex.att").write_text("0 1 c c\n1 2 @0@ +Sg\n1 2 s +Pl\n2\n")
    assert not read_lfg(tmp_path / "g.lfg").warnings


SPLITTER = r"""
network(n).
arc(n, 0, 0, "?").
arc(n, 0, 0, "d").
arc(n, 0, 0, "o").
arc(n, 0, 1, "@":" ").
arc(n, 1, 0, "?").
arc(n, 1, 0, "o").
arc(n, 1, 2, "d").
arc(n, 2, 3, "e":"0").
arc(n, 3, 4, "@":"0").
arc(n, 4, 0, "o").
arc(n, 2, 0, "o").
final(n, 0).
"""


def test_a_network_that_splits_text_in_several_ways():
    words, last = split_by(network(SPLITTER), "x do y")
    assert [(word.start, word.end, word.text) for word in words] == [
        (0, 1, "x"),
        (1, 2, "de"),
        (1, 3, "do"),
        (2, 3, "o"),
        (3, 4, "y"),
    ]
    assert last == 4


def test_a_grammar_may_name_the_networks_that_it_needs(tmp_path):
    (tmp_path / "tok.pl").write_text(SPLITTER)
    (tmp_path / "lex.tsv").write_bytes(TABLE)
    (tmp_path / "g.lfg").write_text(
        "D E CONFIG (1.0)\nROOTCAT S. LEXENTRIES (D E). MORPHOLOGY (D E).\n----\n"
        "D E MORPHOLOGY (1.0)\n# TOKENIZE: x.fst\nTOKENIZE:\nP!tok.fst G!gen.fst\n"
        "ANALYZE USEFIRST:\n  # lost.fst\nnone.fst lex.tsv lex.tsv\n"
        "BuildMultiwordsFromLexicon:\nOTHER: x\n----\n"
        f"D E LEXICON (1.0)\n{LEXICON} de P *. o D *.\n----\n"
    )
    grammar = read_lfg(tmp_path / "g.lfg")
    assert grammar.morphology.splitter is not None
    assert grammar.morphology.first_only
    texts = [arc[2] for arc in found(grammar, "x do cows")]
    assert texts == ["de", "o", "cow", "cows", "+N", "+Pl"]
    assert [message.split(" (")[0] for message, _ in grammar.warnings] == [
        "none.fst is not there as text",
        "OTHER of MORPHOLOGY is not read",
    ]
    assert grammar.warnings[0][1].line == 10


def test_xle_s_own_splitters_are_the_default_without_a_warning(tmp_path):
    (tmp_path / "g.lfg").write_text(
        "D E CONFIG (1.0)\nROOTCAT S. MORPHOLOGY (D E).\n----\n"
        "D E MORPHOLOGY (1.0)\nTOKENIZE:\nP!basic-parse-tok.fst G!default-gen-tokenizer.fst\n----\n"
    )
    assert not read_lfg(tmp_path / "g.lfg").warnings


def test_a_morphology_that_names_nothing_is_the_default():
    text = b"D E CONFIG (1.0)\nROOTCAT S. MORPHOLOGY (D E).\n----\nD E MORPHOLOGY (1.0)\nx\n----\n"
    assert read_lfg(io.BytesIO(text)).morphology.splitter is None


def test_networks_without_end_are_refused():
    endless = network('arc(n, 0, 0, "a":"0").\nfinal(n, 0).')
    with pytest.raises(LimitError, match="the morphology takes more than"):
        analyses(endless, "x")
    with pytest.raises(LimitError, match="splitting takes more than"):
        split_by(endless, "x")
    words = network('arc(n, 0, 1, "a":"0").\narc(n, 1, 0, "@":"0").\nfinal(n, 0).')
    with pytest.raises(LimitError, match="words without end"):
        split_by(words, "")


def test_a_text_that_the_network_does_not_accept_has_no_words():
    only = b'arc(n, 0, 1, "a").\nfinal(n, 1).'
    assert split_by(network(only.decode()), "b") == ([], 0)
    grammar = read(lexicon="a N *.", splitter=io.BytesIO(only))
    assert analyse(grammar, " b ").unknown == ("b",)
    assert [arc.text for arc in analyse(grammar, "a").arcs] == ["a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("cows cow+N", "expected a word, a tab and its analysis"),
        ('arc(n, 0, 1, "a").\nsomething else', "expected a fact of xfst's"),
        ("0 1 a b\n0 1 2 3 4 5 6 7", "expected 'source target"),
    ],
)
def test_files_that_are_no_networks_are_refused(text, message):
    with pytest.raises(FormatError, match=message):
        network(text)


def test_a_table_cannot_split_text():
    with pytest.raises(FormatError, match="a table cannot split text"):
        read(splitter=io.BytesIO(TABLE))
