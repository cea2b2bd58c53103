"""Give each token attributes of your own, with values if you like, as with CRFsuite."""

import weft


def attributes(words: list[str], position: int) -> dict[str, float]:
    word = words[position]
    found = {f"word={word.lower()}": 1.0, f"ending={word[-2:]}": 1.0, "length": len(word) / 10}
    if position > 0:
        found[f"before={words[position - 1].lower()}"] = 1.0
    return found


def sentence(text: str) -> weft.Sentence:
    words = text.split()
    return weft.Sentence((tuple(words),), tuple(attributes(words, k) for k in range(len(words))))


corpus = [
    weft.Example(sentence("the dog barks loudly"), ("DT", "NN", "VBZ", "RB")),
    weft.Example(sentence("a cat sleeps quietly"), ("DT", "NN", "VBZ", "RB")),
    weft.Example(sentence("we saw the cat"), ("PRP", "VBD", "DT", "NN")),
]
tagger = weft.fit(weft.Chain(), corpus)
print(*tagger.tag([sentence("the cat barks badly")]))
