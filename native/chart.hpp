// Sums over all trees of a weighted context-free grammar over a sentence or an acyclic lattice.
//
// *Items* are the nonterminals and the prefixes of right sides (two symbols or more), the latter made
// anew once for all rules that begin so. An item over the states i < k of a lattice is the sum of
//
//     binary    left(i, m) · right(m, k) · w     over m, the right one a nonterminal
//     scan      left(i, m) · w                   over arcs m → k with a terminal
//     lexical   w                                for an arc i → k with a terminal
//     unary     source(i, k) · w                 the same span
//
// Rows are filled from the last start to the first, and each from left to right, so that every row of
// a right child is whole when it is used: a left item is pushed along it in vectors,
//
//     row(target, i)[·] += left(i, m) · w · row(right, m)[·].
//
// Unary edges lead to higher items, but for those within a *cyclic component*, a run of items whose
// edges are summed by a matrix, their closure (I − U)⁻¹. Bits say which numbers of a row are not 0,
// and only what is not 0 is ever looked at. The outward pass goes over the same lists backwards.
//
// Numbers of kind Real are scaled: those that begin at state i and end at state k by 2^(s(k) − s(i)),
// so that products need no care; s(i) is chosen when its row is done. See chart_numbers.hpp.
#pragma once

#include "chart_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

namespace weft::chart {

// A grammar without weights. Lefts are the items and, after them, the terminals.
struct Topology {
    std::int32_t nonterminals = 0, items = 0, terminals = 0, start = 0;  // start is a nonterminal
    std::vector<std::int32_t> item_of;                  // [nonterminals]
    std::vector<std::int32_t> row_of;                   // [items]: its nonterminal, or -1
    std::vector<std::int64_t> binary_offsets;           // [lefts + 1]
    std::vector<std::int32_t> binary_right;             // [binary edges], nonterminals
    std::vector<std::int32_t> binary_target;            // [binary edges], items
    std::vector<std::int64_t> scan_offsets;             // [lefts + 1]
    std::vector<std::int32_t> scan_terminal, scan_target;   // ascending by terminal within a left
    std::vector<std::int64_t> unary_offsets;            // [items + 1]
    std::vector<std::int32_t> unary_target;
    std::vector<std::int32_t> lexical_target;           // [lexical edges]
    std::vector<std::int64_t> entry_offsets;            // [entries + 1]: what an arc may be read as
    std::vector<std::int32_t> entry_edges;              // numbers of lexical edges
    std::vector<std::int32_t> component;                // [items]: the cyclic component, or -1
    std::vector<std::int32_t> component_first, component_last;  // [components], runs of items

    // The same edges by target: [items + 1] offsets, and numbers of edges; made by index_edges().
    std::vector<std::int32_t> binary_left, scan_left, unary_source;
    std::vector<std::int64_t> into_binary_offsets, into_scan_offsets, into_unary_offsets;
    std::vector<std::int32_t> into_binary, into_scan, into_unary;
    // Items are *late* if they are nonterminals or some unary edge leads to them: a cell is closed over
    // these, in their order, after all others. A set of rights or terminals is one bit each, modulo 64.
    std::vector<std::int32_t> late;
    std::vector<std::int32_t> late_prefixes;            // the prefixes among them, shorter ones first
    std::vector<std::uint8_t> is_late;                  // [items]
    struct Uses {
        std::uint64_t rights = 0, terminals = 0;
        std::int32_t unary_first = 0, unary_last = 0;
    };
    std::vector<Uses> uses;                             // [lefts]: what may become of each
    struct Binary {
        std::int32_t right, target;
    };
    std::vector<Binary> binary;                         // [binary edges]: what is read in inner loops

    void index_edges();

    // Edges are numbered binary, scan, unary, lexical; the last is the empty sentence.
    std::int64_t scans() const { return static_cast<std::int64_t>(binary_target.size()); }
    std::int64_t unaries() const { return scans() + static_cast<std::int64_t>(scan_target.size()); }
    std::int64_t lexicals() const { return unaries() + static_cast<std::int64_t>(unary_target.size()); }
    std::int64_t empty() const { return lexicals() + static_cast<std::int64_t>(lexical_target.size()); }
    std::int64_t edges() const { return empty() + 1; }
};

// Numbers 0 … targets.size() - 1, sorted by target.
inline void sort_by_target(const std::vector<std::int32_t> &targets, std::int64_t items, std::vector<std::int64_t> &offsets,
                           std::vector<std::int32_t> &edges) {
    offsets.assign(items + 1, 0);
    for (const std::int32_t target : targets) ++offsets[target + 1];
    for (std::int64_t item = 0; item < items; ++item) offsets[item + 1] += offsets[item];
    std::vector<std::int64_t> at(offsets.begin(), offsets.end() - 1);
    edges.resize(targets.size());
    for (std::size_t e = 0; e < targets.size(); ++e) edges[at[targets[e]]++] = static_cast<std::int32_t>(e);
}

inline std::uint64_t filter_bit(std::int64_t number) { return std::uint64_t{1} << (number & 63); }

inline void Topology::index_edges() {
    binary_left.resize(binary_target.size());
    scan_left.resize(scan_target.size());
    unary_source.resize(unary_target.size());
    uses.assign(items + terminals, {});
    is_late.assign(items, 0);
    for (std::int32_t left = 0; left < items + terminals; ++left) {
        for (std::int64_t e = binary_offsets[left]; e < binary_offsets[left + 1]; ++e) {
            binary_left[e] = left;
            uses[left].rights |= filter_bit(binary_right[e]);
            binary.push_back({binary_right[e], binary_target[e]});
        }
        for (std::int64_t e = scan_offsets[left]; e < scan_offsets[left + 1]; ++e) {
            scan_left[e] = left;
            uses[left].terminals |= filter_bit(scan_terminal[e]);
        }
        if (left >= items) continue;
        uses[left].unary_first = static_cast<std::int32_t>(unary_offsets[left]);
        uses[left].unary_last = static_cast<std::int32_t>(unary_offsets[left + 1]);
        for (std::int64_t e = unary_offsets[left]; e < unary_offsets[left + 1]; ++e) {
            unary_source[e] = left;
            is_late[unary_target[e]] = 1;
        }
        if (row_of[left] >= 0) is_late[left] = 1;
    }
    for (const std::int32_t target : lexical_target) is_late[target] = 1; // which may be a prefix
    for (std::int32_t item = 0; item < items; ++item)
        if (is_late[item]) late.push_back(item);
    // A prefix is made of shorter ones by leaving out what is empty: how often, at most.
    std::vector<std::int32_t> depth(items, 0);
    for (bool deeper = true; deeper;) {
        deeper = false;
        for (std::size_t e = 0; e < unary_target.size(); ++e) {
            const std::int32_t from = unary_source[e], to = unary_target[e];
            if (row_of[from] >= 0 || row_of[to] >= 0 || depth[to] > depth[from]) continue;
            depth[to] = depth[from] + 1;
            deeper = true;
        }
    }
    for (const std::int32_t item : late)
        if (row_of[item] < 0) late_prefixes.push_back(item);
    std::stable_sort(late_prefixes.begin(), late_prefixes.end(),
                     [&](std::int32_t a, std::int32_t b) { return depth[a] < depth[b]; });
    sort_by_target(binary_target, items, into_binary_offsets, into_binary);
    sort_by_target(scan_target, items, into_scan_offsets, into_scan);
    sort_by_target(unary_target, items, into_unary_offsets, into_unary);
}

// Lattices in flat arrays. States are numbered within their lattice, arcs lead upwards.
struct Members {
    std::vector<std::int64_t> state_offsets;            // [members + 1]
    std::vector<std::int64_t> arc_offsets;              // [states + 1]
    std::vector<std::int32_t> arc_terminal, arc_entry, arc_target;  // [arcs]; -1: no such terminal or entry
    std::vector<std::uint8_t> final;                    // [states]

    std::int64_t count() const { return static_cast<std::int64_t>(state_offsets.size()) - 1; }
    std::int64_t states(std::int64_t member) const { return state_offsets[member + 1] - state_offsets[member]; }
    std::int64_t spans(std::int64_t member) const { return states(member) * (states(member) - 1) / 2; }
};

// The number of the span i … k among those of a lattice.
inline std::int64_t span_number(std::int64_t states, std::int64_t i, std::int64_t k) {
    return i * (states - 1) - i * (i - 1) / 2 + (k - i - 1);
}

// What a member adds to the grammar: scores of spans, and what is not allowed.
struct Extras {
    const double *span_scores = nullptr;                // [spans, nonterminals], log
    const std::uint8_t *allowed = nullptr;              // [spans, nonterminals]
    const std::uint8_t *prefixes = nullptr;                 // [spans]: whether prefixes may span it
    const std::int32_t *required = nullptr;             // [spans]: a number of Requirements, or -1
    double beam = NEG_INF;                              // how far below the best of its cell, in logs
};

// Constituents that trees must have: for each span a set of labels, all of which must be among those of
// the nodes that span it; where the set is empty, there must be a node.
struct Requirements {
    std::vector<std::int64_t> offsets{0};               // [requirements + 1]
    std::vector<std::int32_t> labels;                   // nonterminals, ascending in each
};

// Log-weights beyond this do not go with scaling; see Real.
constexpr double WIDEST_WEIGHT = 138.0;

// The weights of all edges, and of the unary edges within each cyclic component as a matrix.
template <class K> struct Weights {
    using Number = typename K::Number;
    std::vector<Number> edges;
    std::vector<Number> closures;                       // component after component, [target, source]
    std::vector<Number> steps;                          // the same before they are closed
    std::vector<std::int64_t> offsets;                  // [components + 1]
};

// A* = I + A + A² + … in place, [size, size]; false if it diverges. Kleene's elimination only adds and
// multiplies, and so loses no digits but those that 1 - x loses.
template <class K> bool close_matrix(typename K::Number *a, std::int64_t size) {
    for (std::int64_t m = 0; m < size; ++m) {
        auto star = a[m * size + m];
        if (!K::star(star)) {
            if constexpr (!K::drops) return false;
            for (std::int64_t i = 0; i < size; ++i) a[i * size + m] = a[m * size + i] = K::zero();
            continue;
        }
        for (std::int64_t i = 0; i < size; ++i) {
            if (i == m || K::is_zero(a[i * size + m])) continue;
            const auto through = K::mul(a[i * size + m], star);
            for (std::int64_t j = 0; j < size; ++j)
                if (j != m) a[i * size + j] = K::add(a[i * size + j], K::mul(through, a[m * size + j]));
            a[i * size + m] = through;
        }
        for (std::int64_t j = 0; j < size; ++j)
            if (j != m) a[m * size + j] = K::mul(star, a[m * size + j]);
        a[m * size + m] = star;
    }
    return true;
}

template <class K>
Weights<K> closed_weights(const Topology &grammar, std::vector<typename K::Number> edges, bool &finite) {
    Weights<K> made;
    made.edges = std::move(edges);
    made.offsets.push_back(0);
    finite = true;
    for (std::size_t c = 0; c < grammar.component_first.size(); ++c) {
        const std::int64_t first = grammar.component_first[c], size = grammar.component_last[c] - first;
        std::vector<typename K::Number> matrix(size * size, K::zero());
        for (std::int64_t x = 0; x < size; ++x)
            for (std::int64_t u = grammar.unary_offsets[first + x]; u < grammar.unary_offsets[first + x + 1]; ++u) {
                const std::int64_t y = grammar.unary_target[u] - first;
                if (0 <= y && y < size)
                    matrix[y * size + x] = K::add(matrix[y * size + x], made.edges[grammar.unaries() + u]);
            }
        made.steps.insert(made.steps.end(), matrix.begin(), matrix.end());
        if (!close_matrix<K>(matrix.data(), size)) finite = false;
        made.closures.insert(made.closures.end(), matrix.begin(), matrix.end());
        made.offsets.push_back(static_cast<std::int64_t>(made.closures.size()));
    }
    return made;
}

template <class K> Weights<K> make_weights(const Topology &grammar, const double *logs, bool &finite) {
    std::vector<typename K::Number> edges(grammar.edges());
    for (std::int64_t e = 0; e < grammar.edges(); ++e) edges[e] = K::from_log(logs[e]);
    return closed_weights<K>(grammar, std::move(edges), finite);
}

// One way to make an item: an edge, the state in the middle, and the source of a unary edge.
struct Way {
    std::int64_t edge;
    std::int64_t middle;
    std::int32_t source;
};

// What became of a sweep.
enum class Outcome { done, out_of_range, diverges, too_large };

template <class T> using Numbers = std::vector<T, Aligned<T>>;

// What the inner loops over one cell need. Rows and bits of right children are those of its end.
template <class T> struct Cell {
    const Topology *grammar;
    const T *weights;
    const std::int32_t *items;                          // the lefts of the cell
    const T *values;
    std::int64_t count;
    std::uint64_t alive;                                // the nonterminals that begin at its end, as a filter
    const T *right_rows;                                // [nonterminals, stride]
    const std::int32_t *right_first, *right_last;       // [nonterminals], columns; last < 0: none
    const std::uint64_t *right_bits;                    // [nonterminals, words]
    std::int64_t stride, words;
    T *const *rows;                                     // [items]
    std::uint64_t *bits;                                // [items, words]
    std::int32_t *stamps;                               // [items]: the row that was last begun
    std::int32_t stamp;
    std::vector<std::int32_t> *touched;
    // For the outward pass.
    T *right_outside;                                   // [nonterminals, stride]
    T *outside;                                         // [count]
    double coefficient;
    double *totals;                                     // [edges]
};

template <class K> WEFT_INLINE void begin_row(Cell<typename K::Number> &cell, std::int32_t item) {
    if (cell.stamps[item] == cell.stamp) return;
    cell.stamps[item] = cell.stamp;
    cell.touched->push_back(item);
    typename K::Number *row = cell.rows[item];
    for (std::int64_t j = 0; j < cell.stride; ++j) row[j] = K::zero();
    for (std::int64_t w = 0; w < cell.words; ++w) cell.bits[item * cell.words + w] = 0;
}

// to[j] += a · x[j] for whole vectors of columns.
template <class K>
WEFT_INLINE void add_multiple(typename K::Number a, const typename K::Number *x, std::int64_t first, std::int64_t last,
                              typename K::Number *to) {
    if constexpr (std::is_same_v<K, Real>) {
        for (std::int64_t j = first; j < last; j += LANES) store(to + j, load(to + j) + a * load(x + j));
    } else if constexpr (std::is_same_v<K, Best>) {
        for (std::int64_t j = first; j < last; j += LANES) store(to + j, max(load(to + j), a + load(x + j)));
    } else {
        for (std::int64_t j = first; j < last; ++j)
            if (!K::is_zero(x[j])) to[j] = K::add(to[j], K::mul(a, x[j]));
    }
}

template <class K>
WEFT_INLINE typename K::Number product(const typename K::Number *x, const typename K::Number *y, std::int64_t first,
                                       std::int64_t last) {
    if constexpr (std::is_same_v<K, Real>) {
        Vec total{};
        for (std::int64_t j = first; j < last; j += LANES) total += load(x + j) * load(y + j);
        return sum(total);
    } else {
        auto total = K::zero();
        for (std::int64_t j = first; j < last; ++j)
            if (!K::is_zero(x[j])) total = K::add(total, K::mul(x[j], y[j]));
        return total;
    }
}

// Pushes every left of a cell along the rows of its right children. Whatever the loop reads is in local
// variables: what is stored in vectors might be anything, for all that the compiler knows.
template <class K> WEFT_INLINE void push_lefts(Cell<typename K::Number> &cell) {
    const Topology::Uses *uses = cell.grammar->uses.data();
    const Topology::Binary *edges = cell.grammar->binary.data();
    const std::int64_t *offsets = cell.grammar->binary_offsets.data();
    const auto *weights = cell.weights;
    const auto *right_rows = cell.right_rows;
    const std::int32_t *right_first = cell.right_first, *right_last = cell.right_last;
    const std::uint64_t *right_bits = cell.right_bits;
    std::uint64_t *bits = cell.bits;
    const std::int32_t *stamps = cell.stamps;
    auto *const *rows = cell.rows;
    const std::int64_t words = cell.words, stride = cell.stride, count = cell.count;
    const std::int32_t *items = cell.items, stamp = cell.stamp;
    const auto *values = cell.values;
    const std::uint64_t alive = cell.alive;
    for (std::int64_t place = 0; place < count; ++place) {
        const std::int32_t left = items[place];
        if (!(uses[left].rights & alive)) continue;
        const auto value = values[place];
        const std::int64_t end = offsets[left + 1];
        for (std::int64_t e = offsets[left]; e < end; ++e) {
            const auto [right, target] = edges[e];
            const std::int64_t last = right_last[right], first = right_first[right];
            if (last < 0) continue;
            const auto weight = weights[e];
            if (K::is_zero(weight)) continue;
            if (stamps[target] != stamp) begin_row<K>(cell, target);
            add_multiple<K>(K::mul(value, weight), right_rows + right * stride, first, last, rows[target]);
            if (words == 1) {
                bits[target] |= right_bits[right];
            } else {
                for (std::int64_t w = 0; w < words; ++w) bits[target * words + w] |= right_bits[right * words + w];
            }
        }
    }
}

// Pulls what the outside of a cell's lefts is from the rows of their targets, and gives their right
// children what is theirs.
template <class K> WEFT_INLINE void pull_lefts(Cell<typename K::Number> &cell) {
    const Topology::Uses *uses = cell.grammar->uses.data();
    const Topology::Binary *edges = cell.grammar->binary.data();
    const std::int64_t *offsets = cell.grammar->binary_offsets.data();
    const auto *weights = cell.weights;
    const auto *right_rows = cell.right_rows;
    auto *right_outside = cell.right_outside;
    const std::int32_t *right_first = cell.right_first, *right_last = cell.right_last;
    const std::uint64_t *right_bits = cell.right_bits, *bits = cell.bits;
    const std::int32_t *stamps = cell.stamps;
    auto *const *rows = cell.rows;
    const std::int64_t words = cell.words, stride = cell.stride, count = cell.count;
    const std::int32_t *items = cell.items, stamp = cell.stamp;
    const auto *values = cell.values;
    auto *outsides = cell.outside;
    const std::uint64_t alive = cell.alive;
    const double coefficient = cell.coefficient;
    double *totals = cell.totals;
    for (std::int64_t place = 0; place < count; ++place) {
        const std::int32_t left = items[place];
        auto outside = K::zero();
        if (uses[left].rights & alive) {
            const auto value = values[place];
            const std::int64_t end = offsets[left + 1];
            for (std::int64_t e = offsets[left]; e < end; ++e) {
                const auto [right, target] = edges[e];
                const std::int64_t last = right_last[right], first = right_first[right];
                if (last < 0 || stamps[target] != stamp) continue;
                std::uint64_t common = 0;
                for (std::int64_t w = 0; w < words; ++w) common |= bits[target * words + w] & right_bits[right * words + w];
                const auto weight = weights[e];
                if (common == 0 || K::is_zero(weight)) continue;
                const auto *above = rows[target];
                const auto part = K::mul(weight, product<K>(right_rows + right * stride, above, first, last));
                outside = K::add(outside, part);
                totals[e] += coefficient * K::to_double(K::mul(value, part));
                add_multiple<K>(K::mul(value, weight), above, first, last, right_outside + right * stride);
            }
        }
        outsides[place] = outside;
    }
}

WEFT_KERNEL inline void push_reals(Cell<double> &cell) { push_lefts<Real>(cell); }
WEFT_KERNEL inline void push_bests(Cell<double> &cell) { push_lefts<Best>(cell); }
WEFT_KERNEL inline void pull_reals(Cell<double> &cell) { pull_lefts<Real>(cell); }

template <class K> void push(Cell<typename K::Number> &cell) {
    if constexpr (std::is_same_v<K, Real>)
        push_reals(cell);
    else if constexpr (std::is_same_v<K, Best>)
        push_bests(cell);
    else
        push_lefts<K>(cell);
}

template <class K> void pull(Cell<typename K::Number> &cell) {
    if constexpr (std::is_same_v<K, Real>)
        pull_reals(cell);
    else
        pull_lefts<K>(cell);
}

// Working memory for one member at a time.
template <class K> class Sweep {
  public:
    using Kind = K;
    using Number = typename K::Number;

    // A member that needs more than so many bytes is given up.
    Sweep(const Topology &grammar, const Weights<K> &weights, const Members &members, const Requirements &requirements,
          double memory)
        : grammar_(grammar), weights_(weights), all_(members), requirements_(requirements), unaries_(grammar.unaries()),
          memory_(memory) {
        rows_.resize(grammar.items);
        stamps_.assign(grammar.items, -1);
    }

    // The inward pass; afterwards log_partition() is known.
    Outcome inside(std::int64_t member, const Extras &extras) {
        if (!aim(member, extras)) return Outcome::too_large;
        for (std::int64_t i = states_ - 2; i >= 0; --i) {
            const Outcome outcome = inside_row(i);
            if (outcome != Outcome::done) return outcome;
        }
        if constexpr (std::is_same_v<K, Residue>) {
            residue_ = final(0) ? weights_.edges[grammar_.empty()] : 0;
            for (std::int64_t k = 1; k < states_; ++k)
                if (final(k)) residue_ = K::add(residue_, start_at(k));
        } else if constexpr (std::is_same_v<K, Best>) {
            best_ = final(0) ? weights_.edges[grammar_.empty()] : NEG_INF;
            for (std::int64_t k = 1; k < states_; ++k)
                if (final(k)) best_ = std::max(best_, start_at(k));
        } else {
            total_ = final(0) ? wide(weights_.edges[grammar_.empty()]) : WideNumber{};
            for (std::int64_t k = 1; k < states_; ++k)
                if (final(k)) total_ = Wide::add(total_, unscaled(start_at(k), k));
        }
        return Outcome::done;
    }

    // log Z, or the best score.
    std::uint64_t residue() const { return residue_; }
    // Whether infinitely many trees were met; known after an outward pass.
    bool endless() const { return endless_; }
    double log_partition() const { return std::is_same_v<K, Best> ? best_ : Wide::to_log(total_); }

    // The outward pass. Adds coefficient × the expected number of each edge to totals [edges]; writes the
    // marginals of nonterminals over spans, where asked for, [spans, nonterminals].
    void outside(double coefficient, double *totals, double *marginals);

    // Writes the edges of a derivation, each before those of its children: see chart_trees.hpp.
    template <class Choose> void derive(Choose &choose, std::vector<std::int32_t> &edges);
    template <class Visit> void ways(std::int32_t item, std::int64_t i, std::int64_t k, Visit &&visit);
    Number laid_out(std::int32_t item, std::int64_t i, std::int64_t k) const {
        if (item >= grammar_.items) return sealed_.at(i * states_ + k).values[item - grammar_.items];
        return stamps_[item] == i && present(item, k) ? rows_[item][k] : K::zero();
    }
    const Topology &grammar() const { return grammar_; }
    // Lays out the row of a start, unless it is.
    void ready(std::int64_t i) {
        if (laid_out_row_ != i) lay_out(i);
        laid_out_row_ = i;
    }
    // [states]: the best score of what ends in each final state; the first is that of the empty sentence.
    std::vector<double> ends() const {
        std::vector<double> values(states_, NEG_INF);
        if (final(0)) values[0] = weights_.edges[grammar_.empty()];
        for (std::int64_t k = 1; k < states_; ++k)
            if (final(k)) values[k] = start_at(k);
        return values;
    }
    // What a way adds to the scores of an item's children.
    Number step(std::int32_t item, std::int64_t i, std::int64_t k, const Way &way) const {
        const Number weight = weights_.edges[way.edge];
        // A nonterminal that leaves a sealed cell is that of its last layer; a prefix has no factor there.
        const bool leaves = required(i, k) >= 0 && item < grammar_.items && grammar_.row_of[item] < 0;
        return plain_ || leaves ? weight : K::mul(weight, factor(i, k, item % grammar_.items));
    }

  private:
    struct Arrival {
        std::int32_t item;
        Number value;
    };
    // A cell over which constituents are required: see chart_sealed.hpp.
    struct Sealed {
        std::vector<Number> values, outside;            // [layers, items]
        std::int64_t layers;
        std::vector<std::int32_t> labels;               // items
    };

    bool aim(std::int64_t member, const Extras &extras);
    template <class V> static void grow(V &buffer, std::int64_t size) {
        if (static_cast<std::int64_t>(buffer.size()) < size) buffer.resize(size);
    }

    bool final(std::int64_t state) const { return all_.final[first_state_ + state]; }
    std::int64_t arcs_from(std::int64_t state) const { return all_.arc_offsets[first_state_ + state]; }
    std::int64_t arcs_to(std::int64_t state) const { return all_.arc_offsets[first_state_ + state + 1]; }
    Number &arc_factor(std::int64_t arc) { return arc_factors_[arc - all_.arc_offsets[first_state_]]; }

    static WideNumber wide(Number value) {
        if constexpr (std::is_same_v<Number, WideNumber>)
            return value;
        else
            return Wide::from_double(static_cast<double>(value));
    }
    // What begins at state 0 and ends at k, without its scale.
    WideNumber unscaled(Number value, std::int64_t k) const {
        WideNumber made = wide(value);
        if (!Wide::is_zero(made)) made.exponent += scale_[0] - scale_[k];
        return made;
    }
    // The start symbol from state 0 to k.
    Number start_at(std::int64_t k) const {
        if (right_last_[grammar_.start] < 0) return K::zero();
        return inside_[grammar_.start * stride_ + k];
    }

    void begin(std::int64_t i);
    Cell<Number> cell_at(std::int64_t i, std::int64_t k);

    // Adds to one number of a row.
    void add(Cell<Number> &cell, std::int32_t item, std::int64_t k, Number value) {
        if (K::is_zero(value)) return;
        begin_row<K>(cell, item);
        Number &to = rows_[item][k];
        to = K::add(to, value);
        bits_[item * words_ + k / 64] |= std::uint64_t{1} << (k % 64);
    }
    bool present(std::int32_t item, std::int64_t k) const {
        return bits_[item * words_ + k / 64] >> (k % 64) & 1;
    }

    Outcome inside_row(std::int64_t i);
    void read_arcs(std::int64_t i, Cell<Number> &cell);
    void close_cell(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void close_early(std::int32_t item, Number value, std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void close_component(std::int64_t i, std::int64_t k, std::int32_t component, Cell<Number> &cell);
    void prune(std::int64_t i, std::int64_t k);
    static double log_of(Number value) {
        if constexpr (std::is_same_v<K, Residue>)
            return static_cast<double>(value);
        else
            return K::to_log(value);
    }
    void push_arc_lefts(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void scan(std::int64_t k, std::int32_t left, Number value, Cell<Number> &cell);
    std::int32_t required(std::int64_t i, std::int64_t k) const {
        return extras_.required ? extras_.required[span_number(states_, i, k)] : -1;
    }
    void close_sealed(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void close_layer(std::int64_t i, std::int64_t k, Sealed &sealed, std::int64_t layer);
    void open_sealed(std::int64_t i, std::int64_t k, Cell<Number> &cell, double *marginals);
    template <class Visit>
    void sealed_ways(std::int32_t item, std::int64_t i, std::int64_t k, Visit &&visit);
    template <class Visit>
    void base_ways(std::int32_t item, std::int64_t i, std::int64_t k, Number by, Visit &&visit);
    template <class Visit>
    void unary_ways(std::int32_t item, std::int64_t i, std::int64_t k, Number by, Visit &&visit);
    Number left_at(std::int32_t left, std::int64_t i, std::int64_t middle);
    // Parts of the outward pass.
    Number above(std::int32_t item, std::int64_t i, std::int64_t k) const {
        return stamps_[item] == i && present(item, k) ? rows_[item][k] : K::zero();
    }
    Number scanned(std::int64_t i, std::int64_t k, std::int32_t left, Number value, Cell<Number> &cell);
    void pull_arc_lefts(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    Number gather(std::int64_t i, std::int64_t k, std::int64_t place, Cell<Number> &cell);
    void put(std::int64_t i, std::int64_t k, std::int64_t place, Number outer, Cell<Number> &cell, double *marginals);
    void open_cell(std::int64_t i, std::int64_t k, Cell<Number> &cell, double *marginals);
    void count_unaries(std::int64_t i, std::int64_t k, std::int64_t first, std::int64_t last, Cell<Number> &cell);
    void count_lexical(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    Number share(WideNumber value) const {
        const WideNumber made = Wide::mul(value, Wide::inverse(total_));
        if constexpr (std::is_same_v<Number, WideNumber>)
            return made;
        else
            return Wide::to_double(made);
    }
    bool rescale(std::int64_t i);
    void end_row(std::int64_t i);
    // Room for all that a cell may list: rows that are begun, what scans have made, and late items.
    void make_room(std::int64_t k) {
        const std::size_t most = active_count_ + touched_.size() + arrivals_[k].size() + grammar_.late.size();
        if (active_items_.size() >= most) return;
        active_items_.resize(2 * most);
        active_values_.resize(2 * most);
    }
    bool record(std::int32_t item, Number value);
    void check_range(Number value) {
        if constexpr (K::scaled)
            if (value != 0.0 && !(value > power(-K::WIDEST) && value < power(K::WIDEST))) outcome_ = Outcome::out_of_range;
    }
    void send_up(std::int32_t item, Number value, std::int64_t k, Cell<Number> &cell);

    // What a completed item is multiplied by.
    Number factor(std::int64_t i, std::int64_t k, std::int32_t item) const {
        if (!blocked_.empty() && blocked_[item]) return K::zero();
        const std::int32_t s = grammar_.row_of[item];
        const std::int64_t span = span_number(states_, i, k);
        if (s < 0) return extras_.prefixes && !extras_.prefixes[span] ? K::zero() : K::one();
        const std::int64_t at = span * grammar_.nonterminals + s;
        if (extras_.allowed && !extras_.allowed[at]) return K::zero();
        if constexpr (!std::is_same_v<K, Residue>)
            if (extras_.span_scores) return K::from_log(extras_.span_scores[at]);
        return K::one();
    }
    bool on_cycle(std::int64_t i, std::int64_t k, std::int32_t item) const;
    // The closure of a component in a cell; where something depends on the cell, in closure_.
    const Number *closure_in(std::int64_t i, std::int64_t k, std::int32_t component);
    void close_values(std::int64_t i, std::int64_t k, std::int32_t component);
    void relax(std::int64_t i, std::int64_t k, std::int32_t component);
    template <class Choose> std::int64_t choose_end(Choose &choose) const;
    void lay_out(std::int64_t i);

    const Topology &grammar_;
    const Weights<K> &weights_;
    const Members &all_;
    const Requirements &requirements_;
    std::int64_t unaries_;                              // the number of the first unary edge
    double memory_;
    std::int64_t most_ = 0;                             // how long the lists of items may become
    Extras extras_;
    bool plain_ = true;                                 // whether a cell's items depend on the grammar alone
    Outcome outcome_ = Outcome::done;
    std::int64_t first_state_ = 0, states_ = 0, stride_ = 0, words_ = 0;
    WideNumber total_;
    double best_ = NEG_INF;
    std::uint64_t residue_ = 0;
    bool endless_ = false;
    std::int64_t laid_out_row_ = -1;
    Numbers<Number> inside_, outside_;                  // [states, nonterminals, stride]
    Numbers<Number> prefixes_;                          // [items, stride], of the current row
    std::vector<Number *> rows_;                        // [items]
    std::vector<std::uint64_t> bits_, right_bits_;      // [items, words], [states, nonterminals, words]
    std::vector<std::int32_t> right_first_, right_last_;    // [states, nonterminals]
    std::vector<std::uint64_t> alive_, arc_filter_;     // [states]: rights and terminals that begin there
    std::vector<std::int32_t> stamps_, touched_;        // [items]; the early items whose rows are begun
    std::vector<std::vector<Arrival>> arrivals_;        // [states]: early items that scans have made
    std::vector<std::int64_t> cell_first_, cell_last_;  // [states, states], of the lists below
    std::vector<std::int64_t> cell_open_;               // [states, states]: the first that may be a left
    std::map<std::int64_t, Sealed> sealed_;             // by cell
    std::vector<std::uint8_t> kept_;                    // [items], when a cell is pruned
    std::vector<std::uint8_t> blocked_;                 // [items], where a layer of a sealed cell is closed
    std::vector<std::int32_t> active_items_;            // early ones first, then late ones, ascending
    std::vector<Number> active_values_;
    std::int64_t active_count_ = 0;
    std::vector<std::int64_t> scale_;                   // [states]
    std::vector<Number> arc_factors_;                   // [arcs]
    std::vector<Number> closure_, before_, after_, left_outside_;
};

// Makes room; false if there is too little.
template <class K> bool Sweep<K>::aim(std::int64_t member, const Extras &extras) {
    extras_ = extras;
    plain_ = !extras.span_scores && !extras.allowed && !extras.prefixes && !extras.required;
    sealed_.clear();
    outcome_ = Outcome::done;
    laid_out_row_ = -1;
    endless_ = false;
    first_state_ = all_.state_offsets[member];
    states_ = all_.states(member);
    stride_ = (states_ + LANES - 1) / LANES * LANES;
    words_ = (states_ + 63) / 64;
    const std::int64_t n = grammar_.nonterminals;
    // Both passes' rows, and offsets; what is left is for the lists of items, which grow by doubling.
    const double rows = static_cast<double>(2 * states_ * n + grammar_.items) * static_cast<double>(stride_);
    const double left = memory_ - rows * sizeof(Number) - 16.0 * static_cast<double>(states_ * states_);
    if (left < 0) return false;
    most_ = static_cast<std::int64_t>(left / (3 * (sizeof(Number) + sizeof(std::int32_t))));
    grow(inside_, states_ * n * stride_);
    grow(prefixes_, grammar_.items * stride_);
    grow(bits_, grammar_.items * words_);
    grow(right_bits_, states_ * n * words_);
    grow(arrivals_, states_);
    for (auto &each : arrivals_) each.clear();
    right_first_.assign(states_ * n, 0);
    right_last_.assign(states_ * n, -1);
    cell_first_.assign(states_ * states_, 0);
    cell_last_.assign(states_ * states_, 0);
    cell_open_.assign(states_ * states_, 0);
    scale_.assign(states_, 0);
    alive_.assign(states_, 0);
    arc_filter_.assign(states_, 0);
    for (std::int64_t q = 0; q < states_; ++q)
        for (std::int64_t a = arcs_from(q); a < arcs_to(q); ++a)
            if (all_.arc_terminal[a] >= 0) arc_filter_[q] |= filter_bit(all_.arc_terminal[a]);
    arc_factors_.assign(all_.arc_offsets[first_state_ + states_] - all_.arc_offsets[first_state_], K::one());
    active_count_ = 0;
    return true;
}

// Begins the rows of late items; those of others are begun when they are first needed.
template <class K> void Sweep<K>::begin(std::int64_t i) {
    const std::int64_t n = grammar_.nonterminals;
    if (i == states_ - 2)
        for (std::int32_t item = 0; item < grammar_.items; ++item) rows_[item] = prefixes_.data() + item * stride_;
    for (std::int64_t s = 0; s < n; ++s) rows_[grammar_.item_of[s]] = inside_.data() + (i * n + s) * stride_;
    std::fill(stamps_.begin(), stamps_.end(), -1);
    Cell<Number> cell = cell_at(i, i);
    for (const std::int32_t item : grammar_.late) begin_row<K>(cell, item);
    touched_.clear();
}

template <class K> Cell<typename K::Number> Sweep<K>::cell_at(std::int64_t i, std::int64_t k) {
    const std::int64_t n = grammar_.nonterminals;
    Cell<Number> cell{};
    cell.grammar = &grammar_;
    cell.weights = weights_.edges.data();
    cell.alive = alive_[k];
    cell.right_rows = inside_.data() + k * n * stride_;
    cell.right_first = right_first_.data() + k * n;
    cell.right_last = right_last_.data() + k * n;
    cell.right_bits = right_bits_.data() + k * n * words_;
    cell.stride = stride_;
    cell.words = words_;
    cell.rows = rows_.data();
    cell.bits = bits_.data();
    cell.stamps = stamps_.data();
    cell.stamp = static_cast<std::int32_t>(i);
    cell.touched = &touched_;
    return cell;
}

template <class K> Outcome Sweep<K>::inside_row(std::int64_t i) {
    begin(i);
    Cell<Number> cell = cell_at(i, i);
    read_arcs(i, cell);
    for (std::int64_t k = i + 1; k < states_ && outcome_ == Outcome::done; ++k) {
        cell = cell_at(i, k);
        const std::int64_t first = cell_first_[i * states_ + k] = active_count_;
        make_room(k);
        cell_open_[i * states_ + k] = first;
        if (required(i, k) >= 0)
            close_sealed(i, k, cell);
        else
            close_cell(i, k, cell);
        if (extras_.beam > NEG_INF && required(i, k) < 0) prune(i, k);
        cell_last_[i * states_ + k] = active_count_;
        if (cell_last_[i * states_ + k] > most_) outcome_ = Outcome::too_large;
        const std::int64_t open = cell_open_[i * states_ + k];
        cell.items = active_items_.data() + open;
        cell.values = active_values_.data() + open;
        cell.count = cell_last_[i * states_ + k] - open;
        if (alive_[k]) push<K>(cell);
        if (arc_filter_[k])
            for (std::int64_t place = 0; place < cell.count; ++place)
                if (grammar_.uses[cell.items[place]].terminals & arc_filter_[k])
                    scan(k, cell.items[place], cell.values[place], cell);
        push_arc_lefts(i, k, cell);
    }
    if (outcome_ != Outcome::done) return outcome_;
    if (!rescale(i)) return Outcome::out_of_range;
    end_row(i);
    return Outcome::done;
}

// What the arcs of a state are read as: rules of one terminal.
template <class K> void Sweep<K>::read_arcs(std::int64_t i, Cell<Number> &cell) {
    if constexpr (K::scaled) scale_[i] = scale_[i + 1];
    for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
        const std::int64_t k = all_.arc_target[a];
        if constexpr (K::scaled) {
            const std::int64_t shift = scale_[k] - scale_[i];
            if (shift < -K::WIDEST || shift > K::WIDEST) {
                outcome_ = Outcome::out_of_range;
                return;
            }
            arc_factor(a) = power(shift);
        }
        const std::int32_t entry = all_.arc_entry[a];
        if (entry < 0) continue;
        for (std::int64_t e = grammar_.entry_offsets[entry]; e < grammar_.entry_offsets[entry + 1]; ++e) {
            const std::int32_t edge = grammar_.entry_edges[e];
            add(cell, grammar_.lexical_target[edge], k,
                K::mul(arc_factor(a), weights_.edges[grammar_.lexicals() + edge]));
        }
    }
}

// The terminals that span i … k as the first symbols of right sides.
template <class K> void Sweep<K>::push_arc_lefts(std::int64_t i, std::int64_t k, Cell<Number> &cell) {
    for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
        if (all_.arc_target[a] != k || all_.arc_terminal[a] < 0 || required(i, k) >= 0) continue;
        const std::int32_t left = grammar_.items + all_.arc_terminal[a];
        const Number value = arc_factor(a);
        cell.items = &left;
        cell.values = &value;
        cell.count = 1;
        push<K>(cell);
        scan(k, left, value, cell);
    }
}

template <class K> void Sweep<K>::scan(std::int64_t k, std::int32_t left, Number value, Cell<Number> &cell) {
    const std::int64_t first = grammar_.scan_offsets[left], last = grammar_.scan_offsets[left + 1];
    for (std::int64_t a = arcs_from(k); a < arcs_to(k); ++a) {
        if (required(k, all_.arc_target[a]) >= 0) continue; // a node must span it, and not a bare terminal
        const auto begin = grammar_.scan_terminal.begin();
        auto at = std::lower_bound(begin + first, begin + last, all_.arc_terminal[a]);
        for (; at != begin + last && *at == all_.arc_terminal[a]; ++at) {
            const std::int64_t edge = at - begin;
            const Number made = K::mul(K::mul(value, arc_factor(a)), weights_.edges[grammar_.scans() + edge]);
            if (K::is_zero(made)) continue;
            const std::int32_t target = grammar_.scan_target[edge];
            if (grammar_.is_late[target])
                add(cell, target, all_.arc_target[a], made);
            else
                arrivals_[all_.arc_target[a]].push_back({target, made});
        }
    }
}

template <class K> bool Sweep<K>::record(std::int32_t item, Number value) {
    if (K::is_zero(value)) return false;
    check_range(value);
    active_items_[active_count_] = item; // there is room: see make_room()
    active_values_[active_count_++] = value;
    return true;
}

// Follows the unary edges of an item to late items, whose rows are all begun.
template <class K> void Sweep<K>::send_up(std::int32_t item, Number value, std::int64_t k, Cell<Number> &cell) {
    const Topology::Uses &uses = grammar_.uses[item];
    const std::int32_t component = grammar_.component[item];
    const std::int32_t *targets = grammar_.unary_target.data();
    const Number *weights = cell.weights + unaries_;
    const std::uint64_t bit = std::uint64_t{1} << (k % 64);
    for (std::int32_t u = uses.unary_first; u < uses.unary_last; ++u) {
        const std::int32_t target = targets[u];
        if (component >= 0 && grammar_.component[target] == component) continue;
        const Number part = K::mul(value, weights[u]);
        if (K::is_zero(part)) continue;
        Number &to = rows_[target][k]; // which has been begun
        to = K::add(to, part);
        bits_[target * words_ + k / 64] |= bit;
    }
}

template <class K>
void Sweep<K>::close_early(std::int32_t item, Number value, std::int64_t i, std::int64_t k, Cell<Number> &cell) {
    const Topology::Uses &uses = grammar_.uses[item];
    const bool completes = uses.unary_first < uses.unary_last;
    // What nothing can follow, and completes nothing, is of no use.
    if (!completes && !(uses.rights & alive_[k]) && !(uses.terminals & arc_filter_[k])) return;
    if (!completes && required(i, k) >= 0) return;
    if (!plain_) value = K::mul(value, factor(i, k, item));
    if (record(item, value) && completes) send_up(item, value, k, cell);
}

template <class K> void Sweep<K>::close_cell(std::int64_t i, std::int64_t k, Cell<Number> &cell) {
    const std::uint64_t *bits = bits_.data() + k / 64;
    for (const std::int32_t item : touched_)
        if (bits[item * words_] >> (k % 64) & 1) close_early(item, rows_[item][k], i, k, cell);
    for (const Arrival &each : arrivals_[k]) close_early(each.item, each.value, i, k, cell);
    arrivals_[k].clear();
    for (std::size_t at = 0; at < grammar_.late.size(); ++at) {
        const std::int32_t item = grammar_.late[at];
        const std::int32_t component = grammar_.component[item];
        if (component >= 0) {
            close_component(i, k, component, cell);
            at += grammar_.component_last[component] - grammar_.component_first[component] - 1;
            continue;
        }
        if (!present(item, k)) continue;
        Number &value = rows_[item][k];
        if (!plain_) value = K::mul(value, factor(i, k, item));
        if (record(item, value))
            send_up(item, value, k, cell);
        else
            bits_[item * words_ + k / 64] &= ~(std::uint64_t{1} << (k % 64));
    }
}

template <class K>
const typename K::Number *Sweep<K>::closure_in(std::int64_t i, std::int64_t k, std::int32_t component) {
    const std::int64_t at = weights_.offsets[component];
    if (plain_) return weights_.closures.data() + at;
    const std::int64_t first = grammar_.component_first[component], size = grammar_.component_last[component] - first;
    closure_.assign(weights_.steps.begin() + at, weights_.steps.begin() + at + size * size);
    for (std::int64_t y = 0; y < size; ++y) {
        const Number by = factor(i, k, static_cast<std::int32_t>(first + y));
        for (std::int64_t x = 0; x < size; ++x) closure_[y * size + x] = K::mul(closure_[y * size + x], by);
    }
    if (!close_matrix<K>(closure_.data(), size)) outcome_ = Outcome::diverges;
    return closure_.data();
}

// Whether unary edges lead from an item of a component back to it, in this cell.
template <class K> bool Sweep<K>::on_cycle(std::int64_t i, std::int64_t k, std::int32_t item) const {
    const std::int32_t component = grammar_.component[item];
    std::vector<std::int32_t> reached{item};
    for (std::size_t at = 0; at < reached.size(); ++at)
        for (std::int64_t u = grammar_.unary_offsets[reached[at]]; u < grammar_.unary_offsets[reached[at] + 1]; ++u) {
            const std::int32_t target = grammar_.unary_target[u];
            if (grammar_.component[target] != component || K::is_zero(weights_.edges[grammar_.unaries() + u]) ||
                (!plain_ && K::is_zero(factor(i, k, target))))
                continue;
            if (target == item) return true;
            if (std::find(reached.begin(), reached.end(), target) == reached.end()) reached.push_back(target);
        }
    return false;
}

template <class K>
void Sweep<K>::close_component(std::int64_t i, std::int64_t k, std::int32_t component, Cell<Number> &cell) {
    const std::int32_t first = grammar_.component_first[component], last = grammar_.component_last[component];
    const std::int64_t size = last - first;
    bool any = false;
    before_.assign(size, K::zero());
    for (std::int32_t x = first; x < last; ++x) {
        if (!present(x, k)) continue;
        any = true;
        before_[x - first] = plain_ ? rows_[x][k] : K::mul(rows_[x][k], factor(i, k, x));
    }
    if (!any) return;
    close_values(i, k, component);
    for (std::int32_t y = first; y < last; ++y) {
        rows_[y][k] = after_[y - first];
        const std::uint64_t bit = std::uint64_t{1} << (k % 64);
        if (record(y, rows_[y][k])) {
            bits_[y * words_ + k / 64] |= bit;
            send_up(y, rows_[y][k], k, cell);
        } else {
            bits_[y * words_ + k / 64] &= ~bit;
        }
    }
}

// From what is brought to a component, before_, to what it comes to, after_.
template <class K> void Sweep<K>::close_values(std::int64_t i, std::int64_t k, std::int32_t component) {
    if constexpr (std::is_same_v<K, Best>) {
        relax(i, k, component);
    } else {
        const auto size = static_cast<std::int64_t>(before_.size());
        const Number *closure = closure_in(i, k, component);
        after_.assign(size, K::zero());
        for (std::int64_t y = 0; y < size; ++y)
            for (std::int64_t x = 0; x < size; ++x)
                after_[y] = K::add(after_[y], K::mul(closure[y * size + x], before_[x]));
    }
}

// The best of a component by single steps, so that each number is exactly that of some way to make it.
template <class K> void Sweep<K>::relax(std::int64_t i, std::int64_t k, std::int32_t component) {
    const std::int32_t first = grammar_.component_first[component], last = grammar_.component_last[component];
    after_ = before_;
    bool better = true;
    for (std::int64_t round = 0; better && round <= last - first; ++round) {
        better = false;
        for (std::int32_t x = first; x < last; ++x)
            for (std::int64_t u = grammar_.unary_offsets[x]; u < grammar_.unary_offsets[x + 1]; ++u) {
                const std::int32_t y = grammar_.unary_target[u];
                if (y < first || y >= last) continue;
                Number value = K::mul(after_[x - first], weights_.edges[grammar_.unaries() + u]);
                if (!plain_) value = K::mul(value, factor(i, k, y));
                if (!K::less(after_[y - first], value)) continue;
                after_[y - first] = value;
                better = true;
            }
    }
    if (better) outcome_ = Outcome::diverges;
}

// Drops what is far below the best of its kind, nonterminals and prefixes apart, in the last cell; but
// nothing that unary edges make something else of that stays.
template <class K> void Sweep<K>::prune(std::int64_t i, std::int64_t k) {
    if constexpr (std::is_same_v<K, Residue>) return;
    const std::int64_t first = cell_open_[i * states_ + k];
    double best[2] = {NEG_INF, NEG_INF};
    for (std::int64_t a = first; a < active_count_; ++a) {
        double &mine = best[grammar_.row_of[active_items_[a]] >= 0];
        mine = std::max(mine, log_of(active_values_[a]));
    }
    kept_.assign(grammar_.items, 0);
    for (std::int64_t a = active_count_ - 1; a >= first; --a) {
        const std::int32_t item = active_items_[a], component = grammar_.component[item];
        if (log_of(active_values_[a]) >= best[grammar_.row_of[item] >= 0] + extras_.beam) kept_[item] = 1;
        if (!kept_[item]) continue;
        const std::int32_t from = component < 0 ? item : grammar_.component_first[component];
        const std::int32_t to = component < 0 ? item + 1 : grammar_.component_last[component];
        for (std::int32_t each = from; each < to; ++each) {
            kept_[each] = 1;
            for (std::int64_t at = grammar_.into_unary_offsets[each]; at < grammar_.into_unary_offsets[each + 1]; ++at)
                kept_[grammar_.unary_source[grammar_.into_unary[at]]] = 1;
        }
    }
    std::int64_t last = first;
    for (std::int64_t a = first; a < active_count_; ++a) {
        const std::int32_t item = active_items_[a];
        if (kept_[item]) {
            active_items_[last] = item;
            active_values_[last++] = active_values_[a];
        } else if (grammar_.is_late[item]) {
            rows_[item][k] = K::zero();
            bits_[item * words_ + k / 64] &= ~(std::uint64_t{1} << (k % 64));
        }
    }
    active_count_ = last;
}

// Chooses the scale of the row that has just been filled: its cells' largest numbers are 1 on average.
template <class K> bool Sweep<K>::rescale(std::int64_t i) {
    if constexpr (K::scaled) {
        std::int64_t exponents = 0, cells = 0;
        for (std::int64_t k = i + 1; k < states_; ++k) {
            const std::int64_t first = cell_first_[i * states_ + k], last = cell_last_[i * states_ + k];
            if (first == last) continue;
            exponents += exponent_of(*std::max_element(active_values_.begin() + first, active_values_.begin() + last));
            ++cells;
        }
        const std::int64_t shift = cells ? exponents / cells : 0;
        if (shift == 0) return true;
        scale_[i] += shift;
        const double by = power(-shift);
        const std::int64_t begin = cell_first_[i * states_ + i + 1];
        for (std::int64_t a = begin; a < active_count_; ++a) active_values_[a] *= by;
        for (auto at = sealed_.lower_bound(i * states_); at != sealed_.end() && at->first < (i + 1) * states_; ++at)
            for (double &value : at->second.values) value *= by;
        for (const std::int32_t item : grammar_.item_of)
            for (std::int64_t j = 0; j < stride_; ++j) rows_[item][j] *= by;
        for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
            const std::int64_t apart = scale_[all_.arc_target[a]] - scale_[i];
            if (apart < -K::WIDEST || apart > K::WIDEST) return false;
            arc_factor(a) = power(apart);
        }
    }
    return true;
}

// Notes which numbers of the row are not 0, for those that use it on their right.
template <class K> void Sweep<K>::end_row(std::int64_t i) {
    const std::int64_t n = grammar_.nonterminals;
    for (std::int64_t s = 0; s < n; ++s) {
        const std::int32_t item = grammar_.item_of[s];
        std::uint64_t *to = right_bits_.data() + (i * n + s) * words_;
        std::int64_t first = -1, last = -1;
        for (std::int64_t w = 0; w < words_; ++w) {
            const std::uint64_t word = to[w] = bits_[item * words_ + w];
            if (word == 0) continue;
            if (first < 0) first = w * 64 + std::countr_zero(word);
            last = w * 64 + 63 - std::countl_zero(word);
        }
        if (last < 0) continue;
        alive_[i] |= filter_bit(s);
        right_first_[i * n + s] = static_cast<std::int32_t>(first / LANES * LANES);
        right_last_[i * n + s] = static_cast<std::int32_t>((last / LANES + 1) * LANES);
    }
}

} // namespace weft::chart
