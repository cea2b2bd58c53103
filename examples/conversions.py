"""Turn a CRF into an HMM that tags alike, and see how little of it is left to the scale."""

import weft
from weft.conversions.check import same_conditional, same_joint
from weft.conversions.convert import mrf_to_hmm
from weft.conversions.growth import growth_rate
from weft.corpora import bundled

chain = weft.Chain(templates=weft.templates("word[0] suffix2[0] capital[0]"))
crf = weft.fit(chain, bundled("train"), optimiser=weft.LBFGS(max_iterations=25))
sentences = [example.tokens for example in bundled("test")]
print(
    f"all sentences of n + 1 words weigh {growth_rate(crf.model, crf.weights):.4g} times those of n"
)

hmm, longer = (mrf_to_hmm(crf, mean_length=length) for length in (15, 30))
for made in (hmm, longer):
    same = sum(a == b for a, b in zip(crf.tag(sentences), made.tag(sentences), strict=True))
    largest = same_conditional(crf, made, sentences).largest
    print(
        f"mean length {made.notes['mean length']}, scale {made.notes['scale']}: the same tags in "
        f"{same} of {len(sentences)} sentences, log p(tags | words) within {largest:.1g}"
    )
print(f"log p(tags, words) differs by up to {same_joint(hmm, longer, sentences).largest:.3g}")
