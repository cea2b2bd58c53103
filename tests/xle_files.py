"""Prolog files as XLE writes them: small ones, random ones, and what each reading of them has."""

import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np


def written(
    text="the dog sleeps", choices=(), equivalences=(), facts=(), tree=(), statistics=None
) -> str:
    """A file of one sentence, laid out as XLE does it."""
    properties = ["'xle_version'('XLE release of today')", "'rootcategory'('ROOT')"]
    if statistics is not None:
        shown = f"{statistics} solutions, 0.07 CPU seconds, 157 subtrees unified"
        properties.append(f"'statistics'('{shown}')")
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    parts = [
        ("Properties", properties),
        ("Choices", choices),
        ("Equivalences", equivalences),
        ("Constraints", [f"cf({context},{fact})" for context, fact in facts]),
        ("C-Structure", [f"cf({context},{fact})" for context, fact in tree]),
    ]
    shown = ",\n".join(
        f"\t% {name}:\n\t[\n\t" + ",\n\t".join(items) + "\n\t]" for name, items in parts
    )
    return f"% -*- coding: utf-8 -*-\n\nfstructure('{quoted}',\n{shown}).\n\n"


ATTACHMENT_FACTS = [
    ("1", "eq(attr(var(0),'PRED'),semform('see',3,[var(1),var(2)],[]))"),
    ("1", "eq(attr(var(0),'SUBJ'),var(1))"),
    ("1", "eq(attr(var(0),'OBJ'),var(2))"),
    ("A1", "eq(attr(var(0),'ADJUNCT'),var(4))"),
    ("A2", "eq(attr(var(2),'ADJUNCT'),var(4))"),
    ("1", "in_set(var(5),var(4))"),
    ("1", "eq(attr(var(5),'PRED'),semform('with',9,[var(6)],[]))"),
    ("1", "eq(attr(var(5),'OBJ'),var(6))"),
    ("1", "eq(attr(var(6),'PRED'),semform('telescope',12,[],[]))"),
    ("1", "eq(attr(var(1),'PRED'),semform('pro',0,[],[]))"),
    ("1", "eq(attr(var(2),'PRED'),semform('man',7,[],[]))"),
    ("1", "eq(attr(var(2),'NUM'),var(8))"),
    ("1", "eq(var(8),'sg')"),
    ("1", "eq(proj(var(0),'m::'),var(9))"),
]
ATTACHMENT_TREE = [
    ("1", "subtree(30,'S',29,20)"),
    ("1", "subtree(29,'S',-,1)"),
    ("1", "subtree(1,'PRON',-,2)"),
    ("1", "terminal(2,'I',[2])"),
    ("A1", "subtree(20,'VP',19,12)"),
    ("A1", "subtree(19,'VP',18,10)"),
    ("A2", "subtree(20,'VP',18,11)"),
    ("1", "subtree(18,'VP',-,3)"),
    ("1", "subtree(3,'V',-,4)"),
    ("1", "terminal(4,'saw',[4])"),
    ("A2", "subtree(11,'NP',13,12)"),
    ("A2", "subtree(13,'NP',-,10)"),
    ("1", "subtree(10,'NP',-,5)"),
    ("1", "terminal(5,'him',[5])"),
    ("1", "subtree(12,'PP',-,6)"),
    ("1", "terminal(6,'with it',[6])"),
    ("1", "phi(30,var(0))"),
    ("1", "semform_data(3,3,1,4)"),
    ("1", "fspan(var(0),1,19)"),
    ("1", "surfaceform(4,'saw',1,5)"),
]


def attachment(selected="A1", text="I saw the man with the telescope") -> str:
    """A sentence of two readings, one of them perhaps selected."""
    # XLE leaves a comma after the last selection.
    equivalences = [f"select({selected}, 1)", ""] if selected else ()
    return written(text, ["choice([A1,A2], 1)"], equivalences, ATTACHMENT_FACTS, ATTACHMENT_TREE, 2)


def attachment_alone(chosen="A1", text="I saw the man with the telescope") -> str:
    """One reading of the same, as XLE prints it alone: without choices."""
    kept = [
        [("1", fact) for context, fact in facts if context in ("1", chosen)]
        for facts in (ATTACHMENT_FACTS, ATTACHMENT_TREE)
    ]
    return written(text, (), (), *kept, 2)


@dataclass
class RandomFile:
    """Choices, definitions and facts, as data; contexts are nested tuples."""

    choices: list = field(default_factory=list)  # (names, context)
    defined: dict = field(default_factory=dict)
    facts: list = field(default_factory=list)  # (context, fact)
    tree: list = field(default_factory=list)
    selected: list = field(default_factory=list)  # (name, context)

    def text(self) -> str:
        """The file."""
        return written(
            choices=[f"choice([{','.join(names)}], {_shown(c)})" for names, c in self.choices],
            equivalences=[
                *(f"define({name}, {_shown(context)})" for name, context in self.defined.items()),
                *(f"select({name}, {_shown(context)})" for name, context in self.selected),
            ],
            facts=[(_shown(context), _fact(fact)) for context, fact in self.facts],
            tree=[(_shown(context), _fact(fact)) for context, fact in self.tree],
        )

    def holds(self, context, chosen) -> bool:
        """Whether a context holds where some alternatives are chosen."""
        if isinstance(context, int):
            return bool(context)
        if isinstance(context, str):
            return (
                self.holds(self.defined[context], chosen)
                if context in self.defined
                else context in chosen
            )
        name, *parts = context
        truths = [self.holds(part, chosen) for part in parts]
        return not truths[0] if name == "not" else (all if name == "and" else any)(truths)

    def readings(self) -> list[frozenset]:
        """All sets of alternatives that the choices allow, by trying all there are."""
        options = [(None, *names) for names, _ in self.choices]
        found = []
        for values in itertools.product(*options):
            chosen = frozenset(value for value in values if value is not None)
            made = [self.holds(context, chosen) for _, context in self.choices]
            if all((v is not None) == m for v, m in zip(values, made, strict=True)):
                found.append(chosen)
        return found

    def is_right(self, chosen) -> bool:
        """Whether a reading has, of each choice that something is selected of, what is selected."""
        for names, context in self.choices:
            selected = [pair for pair in self.selected if pair[0] in names]
            if selected and self.holds(context, chosen):
                taken = [n for n, c in selected if n in chosen and self.holds(c, chosen)]
                if not taken:
                    return False
        return True

    def features(self, chosen) -> Counter:
        """The features of one reading, from the facts that hold in it."""
        facts = [fact for context, fact in self.facts if self.holds(context, chosen)]
        tree = [fact for context, fact in self.tree if self.holds(context, chosen)]
        parts = {fact[3] for _, fact in self.tree if fact[0] == "subtree"}
        return functional(facts) + rules(tree, parts)


def functional(facts) -> Counter:
    """Features of the f-structures of one reading, by classes of equal variables."""
    classes: dict[int, int] = {}

    def find(variable):
        while classes.get(variable, variable) != variable:
            variable = classes[variable]
        return variable

    for name, left, right in facts:
        if name == "eq" and isinstance(left, int) and isinstance(right, int):
            classes[max(find(left), find(right))] = min(find(left), find(right))
    atoms = defaultdict(set)
    for name, left, right in facts:
        if name == "eq" and isinstance(left, int) and not isinstance(right, int):
            atoms[find(left)].add(right)

    def meant(value):
        if not isinstance(value, int):
            return {value}
        return atoms.get(find(value), {find(value)})

    members, attributes = set(), set()
    for name, left, right in facts:
        if name == "in_set":
            members |= {(find(right), value) for value in meant(left)}
        elif isinstance(left, tuple):
            attributes |= {(find(left[1]), left[2], value) for value in meant(right)}
    preds = defaultdict(list)
    for holder, name, value in attributes:
        if name == "PRED" and isinstance(value, tuple):
            preds[holder].append(value[1])
    found: Counter = Counter()
    for holder, name, value in attributes:
        if isinstance(value, tuple):
            label = "form" if name == "PRED" else f"form {name}"
            found[f"{label} {value[1]}/{value[2]}"] += 1
        elif isinstance(value, str):
            found[f"value {name}={value}"] += 1
        else:
            found[f"function {name}"] += 1
            inner = [member for owner, member in members if owner == value]
            found.update(f"value {name}∋{each}" for each in inner if isinstance(each, str))
            for each in [value, *(each for each in inner if isinstance(each, int))]:
                for pred in preds[each]:
                    found[f"pred {name} {pred}"] += 1
                    found.update(f"pair {head} {name} {pred}" for head in preds[holder])
    return found


def rules(facts, parts) -> Counter:
    """Rules of the c-structure of one reading, of nodes that are not parts of others."""
    labels = defaultdict(set)
    below = defaultdict(set)
    for fact in facts:
        labels[fact[1]].add(f"'{fact[2]}'" if fact[0] == "terminal" else fact[2])
        if fact[0] == "subtree":
            below[fact[1]].add(fact[2:])

    def ways(number):
        return {
            (mother, *before, last)
            for mother, left, right in below[number]
            for _, *before in ([("",)] if left is None else ways(left))
            for last in labels.get(right, {"?"})
        }

    return Counter(
        f"rule {mother} → {' '.join(daughters)}"
        for number in list(below)
        if number not in parts
        for mother, *daughters in ways(number)
    )


def random_file(rng: np.random.Generator, choices: int, facts: int = 25) -> RandomFile:
    """Choices in trees and, through definitions with or, in other graphs; and facts in them."""
    made = RandomFile()
    names: list[str] = []
    for place in range(choices):
        context = 1 if not names or rng.random() < 0.4 else _random_context(rng, names, 2)
        if isinstance(context, tuple) and rng.random() < 0.5:
            made.defined[f"CV_{place:03}"] = context
            context = f"CV_{place:03}"
        own = [f"{chr(65 + place)}{k}" for k in range(1, int(rng.integers(2, 4)) + 1)]
        made.choices.append((own, context))
        names += own
    order = rng.permutation(len(made.choices))
    made.choices = [made.choices[k] for k in order]
    names += list(made.defined)

    def context():
        return 1 if rng.random() < 0.3 or not names else _random_context(rng, names, 2)

    for _ in range(facts):
        made.facts.append((context(), _random_fact(rng)))
    for number in range(2, 16):  # parts are odd, nodes even, and daughters lower
        for _ in range(int(rng.integers(0, 3))):
            lower = [k for k in range(1, number) if k % 2]
            left = int(rng.choice(lower)) if lower and rng.random() < 0.5 else None
            right = int(rng.integers(0, max(number // 2, 1))) * 2
            label = str(rng.choice(["S", "NP", "VP"]))
            made.tree.append((context(), ("subtree", number, label, left, right)))
    made.tree.append((context(), ("terminal", 0, "dog")))
    return made


def _random_context(rng, names, depth):
    if depth == 0 or rng.random() < 0.4:
        return str(rng.choice(names))
    name = str(rng.choice(["and", "or", "or", "not"]))
    count = 1 if name == "not" else int(rng.integers(2, 4))
    return (name, *(_random_context(rng, names, depth - 1) for _ in range(count)))


def _random_fact(rng):
    variable, other = (int(k) for k in rng.integers(0, 6, 2))
    value = [other, str(rng.choice(["sg", "pl"])), ("form", str(rng.choice(["a", "b"])), "1")]
    kind = rng.random()
    if kind < 0.15:
        return ("eq", variable, other)
    if kind < 0.25:
        return ("eq", variable, value[int(rng.integers(1, 3))])
    if kind < 0.4:
        return ("in_set", value[int(rng.integers(0, 2))], variable)
    name = str(rng.choice(["SUBJ", "ADJUNCT", "NUM"]))
    if kind < 0.6:
        return ("eq", ("attr", variable, "PRED"), value[2])
    return ("eq", ("attr", variable, name), value[int(rng.integers(0, 3))])


def _shown(context) -> str:
    if isinstance(context, tuple):
        return f"{context[0]}({','.join(map(_shown, context[1:]))})"
    return str(context)


def _fact(fact) -> str:
    if fact[0] == "subtree":
        _, number, label, left, right = fact
        return f"subtree({number},'{label}',{'-' if left is None else left},{right})"
    if fact[0] == "terminal":
        return f"terminal({fact[1]},'{fact[2]}',[{fact[1]}])"
    return f"{fact[0]}({_value(fact[1])},{_value(fact[2])})"


def _value(value) -> str:
    if isinstance(value, int):
        return f"var({value})"
    if isinstance(value, str):
        return f"'{value}'"
    if value[0] == "attr":
        return f"attr(var({value[1]}),'{value[2]}')"
    return f"semform('{value[1]}',7,[var(3)],[])"
