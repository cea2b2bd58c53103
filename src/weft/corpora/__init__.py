"""Files to examples, and predictions back out in the same format, a sentence at a time."""

from weft.corpora.bundled import bundled
from weft.corpora.columns import Columns
from weft.corpora.conllu import Conllu
from weft.corpora.crfsuite import Attributes
from weft.corpora.dictionaries import read_dictionary, write_dictionary
from weft.corpora.formats import FORMATS, format_named, guess_format
from weft.corpora.locate import corpus_path
from weft.corpora.records import Format, Record, read_examples
from weft.corpora.tagged import Tagged, Text

__all__ = [
    "FORMATS",
    "Attributes",
    "Columns",
    "Conllu",
    "Format",
    "Record",
    "Tagged",
    "Text",
    "bundled",
    "corpus_path",
    "format_named",
    "guess_format",
    "read_dictionary",
    "read_examples",
    "write_dictionary",
]
