"""Which tables a tagger has: the forms of Johnson (2001, section 3) and a Mealy machine's.

With tags t, words w, ⋆ for what stands before and after the sentence, and products over
j = 1 … m + 1:

    johnson-4   ∏ P(t_j | t_{j-1}) P(w_j | t_j)               a hidden Markov model
    johnson-5   ∏ P₀(t_j | w_j, t_{j-1})                      tags given words
    johnson-6   ∏ P₁(t_j | w_{j-1}, t_{j-1}) P(w_j | t_j)
    johnson-7   ∏ P₀(t_j | w_j, t_{j-1}) P(w_j | t_{j-1})
    mealy       ∏ P(t_j | t_{j-1}) P(w_j | t_{j-1}, t_j)      words on the arcs

Of order 2, all tags depend on t_{j-2}, too, and so do the words of (7): P(t_j | t_{j-1}, t_{j-2})
and so on, with ⋆ twice before the sentence. Their mixtures have the components of order 1 and those
with t_{j-2}.

The end, j = m + 1, is chosen once: with the tag ⋆ in (4), (6) and mealy, where the word ⋆ is then
certain; with the word ⋆ in (7), where the tag is certain; and in (5) the words say where it is. P₀
has no mass for ⋆ inside the sentence, and no sentence is empty. So (5) sums to one over the tag
sequences of every sentence, and the others sum to one over all sentences with their tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.errors import OptionError
from weft.models.model import Judge, Outcome, Spec
from weft.models.options import ORDER, RARE, option
from weft.models.tables.estimate import estimate_tables
from weft.models.tables.form import MOST_TAGS, Form
from weft.models.tables.model import TableModel
from weft.models.tagger import Decoder, Tagger, lexicon_of
from weft.models.tagger_scores import tagging_judge
from weft.reprs import Brief
from weft.settings import setting
from weft.structures.evidence import Example


@dataclass(frozen=True, slots=True, repr=False)
class Tables(Brief, Spec[Tagger]):
    """What a table model looks at, and how it is smoothed.

    The defaults were chosen on development data, the files 0160 to 0179 of the Penn Treebank
    sample.

    Attributes:
        form: Which factors there are.
        order: On how many tags before it a tag depends, 1 or 2.
        rare: Words that occur so often at most teach what unknown words are like.
        suffix: The length of the longest suffixes by which unknown words are told apart.
        enough: How many rare words make a class of unknown words.
        word_backoff: How many imaginary occurrences a word has, with the tags of its class.
        class_backoff: How many imaginary words a class has, with the tags of the class around it.
        parts: Into how many parts the corpus falls, each held out in turn to fit the weights of
            the interpolation.
    """

    form: Form = Form.HMM
    order: int = setting(1, ORDER)
    rare: int = setting(1, RARE)
    suffix: int = setting(3, "the length of the suffixes that tell a table's unknown words apart")
    enough: int = setting(5, "how many rare words make a class of a table's unknown words")
    word_backoff: float = setting(0.3, "how often a table's word counts with the tags of its class")
    class_backoff: float = setting(5.0, "how often a class counts with the tags around it")
    parts: int = setting(10, "into how many parts deleted interpolation divides a corpus")

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", option(Form, self.form))
        if self.order not in MOST_TAGS:
            raise OptionError(f"order is 1 or 2, not {self.order}")
        bounds = {"rare": 0, "suffix": 0, "enough": 1, "parts": 2}
        for name, least in bounds.items():
            if not getattr(self, name) >= least:
                raise OptionError(f"{name} is at least {least}, not {getattr(self, name)}")
        if not 0 <= self.word_backoff < float("inf"):
            raise OptionError(f"word_backoff is at least 0, not {self.word_backoff}")
        if not 0 < self.class_backoff < float("inf"):
            raise OptionError(f"class_backoff is above 0, not {self.class_backoff}")

    counted = True
    decoders = (Decoder.POSTERIOR, Decoder.VITERBI)

    @property
    def smaller(self) -> str:
        """Tables of pairs of tags instead of triples."""
        return "--set order=1" if self.order == 2 else ""

    def prepare(
        self,
        seen: Sequence[Example],
        texts: Sequence[Example] = (),  # noqa: ARG002
        others: Sequence[Example] = (),  # noqa: ARG002
    ) -> TableModel:
        """Return the tables of a labelled corpus."""
        return estimate_tables(self, seen)

    def trained(self, model: TableModel, outcome: Outcome) -> Tagger:
        """Return a tagger, which chooses the likeliest tags."""
        notes, decoder = outcome.notes or {}, outcome.decoder or self.decoders[0]
        lexicon = lexicon_of(outcome.texts)
        return Tagger(model, model.weights, lexicon, outcome.trace, notes, decoder)

    def judge(
        self,
        model: TableModel,
        corpus: Sequence[Example],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> Judge:
        """Return the accuracy of the tags that the tagger chooses; of chunks, their F1."""
        return tagging_judge(
            lambda theta: self.trained(model, Outcome(theta, decoder=decoder)),
            model,
            corpus,
            threads,
        )
