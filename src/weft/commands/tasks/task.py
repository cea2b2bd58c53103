"""What a family says of itself to commands: a task, with defaults for labelled sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from weft.arrays import IntArray
from weft.automata import Transducer
from weft.commands.evaluation import assess_labels
from weft.commands.files.inputs import (
    FileLayout,
    gold_map,
    labelled_format,
    notes_of,
    with_tag_map,
)
from weft.commands.files.recognition import recognise
from weft.commands.how import Found, How, Traced
from weft.commands.inspection import inspect_features
from weft.commands.prediction import UNBROKEN, write_answers
from weft.commands.request import Request
from weft.commands.selecting import Chosen
from weft.commands.tasks.looks import Looks
from weft.commands.tasks.reading import gather, notes_of_files, read_raw, stream_other
from weft.commands.tasks.tallies import (
    CHUNK_F1,
    PER_TOKEN,
    Headline,
    chunk_counts,
    judge_tags,
    score_of,
    tag_counts,
    tag_figures,
)
from weft.corpora import Brackets, Format, read_examples
from weft.corpora.records import stream_examples
from weft.corpora.tags.tagged import Text
from weft.errors import NotDefined, OptionError
from weft.evaluate.chunks import ChunkScores
from weft.evaluate.significance import Statistic, accuracy, f1
from weft.files import Source
from weft.models.answers import Decoder
from weft.recipes import Recipe
from weft.reprs import Brief, describe
from weft.structures.grammar import Grammar
from weft.structures.stream import joined, token_count
from weft.train.crossvalidation import Columns, Fold

LAYOUT = frozenset({"--format", "--column", "--inputs", "--separator"})
DECODERS = frozenset({"--posterior", "--viterbi", "--decoder"})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Materials(Brief):
    """What a request comes to.

    Attributes:
        plan: The recipe, with its dictionary or grammar.
        corpus: The training corpus, in memory or a stream.
        held_out: The development corpus; None where there is none.
        notes: What the model keeps about its making.
        raw: The raw text beside the training corpus.
        messages: What is to be told of the files.
        broken: What was wrong with records that were left out.
        corpus_format: The format of the first file; None where that is always the same.
        start: A model whose weights estimation starts from, or the name of a start.
    """

    plan: Recipe
    corpus: Any
    held_out: Sequence[Any] | None
    notes: Mapping[str, str]
    raw: Sequence[Any] = ()
    messages: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    corpus_format: Format | None = None
    start: Any = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Question(Brief):
    """A sentence of a file that a model is asked to explain.

    Attributes:
        id: What it is asked for by: its name, or its number from 1.
        source: Where it is from, as predictions name it.
        text: What people read.
        given: What answers are to.
        example: The same with what is right, if the file says so.
        shown: Shows an answer to people; None where it has no form that they read.
        as_json: Shows an answer to programs, as predictions do.
    """

    id: str
    source: str
    text: str
    given: Any
    example: Any
    shown: Callable[[Any], str | None]
    as_json: Callable[[Any], Any]


class Task:
    """From files to a model of a family, and from the model to what is said of it.

    Only :attr:`name` and :attr:`kinds` must be given. All else suits a family whose examples are
    sentences with a label per token, and whose answers are such labels.
    """

    name: ClassVar[str]
    """What messages call the model."""

    kinds: ClassVar[tuple[type, ...]]
    """The classes of the family's specifications and of their models."""

    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        "train": frozenset(),
        "predict": LAYOUT,
        "explain": LAYOUT,
        "evaluate": LAYOUT | DECODERS | {"--partial"},
        "inspect": frozenset({"--top", "--kind"}),
    }
    """By command, the options that it has a use for beside those that every kind of model has; of
    training, those of a request that are in :data:`~weft.commands.tasks.reading.OWN`."""

    looks: ClassVar[Looks] = Looks()
    """What plots and reports show of it."""

    measure: ClassVar[str] = "Accuracy"
    """What :meth:`score` gives; of chunks it is F1."""

    def __repr__(self) -> str:
        return describe(self, self.name)

    def plan(self, request: Request, plan: Recipe) -> Recipe:  # noqa: ARG002
        """Return a recipe as the family changes it by what is asked for.

        Raises:
            OptionError: If what is asked for does not go with it.
        """
        return plan

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read all files of a request: labelled sentences, and raw ones beside them.

        Raises:
            OptionError: If an option or its value does not exist.
            FormatError: If a file cannot be read.
        """
        layout, (source, *others) = request.layout, request.sources
        first_format = self.first_format(request, plan)
        first = gather(request, partial(stream_examples, first_format, source))
        rest = (gather(request, partial(stream_other, layout, o, first_format)) for o in others)
        corpus = joined([first, *rest])
        held_out = None
        if request.development is not None:
            held_out = list(stream_other(layout, request.development, first_format))
        notes = {**notes_of_files(request, corpus), **notes_of(first_format, first)}
        raw = [example for source in request.raw for example in read_raw(source)]
        told = (_TREES,) if isinstance(first_format, Brackets) else ()
        return Materials(plan, corpus, held_out, notes, raw, told, corpus_format=first_format)

    def first_format(self, request: Request, plan: Recipe) -> Format:  # noqa: ARG002
        """Return the format of the first file, which others are read by, too."""
        return labelled_format(request.layout, request.sources[0])

    def assess(
        self,
        trained: Any,
        corpus: Sequence[Any],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> Any:
        """Return how good a model is on a corpus."""
        return assess_labels(trained, corpus, decoder, threads)

    def score(self, assessed: Any) -> float | None:
        """Return the one number of an assessment by which models are compared, a share.

        By default that is the accuracy or, where labels are chunks, their F1.
        """
        chunks = _chunks_of(assessed)
        share: float | None = assessed.accuracy if chunks is None else chunks.overall.f1
        return share

    def measured(self, assessed: Any) -> str:
        """Say what :meth:`score` gives of an assessment."""
        return self.measure if _chunks_of(assessed) is None else "F1"

    def contents(self, trained: Any) -> str:
        """Say how large a model is."""
        return f"{len(trained.weights):,} features"

    def extent(self, trained: Any, corpus: Sequence[Any]) -> str:  # noqa: ARG002
        """Say how large a model's corpus is, beside its number of sentences."""
        return f"{token_count(corpus):,} tokens"

    def remarks(self, trained: Any, corpus: Sequence[Any]) -> list[str]:  # noqa: ARG002
        """Say what else is to be known of training, a line each."""
        return []

    def training_json(self, trained: Any, given: Materials, assessed: Any) -> dict[str, Any]:  # noqa: ARG002
        """Return what of training only this family has, ready for JSON.

        Args:
            trained: The model with its weights.
            given: What it was trained on.
            assessed: How good it is on the development corpus; None where there is none.
        """
        return {"development": None if assessed is None else assessed.as_json()}

    main: ClassVar[str] = "accuracy"
    """The figure by which models are compared, where labels are no chunks."""

    columns: ClassVar[Mapping[str, tuple[str, str]]] = {
        "tokens": ("tokens", "count"),
        "accuracy": ("accuracy", "share"),
        "unknown_accuracy": ("unknown words", "share"),
        "sentence_accuracy": ("whole sentences", "share"),
        CHUNK_F1: ("chunk F1", "share"),
        **PER_TOKEN,
    }
    """The figures that tables have, each with its heading and how it is written."""

    def dealt(self, corpus: Sequence[Any]) -> list[Any]:
        """Return the examples that cross-validation deals to folds."""
        return list(corpus)

    def judge(
        self,
        trained: Any,
        seen: Sequence[Any],
        test: Sequence[Any],
        plan: Recipe | None,  # noqa: ARG002
    ) -> Fold:
        """Return what is counted of each sentence of a fold, beside a baseline.

        Args:
            trained: The model.
            seen: What it was estimated from; nothing where only the model knows.
            test: The fold.
            plan: How it was estimated; None likewise.
        """
        return judge_tags(trained, seen, test)

    def figures(self, columns: Columns) -> dict[str, Any]:
        """Return the figures that counts come to, ready for JSON."""
        return tag_figures(columns)

    def counts(self, columns: Columns) -> tuple[IntArray, Statistic]:
        """Return whole numbers [sentences, ...] that two models are compared by, and how."""
        return tag_counts(columns), accuracy

    def headline(self, columns: Columns) -> Headline:
        """Return by what models are compared on these sentences.

        That is what :meth:`counts` gives or, of a family that goes by accuracy, the F1 of chunks
        where labels are such.
        """
        chunks = chunk_counts(columns) if self.main == Task.main else None
        if chunks is not None:
            return Headline(CHUNK_F1, "F1", chunks, f1)
        return Headline(self.main, self.measure, *self.counts(columns))

    def scored(self, columns: Columns) -> tuple[str, float]:
        """Return the name and the value of that figure; see :func:`score_of`.

        Raises:
            OptionError: If nothing can be said of these sentences.
        """
        return score_of(self.figures(columns), self.headline(columns).key)

    def gold(self, example: Any) -> Any:
        """Return what is right of a sentence; models are compared that read the same."""
        return example.analysis

    def check_labels(self, trained: Any, examples: Sequence[Any], name: str) -> None:
        """Refuse sentences whose labels are all unknown to a model of this name, if it has some.

        Raises:
            OptionError: With some of the model's, and of those that are right.
        """

    def questions(
        self,
        trained: Any,
        source: Source,
        layout: FileLayout,
        chosen: Chosen,  # noqa: ARG002
    ) -> Iterator[Question]:
        """Yield the sentences of a file, as a model is asked about them.

        Raises:
            FormatError: If the file cannot be read.
        """
        file = recognise(trained, source, layout)
        labelled = not isinstance(file.corpus_format, Text)
        tag_map = gold_map(trained)
        records = file.corpus_format.read(file.source, labelled=labelled)
        for number, record in enumerate(records, 1):
            [example] = with_tag_map([record.example], tag_map)
            tokens = example.tokens
            words = [word.translate(UNBROKEN) for word in tokens.words]
            shown = partial(_tagged_words, words)
            name, text = tokens.source, " ".join(words)
            yield Question(str(number), name, text, tokens, example, shown, list)

    def is_labelled(self, example: Any) -> bool:
        """Whether an example says what is right."""
        return any(label is not None for label in example.analysis or ())

    def predict(self, trained: Any, source: Source, how: How) -> Iterator[str]:
        """Yield what is written of each sentence of a file."""
        return write_answers(trained, source, how)

    def evaluate(self, trained: Any, source: Source, how: How) -> Found:
        """Say how good a model is on a file."""
        file = recognise(trained, source, how.layout, labelled=True, told=how.told)
        corpus = read_examples(file.corpus_format, file.source)
        found: Found = self.assess(trained, corpus, how.threads, how.decoder)
        return found

    def inspect(self, trained: Any, count: int, tag: str | None, kind: str) -> Found:  # noqa: ARG002
        """Look into a model, given how many features to list, a tag and a pattern of kinds."""
        return inspect_features(trained, count, kind)

    def mass(self, trained: Any, count: int) -> Found:  # noqa: ARG002
        """Say what becomes of the probability of a model, and the most that is lost somewhere.

        Raises:
            NotDefined: If the family loses none, and so does not take ``--mass``.
        """
        raise NotDefined(f"a {self.name} loses no probability")

    def trace(self, trained: Any, text: str, count: int | None) -> Traced:  # noqa: ARG002
        """Show how the best answer to a sentence is come to, with so many rivals of each step.

        Raises:
            OptionError: If the sentence cannot be asked about.
            NotDefined: If the family has no steps to show, and so does not take ``--trace``.
        """
        raise NotDefined(f"the answers of a {self.name} are not made step by step")

    def grammar(self, trained: Any) -> Grammar | None:  # noqa: ARG002
        """Return the weighted grammar of a model; None where it has none."""
        return None

    def transducer(self, trained: Any) -> Transducer | None:  # noqa: ARG002
        """Return a model as a weighted machine from words to answers; None where it is none."""
        return None

    def check(self, command: str, options: Iterable[str], tasks: Sequence[Task]) -> None:
        """Refuse options that a command takes, but has no use for with such a model.

        Args:
            command: The command.
            options: Those that were given, such as ``--svg``.
            tasks: Those of all families.

        Raises:
            OptionError: With what to do.
        """
        special = frozenset().union(*(each.takes[command] for each in tasks))
        mine = self.takes[command]
        for option in options:
            if option in special - mine:
                able = [each.name for each in tasks if option in each.takes[command]]
                some = [name for name in able if not name.startswith(tuple(f"{k} " for k in able))]
                raise OptionError(
                    f"{option} is for a {' or a '.join(some)}, and this model is a {self.name}: "
                    "leave it out; beside what every model takes, the command takes for a "
                    f"{self.name}: {', '.join(sorted(mine)) or 'nothing'}"
                )


_TREES = "Of trees, words are learnt with their tags; for a parser, give --recipe pcfg."


def _tagged_words(words: Sequence[str], tags: Sequence[str]) -> str:
    return " ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True))


def _chunks_of(assessed: Any) -> ChunkScores | None:
    """The chunks of an assessment; one of a family of one's own need not have them."""
    found: ChunkScores | None = getattr(assessed, "chunks", None)
    return found
