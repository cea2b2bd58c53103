// The inner loops over one cell: products of left items with the rows of their right sisters.
#pragma once

#include "chart.hpp"

namespace weft::chart {

// Where expectations go.
struct Counts {
    double coefficient;
    double *totals;                                     // [edges]
    double *marginals;                                  // [spans, nonterminals], or none

    void add(std::int64_t edge, double expected) { totals[edge] += coefficient * expected; }
};

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

// Pushes lefts that end at k along the rows of their right children. Whatever the loop reads is in local
// variables: what is stored in vectors might be anything, for all that the compiler knows.
template <class K> WEFT_INLINE void push_lefts(Sweep<K> &sweep, const Lefts<K> &lefts, std::int64_t k) {
    const Rights<K> &rights = sweep.rights;
    Row<K> &row = sweep.row;
    const Topology::Uses *uses = sweep.in.grammar.uses.data();
    const Topology::Pair *edges = sweep.in.grammar.pairs.data();
    const std::int64_t *offsets = sweep.in.grammar.binary.offsets.data();
    const auto *weights = sweep.in.weights.edges.data();
    const std::int64_t words = row.words, stride = row.stride, count = lefts.count, base = k * rights.nonterminals;
    const auto *right_rows = rights.inside.data() + base * stride;
    const std::int32_t *right_first = rights.first.data() + base, *right_last = rights.last.data() + base;
    const std::uint64_t *right_bits = rights.bits.data() + base * words;
    std::uint64_t *bits = row.bits.data();
    const std::int32_t *stamps = row.stamps.data();
    auto *const *rows = row.rows.data();
    const std::int32_t *items = lefts.items, stamp = row.stamp;
    const auto *values = lefts.values;
    const std::uint64_t alive = rights.alive[k];
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
            if (stamps[target] != stamp) row.begin(target);
            add_multiple<K>(K::mul(value, weight), right_rows + right * stride, first, last, rows[target]);
            if (words == 1) {
                bits[target] |= right_bits[right];
            } else {
                for (std::int64_t w = 0; w < words; ++w) bits[target * words + w] |= right_bits[right * words + w];
            }
        }
    }
}

// Pulls what the outside of lefts that end at k is from the rows of their targets, and gives their right
// children what is theirs.
template <class K>
WEFT_INLINE void pull_lefts(Sweep<K> &sweep, const Lefts<K> &lefts, std::int64_t k, const Counts &counts) {
    Rights<K> &rights = sweep.rights;
    const Row<K> &row = sweep.row;
    const Topology::Uses *uses = sweep.in.grammar.uses.data();
    const Topology::Pair *edges = sweep.in.grammar.pairs.data();
    const std::int64_t *offsets = sweep.in.grammar.binary.offsets.data();
    const auto *weights = sweep.in.weights.edges.data();
    const std::int64_t words = row.words, stride = row.stride, count = lefts.count, base = k * rights.nonterminals;
    const auto *right_rows = rights.inside.data() + base * stride;
    auto *right_outside = rights.outside.data() + base * stride;
    const std::int32_t *right_first = rights.first.data() + base, *right_last = rights.last.data() + base;
    const std::uint64_t *right_bits = rights.bits.data() + base * words, *bits = row.bits.data();
    const std::int32_t *stamps = row.stamps.data();
    auto *const *rows = row.rows.data();
    const std::int32_t *items = lefts.items, stamp = row.stamp;
    const auto *values = lefts.values;
    auto *outsides = lefts.outside;
    const std::uint64_t alive = rights.alive[k];
    const double coefficient = counts.coefficient;
    double *totals = counts.totals;
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

WEFT_KERNEL void push_reals(Sweep<Real> &sweep, const Lefts<Real> &lefts, std::int64_t k) { push_lefts(sweep, lefts, k); }
WEFT_KERNEL void push_bests(Sweep<Best> &sweep, const Lefts<Best> &lefts, std::int64_t k) { push_lefts(sweep, lefts, k); }
WEFT_KERNEL void pull_reals(Sweep<Real> &sweep, const Lefts<Real> &lefts, std::int64_t k, const Counts &counts) {
    pull_lefts(sweep, lefts, k, counts);
}

// By themselves, so that whoever calls them leaves the compiler room for the loops.
template <class K> WEFT_NOINLINE void push(Sweep<K> &sweep, const Lefts<K> &lefts, std::int64_t k) {
    if constexpr (std::is_same_v<K, Real>)
        dispatch<push_reals>(sweep, lefts, k);
    else if constexpr (std::is_same_v<K, Best>)
        dispatch<push_bests>(sweep, lefts, k);
    else
        push_lefts(sweep, lefts, k);
}

template <class K> WEFT_NOINLINE void pull(Sweep<K> &sweep, const Lefts<K> &lefts, std::int64_t k, const Counts &counts) {
    if constexpr (std::is_same_v<K, Real>)
        dispatch<pull_reals>(sweep, lefts, k, counts);
    else
        pull_lefts(sweep, lefts, k, counts);
}

} // namespace weft::chart
