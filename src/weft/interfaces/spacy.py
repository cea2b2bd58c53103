"""A component for spaCy: ``nlp.add_pipe("weft_tagger", config={"model": "pos.weft"})``.

The tags of a model become the ``tag_`` of tokens, their ``pos_``, or, where they are chunks in BIO,
BIOES or BILOU, the entities of a document, in the place of those that it had. Where sentences are
marked, by an earlier component, each is tagged by itself, and else a whole document as one. White
space is no word.

Reference: https://spacy.io/usage/processing-pipelines#custom-components.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from weft.errors import OptionError, no_such, quote
from weft.models.storage import load_tagger, save_tagger
from weft.models.tagger import Tagger
from weft.structures.chunking import spans

NAME = "weft_tagger"
"""The name of the component."""

_FILE = "model.weft"
_BATCH = 64


Tagged = Sequence[tuple[Sequence[Any], Sequence[str]]]
"""Of each sentence of a document, the tokens and their tags."""


def _set_tags(_: Any, sentences: Tagged) -> None:
    for tokens, tags in sentences:
        for token, tag in zip(tokens, tags, strict=True):
            token.tag_ = tag


def _set_parts_of_speech(_: Any, sentences: Tagged) -> None:
    for tokens, tags in sentences:
        for token, tag in zip(tokens, tags, strict=True):
            token.pos_ = tag  # spaCy refuses what is no universal tag


def _set_entities(doc: Any, sentences: Tagged) -> None:
    found = []
    for tokens, tags in sentences:
        for first, after, kind in spans(tags):
            span = doc[tokens[first].i : tokens[after - 1].i + 1]
            span.label_ = kind
            found.append(span)
    # Once per document: the default makes all other tokens "outside", and not "missing".
    doc.set_ents(found, default="outside")


SETTERS: Mapping[str, Callable[[Any, Tagged], None]] = {
    "tag": _set_tags,
    "pos": _set_parts_of_speech,
    "entities": _set_entities,
}
"""By its name, what tags can become."""


class WeftTagger:
    """A tagger in a pipeline of spaCy's.

    Args:
        tagger: Weft's; None until :meth:`from_disk` or :meth:`from_bytes` reads one.
        attribute: What the tags become: ``tag``, ``pos`` or ``entities``.
        threads: How many threads to use; no result depends on it.
        source: The file that the tagger should be from, for messages.

    Raises:
        OptionError: If tags cannot become that.
    """

    def __init__(
        self,
        tagger: Tagger | None,
        attribute: str = "tag",
        threads: int | None = None,
        source: str | None = None,
    ) -> None:
        if attribute not in SETTERS:
            raise OptionError(no_such("attribute", attribute, SETTERS))
        self.tagger = tagger
        self.attribute = attribute
        self.threads = threads
        self._source = source

    def __call__(self, doc: Any) -> Any:
        """Tag a document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Any], batch_size: int = _BATCH) -> Iterator[Any]:
        """Tag documents, so many at a time."""
        waiting = iter(stream)
        while docs := list(islice(waiting, batch_size)):
            self._tag(docs)
            yield from docs

    def _tag(self, docs: Sequence[Any]) -> None:
        if self.tagger is None:
            missing = "no model" if self._source is None else f"no file {quote(self._source)}"
            message = f"the component {NAME} has {missing}: give a tagger's, as"
            raise OptionError(f'{message} config={{"model": "pos.weft"}}')
        parts = [_sentences(doc) for doc in docs]
        words = [[token.text for token in tokens] for each in parts for tokens in each]
        found = iter(self.tagger.tag(words, threads=self.threads))
        for doc, sentences in zip(docs, parts, strict=True):
            SETTERS[self.attribute](doc, [(tokens, next(found)) for tokens in sentences])

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Save the model in a folder."""
        Path(path).mkdir(parents=True, exist_ok=True)
        if self.tagger is not None:
            save_tagger(Path(path, _FILE), self.tagger, force=True)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> WeftTagger:  # noqa: ARG002
        """Read the model of a folder."""
        self.tagger = load_tagger(Path(path, _FILE))
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:  # noqa: ARG002
        """Return the model's file."""
        with tempfile.TemporaryDirectory() as folder:
            self.to_disk(folder)
            path = Path(folder, _FILE)
            return path.read_bytes() if path.exists() else b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> WeftTagger:  # noqa: ARG002
        """Read the model of a file's bytes; of none, nothing is read."""
        if not data:
            return self
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, _FILE).write_bytes(data)
            return self.from_disk(folder)


def _sentences(doc: Any) -> list[list[Any]]:
    """The words of each sentence, or of the document where nothing marks sentences."""
    several = doc.sents if doc.has_annotation("SENT_START") else [doc]
    found = [[token for token in each if not token.is_space] for each in several]
    return [tokens for tokens in found if tokens]


def make_tagger(
    nlp: Any,  # noqa: ARG001
    name: str,  # noqa: ARG001
    model: str | None,
    attribute: str,
    threads: int | None,
) -> WeftTagger:
    """Make the component; see :class:`WeftTagger`.

    Args:
        nlp: The pipeline.
        name: The component's name in it.
        model: The file of a tagger; None where a pipeline is loaded that has one.
        attribute: What tags become.
        threads: How many threads to use.
    """
    made = WeftTagger(None, attribute, threads, model)
    # A pipeline that was saved has its own copy, and may be where this file is not.
    if model is not None and Path(model).exists():
        made.tagger = load_tagger(model)
    return made


with contextlib.suppress(ImportError):  # without spaCy there is no pipeline to be part of
    from spacy.language import Language

    Language.factory(
        NAME,
        default_config={"model": None, "attribute": "tag", "threads": None},
        assigns=["token.tag", "token.pos", "doc.ents"],
        func=make_tagger,
    )
