"""Taggers as estimators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from weft.criteria import Criterion, Penalty
from weft.errors import EvidenceError, OptionError, quote
from weft.estimators.base import RecipeEstimator, read_tokens
from weft.estimators.messages import told_in_python
from weft.features.items import sentence_of_items
from weft.models.answers import Decoder
from weft.models.model import label_scores
from weft.models.options import option
from weft.recipes import Recipe
from weft.structures.evidence import Example, Label, Sentence


class Tagger(RecipeEstimator):
    """A tagger, chunker or named-entity recogniser.

    A sentence of ``X`` is a list of words; or a list of tokens as sklearn-crfsuite has them, each
    a dictionary of attributes or a list of their names; or a :class:`weft.Sentence`. ``y`` has
    a list of labels per sentence; a label may also be a set of tags, or None where nothing is
    known.

    >>> X = [["the", "dog", "barks"], ["a", "cat", "sleeps"]]
    >>> y = [["DT", "NN", "VBZ"], ["DT", "NN", "VBZ"]]
    >>> tagger = Tagger(penalty="gaussian:1").fit(X, y)
    >>> tagger.predict([["the", "cat"]])
    [['DT', 'NN']]
    >>> [[probs, _]] = tagger.predict_marginals([["the", "cat"]])
    >>> probs["DT"] > 0.8
    True

    Args:
        recipe: The name of a recipe of taggers (``weft recipes``), or a recipe.
        criterion: Which two sums are compared; None for the recipe's own.
        penalty: What large weights cost, such as ``gaussian:10``; with ``auto``, its scale is
            chosen by cross-validation.
        optimiser: How weights move, a name or an optimiser.
        settings: Other settings of the recipe by name (``weft recipes crf``), such as
            ``{"order": 2}``; each is a parameter, too: ``settings__order``.
        decoder: How tags are chosen: ``viterbi`` or ``posterior``.
        dictionary: The tags that words may have.
        raw: Raw sentences to learn from beside the corpus, for recipes that take them.
        threads: How many threads to use, all by default; no result depends on it.
        cluster: The address of a Dask scheduler whose workers sum over examples; or a client, which
            clones share, and whose address is pickled.

    Attributes:
        model_: The :class:`weft.Tagger`, which :func:`weft.save` saves.
        classes_: The tags.
        n_iter_: How many iterations training took.
    """

    family = "Tagger"

    def __init__(
        self,
        recipe: str | Recipe = "crf",
        *,
        criterion: str | Criterion | None = None,
        penalty: str | Penalty | None = None,
        optimiser: Any = None,
        settings: Mapping[str, Any] | None = None,
        decoder: str | None = None,
        dictionary: Mapping[str, Any] | None = None,
        raw: Sequence[Any] | None = None,
        threads: int | None = None,
        cluster: Any = None,
    ) -> None:
        super().__init__(recipe, criterion, penalty, optimiser, settings, threads, cluster)
        self.decoder = decoder
        self.dictionary = dictionary
        self.raw = raw

    @property
    def classes_(self) -> list[str]:
        """The tags."""
        check_is_fitted(self)
        return list(self.model_.model.tags)

    def predict(self, X: Any) -> list[list[str] | None]:  # noqa: N803
        """Return the tags of each sentence."""
        return [None if tags is None else list(tags) for tags in self._nearest(X)]

    @told_in_python()
    def predict_marginals(self, X: Any) -> list[list[dict[str, float]]]:  # noqa: N803
        """Return, for each token of each sentence, the probability of each tag.

        Raises:
            EvidenceError: If a sentence has no possible tagging.
        """
        tags = self.classes_
        found = self.model_.marginals(self._inputs(X), self.threads)
        return [[dict(zip(tags, row, strict=True)) for row in each.tolist()] for each in found]

    def _plan(self) -> Recipe:
        plan = super()._plan()
        if self.decoder is not None:
            plan = replace(plan, decoder=option(Decoder, self.decoder))
        if self.dictionary is None:
            return plan
        if not hasattr(plan.model, "dictionary"):
            raise OptionError(f"the recipe {plan.name} takes no dictionary")
        if not isinstance(self.dictionary, Mapping):
            raise OptionError(
                f"a dictionary has the tags of each word, as in {{'the': ['DT']}}, not "
                f"{quote(self.dictionary)}"
            )
        known = {
            word: frozenset([tags] if isinstance(tags, str) else tags)
            for word, tags in self.dictionary.items()
        }
        model: Any = plan.model
        return replace(plan, model=replace(model, dictionary=known))

    def _raw(self, plan: Recipe) -> list[Example]:
        if plan.raw is not None and not self.raw:
            raise OptionError(f"the recipe {plan.name} learns from raw text, too: give raw=")
        pairs = enumerate(self.raw or ())
        return [Example(_sentence(each, f"raw[{place}]")) for place, each in pairs]

    def _example(self, given: Any, answer: Any, weight: float, source: str) -> Example:
        tokens = _sentence(given, source)
        return Example(tokens, None if answer is None else _labels(answer, source), weight)

    def _score(self, examples: Sequence[Example]) -> float | None:
        return label_scores(self.model_, examples, threads=self.threads)[0].accuracy


def _sentence(given: Any, source: str) -> Sentence:
    """A sentence of words or of tokens with attributes."""
    if isinstance(given, Sentence):
        return given
    tokens = read_tokens(given, source)
    words = [isinstance(token, str) for token in tokens]
    if all(words):
        return Sentence((tuple(tokens),), None, source)
    if any(words):
        place = words.index(False)
        raise EvidenceError(
            f"{source}, token {place + 1}: all tokens are words, or all have attributes; here are "
            f"words, and {quote(tokens[place])}"
        )
    return sentence_of_items(tokens, source)


def _labels(answer: Any, source: str) -> tuple[Label, ...]:
    """The labels of a sentence."""
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise EvidenceError(f"{source}: its labels are a list of tags, not {quote(answer)}")
    return tuple(_label(tag, f"{source}, token {place}") for place, tag in enumerate(answer, 1))


def _label(tag: Any, source: str) -> Label:
    if isinstance(tag, str | None):
        return None if tag is None else str(tag)  # what NumPy has are strings of another class
    if isinstance(tag, Iterable):
        tags = frozenset(tag)
        if all(isinstance(each, str) for each in tags):
            return frozenset(map(str, tags))
    raise EvidenceError(
        f"{source}: a label is a text, a set of them, or None where nothing is known, not "
        f"{quote(tag)}"
    )
