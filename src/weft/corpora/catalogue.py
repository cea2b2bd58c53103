"""The corpora that tests, examples and papers use, and where each is to be had."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is known of a corpus.

    Attributes:
        name: Its folder below the folder of corpora.
        what: What it is.
        size: Its sentences and tokens; parts, such as training and test, are split by ``/``.
        licence: What may be done with it.
        source: Where it comes from.
    """

    name: str
    what: str
    size: str
    licence: str
    source: str


BUNDLED = Corpus(
    name="english",
    what="English in the Penn tag set, written for demonstrations and tests",
    size="559 / 78 / 139 sentences (8,192 / 1,096 / 1,934 tokens)",
    licence="Apache 2.0, like Weft",
    source="the package itself",
)
"""The corpus that is part of the package."""

CORPORA = (
    Corpus(
        name="wsj-sample/combined",
        what="a tenth of the Wall Street Journal part of the Penn Treebank: trees with functions "
        "and traces; the parts are the files 0001–0159 / 0160–0179 / 0180–0199",
        size="3,914 sentences (94,084 tokens), in parts 3,396 / 273 / 245",
        licence="LDC; fair use, not for commerce; may not be redistributed",
        source="nltk.download('treebank')",
    ),
    Corpus(
        name="craft",
        what="biomedical articles with Penn trees made by hand, with functions and traces; ids/ "
        "lists the parts",
        size="30,830 trees (about 794,000 tokens), in parts 18,951 / 2,780 / 9,099",
        licence="CC BY 3.0",
        source="github.com/UCDenver-ccp/CRAFT",
    ),
    Corpus(
        name="conll2000",
        what="the chunking task of CoNLL-2000: sections 15–18 / 20 of the Wall Street Journal",
        size="8,936 / 2,012 sentences (211,727 / 47,377 tokens)",
        licence="none stated, the text is the Wall Street Journal's; may not be redistributed",
        source="nltk.download('conll2000')",
    ),
    Corpus(
        name="ewt",
        what="Universal Dependencies, English EWT, with universal and Penn tags",
        size="12,544 / 2,001 / 2,077 sentences (about 205,000 / 25,000 / 25,000 tokens)",
        licence="CC BY-SA 4.0",
        source="github.com/UniversalDependencies/UD_English-EWT",
    ),
    Corpus(
        name="sequoia",
        what="Universal Dependencies, French Sequoia",
        size="2,231 / 412 / 456 sentences (about 50,000 / 10,000 / 10,000 tokens)",
        licence="LGPL-LR",
        source="github.com/UniversalDependencies/UD_French-Sequoia",
    ),
    Corpus(
        name="redwoods-vm",
        what="Verbmobil dialogues with their right HPSG derivations, one per sentence: the "
        "[incr tsdb()] profiles vm6 and vm32, with parts of speech in the file parse; in place of "
        "the ATIS treebank of Johnson (2001), 1,088 sentences of vm6 to train on, 294 held out, "
        "and 294 of vm32 as a test, as trees of rule names over parts of speech",
        size="11,094 sentences",
        licence="MIT",
        source="github.com/delph-in/erg, in tsdb/gold",
    ),
    Corpus(
        name="parse-selection",
        what="all parses of Verbmobil, e-commerce and CSLI sentences by the English Resource "
        "Grammar of 2007, one of them marked as right; in place of the two LFG corpora of Johnson "
        "et al. (1999)",
        size="1,273 / 1,091 / 729 sentences, of which 1,120 / 909 / 490 are ambiguous",
        licence="MIT",
        source="derived data, not online",
    ),
    Corpus(
        name="hpsg-profiles",
        what="small profiles with all parses or packed forests, the right one marked by hand: "
        "Norwegian, Portuguese, Indonesian, Korean",
        size="about 130 ambiguous sentences",
        licence="LGPL-LR (NorSource), MIT",
        source="the grammars' repositories, under github.com/delph-in and elsewhere",
    ),
    Corpus(
        name="grammars",
        what="the feature grammars of NLTK, and the Alvey grammar of English, which has 782 "
        "unification rules and 2,363 lexical entries, with test sentences and the number of parses "
        "of each",
        size="229 sentences",
        licence="Alvey: none stated; may not be redistributed",
        source="nltk.download('large_grammars'), ('book_grammars'), ('sample_grammars')",
    ),
)
"""The others, which lie below the folder that ``WEFT_DATA`` names."""
