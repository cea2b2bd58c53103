// The outside pass: how often each edge, and each nonterminal over each span, is expected.
//
// The outside of an item is the derivative of log Z by its number. Rows go from the first start to the
// last and each from right to left, so that all that an item is part of comes before it. A cell is left
// in the reverse of the order in which it was closed; a cyclic component by its closure transposed. The
// expected number of an edge is outside(target) · w · its children, in closures too: the derivative of
// (I − U)⁻¹ by an entry of U is the product of the column before it and the row after it.
#pragma once

#include "chart_inside.hpp"

namespace weft::chart {

// A part of Z as a share of it.
template <class K> typename K::Number share(const Sweep<K> &sweep, WideNumber value) {
    const WideNumber made = Wide::mul(value, Wide::inverse(sweep.total));
    if constexpr (K::scaled)
        return Wide::to_double(made);
    else
        return made;
}

// What the scans of a left add to its outside; their targets are in the same row, further right.
template <class K>
typename K::Number scanned(const Sweep<K> &sweep, std::int64_t k, std::int32_t left, typename K::Number value, Counts &counts) {
    const Topology &grammar = sweep.in.grammar;
    auto sum = K::zero();
    if (!(grammar.uses[left].terminals & sweep.arcs.filter[k])) return sum;
    each_scan(sweep, k, left, [&](std::int64_t a, std::int64_t edge) {
        const auto over = sweep.row.number(grammar.scan.target[edge], sweep.lattice.target[a]);
        if (K::is_zero(over)) return;
        const std::int64_t number = grammar.scans() + edge;
        const auto part = K::mul(K::mul(over, sweep.arcs.factors[a]), sweep.in.weights.edges[number]);
        counts.add(number, K::to_double(K::mul(value, part)));
        sum = K::add(sum, part);
    });
    return sum;
}

// What an item's unary edges out of its component add to its outside.
template <class K>
typename K::Number completed(const Sweep<K> &sweep, std::int64_t k, std::int32_t item, typename K::Number outer) {
    const Topology &grammar = sweep.in.grammar;
    for (const std::int64_t u : grammar.unary.from(item)) {
        const std::int32_t target = grammar.unary.target[u];
        if (!grammar.in_cycle(item, target)) outer = K::add(outer, K::mul(sweep.row.number(target, k), sweep.in.unary(u)));
    }
    return outer;
}

// The outside of an item of the cell, but for its unary edges.
template <class K>
typename K::Number gather(const Sweep<K> &sweep, std::int64_t i, std::int64_t k, const Lefts<K> &lefts, std::int64_t place,
                          Counts &counts) {
    const Topology &grammar = sweep.in.grammar;
    const Rights<K> &rights = sweep.rights;
    const std::int32_t item = lefts.items[place], s = grammar.row_of[item];
    auto outer = K::add(lefts.outside[place], scanned(sweep, k, item, lefts.values[place], counts));
    if (s >= 0 && rights.last[i * grammar.nonterminals + s] >= 0) outer = K::add(outer, rights.outside[rights.at(i, s, k)]);
    if (i == 0 && s == grammar.start && sweep.lattice.final[k])
        outer = K::add(outer, share(sweep, unscaled(sweep, K::one(), k)));
    return outer;
}

// Notes an outside. What edges into the item see is what was before scores of spans.
template <class K>
void put_outside(Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::int32_t item, typename K::Number value,
                 typename K::Number outer, double *marginals) {
    const std::int32_t s = sweep.in.grammar.row_of[item];
    if (K::is_zero(outer)) return;
    if (marginals && s >= 0)
        marginals[span_number(sweep.lattice.states, i, k) * sweep.in.grammar.nonterminals + s] = K::to_double(K::mul(outer, value));
    outer = sweep.limits.weighed(outer, i, k, item);
    if (K::is_zero(sweep.row.number(item, k))) sweep.row.add(item, k, outer); // an item may be listed twice, with one outside
}

template <class K>
void open_cell(Sweep<K> &sweep, std::int64_t i, std::int64_t k, const Lefts<K> &lefts, Counts &counts) {
    const Topology &grammar = sweep.in.grammar;
    const auto leave = [&](std::int64_t place) {
        return completed(sweep, k, lefts.items[place], gather(sweep, i, k, lefts, place, counts));
    };
    const auto put = [&](std::int64_t place, typename K::Number outer) {
        put_outside(sweep, i, k, lefts.items[place], lefts.values[place], outer, counts.marginals);
    };
    for (std::int64_t place = lefts.count - 1; place >= 0;) {
        const std::int32_t component = grammar.component[lefts.items[place]];
        if (component < 0) {
            put(place, leave(place));
            --place;
            continue;
        }
        const Range run = grammar.components[component];
        const auto *closure = closure_in(sweep, i, k, component);
        auto &before = sweep.closure.before;
        std::int64_t low = place;
        while (low > 0 && grammar.component[lefts.items[low - 1]] == component) --low;
        before.assign(run.size(), K::zero());
        for (std::int64_t p = low; p <= place; ++p) before[lefts.items[p] - run.first] = leave(p);
        for (std::int64_t p = low; p <= place; ++p) {
            const auto outer = transposed<K>(closure, before, lefts.items[p] - run.first);
            put(p, outer);
            if (!sweep.endless && !K::is_zero(outer)) sweep.endless = on_cycle(sweep, i, k, lefts.items[p]);
        }
        place = low - 1;
    }
}

// Counts the unary edges of some listed items.
template <class K> void count_unaries(const Sweep<K> &sweep, std::int64_t k, const Lefts<K> &listed, Counts &counts) {
    const Topology &grammar = sweep.in.grammar;
    for (std::int64_t place = 0; place < listed.count; ++place)
        for (const std::int64_t u : grammar.unary.from(listed.items[place])) {
            const auto over = sweep.row.number(grammar.unary.target[u], k);
            if (K::is_zero(over)) continue;
            counts.add(grammar.unaries() + u, K::to_double(K::mul(K::mul(over, sweep.in.unary(u)), listed.values[place])));
        }
}

template <class K> void count_lexical(const Sweep<K> &sweep, std::int64_t i, std::int64_t k, Counts &counts) {
    const Topology &grammar = sweep.in.grammar;
    const Lattice &lattice = sweep.lattice;
    for (const std::int64_t a : lattice.arcs(i)) {
        if (lattice.target[a] != k || lattice.entry[a] < 0) continue;
        for (const std::int32_t edge : grammar.entries[lattice.entry[a]]) {
            const auto over = sweep.row.number(grammar.lexical_target[edge], k);
            if (K::is_zero(over)) continue;
            const std::int64_t number = grammar.lexicals() + edge;
            counts.add(number, K::to_double(K::mul(K::mul(over, sweep.arcs.factors[a]), sweep.in.weights.edges[number])));
        }
    }
}

// One cell; `room` is for the outsides of its items.
template <class K>
void outside_cell(Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::vector<typename K::Number> &room, Counts &counts) {
    using Number = typename K::Number;
    each_terminal(sweep, i, k, [&](std::int32_t left, Number value) {
        Number unused;
        pull(sweep, {&left, &value, 1, &unused}, k, counts);
        scanned(sweep, k, left, value, counts);
    });
    const auto [first, open, last] = sweep.cells.at(i, k);
    Lefts<K> lefts = sweep.cells.listed(open, last);
    room.resize(lefts.count);
    lefts.outside = room.data();
    pull(sweep, lefts, k, counts);
    if (sweep.limits.sealed(i, k)) {
        for (std::int64_t place = 0; place < lefts.count; ++place) room[place] = gather(sweep, i, k, lefts, place, counts);
        open_sealed(sweep, i, k, lefts, counts);
        // The items that are listed before made others of the cell, and are put after them.
        const Lefts<K> early = sweep.cells.listed(first, open);
        count_unaries(sweep, k, early, counts);
        for (std::int64_t place = 0; place < early.count; ++place) {
            const Number outer = completed(sweep, k, early.items[place], K::zero());
            put_outside(sweep, i, k, early.items[place], early.values[place], outer, nullptr);
        }
    } else {
        open_cell(sweep, i, k, lefts, counts);
        count_unaries(sweep, k, lefts, counts);
    }
    count_lexical(sweep, i, k, counts);
}

// Adds coefficient × the expected number of each edge to totals; writes the marginals of nonterminals over
// spans, where asked for. The chart must have been filled.
template <class K> void outside(Sweep<K> &sweep, Counts counts) {
    if (Wide::is_zero(sweep.total)) return;
    const std::int64_t empty = sweep.in.grammar.empty();
    if (sweep.lattice.final[0])
        counts.add(empty, K::to_double(share(sweep, unscaled(sweep, sweep.in.weights.edges[empty], 0))));
    sweep.rights.clear_outside();
    std::vector<typename K::Number> room;
    for (std::int64_t i = 0; i + 1 < sweep.lattice.states; ++i) {
        sweep.row.restart(i);
        for (std::int64_t k = sweep.lattice.states - 1; k > i; --k) outside_cell(sweep, i, k, room, counts);
    }
    sweep.row.stamp = -1;
}

} // namespace weft::chart
