// The inner loops over one cell: products of left items with the rows of their right sisters.
#pragma once

#include "chart_grammar.hpp"

namespace weft::chart {

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
    std::vector<std::int32_t> *touched;                 // with room for all items
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

} // namespace weft::chart
