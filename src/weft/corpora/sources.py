"""Where the corpora that can be fetched lie, how large they may be, and how they are recognised.

A *digest* is the SHA-256 of the lines that ``sha256sum`` writes of a corpus's files, sorted by
name: it is about the files that are kept, not about how an archive packs them. Where the digest is
None, nobody has vouched for the files yet: what was fetched is written down in ``SHA256SUMS``, and
a later fetch is compared with that.
"""

from __future__ import annotations

from dataclasses import dataclass

_NLTK = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages"
_UD = "https://raw.githubusercontent.com/UniversalDependencies"


@dataclass(frozen=True, slots=True)
class Download:
    """A file of a corpus, or an archive of several.

    Attributes:
        url: Where it lies.
        most: How many bytes it may have, and what is unpacked of it, too.
        members: Patterns of the paths in a zip archive that are kept, by their last names; none,
            and the file itself is kept.
        into: The folder below the corpus's that they go to.
    """

    url: str
    most: int
    members: tuple[str, ...] = ()
    into: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a corpus lies.

    Attributes:
        downloads: What it is made of.
        digest: Of its files; None if it is not known.
    """

    downloads: tuple[Download, ...]
    digest: str | None = None


def _ud(repository: str, release: str, prefix: str) -> tuple[Download, ...]:
    return tuple(
        Download(f"{_UD}/{repository}/{release}/{prefix}-ud-{part}.conllu", 50_000_000)
        for part in ("train", "dev", "test")
    )


ADDRESSES = {
    "wsj-sample/combined": Address(
        (Download(f"{_NLTK}/corpora/treebank.zip", 20_000_000, ("treebank/combined/wsj_*.mrg",)),),
        "d976c006e67fd6e7f254c147b6da343d16b2053925ceba996369dafa40c0ad3d",
    ),
    "conll2000": Address(
        (Download(f"{_NLTK}/corpora/conll2000.zip", 20_000_000, ("conll2000/*.txt",)),),
        "4d6a7480dfd40876c6c701609502431820e34a457cc1f3fe39aba5da26d5e233",
    ),
    "ewt": Address(_ud("UD_English-EWT", "r2.14", "en_ewt")),
    "sequoia": Address(_ud("UD_French-Sequoia", "r2.14", "fr_sequoia")),
    "grammars": Address(
        tuple(
            Download(f"{_NLTK}/grammars/{archive}.zip", 20_000_000, (members,), folder)
            for archive, members, folder in (
                ("large_grammars", "large_grammars/alvey*", "alvey"),
                ("book_grammars", "book_grammars/*", "book_grammars"),
                ("sample_grammars", "sample_grammars/*", "sample_grammars"),
            )
        ),
        "4aeb34c4219012823a505821b74944a4aa43e7242c2785ed7ef1a3277ae836c6",
    ),
}
"""The corpora of the catalogue that can be fetched, by their names."""
