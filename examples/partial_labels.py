"""Train on sentences that are labelled in part: a tag, a set of tags, or nothing at all."""

import weft

corpus = [
    weft.example(["the", "dog", "barks"], ["DT", "NN", "VBZ"]),
    weft.example(["we", "ran"], ["PRP", "VBD"]),
    weft.example(["the", "saw", "cuts"], ["DT", frozenset({"NN", "VBD"}), "VBZ"]),
    weft.example(["we", "saw", "the", "dog"], ["PRP", frozenset({"NN", "VBD"}), None, "NN"]),
]
tagger = weft.fit(weft.Chain(), corpus)
for words in (["the", "saw", "barks"], ["we", "saw", "the", "dog"]):
    print(*zip(words, *tagger.tag([words]), strict=True))
