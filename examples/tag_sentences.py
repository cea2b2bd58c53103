"""Train a tagger on the English corpus that comes with Weft, and ask it for tags."""

import weft
from weft.commands import assess
from weft.corpora import bundled

tagger = weft.fit(
    weft.Chain(),
    bundled("train"),
    penalty=weft.Gaussian(1.0),
    optimiser=weft.LBFGS(max_iterations=25),
    development=bundled("heldout"),
)
print(f"held-out accuracy {tagger.trace[-1].accuracy:.4f}")
print(f"test accuracy     {assess(tagger, bundled('test')).accuracy:.4f}")

sentence = ["The", "old", "man", "saw", "the", "light", "."]
[tags] = tagger.tag([sentence])
[probs] = tagger.marginals([sentence])
for word, tag, row in zip(sentence, tags, probs, strict=True):
    print(f"{word:8} {tag:4} {row.max():.3f}")
