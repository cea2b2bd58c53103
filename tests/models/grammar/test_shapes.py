"""Johnson's binarisation as a shape of grammars: exact inverses, head rules, files."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from trees import tree
from weft.corpora.trees.brackets import read_trees
from weft.corpora.trees.redwoods import read_redwoods
from weft.corpora.trees.treebanks import examples_of
from weft.errors import FormatError, OptionError
from weft.grammars.heads import HEAD_TABLES, choose_head_rules, find_head_rules, read_head_rules
from weft.grammars.transforms import binarise_by_head
from weft.models.grammar.model import Shaping
from weft.models.grammar.prepare import prepare_grammar
from weft.models.grammar.spec import Cfg
from weft.models.grammar.storage import pack_grammar, unpack_grammar
from weft.models.options import Shape
from weft.recipes import find_recipe, with_settings
from weft.structures.evidence import Example, sentence
from weft.structures.tree import Tree, leaves

FLAT = tree("(TOP (VP (RB now) (VB give) (NP (PRP them)) (NP (CD 2)) (PP (IN of) (NP (DT the)))))")
# Labels that end as those of new nodes do, begin as they do, or have marks of other transforms.
ODD = tree("(TOP (NP-1 (NN-2 a) (@NN-1 b) (\\@X c) (NN^NP-1 d) (NP-1 (NN e))))")


def example_of(one: Tree) -> Example:
    return Example(sentence(list(leaves(one))), parse=one)


def widest(one: Tree) -> int:
    inside = [each for each in one.children if isinstance(each, Tree)]
    return max(len(one.children), *map(widest, inside), 1)


@pytest.mark.parametrize("parents", [0, 1])
@pytest.mark.parametrize("one", [FLAT, ODD], ids=["flat", "odd labels"])
def test_the_inverse_is_exact(one, parents):
    shaping = Shaping(Shape.JOHNSON, parents=parents)
    shaped = shaping(one)
    assert widest(shaped) == 2 < widest(one)
    assert shaping.inverse(shaped) == one


def test_new_nodes_are_named_after_the_head_alone():
    heads = find_head_rules("collins")
    [phrase] = FLAT.children
    assert heads(phrase) == 1
    assert Shaping(Shape.JOHNSON)(FLAT) == binarise_by_head(FLAT, heads)
    shaped = Shaping(Shape.JOHNSON)(phrase)
    assert [child.label for child in shaped.children] == ["RB", "@VB-2"]


def test_head_rules_of_ones_own(tmp_path):
    path = tmp_path / "mine.heads"
    path.write_text("VP right PP\n* left\n* coordinated CC\n", encoding="utf-8")
    recipe = with_settings(
        find_recipe("pcfg"), {"binarise": "johnson", "head_rules": str(path), "rare": "0"}
    )
    model = prepare_grammar(recipe.model, [example_of(FLAT)])
    assert "@PP-1" in model.grammar.nonterminals
    usual = prepare_grammar(Cfg(binarise="johnson"), [example_of(FLAT)])
    assert "@PP-1" not in usual.grammar.nonterminals
    manifest, arrays = pack_grammar(model)
    again = unpack_grammar(json.loads(json.dumps(manifest)), arrays)
    assert again.shaping == model.shaping
    assert again.shaped(FLAT) == model.shaped(FLAT) != usual.shaped(FLAT)


def test_files_without_head_rules_have_those_of_collins():
    manifest, arrays = pack_grammar(prepare_grammar(Cfg(binarise="head"), [example_of(FLAT)]))
    assert manifest.pop("head_rules") is None
    assert unpack_grammar(manifest, arrays).shaping == Shaping(Shape.HEAD)


@pytest.mark.parametrize("name", HEAD_TABLES)
def test_tables_are_written_as_they_are_read(name, tmp_path):
    rules = find_head_rules(name)
    path = tmp_path / "copy.heads"
    path.write_text("\n".join(rules.lines()), encoding="utf-8")
    assert read_head_rules(path) == choose_head_rules(str(path)) == rules


def test_what_does_not_go_together_is_refused(tmp_path):
    with pytest.raises(OptionError, match="after the head alone: leave order out"):
        Cfg(binarise="johnson", order=1)
    with pytest.raises(OptionError, match="no table of head rules 'colins': did you mean collins"):
        choose_head_rules("colins")
    wrong = tmp_path / "wrong.heads"
    wrong.write_text("VP leftmost VB\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"wrong.heads.*:1: expected a label and one of left"):
        choose_head_rules(str(wrong))


def read_some(path, name: str):
    """Yield trees of a treebank: of one file in forty, or of the first sentences."""
    if name == "redwoods-vm":
        yield from islice(read_redwoods(path / "vm6"), 60)
        return
    for file in sorted(path.rglob("*.mrg" if name == "wsj-sample" else "*.tree"))[::40]:
        yield from islice(read_trees(file), 60)


@pytest.mark.parametrize("name", ["wsj-sample", "craft", "redwoods-vm"])
def test_trees_of_treebanks_come_back(name, data_folder):
    """Trees as they are, with traces and functions, and as parsers see them."""
    if not (data_folder / name).is_dir():
        pytest.skip(f"no {name} among the corpora")
    shaping = Shaping(Shape.JOHNSON)
    records = list(read_some(data_folder / name, name))
    cleaned = [] if name == "redwoods-vm" else [each.parse for each in examples_of(records)]
    several = [*(record.tree for record in records), *cleaned]
    shaped = [shaping(one) for one in several]
    assert len(several) >= 60
    assert max(map(widest, shaped)) == 2
    assert [shaping.inverse(one) for one in shaped] == several
