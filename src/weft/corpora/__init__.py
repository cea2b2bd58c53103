"""Files to examples, and predictions back out in the same format, a sentence at a time."""

from weft.corpora.brackets import Brackets, TreeRecord, read_trees
from weft.corpora.bundled import bundled, bundled_folder
from weft.corpora.catalogue import BUNDLED, CORPORA, Corpus
from weft.corpora.columns import Columns
from weft.corpora.conllu import Conllu
from weft.corpora.crfsuite import Attributes
from weft.corpora.dictionaries import read_dictionary, write_dictionary
from weft.corpora.formats import FORMATS, format_named, guess_format
from weft.corpora.locate import corpus_path, found_corpus
from weft.corpora.parts import DIVIDED, PARTS, part_files, read_part
from weft.corpora.records import Format, Record, read_examples
from weft.corpora.tagged import Tagged, Text

__all__ = [
    "BUNDLED",
    "CORPORA",
    "DIVIDED",
    "FORMATS",
    "PARTS",
    "Attributes",
    "Brackets",
    "Columns",
    "Conllu",
    "Corpus",
    "Format",
    "Record",
    "Tagged",
    "Text",
    "TreeRecord",
    "bundled",
    "bundled_folder",
    "corpus_path",
    "format_named",
    "found_corpus",
    "guess_format",
    "part_files",
    "read_dictionary",
    "read_examples",
    "read_part",
    "read_trees",
    "write_dictionary",
]
