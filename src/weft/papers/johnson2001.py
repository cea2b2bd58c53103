"""M. Johnson (2001), "Joint and conditional estimation of tagging and parsing models", ACL.

Section 3 compares bitag models that differ in little but what they condition on,

    (4)  ∏ P(tⱼ | tⱼ₋₁) P(wⱼ | tⱼ)            (5)  ∏ P₀(tⱼ | wⱼ, tⱼ₋₁)
    (6)  ∏ P(wⱼ | tⱼ) P₁(tⱼ | wⱼ₋₁, tⱼ₋₁)     (7)  ∏ P₀(tⱼ | wⱼ, tⱼ₋₁) P(wⱼ | tⱼ₋₁)

by their accuracy, without a test of significance. :mod:`weft.papers.rows.johnson2001` does so on
corpora that have parts, with paired tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.evaluate.tagging import TaggingScores, tagging_scores
from weft.models.answers import Decoder
from weft.recipes import Recipe, fit_recipe
from weft.structures.evidence import Example

PAPER: Mapping[str, float] = {
    "johnson-4": 0.955,
    "johnson-5": 0.944,
    "johnson-6": 0.962,
    "johnson-7": 0.953,
}
"""The accuracies of section 3, of models trained on sections 2–21 of the Penn Treebank."""


def tag_test(
    plan: Recipe, parts: Mapping[str, Sequence[Example]], threads: int | None = None
) -> tuple[TaggingScores, list[tuple[str, ...]]]:
    """Train a recipe, and return its scores on the test part, with its tags.

    It is trained to its end on the part ``train``, with ``dev`` as its development corpus, and
    decoded as it says, else by Viterbi.

    Args:
        plan: The recipe.
        parts: The examples of each part.
        threads: How many threads to use, all by default; no result depends on it.

    >>> from weft.corpora import read_part
    >>> from weft.recipes import find_recipe, with_settings
    >>> parts = {part: read_part("english", part) for part in ("train", "dev", "test")}
    >>> scores, tags = tag_test(with_settings(find_recipe("crf"), {"iterations": "2"}), parts)
    >>> scores.tokens, len(tags)
    (1934, 139)
    """
    plan = replace(plan, patience=0)
    tagger = fit_recipe(plan, parts["train"], development=parts["dev"], threads=threads)
    sentences = [example.tokens for example in parts["test"]]
    tags = tagger.tag(sentences, decoder=plan.decoder or Decoder.VITERBI, threads=threads)
    gold = [example.analysis or () for example in parts["test"]]
    words = [sentence.words for sentence in sentences]
    return tagging_scores(gold, tags, words, tagger.lexicon), tags
