"""The compiled core: functions from arrays to arrays, with the GIL released."""

from collections.abc import Callable, Sequence

from numpy import uint8, uint64
from numpy.typing import NDArray

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray
from weft.structures.evidence import Attributes

INSTRUCTIONS: str  # those of which kernels are made: base, x86-64-v3 or x86-64-v4

# Hypergraphs (native/bind_hypergraph.cpp)

def hypergraph_inside_outside(
    heads: IndexArray,
    tail_offsets: IntArray,
    tails: IndexArray,
    vertex_count: int,
    weights: FloatArray,
) -> tuple[float, FloatArray]: ...
def hypergraph_viterbi(
    heads: IndexArray,
    tail_offsets: IntArray,
    tails: IndexArray,
    vertex_count: int,
    weights: FloatArray,
) -> tuple[float, IndexArray]: ...
def hypergraph_best_through(
    heads: IndexArray,
    tail_offsets: IntArray,
    tails: IndexArray,
    vertex_count: int,
    weights: FloatArray,
) -> tuple[float, FloatArray]: ...
def hypergraph_tangent(
    heads: IndexArray,
    tail_offsets: IntArray,
    tails: IndexArray,
    vertex_count: int,
    weights: FloatArray,
    direction: FloatArray,
) -> tuple[float, FloatArray]: ...

# Chains (native/bind_chain.cpp). All begin with the same arguments: a chain, sentences' scores,
# the tag sets, and for each sentence its members with a tag set per token.

def chain_log_partition(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    log_partition: FloatArray,
    threads: int,
) -> None: ...
def chain_sweep(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    coefficients: FloatArray,
    log_partition: FloatArray,
    marginals: FloatArray,
    pair_marginals: FloatArray | None,
    transition_totals: FloatArray,
    threads: int,
) -> None: ...
def chain_viterbi(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    scores: FloatArray,
    best: IndexArray,
    threads: int,
) -> None: ...
def chain_rival(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    observed: IndexArray,
    scores: FloatArray,
    best: IndexArray,
    threads: int,
) -> None: ...
def chain_observed(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    observed: IndexArray,
    log_probs: FloatArray,
    threads: int,
) -> None: ...
def chain_tangent(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    observed: IndexArray,
    log_rates: FloatArray,
    marginals: FloatArray,
    pair_marginals: FloatArray | None,
    transition_totals: FloatArray,
    threads: int,
) -> None: ...
def chain_charge(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    needed: IndexArray,
    allowed: IndexArray,
    charged_emission: FloatArray,
    charged_pair: FloatArray | None,
    threads: int,
) -> None: ...
def chain_discharge(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    needed: IndexArray,
    allowed: IndexArray,
    marginals: FloatArray,
    pair_marginals: FloatArray | None,
    transition_totals: FloatArray,
    threads: int,
) -> None: ...
def chain_entropy(
    order: int,
    tags: int,
    transitions: FloatArray,
    sentence_offsets: IntArray,
    emission: FloatArray,
    pair: FloatArray | None,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    member_offsets: IntArray,
    member_starts: IntArray,
    member_sets: IndexArray,
    cell_offsets: IntArray | None,
    cell_columns: IndexArray | None,
    entropy: FloatArray,
    threads: int,
) -> None: ...

# Lattices (native/bind_lattice.cpp)

class LatticeSums:
    def __init__(
        self,
        order: int,
        tags: int,
        set_offsets: IntArray,
        set_tags: IndexArray,
        state_offsets: IntArray,
        rows: IndexArray,
        groups: IndexArray,
        nexts: IndexArray,
        final: NDArray[uint8],
        arc_offsets: IntArray,
        targets: IndexArray,
        words: IndexArray,
        allowed: IndexArray,
        entry_offsets: IntArray,
        base_offsets: IntArray,
        bases: IndexArray,
        places: IndexArray,
        uses: IndexArray,
        use_places: IntArray,
        word_count: int,
        links_an_arc: int,
    ) -> None: ...
    @property
    def link_count(self) -> int: ...
    @property
    def weight_count(self) -> int: ...
    def log_partition(
        self, transitions: FloatArray, emission: FloatArray, values: FloatArray, threads: int
    ) -> None: ...
    def sweep(
        self,
        transitions: FloatArray,
        emission: FloatArray,
        coefficients: FloatArray,
        values: FloatArray,
        marginals: FloatArray,
        transition_totals: FloatArray,
        threads: int,
    ) -> None: ...

# Neighbourhoods (native/bind_neighbourhoods.cpp): offsets, symbols, targets, finality

_LatticeArrays = tuple[IntArray, IndexArray, IndexArray, NDArray[uint8]]

def deletions(words: IndexArray) -> _LatticeArrays: ...
def transpositions(words: IndexArray) -> _LatticeArrays: ...
def deletions_and_transpositions(words: IndexArray) -> _LatticeArrays: ...
def span_deletions(words: IndexArray, limit: int) -> _LatticeArrays | None: ...

# Rows (native/bind_rows.cpp)

def sum_rows(
    offsets: IntArray,
    items: IndexArray,
    values: FloatArray | None,
    table: FloatArray,
    owners: IndexArray | None,
    out: FloatArray,
    threads: int,
) -> None: ...
def add_entries(
    offsets: IntArray,
    columns: IndexArray,
    items: IndexArray,
    values: FloatArray | None,
    theta: FloatArray,
    out: FloatArray,
    threads: int,
) -> None: ...
def chain_online(
    order: int,
    tags: int,
    transitions: FloatArray,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    token_offsets: IntArray,
    begins: IndexArray,
    sizes: IndexArray,
    values: FloatArray | None,
    columns: IndexArray,
    row_start: int,
    bigrams: IndexArray,
    trigrams: IndexArray | None,
    firsts: IntArray,
    lengths: IntArray,
    observed_starts: IntArray,
    rival_starts: IntArray,
    member_sets: IndexArray,
    example_weights: FloatArray,
    turns: IntArray,
    rule: int,
    strength: float,
    before: int,
    theta: FloatArray,
    drift: FloatArray | None,
    variances: FloatArray | None,
) -> tuple[float, int]: ...
def chain_ascent(
    order: int,
    tags: int,
    transitions: FloatArray,
    set_offsets: IntArray,
    set_tags: IndexArray,
    set_bias: FloatArray,
    token_offsets: IntArray,
    begins: IndexArray,
    sizes: IndexArray,
    values: FloatArray | None,
    columns: IndexArray,
    row_start: int,
    bigrams: IndexArray,
    trigrams: IndexArray | None,
    firsts: IntArray,
    lengths: IntArray,
    observed_starts: IntArray,
    rival_starts: IntArray,
    member_sets: IndexArray,
    example_weights: FloatArray,
    turns: IntArray,
    batches: IntArray,
    rate: float,
    factor: float,
    theta: FloatArray,
    sums: FloatArray | None,
) -> float: ...
def add_attributes(
    offsets: IntArray,
    attributes: IndexArray,
    values: FloatArray | None,
    row_offsets: IntArray,
    columns: IndexArray,
    theta: FloatArray,
    out: FloatArray,
    threads: int,
) -> None: ...
def sum_attributes(
    offsets: IntArray,
    tokens: IndexArray,
    values: FloatArray | None,
    source: FloatArray,
    attributes: IndexArray,
    row_offsets: IntArray,
    columns: IndexArray,
    out: FloatArray,
    threads: int,
) -> None: ...
def spread_rows(
    attributes: IndexArray,
    row_offsets: IntArray,
    columns: IndexArray,
    theta: FloatArray,
    out: FloatArray,
    threads: int,
) -> None: ...
def gather_rows(
    attributes: IndexArray,
    row_offsets: IntArray,
    columns: IndexArray,
    totals: FloatArray,
    out: FloatArray,
    threads: int,
) -> None: ...
def sum_entries(
    offsets: IntArray,
    items: IndexArray,
    values: FloatArray | None,
    source: FloatArray,
    owners: IndexArray,
    out: FloatArray,
    threads: int,
) -> None: ...

# Listed analyses (native/bind_selection.cpp)

def sum_analyses(
    sentences: IntArray,
    offsets: IntArray,
    features: IndexArray,
    values: FloatArray | None,
    base: FloatArray,
    owners: IntArray,
    choice_offsets: IntArray,
    choices: IndexArray,
    bias: FloatArray | None,
    summed: IndexArray,
    theta: FloatArray,
    coefficients: FloatArray | None,
    log_partition: FloatArray,
    gradient: FloatArray | None,
    threads: int,
) -> None: ...
def score_analyses(
    offsets: IntArray,
    features: IndexArray,
    values: FloatArray | None,
    base: FloatArray,
    theta: FloatArray,
    scores: FloatArray,
    threads: int,
) -> None: ...
def follow_forests(
    vertices: IntArray,
    edges: IntArray,
    heads: IndexArray,
    tail_offsets: IntArray,
    tails: IndexArray,
    right: BoolArray,
    weights: FloatArray,
    slopes: FloatArray,
    members: IntArray,
    reach: float,
) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]: ...

class ChoiceCounter:
    def __init__(
        self,
        offsets: IntArray,
        analyses: IndexArray,
        values: FloatArray | None,
        owners: IndexArray,
        sentences: IntArray,
        right: BoolArray,
        weights: FloatArray,
        scores: FloatArray,
    ) -> None: ...
    def walk(
        self,
        features: IndexArray,
        deltas: FloatArray,
        slacks: FloatArray,
        theta: FloatArray,
        best_theta: FloatArray,
        best: float,
    ) -> tuple[float, float]: ...
    @property
    def total(self) -> float: ...

# Texts (native/bind_texts.cpp): the one place where Python's objects cross, with the GIL held.

class TextTable:
    def __init__(self, texts: list[str], numbers: IndexArray) -> None: ...
    def find(
        self, sentences: list[Sequence[Attributes]], values: FloatArray | None
    ) -> tuple[IntArray, IndexArray, FloatArray | None] | None: ...

# Vectors (native/bind_vectors.cpp)

def trim_memory() -> None: ...
def dots(rows: FloatArray, vector: FloatArray, out: FloatArray) -> None: ...
def combine(coefficients: FloatArray, rows: FloatArray, out: FloatArray) -> None: ...
def answer_gains(
    offsets: IntArray,
    places: IntArray,
    values: FloatArray,
    costs: FloatArray,
    weights: FloatArray,
    out: FloatArray,
) -> None: ...
def move_shares(
    offsets: IntArray,
    places: IntArray,
    values: FloatArray,
    costs: FloatArray,
    variances: FloatArray,
    settled: float,
    weights: FloatArray,
    shares: FloatArray,
    products: FloatArray,
    room: FloatArray,
    scratch: FloatArray,
) -> float: ...

# Charts (native/bind_chart.cpp)

class ChartTopology:
    @property
    def edges(self) -> int: ...

class ChartMembers: ...
class ChartRequirements: ...

def chart_requirements(offsets: IntArray, labels: IndexArray) -> ChartRequirements: ...
def chart_topology(
    start: int,
    item_of: IndexArray,
    row_of: IndexArray,
    terminals: int,
    *arrays: IndexArray | IntArray,
) -> ChartTopology: ...
def chart_members(
    state_offsets: IntArray,
    arc_offsets: IntArray,
    arc_terminal: IndexArray,
    arc_entry: IndexArray,
    arc_target: IndexArray,
    final: NDArray[uint8],
) -> ChartMembers: ...
def chart_log_partition(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    values: FloatArray,
    threads: int,
) -> bool: ...
def chart_sweep(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    coefficients: FloatArray,
    values: FloatArray,
    totals: FloatArray,
    marginals: FloatArray | None,
    threads: int,
) -> bool: ...
def chart_expected_scores(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    scores: FloatArray,
    values: FloatArray,
    expected: FloatArray,
    threads: int,
) -> bool: ...
def chart_best(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    values: FloatArray,
    threads: int,
) -> tuple[IntArray, IndexArray] | None: ...
def chart_fewest(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    broken: FloatArray,
    span_broken: FloatArray | None,
    values: FloatArray,
    threads: int,
) -> tuple[IntArray, IndexArray] | None: ...
def chart_sample(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    seeds: NDArray[uint64],
    values: FloatArray,
    threads: int,
) -> tuple[IntArray, IndexArray] | None: ...
def chart_endless(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    marks: NDArray[uint8],
    endless: NDArray[uint8],
    threads: int,
) -> None: ...
def chart_sizes(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    values: FloatArray,
    threads: int,
) -> None: ...
def chart_residues(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    counts: NDArray[uint64],
    prime: int,
    residues: NDArray[uint64],
    threads: int,
) -> None: ...
def chart_kbest(
    grammar: ChartTopology,
    members: ChartMembers,
    weights: FloatArray,
    span_scores: FloatArray | None,
    allowed: NDArray[uint8] | None,
    prefixes: NDArray[uint8] | None,
    required: IndexArray | None,
    requirements: ChartRequirements,
    beam: float,
    memory: float,
    most: int,
    threads: int,
) -> tuple[IntArray, FloatArray, tuple[IntArray, IndexArray]] | None: ...

# Shift-reduce parsers (native/bind_stack.cpp): of each forest heads, tail offsets, tails, moves and
# scores of edges; openings, labels, nodes, labels below and levels of vertices; prefix weights of
# nodes; how many items were met, and whether that was too many

_StackForest = tuple[
    IndexArray,
    IntArray,
    IndexArray,
    IndexArray,
    FloatArray,
    IndexArray,
    IndexArray,
    IndexArray,
    IndexArray,
    IndexArray,
    FloatArray,
    int,
    bool,
]

def stack_forests(
    rows: IndexArray,
    offsets: IntArray,
    moves: IndexArray,
    move_scores: FloatArray,
    ranks: IndexArray,
    cyclic: IndexArray,
    looks: int,
    nodes: IntArray,
    openings: IntArray,
    node_looks: IndexArray,
    sources: IndexArray,
    labels: IndexArray,
    scores: FloatArray,
    target_offsets: IntArray,
    targets: IndexArray,
    starts: IndexArray,
    kept_offsets: IntArray,
    kept: IndexArray,
    beam: float,
    most_edges: int,
    most_bytes: int,
    seconds: float,
    most_levels: int,
    partial: bool,
    threads: int,
) -> list[_StackForest]: ...

class CanonicalFilter:
    def __init__(
        self,
        sides: IndexArray,
        alike: IndexArray,
        plain: int,
        over: Callable[[int, tuple[int, int], tuple[int, int]], int],
    ) -> None: ...
    def filter(
        self, heads: IndexArray, offsets: IntArray, tails: IndexArray, items: IndexArray
    ) -> tuple[IntArray, IntArray, IntArray, IndexArray, IntArray, IndexArray]: ...

class MoveScorer:
    def __init__(
        self,
        attribute_offsets: IntArray,
        attributes: IndexArray,
        radices: IntArray,
        key_offsets: IntArray,
        keys: IntArray,
        rows: IndexArray,
        looks: int,
        offsets: IntArray,
        moves: IndexArray,
    ) -> None: ...
    def choices(
        self, tail_offsets: IntArray, tails: IndexArray, moves: IndexArray, items: int
    ) -> tuple[IntArray, IndexArray, IntArray]: ...
    def score(
        self,
        items: IndexArray,
        spans: IndexArray,
        looks: IndexArray,
        sources: IndexArray,
        labels: IndexArray,
        ids: IntArray,
        offsets: IntArray,
        moves: IndexArray,
        theta: FloatArray,
        normalised: bool,
        scores: FloatArray,
        threads: int,
    ) -> None: ...
    def add_gradient(
        self,
        items: IndexArray,
        spans: IndexArray,
        looks: IndexArray,
        sources: IndexArray,
        labels: IndexArray,
        ids: IntArray,
        offsets: IntArray,
        moves: IndexArray,
        theta: FloatArray,
        normalised: bool,
        amounts: FloatArray,
        gradient: FloatArray,
    ) -> None: ...

# Feature grammars (native/bind_unify.cpp)

def unify_parse(
    cells: IndexArray,
    cell_starts: IntArray,
    variables: IndexArray,
    left: IndexArray,
    categories: IndexArray,
    sides: IntArray,
    side_words: IndexArray,
    side_categories: IndexArray,
    shared: IntArray,
    shared_variables: IndexArray,
    shared_words: IndexArray,
    live: IntArray,
    live_variables: IndexArray,
    by_category: IntArray,
    category_rules: IndexArray,
    by_word: IntArray,
    word_rules: IndexArray,
    empty: IndexArray,
    defaults: IndexArray,
    classes: IndexArray,
    corners: NDArray[uint8],
    atom_categories: IndexArray,
    type_feature: int,
    any_category: int,
    tokens: IndexArray,
    sentences: IntArray,
    most_items: int,
    most_words: int,
    seconds: float,
    whole: bool,
    threads: int,
) -> tuple[
    IntArray,
    IndexArray,
    IndexArray,
    IndexArray,
    IndexArray,
    IndexArray,
    IndexArray,
    IndexArray,
]: ...
def unify_levels(
    cells: IndexArray,
    cell_starts: IntArray,
    variables: IndexArray,
    left: IndexArray,
    categories: IndexArray,
    sides: IntArray,
    side_words: IndexArray,
    side_categories: IndexArray,
    shared: IntArray,
    shared_variables: IndexArray,
    shared_words: IndexArray,
    live: IntArray,
    live_variables: IndexArray,
    by_category: IntArray,
    category_rules: IndexArray,
    by_word: IntArray,
    word_rules: IndexArray,
    empty: IndexArray,
    defaults: IndexArray,
    classes: IndexArray,
    corners: NDArray[uint8],
    atom_categories: IndexArray,
    type_feature: int,
    any_category: int,
    highest: IndexArray,
    most_attempts: int,
    most_items: int,
    most_words: int,
) -> tuple[IntArray, IndexArray, IndexArray, IndexArray]: ...

# Lexical-functional grammars (native/bind_lfg.cpp)

def lfg_parse(
    starts: IndexArray,
    local_counts: IndexArray,
    mark_offsets: IntArray,
    marks: IndexArray,
    owners: IndexArray,
    finals: NDArray[uint8],
    arc_offsets: IntArray,
    arcs: IndexArray,
    option_offsets: IntArray,
    options: IndexArray,
    branch_offsets: IntArray,
    branches: IndexArray,
    said_offsets: IntArray,
    said: IndexArray,
    entry_locals: IndexArray,
    statements: IndexArray,
    group_offsets: IntArray,
    groups: IndexArray,
    register_offsets: IntArray,
    registers: IndexArray,
    waits: NDArray[uint8],
    designators: IndexArray,
    path_offsets: IntArray,
    paths: IndexArray,
    path_starts: IndexArray,
    move_offsets: IntArray,
    moves: IndexArray,
    targets: IndexArray,
    path_finals: NDArray[uint8],
    bits: IndexArray,
    semantic: NDArray[uint8],
    own: NDArray[uint8],
    functions: IndexArray,
    governable: NDArray[uint8],
    forms: IntArray,
    value_offsets: IntArray,
    values: IndexArray,
    entries: IndexArray,
    sentences: IntArray,
    lengths: IndexArray,
    root: int,
    most_edges: int,
    most_words: int,
    seconds: float,
    restricted: bool,
    threads: int,
) -> tuple[IntArray, IndexArray, IndexArray, IndexArray, IndexArray, IndexArray, IndexArray]: ...

class StepMixtures:
    def __init__(
        self,
        tags: int,
        weights: FloatArray,
        defaults: IndexArray,
        wide: FloatArray,
        base_offsets: IntArray,
        base_columns: IndexArray,
        base_values: FloatArray,
        kinds: IndexArray,
        share_offsets: IntArray,
        share_columns: IndexArray,
        share_values: FloatArray,
        row_offsets: IntArray,
        row_tags: IndexArray,
        row_classes: IndexArray,
        own_offsets: IntArray,
        own_columns: IndexArray,
        own_values: FloatArray,
        final: FloatArray | None,
    ) -> None: ...
    def log_partition(
        self,
        sentence_offsets: IntArray,
        step_items: IndexArray,
        last_items: IndexArray,
        places: IndexArray,
        emission: FloatArray | None,
        rates: FloatArray | None,
        set_offsets: IntArray,
        set_tags: IndexArray,
        set_factors: FloatArray,
        member_offsets: IntArray,
        member_starts: IntArray,
        member_sets: IndexArray,
        values: FloatArray,
        threads: int,
    ) -> None: ...
    def marginals(
        self,
        sentence_offsets: IntArray,
        step_items: IndexArray,
        last_items: IndexArray,
        places: IndexArray,
        emission: FloatArray | None,
        rates: FloatArray | None,
        set_offsets: IntArray,
        set_tags: IndexArray,
        set_factors: FloatArray,
        member_offsets: IntArray,
        member_starts: IntArray,
        member_sets: IndexArray,
        values: FloatArray,
        probs: FloatArray,
        threads: int,
    ) -> None: ...
    def best(
        self,
        sentence_offsets: IntArray,
        step_items: IndexArray,
        last_items: IndexArray,
        places: IndexArray,
        emission: FloatArray | None,
        rates: FloatArray | None,
        set_offsets: IntArray,
        set_tags: IndexArray,
        set_factors: FloatArray,
        member_offsets: IntArray,
        member_starts: IntArray,
        member_sets: IndexArray,
        scores: FloatArray,
        tags: IndexArray,
        threads: int,
    ) -> None: ...
