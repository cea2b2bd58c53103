"""Parsers from files to files."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from weft import commands, load
from weft.cli.app import app
from weft.errors import FormatError, OptionError
from weft.models.grammar.parser import Parser
from weft.recipes import RECIPES
from weft.structures.tree import leaves

TREES = """
( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks))) )
( (S (NP-SBJ (NNS dogs)) (VP (VBP see) (NP (DT a) (NN cat)))) )
( (S (NP-SBJ (DT a) (NN cat)) (VP (VBZ sees) (NP (NP (DT the) (NN dog)) (PP (IN on)
  (NP (DT the) (NN mat)))))) )
( (S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sits) (PP (IN on) (NP (DT a) (NN mouse))))) )
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("trees.mrg").write_text(TREES)
    return tmp_path


def weft(*arguments: str, given: str = ""):
    return CliRunner().invoke(app, list(arguments), input=given)


NAMES = ["pcfg", "pcfg-mcle", "wcfg-crf"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("terminals", ["words", "tags"])
def test_every_recipe_parses(name, terminals):
    made = commands.train(
        "p.weft", ["trees.mrg"], recipe=name, terminals=terminals, development="trees.mrg"
    )
    assert made.development.overall.f1 > 0.8
    loaded = load("p.weft")
    assert isinstance(loaded, Parser)
    assert (loaded.weights == made.trained.weights).all()
    assert loaded.notes == made.trained.notes
    tagged = "the/DT dog/NN sees/VBZ a/DT cat/NN\n"
    [one] = commands.parse_file(
        loaded, io.BytesIO(tagged.encode()), layout=commands.FileLayout("tagged")
    )
    assert one.brackets("TOP") == (
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat)))))"
    )
    assert one.as_json()["log_prob"] <= 0


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("shape", ["left", "right", "head"])
def test_binary_trees_come_back_whole(shape):
    settings = {"binarise": shape, "order": "1", "parents": "1"}
    made = commands.train("p.weft", ["trees.mrg"], recipe="pcfg", settings=settings)
    assert commands.evaluate_parser(made.trained, "trees.mrg").scores.overall.exact_match == 1.0
    again = commands.evaluate_parser(load("p.weft"), "trees.mrg")
    assert again.scores.overall.f1 == 1.0
    assert again.failures == ()
    assert again.strange == 0


@pytest.mark.usefixtures("files")
def test_unknown_words_have_trees():
    made = commands.train("p.weft", ["trees.mrg"], recipe="pcfg")
    [one] = commands.parse_file(made.trained, io.BytesIO(b"the elephant barks\n"))
    assert one.brackets("TOP") == "(TOP (S (NP (DT the) (NN elephant)) (VP (VBZ barks))))"
    assert np.exp(made.trained.grammar.weights).max() <= 1


@pytest.mark.usefixtures("files")
def test_what_has_no_tree_is_named_and_the_rest_goes_on():
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "trees.mrg", "--terminals", "tags")
    made = weft("predict", "p.weft", given="DT NN VBZ\nDT XX\nDT DT DT\nNNS VBP DT NN\n")
    lines = made.stdout.splitlines()
    assert made.exit_code == 0
    assert lines[0] == "(TOP (S (NP DT NN) (VP VBZ)))"
    assert lines[1] == "(TOP (X DT) (X XX))"
    assert lines[3] == "(TOP (S (NP NNS) (VP VBP (NP DT NN))))"
    assert "<stdin>:2: the grammar does not have token 2, 'XX'; a flat tree" in made.stderr
    assert "<stdin>:3: the grammar has no tree for these tokens" in made.stderr
    made = weft("predict", "p.weft", "--json", given="DT XX\nDT NN VBZ\n")
    found = [json.loads(line) for line in made.stdout.splitlines()]
    assert found[0]["tree"] is found[0]["log_prob"] is None
    assert found[1]["tree"] == "(TOP (S (NP DT NN) (VP VBZ)))"


@pytest.mark.usefixtures("files")
def test_evaluation_and_inspection():
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "trees.mrg")
    assert "Brackets, in per cent" in weft("evaluate", "p.weft", "trees.mrg").stdout
    found = json.loads(weft("evaluate", "p.weft", "trees.mrg", "--json").stdout)
    assert found["f1"] > 0.8
    assert found["failures"] == []
    assert "Heaviest rules" in weft("inspect", "p.weft").stdout
    inside = json.loads(weft("inspect", "p.weft", "--top", "2", "--json").stdout)
    assert len(inside["heaviest"]) == 2
    Path("words.txt").write_text("the dog barks\n")
    assert "no trees here" in weft("evaluate", "p.weft", "words.txt", "--format", "text").stderr
    assert "this is a model" in weft("evaluate", "p.weft", "p.weft", "--format", "text").stderr


@pytest.mark.usefixtures("files")
def test_the_mass_of_canonical_trees_is_told():
    Path("heads.txt").write_text("S left v n\nNP left n v\n")
    trees = ["(S (NP n v n) v (NP n p n))", "(S n n p n)", "(S n v n (NP p n) v)"]
    trees += ["(S (NP v n p v) p v p n)", "(S (NP n p (NP v n)) (NP p n) v n)"]
    tagged = [re.sub(r"\b[nvp]\b", r"(\g<0> a)", tree) for tree in trees]
    Path("made.mrg").write_text("".join(f"( {tree} )\n" for tree in tagged))
    johnson = ("--set", "binarise=johnson", "--set", "head_rules=heads.txt", "--terminals", "tags")
    for name in ("p.weft", "every.weft", "w.weft"):
        canonical = "no" if name == "every.weft" else "yes"
        recipe = "wcfg-crf" if name == "w.weft" else "pcfg"
        made = ("--recipe", recipe, "--set", f"canonical={canonical}", *johnson)
        assert weft("train", name, "--train", "made.mrg", *made).exit_code == 0
    mass = json.loads(weft("inspect", "p.weft", "--mass", "--json").stdout)
    assert 0.5 < mass["canonical"] < mass["finished"] == pytest.approx(1.0)
    told = " ".join(weft("inspect", "p.weft", "--mass").stdout.split())
    assert f"{100 * mass['canonical']:.2f} % is that of canonical binary trees" in told
    assert weft("inspect", "every.weft", "--mass").exit_code == 2
    assert "no probabilities" in weft("inspect", "w.weft", "--mass").stderr


@pytest.mark.usefixtures("files")
def test_trees_as_text_and_as_pictures():
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "trees.mrg")
    made = weft("predict", "p.weft", "--indent", "--svg", "drawn", given="the dog barks\n" * 2)
    assert made.stdout.count("(TOP") == 2
    assert made.stdout.endswith("\n\n")
    assert sorted(path.name for path in Path("drawn").iterdir()) == ["1.svg", "2.svg"]
    assert "<title>the dog barks</title>" in Path("drawn/1.svg").read_text()


@pytest.mark.usefixtures("files")
def test_raw_text_needs_symbols_or_a_grammar():
    Path("raw.txt").write_text("a b\na a b b\n")
    Path("g.cfg").write_text("S -> 'a' S 'b' [0.4] | 'a' 'b' [0.5] | S S [0.1]\n")
    asked = ["train", "p.weft", "--recipe", "pcfg-em", "--train", "raw.txt", "--format", "text"]
    assert "symbols=5" in weft(*asked).stderr
    assert "restarts" in weft(*asked, "--set", "symbols=2").stderr
    made = weft(*asked, "--set", "symbols=2", "--set", "restarts=1")
    assert made.exit_code == 0, made.stderr
    made = weft(*asked, "--grammar", "g.cfg")
    assert made.exit_code == 0, made.stderr
    rules = load("p.weft").grammar
    assert np.exp(rules.weights) == pytest.approx([1 / 3, 2 / 3, 0], abs=1e-6)


@pytest.mark.usefixtures("files")
def test_options_of_parsers_are_for_parsers():
    with pytest.raises(OptionError, match="crf takes no --terminals"):
        commands.train("p.weft", ["trees.mrg"], terminals="tags")
    with pytest.raises(OptionError, match="there is no clean-up 'dust'"):
        commands.train("p.weft", ["trees.mrg"], recipe="pcfg", clean="dust")
    with pytest.raises(OptionError, match="'letters' is none of words, tags"):
        commands.train("p.weft", ["trees.mrg"], recipe="pcfg", terminals="letters")
    Path("raw.txt").write_text("a b\n")
    with pytest.raises(FormatError, match="there are no trees here"):
        commands.train("p.weft", ["raw.txt"], recipe="pcfg")


@pytest.mark.usefixtures("files")
def test_a_file_without_trees_is_refused():
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "trees.mrg")
    Path("empty.mrg").write_text("")
    for asked in (["evaluate", "p.weft", "empty.mrg"], ["train", "q.weft", "--train", "empty.mrg"]):
        made = weft(*asked, *(["--recipe", "pcfg"] if asked[0] == "train" else []))
        assert made.exit_code == 1
        assert "empty.mrg: there is no tree in the file" in made.stderr


def test_parsers_are_in_the_catalogue():
    names = {recipe for recipe in RECIPES if recipe.startswith(("pcfg", "wcfg"))}
    assert names == {"pcfg", "pcfg-em", "pcfg-mcle", "wcfg-crf"}
    assert "binarise" in weft("recipes").stdout


@pytest.mark.usefixtures("files")
def test_mistaken_punctuation_counts():
    """A word that the parser takes for punctuation: EVALB would leave the sentence out."""
    Path("commas.mrg").write_text(
        TREES + "( (S (NP (DT the) (NN dog)) (, zz) (VP (VBZ barks))) )\n"
    )
    Path("words.mrg").write_text("( (S (NP (DT the) (NN dog)) (ADVP (RB zz)) (VP (VBZ barks))) )\n")
    made = commands.train(
        "p.weft", ["commas.mrg"] * 2, recipe="pcfg", settings={"rare": "1"}, development="words.mrg"
    )
    scores = commands.evaluate_parser(made.trained, "words.mrg").scores
    for counts in (scores.overall, made.development.overall):
        assert (counts.sentences, counts.gold, counts.predicted, counts.correct) == (1, 4, 3, 3)
        assert (counts.words, counts.correct_tags) == (4, 3)
    assert made.trained.trace[-1].accuracy == pytest.approx(6 / 7)


SIGNS = r"""
( (S (`` ``) (NP (DT the) (NN dog)) (PRN (-LRB- -LRB-) (NP (CD 1\/2)) (-RRB- -RRB-)) ('' '')
  (VP (VBZ barks))) )
( (S (`` ``) (NP (DT the) (NN cat)) (PRN (-LRB- -LRB-) (NP (CD 3)) (-RRB- -RRB-)) ('' '')
  (VP (VBZ sits))) )
"""


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("rare", ["0", "1", "5"])
@pytest.mark.parametrize("noted", [True, False])
def test_plain_signs_are_looked_up_as_the_treebank_spells_them(rare, noted):
    """Also where they are so rare that their classes stand for them."""
    Path("signs.mrg").write_text(SIGNS)
    made = commands.train("p.weft", ["signs.mrg"], recipe="pcfg", settings={"rare": rare})
    notes = made.trained.notes if noted else {}
    assert made.trained.notes["spelling"] == r"-LRB- -RRB- \/ `` ''"
    plain, escaped = '" the dog ( 1/2 ) " barks\n', r"`` the dog -LRB- 1\/2 -RRB- '' barks" "\n"
    text = io.BytesIO((plain + escaped).encode())
    one, other = commands.parse_file(replace(made.trained, notes=notes), text)
    if noted or rare != "5":  # else nothing says how the treebank spells
        assert (one.parse.score, one.problem) == (other.parse.score, "")
    assert one.as_json()["words"] == plain.split()
    if rare == "0":
        assert one.brackets("TOP") == (
            '(TOP (S (`` ") (NP (DT the) (NN dog)) (PRN (-LRB- -LRB-) (NP (CD 1/2)) '
            "(-RRB- -RRB-)) ('' \") (VP (VBZ barks))))"
        )
    assert one.tree is not None
    assert tuple(leaves(one.tree)) == tuple(plain.split())


@pytest.mark.usefixtures("files")
def test_tags_of_brackets_can_be_written():
    Path("signs.mrg").write_text(SIGNS)
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "signs.mrg", "--terminals", "tags")
    given = r'"/`` the/DT dog/NN (/( 1/2/CD )/) "/'
    given = f"{given}'' barks/VBZ\n" + "the/DT (/(x\n"
    made = weft("predict", "p.weft", "--format", "tagged", given=given)
    assert (made.exit_code, made.stderr.count("\n")) == (0, 1)
    first, second = made.stdout.splitlines()
    assert first.startswith('(TOP (S (`` ") (NP (DT the) (NN dog)) (PRN (-LRB- -LRB-) (NP (CD 1/2)')
    assert second == "(TOP (DT the) (-LRB-x -LRB-))"


@pytest.mark.usefixtures("files")
def test_words_with_spaces_are_printed_as_one():
    made = commands.train("p.weft", ["trees.mrg"], recipe="pcfg")
    text = "1\tthe\t_\tX\tDT\t_\t0\troot\t_\t_\n2\tsea dog\t_\tX\tNN\t_\t0\troot\t_\t_\n"
    text += "3\tbarks\t_\tX\tVBZ\t_\t0\troot\t_\t_\n\n"
    layout = commands.FileLayout("conllu", "xpos")
    [one] = commands.parse_file(made.trained, io.BytesIO(text.encode()), layout=layout)
    assert one.brackets("TOP") == "(TOP (S (NP (DT the) (NN sea\xa0dog)) (VP (VBZ barks))))"
    assert one.as_json()["words"] == ["the", "sea dog", "barks"]


AMBIGUOUS = """
( (S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (NN wind))))) )
( (S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (NN time))))) )
( (S (NP (NN time) (NNS flies)) (VP (VBP like) (NP (NN wind)))) )
"""


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("recipe", ["pcfg", "wcfg-crf"])
@pytest.mark.parametrize("parents", ["0", "1"])
def test_given_tags_are_those_of_the_tree(recipe, parents):
    Path("a.mrg").write_text(AMBIGUOUS)
    settings = {"rare": "0", "parents": parents}
    made = commands.train("p.weft", ["a.mrg"], recipe=recipe, settings=settings)

    def parsed(text, form="tagged"):
        file = io.BytesIO(text.encode())
        return list(commands.parse_file(made.trained, file, layout=commands.FileLayout(form)))

    [free] = parsed("time flies like wind\n", "text")
    assert "(VP (VBZ flies)" in free.brackets("TOP")
    verb, noun, odd, none = parsed(
        "time/NN flies/VBZ like/IN wind/NN\n"
        "time/NN flies/NNS like/VBP wind/NN\n"
        "time/NN flies/NNS like/XX wind/NN\n"
        "time/NN flies/VBZ like/VBP wind/NN\n"
    )
    other = "(TOP (S (NP (NN time) (NNS flies)) (VP (VBP like) (NP (NN wind)))))"
    assert verb.brackets("TOP") == free.brackets("TOP")
    assert noun.brackets("TOP") == odd.brackets("TOP") == other
    assert (verb.note, noun.note) == ("", "")
    assert odd.note.endswith("does not have with those given: like/XX (token 3)")
    # One tree is left for each, and its probability is given the tags.
    assert verb.parse.log_prob == pytest.approx(0.0)
    assert noun.parse.log_prob == pytest.approx(0.0)
    assert free.parse.log_prob < -1e-3
    assert none.parse is None
    assert "no tree for these tokens with the tags that are given; give words alone" in none.problem
    assert none.brackets("TOP") == "(TOP (NN time) (VBZ flies) (VBP like) (NN wind))"


@pytest.mark.usefixtures("files")
def test_tags_of_trees_are_not_given():
    """Of a treebank the tags are to be found, like the trees: the first is read as it was best."""
    Path("a.mrg").write_text(AMBIGUOUS)
    made = commands.train("p.weft", ["a.mrg"], recipe="pcfg", settings={"rare": "0"})
    *_, last = commands.parse_file(made.trained, "a.mrg")
    assert "(VP (VBZ flies)" in last.brackets("TOP")
    assert last.note == ""


@pytest.mark.usefixtures("files")
def test_what_is_left_open_is_told():
    Path("a.mrg").write_text(AMBIGUOUS)
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "a.mrg")
    text = "time/NOUN flies/VERB like/ADP wind/NOUN\n"
    made = weft("predict", "p.weft", "--format", "tagged", given=text)
    assert made.exit_code == 0
    assert "<stdin>:1: the grammar chooses the tags of words that it does not have" in made.stderr
    assert "time/NOUN (token 1), flies/VERB (token 2), like/ADP (token 3), ..." in made.stderr
    made = weft("predict", "p.weft", "--format", "tagged", "--json", given=text)
    assert "time/NOUN" in json.loads(made.stdout)["note"]


HISTORICAL = """<DOC>
( (CODE <P_1>))
( (IP-MAT (NP-SBJ (D the) (N kyng)) (VBD cam)) (ID OURS,1.1))
( (IP-MAT (NP-SBJ *con*) (CP (C 0)) (VBD cam)) (ID OURS,1.2))
"""


@pytest.mark.usefixtures("files")
def test_historical_treebanks_are_recognised_and_that_is_told():
    Path("h.psd").write_text(HISTORICAL)
    made = weft("train", "p.weft", "--recipe", "pcfg", "--train", "h.psd")
    assert made.exit_code == 0
    assert "h.psd:1: this line between trees was left out" in made.stderr
    assert "h.psd: trees with ID, CODE or METADATA" in made.stderr
    assert "lemmas" not in made.stderr
    assert load("p.weft").notes["clean"] == "historical,traces,functions,repeats,top"
    assert set(load("p.weft").model.grammar.nonterminals) == {"TOP", "IP", "NP", "D", "N", "VBD"}
    made = weft("evaluate", "p.weft", "h.psd", "--json")
    assert len(json.loads(made.stdout)["messages"]) == made.stderr.count("weft: h.psd") == 2
    Path("l.psd").write_text(
        HISTORICAL.replace("kyng)", "kyng-king)").replace(" cam)", " cam-come)")
    )
    made = weft("train", "p.weft", "--recipe", "pcfg", "--train", "l.psd")
    assert "words seem to be followed by their lemmas" in made.stderr
    made = weft("train", "p.weft", "--recipe", "pcfg", "--train", "trees.mrg", "--json")
    assert json.loads(made.stdout)["messages"] == []


@pytest.mark.usefixtures("files")
def test_lines_of_text_are_left_out_by_name():
    Path("t.mrg").write_text("A header\n" + TREES)
    made = weft("train", "p.weft", "--recipe", "pcfg", "--train", "t.mrg")
    assert made.exit_code == 1
    assert "t.mrg:1:1: expected '(' but found 'A'" in made.stderr
    clean = "text,traces,functions,top"
    made = weft("train", "p.weft", "--recipe", "pcfg", "--train", "t.mrg", "--clean", clean)
    assert made.exit_code == 0
    assert "t.mrg:1: this line between trees was left out" in made.stderr


@pytest.mark.usefixtures("files")
def test_clean_ups_keep_their_order():
    """An X within an X is one X only once its functions are gone."""
    made = commands.train("p.weft", ["trees.mrg"], recipe="pcfg", clean="top,repeats,functions")
    assert made.trained.notes["clean"] == "top,repeats,functions"


@pytest.mark.slow
def test_parsers_have_grids(tmp_path, monkeypatch):
    """The grammar that knows unknown words is the better one on sentences that have some."""
    monkeypatch.chdir(tmp_path)
    trees = ["(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D the) (N cat)) (VP (V sees)))"]
    other = "(S (NP (D the) (N cow)) (VP (V moos)))"
    Path("train.mrg").write_text("\n".join(trees) + "\n")
    Path("dev.mrg").write_text(other + "\n")
    grid = commands.train_grid(
        "best.weft",
        ["train.mrg"],
        commands.read_grid(["rare=0|1"]),
        recipe="pcfg",
        development="dev.mrg",
        choose="accuracy",
    )
    assert [trial.score for trial in grid.trials] == [0.0, 1.0]
    assert grid.chosen == 2
    assert load("best.weft").notes["grid"].startswith("rare=1;")


@pytest.mark.usefixtures("files")
def test_what_stands_before_a_broken_line_is_parsed():
    made = commands.train("p.weft", ["trees.mrg"], recipe="pcfg")
    found = commands.parse_file(made.trained, io.BytesIO(b"the dog barks\n" * 70 + b"dogs \xe9\n"))
    assert [next(found).problem for _ in range(70)] == [""] * 70
    with pytest.raises(FormatError, match="71"):
        next(found)
    one = commands.parse_file(made.trained, Slow([b"the dog barks\n", b"dogs see\n"]), batch=1)
    assert next(one).brackets("TOP").startswith("(TOP (S (NP (DT the)")


class Slow(io.RawIOBase):
    """A stream that has some lines, and must not be read beyond them."""

    def __init__(self, lines):
        super().__init__()
        self.lines = lines

    def readable(self):
        return True

    def readinto(self, buffer):
        assert self.lines, "read before what was there was answered"
        line = self.lines.pop(0)
        buffer[: len(line)] = line
        return len(line)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("clean", "correct"), [("top", 1), (None, 3)])
def test_labels_are_cut_by_the_clean_up_alone(clean, correct):
    Path("h.mrg").write_text("(S (hd-cmp (V see) (hd-aj (N it))))\n")
    Path("other.mrg").write_text("(S (hd-aj (V see) (hd-cmp (N it))))\n")
    made = commands.train("h.weft", ["h.mrg"], recipe="pcfg", clean=clean, development="other.mrg")
    for each in (made.development, commands.evaluate_parser("h.weft", "other.mrg").scores):
        assert (each.overall.correct, each.overall.gold) == (correct, 3)
