"""Arrays whose lengths do not go together are refused before the core looks into them."""

import numpy as np
import pytest

from weft import _native

OFFSETS = np.array([0, 2, 3])
ITEMS = np.array([0, 1, 1], np.int32)
NUMBERS = np.zeros(3)


def table(rows: int, width: int = 8) -> np.ndarray:
    return np.zeros((rows, width))


ROWS = {
    "sum_rows": (OFFSETS, ITEMS, None, table(2), None, table(2), 1),
    "add_entries": (OFFSETS, ITEMS, ITEMS, None, NUMBERS, table(2), 1),
    "add_attributes": (OFFSETS, ITEMS, None, OFFSETS, ITEMS, NUMBERS, table(2), 1),
    "sum_entries": (OFFSETS, ITEMS, None, NUMBERS, ITEMS[:2], np.zeros(2), 1),
    "sum_attributes": (OFFSETS, ITEMS, None, table(2), ITEMS[:2], OFFSETS, ITEMS, NUMBERS, 1),
    "spread_rows": (ITEMS[:2], OFFSETS, ITEMS, NUMBERS, table(2), 1),
    "gather_rows": (ITEMS[:2], OFFSETS, ITEMS, table(2), NUMBERS.copy(), 1),
}


@pytest.mark.parametrize(
    ("name", "place", "wrong", "message"),
    [
        ("sum_rows", 1, ITEMS[:2], "too few items"),
        ("sum_rows", 4, ITEMS[:1], "owners and offsets differ"),
        ("sum_rows", 5, table(1), "owners and offsets differ"),
        ("add_entries", 1, ITEMS[:2], "columns and items differ"),
        ("add_entries", 5, table(1), "owners and offsets differ"),
        ("add_attributes", 3, np.array([0, 2, 4]), "too few columns"),
        ("add_attributes", 3, OFFSETS[:0], "too few columns"),
        ("add_attributes", 6, table(1), "owners and offsets differ"),
        ("sum_entries", 4, ITEMS[:1], "owners and offsets differ"),
        ("sum_attributes", 1, ITEMS[:2], "too few items"),
        ("sum_attributes", 4, ITEMS[:1], "owners and offsets differ"),
        ("sum_attributes", 7, np.zeros(2), "columns and weights differ"),
        ("spread_rows", 1, np.array([0, 2, 4]), "too few columns"),
        ("spread_rows", 4, table(1), "too few rows"),
        ("gather_rows", 2, ITEMS[:2], "columns and weights differ"),
        ("gather_rows", 3, table(1), "too few rows"),
    ],
)
def test_rows(name, place, wrong, message):
    good = ROWS[name]
    getattr(_native, name)(*good)
    with pytest.raises(ValueError, match=message):
        getattr(_native, name)(*good[:place], wrong, *good[place + 1 :])


# One sentence of two tokens with one member; one tag and the boundary.
CHAIN = {
    "order": 1,
    "tags": 1,
    "transitions": np.zeros((1, 8, 8)),
    "sentence_offsets": np.array([0, 2]),
    "emission": table(2),
    "pair": None,
    "set_offsets": np.array([0, 1]),
    "set_tags": np.zeros(1, np.int32),
    "set_bias": table(1),
    "member_offsets": np.array([0, 1]),
    "member_starts": np.array([0, 2]),
    "member_sets": np.zeros(2, np.int32),
    "cell_offsets": None,
    "cell_columns": None,
}
CELLS = {"cell_offsets": np.arange(9), "cell_columns": np.zeros(8, np.int32)}
SWEEP = {
    "coefficients": np.ones(1),
    "log_partition": np.zeros(1),
    "marginals": table(2),
    "pair_marginals": None,
    "transition_totals": np.zeros((1, 8, 8)),
}
SEEN = {"observed": np.zeros(2, np.int32)}
BEST = {"scores": np.zeros(1), "best": np.zeros(2, np.int32)}
TANGENT = {name: SWEEP[name] for name in ("marginals", "pair_marginals", "transition_totals")}
CHAINS = {
    "chain_log_partition": {"log_partition": np.zeros(1)},
    "chain_sweep": SWEEP,
    "chain_viterbi": BEST,
    "chain_rival": {**SEEN, **BEST},
    "chain_tangent": {**SEEN, "log_rates": np.zeros(2), **TANGENT},
    "chain_entropy": {"entropy": np.zeros(1)},
}
NONE = np.zeros(0)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("chain_log_partition", {"log_partition": NONE}),
        ("chain_sweep", {"log_partition": NONE}),
        ("chain_sweep", {"coefficients": NONE}),
        ("chain_sweep", {"marginals": table(1)}),
        ("chain_sweep", {"marginals": table(2, 16)}),
        ("chain_sweep", {"transition_totals": np.zeros((1, 8, 4))}),
        ("chain_sweep", {"pair": table(2, 64)}),
        ("chain_sweep", {"pair": table(1, 64), "pair_marginals": table(2, 64)}),
        ("chain_sweep", {"pair": table(2, 64), "pair_marginals": table(1, 64)}),
        ("chain_viterbi", {"scores": NONE}),
        ("chain_viterbi", {"best": np.zeros(1, np.int32)}),
        ("chain_rival", {"scores": NONE}),
        ("chain_rival", {"best": np.zeros(1, np.int32)}),
        ("chain_tangent", {"marginals": table(1)}),
        ("chain_tangent", {"transition_totals": np.zeros((1, 8, 4))}),
        ("chain_entropy", {"entropy": NONE}),
        ("chain_sweep", {**CELLS, "cell_offsets": np.arange(8)}),
        ("chain_sweep", {**CELLS, "cell_offsets": np.arange(1, 10)}),
        ("chain_sweep", {**CELLS, "cell_offsets": np.arange(9)[::-1].copy()}),
        ("chain_sweep", {**CELLS, "cell_columns": np.zeros(7, np.int32)}),
        ("chain_viterbi", {**CELLS, "cell_columns": np.full(8, 8, np.int32)}),
        ("chain_viterbi", {**CELLS, "pair": table(2, 64)}),
    ],
)
def test_chains(name, wrong):
    good = {**CHAIN, **CHAINS[name], "threads": 1}
    getattr(_native, name)(**good)
    getattr(_native, name)(**{**good, **CELLS})
    problems = r"must be|must have|there is one|need pair|cells|no such column"
    with pytest.raises(ValueError, match=problems):
        getattr(_native, name)(**{**good, **wrong})


# Two tokens with an attribute each, which has two weights; those of the two bigrams come first.
PASS = {
    "order": 1,
    "tags": 1,
    "transitions": np.zeros((1, 8, 8)),
    "set_offsets": np.array([0, 1]),
    "set_tags": np.zeros(1, np.int32),
    "set_bias": table(1),
    "token_offsets": np.array([0, 1, 2]),
    "begins": np.zeros(2, np.int32),
    "sizes": np.array([2, 2], np.int32),
    "values": None,
    "columns": np.array([0, 1], np.int32),
    "row_start": 2,
    "bigrams": np.full(64, -1, np.int32),
    "trigrams": None,
    "firsts": np.array([0]),
    "lengths": np.array([2]),
    "observed_starts": np.array([0]),
    "rival_starts": np.array([2]),
    "member_sets": np.zeros(4, np.int32),
    "example_weights": np.ones(1),
    "turns": np.array([0, 0]),
}
PASSES = {
    "chain_online": {
        "rule": 4,
        "strength": 1.0,
        "before": 0,
        "theta": np.zeros(4),
        "drift": np.zeros(4),
        "variances": np.ones(4),
    },
    "chain_ascent": {
        "batches": np.array([0, 1, 2]),
        "rate": 0.1,
        "factor": 0.9,
        "theta": np.zeros(4),
        "sums": np.zeros(4),
    },
}
WRONG_PASSES = [
    {"order": 2},
    {"transitions": np.zeros((1, 8, 16))},
    {"set_bias": table(2)},
    {"set_tags": np.zeros(0, np.int32)},
    {"token_offsets": np.array([0, 1, 3])},
    {"sizes": np.zeros(1, np.int32)},
    {"values": np.zeros(1)},
    {"row_start": 3},
    {"row_start": -1},
    {"bigrams": np.zeros(8, np.int32)},
    {"firsts": np.array([1])},
    {"firsts": np.array([-1])},
    {"lengths": np.array([3])},
    {"lengths": np.zeros(0, np.int64)},
    {"observed_starts": np.array([3])},
    {"rival_starts": np.array([-1])},
    {"example_weights": NONE},
    {"turns": np.array([0, 1])},
    {"theta": np.zeros(3)},
]
ONLY = {
    "chain_online": [
        {"rule": 5},
        {"variances": None},
        {"variances": np.ones(3)},
        {"drift": np.zeros(3)},
    ],
    "chain_ascent": [
        {"batches": np.array([0, 1])},
        {"batches": np.array([1, 2])},
        {"batches": np.array([0, 2, 1, 2])},
        {"sums": np.zeros(3)},
    ],
}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [(name, wrong) for name in PASSES for wrong in [*WRONG_PASSES, *ONLY[name]]],
    ids=str,
)
def test_passes(name, wrong):
    good = {**PASS, **PASSES[name]}
    getattr(_native, name)(**good)
    with pytest.raises(ValueError, match=r"there |do not fit|differ|must be|needs|wrong number"):
        getattr(_native, name)(**{**good, **wrong})


LOCAL = {name: CHAIN[name] for name in list(CHAIN)[:9]} | {
    "needed": np.zeros(2, np.int32),
    "allowed": np.zeros(2, np.int32),
}


@pytest.mark.parametrize(
    ("name", "places", "wrong"),
    [
        ("chain_charge", (table(2), None), (0, table(1))),
        ("chain_charge", (table(2), table(2, 64)), (1, table(1, 64))),
        ("chain_discharge", (table(2), None, np.zeros((1, 8, 8))), (0, table(1))),
        ("chain_discharge", (table(2), table(2, 64), np.zeros((1, 8, 8))), (1, table(1, 64))),
        ("chain_discharge", (table(2), None, np.zeros((1, 8, 8))), (2, np.zeros((1, 8, 4)))),
    ],
)
def test_chains_of_distributions(name, places, wrong):
    place, array = wrong
    getattr(_native, name)(*LOCAL.values(), *places, 1)
    with pytest.raises(ValueError, match=r"must be|must have"):
        getattr(_native, name)(*LOCAL.values(), *places[:place], array, *places[place + 1 :], 1)


# Two sentences of two analyses each; the member of each sums over both.
SUMS = {
    "sentences": np.array([0, 2, 4]),
    "offsets": np.array([0, 1, 2, 3, 4]),
    "features": np.zeros(4, np.int32),
    "values": None,
    "base": np.zeros(4),
    "owners": np.array([0, 1, 2]),
    "choice_offsets": np.array([0, 2, 4]),
    "choices": np.arange(4, dtype=np.int32),
    "bias": None,
    "summed": np.full(2, 2, np.int32),
    "theta": np.zeros(1),
    "coefficients": None,
    "log_partition": np.zeros(2),
    "gradient": None,
    "threads": 1,
}
FORESTS = {
    "vertices": np.array([1, 1]),
    "edges": np.array([0, 2, 3]),
    "heads": np.zeros(3, np.int32),
    "tail_offsets": np.zeros(4, np.int64),
    "tails": np.zeros(0, np.int32),
    "right": np.ones(3, bool),
    "weights": np.zeros(3),
    "slopes": np.zeros(3),
    "members": np.array([1, 0]),
    "reach": 1.0,
}
COUNTS = {
    "offsets": np.array([0, 4]),
    "analyses": np.arange(4, dtype=np.int32),
    "values": None,
    "owners": np.array([0, 0, 1, 1], np.int32),
    "sentences": np.array([0, 2, 4]),
    "right": np.ones(4, bool),
    "weights": np.ones(2),
    "scores": np.zeros(4),
}


@pytest.mark.parametrize(
    ("name", "good", "wrong"),
    [
        ("sum_analyses", SUMS, {"features": np.zeros(3, np.int32)}),
        ("sum_analyses", SUMS, {"sentences": np.array([0, 2, 5])}),
        ("sum_analyses", SUMS, {"owners": np.array([0, 1, 3])}),
        ("sum_analyses", SUMS, {"choices": np.arange(3, dtype=np.int32)}),
        ("follow_forests", FORESTS, {"edges": np.array([0, 2, 4])}),
        ("follow_forests", FORESTS, {"tail_offsets": np.array([0, 0, 0, 1])}),
        ("follow_forests", FORESTS, {"slopes": np.zeros(2)}),
        ("follow_forests", FORESTS, {"members": np.array([2])}),
        ("ChoiceCounter", COUNTS, {"analyses": np.arange(3, dtype=np.int32)}),
        ("ChoiceCounter", COUNTS, {"sentences": np.array([0, 2, 5])}),
    ],
)
def test_analyses(name, good, wrong):
    getattr(_native, name)(**good)
    with pytest.raises(ValueError, match=r"too few|no such|differ"):
        getattr(_native, name)(**{**good, **wrong})


ANSWERS = {
    "offsets": np.array([0, 0, 2]),
    "places": np.array([1, 3]),
    "values": np.ones(2),
    "costs": np.array([0.0, 1.0]),
    "variances": np.ones(4),
    "settled": 1e-12,
    "weights": np.zeros(4),
    "shares": np.array([1.0, 0.0]),
    "products": np.full((2, 2), np.nan),
    "room": np.zeros((2, 2)),
    "scratch": np.zeros(4),
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"offsets": np.array([0, 2])}, "do not fit together"),
        ({"values": np.ones(3)}, "do not fit together"),
        ({"offsets": np.array([0, 0, 3])}, "offsets must rise"),
        ({"offsets": np.array([0, 3, 2])}, "offsets must rise"),
        ({"places": np.array([1, 4])}, "outside the weights"),
        ({"places": np.array([-1, 3])}, "outside the weights"),
        ({"variances": np.ones(3)}, "shapes differ"),
        ({"shares": np.ones(1)}, "shapes differ"),
        ({"products": np.zeros((2, 1))}, "shapes differ"),
        ({"room": np.zeros((1, 2))}, "shapes differ"),
        ({"scratch": np.zeros(3)}, "shapes differ"),
    ],
)
def test_shares_of_answers(wrong, message):
    with pytest.raises(ValueError, match=message):
        _native.move_shares(**{**ANSWERS, **wrong})


def test_shares_move_to_the_answer_that_gains():
    """One ψ = (1, 1) at two places: −D = ½ s² 2 − s is least at s = ½."""
    given = {
        name: each.copy() if isinstance(each, np.ndarray) else each
        for name, each in ANSWERS.items()
    }
    assert _native.move_shares(**given) == pytest.approx(0.25)
    np.testing.assert_allclose(given["shares"], [0.5, 0.5])
    np.testing.assert_allclose(given["weights"], [0.0, 0.5, 0.0, 0.5])
    assert not given["scratch"].any()


# One label, "a", that becomes the start symbol; one sentence of one word.
STACK = {
    "rows": np.array([[0, -1, -1], [1, -1, -1], [2, -1, -1]], np.int32),
    "offsets": np.array([0, 1, 2, 3]),
    "moves": np.array([1, 5, 0], np.int32),
    "move_scores": np.zeros(3),
    "ranks": np.array([0, 1, 2], np.int32),
    "cyclic": np.zeros(3, np.int32),
    "looks": 1,
    "nodes": np.array([0, 2]),
    "openings": np.array([0, 1]),
    "node_looks": np.zeros(2, np.int32),
    "sources": np.zeros(1, np.int32),
    "labels": np.ones(1, np.int32),
    "scores": np.zeros(1),
    "target_offsets": np.array([0, 1]),
    "targets": np.ones(1, np.int32),
    "starts": np.ones(1, np.int32),
    "kept_offsets": np.array([0, 0]),
    "kept": np.zeros((0, 5), np.int32),
    "beam": -np.inf,
    "most_edges": 100,
    "most_bytes": 10**9,
    "seconds": 0.0,
    "most_levels": 3,
    "partial": False,
    "threads": 1,
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": np.zeros((3, 2), np.int32)},
        {"rows": np.full((3, 3), 3, np.int32)},
        {"offsets": np.array([0, 1, 2, 4])},
        {"moves": np.array([1, 5, 9], np.int32)},
        {"move_scores": np.zeros(2)},
        {"ranks": np.zeros(2, np.int32)},
        {"cyclic": np.zeros(2, np.int32)},
        {"looks": 2},
        {"nodes": np.array([0, 3])},
        {"openings": np.array([0, 2])},
        {"node_looks": np.ones(2, np.int32)},
        {"labels": np.zeros(1, np.int32)},
        {"labels": np.full(1, 3, np.int32)},
        {"scores": np.zeros(2)},
        {"targets": np.zeros(1, np.int32)},
        {"targets": np.full(1, 2, np.int32)},
        {"starts": np.zeros(1, np.int32)},
        {"starts": np.full(1, 3, np.int32)},
        {"starts": np.ones(2, np.int32)},
        {"kept_offsets": np.array([0, 1])},
        {"kept": np.zeros((0, 4), np.int32)},
        {"beam": 1.0},
        {"most_edges": 0},
        {"most_bytes": 0},
        {"most_levels": 99},
    ],
    ids=str,
)
def test_stacks(wrong):
    [found] = _native.stack_forests(**STACK)
    assert len(found[0]) == 5  # bottom, opening, reduce, end and root
    with pytest.raises(ValueError, match=r"must |there |differ|needs"):
        _native.stack_forests(**{**STACK, **wrong})


SCORER = {
    "attribute_offsets": np.array([0, 1]),
    "attributes": np.zeros(1, np.int32),
    "radices": np.full(7, 3),
    "key_offsets": np.array([0, 2]),
    "keys": np.array([1, 14]),
    **{name: STACK[name] for name in ("rows", "looks", "offsets", "moves")},
}
SCORED = {
    "items": np.array([[-1, 0, 0, 0, 0], [0, 1, 1, 0, 0]], np.int32),
    "spans": np.array([[0, 0], [0, 1]], np.int32),
    "looks": np.zeros(2, np.int32),
    "sources": np.zeros(1, np.int32),
    "labels": np.ones(1, np.int32),
    "ids": np.array([0, 1, 0, 0]),
    "offsets": np.array([0, 1, 2]),
    "moves": np.array([1, 5], np.int32),
    "theta": np.array([1.0, 2.0]),
    "normalised": False,
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"attribute_offsets": np.array([0, 2])},
        {"attributes": np.full(1, 7, np.int32)},
        {"radices": np.full(6, 3)},
        {"key_offsets": np.array([0, 1])},
        {"keys": np.array([14, 1])},
        {"rows": np.full((3, 3), 3, np.int32)},
        {"looks": 2},
        {"offsets": np.array([0, 1, 2, 4])},
        {"moves": np.array([1, 5, 9], np.int32)},
    ],
    ids=str,
)
def test_scorers(wrong):
    _native.MoveScorer(**SCORER)
    with pytest.raises(ValueError, match=r"must |there |differ|look"):
        _native.MoveScorer(**{**SCORER, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"items": np.zeros((2, 4), np.int32)},
        {"items": np.full((2, 5), 3, np.int32)},
        {"items": np.array([[-1, 0, 0, 0, 0], [0, 1, 2, 0, 0]], np.int32)},
        {"spans": np.zeros((1, 2), np.int32)},
        {"spans": np.array([[0, 0], [0, 3]], np.int32)},
        {"looks": np.ones(2, np.int32)},
        {"labels": np.ones(2, np.int32)},
        {"offsets": np.array([0, 2])},
        {"moves": np.ones(1, np.int32)},
        {"theta": np.zeros(1)},
    ],
    ids=str,
)
def test_scores_of_moves(wrong):
    scorer, scores = _native.MoveScorer(**SCORER), np.zeros(2)
    scorer.score(**SCORED, scores=scores, threads=1)
    assert scores.tolist() == [1.0, 2.0]
    amounts, gradient = np.array([3.0, 5.0]), np.zeros(2)
    scorer.add_gradient(**SCORED, amounts=amounts, gradient=gradient)
    assert gradient.tolist() == [3.0, 5.0]
    given = {**SCORED, **wrong}
    with pytest.raises(ValueError, match=r"must |no such|differ"):
        scorer.score(**given, scores=scores, threads=1)
    with pytest.raises(ValueError, match=r"must |no such|differ"):
        scorer.add_gradient(**given, amounts=amounts, gradient=gradient)


def test_choices_of_edges():
    """An item's moves are listed once each, and edges without tails or moves make none."""
    scorer = _native.MoveScorer(**SCORER)
    offsets, tails = np.array([0, 0, 1, 3, 4]), np.array([1, 1, 0, 0], np.int32)
    moves = np.array([-1, 5, 5, 1], np.int32)
    found = [each.tolist() for each in scorer.choices(offsets, tails, moves, 2)]
    assert found == [[0, 1, 2], [1, 5], [-1, 1, 1, 0]]
    with pytest.raises(ValueError, match="edges are moves of items"):
        scorer.choices(offsets, tails, moves, 1)
    with pytest.raises(ValueError, match="edges differ in number"):
        scorer.choices(offsets, tails, moves[:3], 2)
