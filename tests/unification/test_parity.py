"""The trees of NLTK's FeatureChartParser, on its sample grammars and on Alvey's."""

from __future__ import annotations

import pytest
from nltk.grammar import FeatureGrammar
from nltk.parse import FeatureChartParser
from nltk.sem.drt import DrtParser

from weft.unification import FeatureParser, from_nltk, load, resolve
from weft.unification.logic import Apply, Bind, Name, Not, Pair, read_logic, write_logic
from weft.unification.nltk import structure_from_nltk
from weft.unification.structure import FeatureStructure, Term, canonical
from weft.unification.terms import Symbol
from weft.unification.trees import subtrees
from weft.unification.unify import Graph

# Sentences of NLTK's documentation of each grammar, and some like them with more structure.
SENTENCES = {
    "book_grammars/feat0": ["Kim likes children", "Kim like children", "the dogs disappeared"],
    "book_grammars/feat1": [
        "who do you claim that you like",
        "you claim that you like cats",
        "rarely do you sing",
        "who do you claim that you like cats",
        "you see cats",
    ],
    "book_grammars/german": [
        *("die Katze sieht den Hund", "ich komme", "ich sehe mich", "du kommst", "sie kommt"),
        *("ich kommst", "sie komme", "er sehe mich", "wir kommen", "ich sehe die Katzen"),
        *("ich folge den Katzen", "wir sehen die Katzen", "wir folgen den Katzen", "ich kommen"),
        *("wir komme", "der Hunde kommt", "der Hunde kommen", "die Katzen kommt"),
        *("ich sehe der Hunde", "ich folge den Hund", "ich sehen der Hunde", "wir sehe die Katzen"),
        *("der Hund sieht mich", "der Hund kommt", "ich sehe den Hund", "ich helfe dem Hund"),
        *("ich sehe", "ich helfe", "ich komme den Hund", "ich sehe den Hund die Katzen"),
        *("du hilfst mich", "du siehst mir", "du siehst ich", "die Hunde sehe die Hunde"),
        *("der Hund sehe die Hunde", "ich hilft der Hund", "ich sehe dem Hund"),
    ],
    "book_grammars/simple-sem": ["Angus walks", "every dog barks", "Irene gives a bone to a dog"],
    "book_grammars/sql0": ["What cities are in China", "Which cities are located in Greece"],
    "book_grammars/sql1": ["What cities are in China", "What cities in China have populations"],
    "book_grammars/storage": ["every girl chases a dog", "a man gives a bone to every dog"],
    "book_grammars/discourse": [
        *("a boxer walks", "every boxer chases a girl", "John is a boxer", "A student dances"),
        *("Every student is a person", "No person dances", "Vincent is married", "Fido barks"),
        *("A person dances", "Vincent does not dance", "Mary chases a girl in Noosa"),
    ],
    "book_grammars/drt": ["a dog barks", "every girl chases a dog", "Angus owns a dog"],
    "sample_grammars/bindop": ["john barks", "john feeds a dog", "john feeds john", "a dog barks"],
    "sample_grammars/event": ["Angus walks", "Angus sees every dog in Stockbridge"],
    "sample_grammars/gluesemantics": ["John sees Mary", "every man runs", "a girl sees the dog"],
    "sample_grammars/hole": ["a dog barks", "every girl chases a dog"],
    "sample_grammars/np": ["this boy", "these boys", "these boy", "we students", "you girls"],
    "sample_grammars/sem0": ["Cyril barks"],
    "sample_grammars/sem1": ["a dog barks", "every dog barks"],
    "sample_grammars/sem2": [
        *("Mary walks", "John sees a dog", "every dog barks", "Suzie sees Mary in Noosa"),
        "John sees a dog with every girl",
    ],
    "sample_grammars/sql": ["Which cities are in Japan", "Which cities are in USA"],
}


def theirs(grammar, words):
    """The trees of NLTK; it refuses words that it does not know."""
    known = {word for rule in grammar.productions() for word in rule.rhs() if isinstance(word, str)}
    parser = FeatureChartParser(grammar, max_time=None)
    return list(parser.parse(words)) if known.issuperset(words) else []


def taken(tree, without=()):
    """A tree of NLTK, or of ours, as labels and children that can be compared."""
    if isinstance(tree, str):
        return tree
    label = tree.label if isinstance(tree.label, FeatureStructure) else None
    label = structure_from_nltk(tree.label()) if label is None else label
    children = tree.children if hasattr(tree, "children") else list(tree)
    return renamed(label, without), tuple(taken(child, without) for child in children)


def renamed(label, without):
    """A structure whose λ-expressions have bound variables by number, as NLTK compares them."""
    nodes = list(label.nodes)
    for place, node in enumerate(nodes):
        if isinstance(node, Term) and node.symbol.kind in ("logic", "text"):
            if without:
                nodes[place] = Term(Symbol("logic"), ())
                continue
            text = write_logic(bound_by_number(read_logic(node.symbol.text), {}))
            nodes[place] = Term(Symbol("logic", text), node.arguments)
        elif isinstance(node, Term) and node.symbol.kind == "set":
            order = sorted(node.arguments, key=lambda value: repr(nodes[value]))
            nodes[place] = Term(node.symbol, tuple(order))
    return canonical(nodes)


def bound_by_number(expression, names):
    match expression:
        case Name(name):
            return Name(names.get(name, name))
        case Bind(operator, variable, body):
            inner = {**names, variable: f"v{len(names)}"}
            return Bind(operator, inner[variable], bound_by_number(body, inner))
        case Not(body):
            return Not(bound_by_number(body, names))
        case Apply(left, right):
            return Apply(bound_by_number(left, names), bound_by_number(right, names))
        case Pair("&" | "|" as operator, left, Pair() as right) if right.operator == operator:
            # NLTK writes no brackets here, and so we compare without.
            inner = Pair(operator, Pair(operator, left, right.left), right.right)
            return bound_by_number(inner, names)
        case Pair(operator, left, right):
            return Pair(operator, bound_by_number(left, names), bound_by_number(right, names))


@pytest.mark.parametrize("name", SENTENCES)
def test_the_same_trees_as_nltk(data_folder, name, rng):
    path = data_folder / "grammars" / f"{name}.fcfg"
    discourse = name.endswith("drt")
    grammar = FeatureGrammar.fromstring(
        path.read_text(), logic_parser=DrtParser() if discourse else None
    )
    parser = load(path)
    known = sorted(parser.compiled.words)
    random = [" ".join(rng.choice(known, size)) for size in (1, 2, 2, 3, 3, 4) for _ in range(3)]
    found = 0
    for sentence in [*SENTENCES[name], *random]:
        expected = [taken(tree, discourse) for tree in theirs(grammar, sentence.split())]
        ours = [taken(tree, discourse) for tree in parser.parse(sentence)]
        assert sorted(map(repr, ours)) == sorted(map(repr, expected)), sentence
        found += bool(ours)
    assert found


def test_grammars_of_nltk_are_taken_as_they_are(data_folder):
    path = data_folder / "grammars" / "book_grammars" / "feat1.fcfg"
    grammar = FeatureGrammar.fromstring(path.read_text())
    one, other = load(grammar), FeatureParser(from_nltk(grammar))
    for sentence in SENTENCES["book_grammars/feat1"]:
        assert list(one.parse(sentence)) == list(other.parse(sentence))
        assert list(map(str, one.parse(sentence))) == list(map(str, load(path).parse(sentence)))


def alvey(data_folder):
    """The sentences of the grammar, with how many analyses its file says that they have."""
    text = (data_folder / "grammars" / "alvey" / "alvey_sentences.txt").read_text("latin-1")
    lines = (line.partition(":") for line in text.splitlines() if line[:1].isdigit())
    return [(int(count), sentence.split()) for count, _, sentence in lines]


# NLTK's parser finds these with the same grammar, and so do we; the file says 447, 320 and 52.
CORRECTED = {213: 375, 225: 360, 229: 62}


@pytest.mark.slow
def test_the_numbers_of_analyses_of_alvey(data_folder):
    parser = load(data_folder / "grammars" / "alvey" / "alvey.fcfg")
    sentences = alvey(data_folder)
    assert (len(sentences), sum(count for count, _ in sentences)) == (229, 11_129)
    forests = list(parser.parse_all([words for _, words in sentences], threads=2))
    found = [len(forest) for forest in forests]
    expected = [CORRECTED.get(n, count) for n, (count, _) in enumerate(sentences, 1)]
    assert found == expected
    one = [len(forest) for forest in parser.parse_all([words for _, words in sentences[:50]])]
    assert one == found[:50]


@pytest.mark.slow
def test_trees_beyond_the_number_of_the_file_are_analyses(data_folder):
    parser = load(data_folder / "grammars" / "alvey" / "alvey.fcfg")
    forest = parser.parse(alvey(data_folder)[228][1])
    assert len({str(tree) for tree in forest}) > 52
    assert all(unifies_as_a_whole(parser.grammar, tree) for tree in forest)


def unifies_as_a_whole(grammar, tree):
    """Whether each part is what the rule above it asks for, all at the same time."""
    graph = Graph()

    def add(node):
        base = graph.add(node.rule.structure.nodes)
        left, *right = (base + side for side in node.rule.sides)
        for side, child in zip(right, node.children, strict=True):
            if not isinstance(child, str) and not graph.unify(side, add(child), grammar.defaults):
                raise ValueError
        return left

    try:
        return graph.unify(add(tree), graph.add(grammar.start.nodes), grammar.defaults)
    except ValueError:
        return False


def test_resolved_trees_say_more(data_folder):
    parser = load(data_folder / "grammars" / "book_grammars" / "german.fcfg")
    [tree] = parser.parse("ich folge den Katzen")
    labels = [str(each.label) for each in subtrees(resolve(parser.grammar, tree))]
    assert "NP[AGR=[GND='fem', NUM='pl', PER=3], CASE='dat']" in labels
    assert "N[AGR=[GND='fem', NUM='pl', PER=3]]" in [str(each.label) for each in subtrees(tree)]
    assert "N[AGR=[GND='fem', NUM='pl', PER=3], CASE='dat']" in labels


def test_what_is_carried(data_folder):
    folder = data_folder / "grammars"
    carried = {name: load(folder / f"{name}.fcfg").compiled.carried for name in SENTENCES}
    assert carried["sample_grammars/sem2"] == {"SEM", "TNS"}
    assert carried["book_grammars/feat0"] == {"TENSE"}
    assert carried["book_grammars/storage"] == frozenset()
