"""Files to examples, and predictions back out in the same format, a sentence at a time."""

from weft.corpora.bundled import (
    bundled,
    bundled_folder,
    bundled_lfg,
    bundled_marked,
    bundled_marks,
    bundled_parse_sets,
    bundled_parses,
    bundled_trees,
)
from weft.corpora.catalogue import BUNDLED, CORPORA, Corpus
from weft.corpora.formats import FORMATS, find_format, guess_format
from weft.corpora.locate import corpus_path, found_corpus
from weft.corpora.parses.derivations import Leaf, RuleTree, read_derivation
from weft.corpora.parses.sets import parse_set_line, read_parse_sets
from weft.corpora.parts import DIVIDED, PARTS, part_files, read_part
from weft.corpora.records import Format, Record, read_examples, stream_examples
from weft.corpora.tags.columns import Columns
from weft.corpora.tags.conllu import Conllu
from weft.corpora.tags.crfsuite import Attributes
from weft.corpora.tags.dictionaries import read_dictionary, write_dictionary
from weft.corpora.tags.dictionaries_made import (
    Dilution,
    check_not_excluded,
    dictionary_from_tagger,
    dictionary_of,
    dilute,
    exclude,
    open_tags_of,
    read_dilution,
)
from weft.corpora.tags.maps import (
    TAG_MAPS,
    TagMap,
    coarse_dictionary,
    coarse_examples,
    find_tag_map,
    read_tag_map,
    tag_map_text,
)
from weft.corpora.tags.tagged import Tagged, Text
from weft.corpora.trees.brackets import Brackets, TreeRecord, read_trees
from weft.corpora.trees.cleaning import STEPS, USUAL, clean, find_steps
from weft.corpora.trees.treebanks import TREEBANKS, read_tree_part, read_treebank

__all__ = [
    "BUNDLED",
    "CORPORA",
    "DIVIDED",
    "FORMATS",
    "PARTS",
    "STEPS",
    "TAG_MAPS",
    "TREEBANKS",
    "USUAL",
    "Attributes",
    "Brackets",
    "Columns",
    "Conllu",
    "Corpus",
    "Dilution",
    "Format",
    "Leaf",
    "Record",
    "RuleTree",
    "TagMap",
    "Tagged",
    "Text",
    "TreeRecord",
    "bundled",
    "bundled_folder",
    "bundled_lfg",
    "bundled_marked",
    "bundled_marks",
    "bundled_parse_sets",
    "bundled_parses",
    "bundled_trees",
    "check_not_excluded",
    "clean",
    "coarse_dictionary",
    "coarse_examples",
    "corpus_path",
    "dictionary_from_tagger",
    "dictionary_of",
    "dilute",
    "exclude",
    "find_format",
    "find_steps",
    "find_tag_map",
    "found_corpus",
    "guess_format",
    "open_tags_of",
    "parse_set_line",
    "part_files",
    "read_derivation",
    "read_dictionary",
    "read_dilution",
    "read_examples",
    "read_parse_sets",
    "read_part",
    "read_tag_map",
    "read_tree_part",
    "read_treebank",
    "read_trees",
    "stream_examples",
    "tag_map_text",
    "write_dictionary",
]
