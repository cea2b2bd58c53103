// The ways to make an item of a filled chart.
//
// No back-pointers are kept. The ways are listed again when one of them is to be chosen: there are few
// items in a tree, and many in a chart. An item of a layer of a sealed cell is items + layer · items + item.
#pragma once

#include "chart_inside.hpp"

#include <utility>

namespace weft::chart {

// One way to make an item: an edge, the state in the middle, and the source of a unary edge.
struct Way {
    std::int64_t edge = -1, middle = -1;
    std::int32_t source = -1;
};

// An item over a span.
struct Place {
    std::int32_t item = -1;
    std::int64_t i = 0, k = 0;
    auto operator<=>(const Place &) const = default;
};

// The left and the right child of a way; the item of one that it has not is -1.
inline std::pair<Place, Place> children(const Topology &grammar, const Place &of, const Way &way) {
    const auto left = [&](std::int32_t item) { return item < grammar.items ? Place{item, of.i, way.middle} : Place{}; };
    if (way.edge < grammar.scans())
        return {left(grammar.binary.left[way.edge]),
                {grammar.item_of[grammar.binary.sister[way.edge]], way.middle, of.k}};
    if (way.edge < grammar.unaries()) return {left(grammar.scan.left[way.edge - grammar.scans()]), {}};
    if (way.edge < grammar.lexicals()) return {{way.source, of.i, of.k}, {}};
    return {};
}

// Writes the numbers of the row of a start from the lists of its cells, unless they are there.
template <class K> void lay_out(Sweep<K> &sweep, std::int64_t i) {
    Row<K> &row = sweep.row;
    if (row.stamp == i) return;
    row.restart(i);
    for (std::int64_t k = i + 1; k < sweep.lattice.states; ++k)
        for (const std::int64_t a : Range{sweep.cells.at(i, k).first, sweep.cells.at(i, k).last}) {
            const std::int32_t item = sweep.cells.items[a];
            if (row.stamps[item] != row.stamp) std::fill_n(row.bits.data() + item * row.words, row.words, std::uint64_t{0});
            row.stamps[item] = row.stamp;
            auto &to = row.rows[item][k]; // an item may be listed twice
            to = row.present(item, k) ? K::add(to, sweep.cells.values[a]) : sweep.cells.values[a];
            row.mark(item, k);
        }
}

// The number of an item; the row must be laid out, here and below.
template <class K> typename K::Number number_of(const Sweep<K> &sweep, const Place &of) {
    const std::int32_t items = sweep.in.grammar.items;
    if (of.item < items) return sweep.row.number(of.item, of.k);
    return sweep.sealed.at(of.i * sweep.lattice.states + of.k).values[of.item - items];
}

// The number of a left that ends in the middle; that of a terminal is its arc's.
template <class K> typename K::Number left_number(const Sweep<K> &sweep, std::int32_t left, std::int64_t i, std::int64_t middle) {
    const Topology &grammar = sweep.in.grammar;
    if (left < grammar.items)
        return sweep.limits.sealed(i, middle) && !grammar.late.has[left] ? K::zero() : sweep.row.number(left, middle);
    if (sweep.limits.sealed(i, middle)) return K::zero();
    for (const std::int64_t a : sweep.lattice.arcs(i))
        if (sweep.lattice.target[a] == middle && sweep.lattice.terminal[a] == left - grammar.items) return sweep.arcs.factors[a];
    return K::zero();
}

// Calls visit(way, number) for the scans that make an item, until it returns true; then so does this.
template <class K, class Visit> bool scan_ways(const Sweep<K> &sweep, const Place &of, Visit &&visit) {
    const Topology &grammar = sweep.in.grammar;
    const auto edges = grammar.scan.into[of.item];
    if (edges.empty()) return false;
    for (std::int64_t m = of.i + 1; m < of.k; ++m)
        for (const std::int64_t a : sweep.lattice.arcs(m)) {
            if (sweep.lattice.target[a] != of.k || sweep.limits.sealed(m, of.k)) continue;
            for (const std::int32_t edge : edges) {
                if (sweep.lattice.terminal[a] != grammar.scan.sister[edge]) continue;
                const auto left = left_number(sweep, grammar.scan.left[edge], of.i, m);
                if (K::is_zero(left)) continue;
                const std::int64_t number = grammar.scans() + edge;
                const auto value = K::mul(K::mul(left, sweep.arcs.factors[a]), sweep.in.weights.edges[number]);
                if (visit(Way{number, m, -1}, value)) return true;
            }
        }
    return false;
}

template <class K, class Visit> bool binary_ways(const Sweep<K> &sweep, const Place &of, Visit &&visit) {
    const Topology &grammar = sweep.in.grammar;
    for (const std::int32_t edge : grammar.binary.into[of.item]) {
        const std::int32_t left = grammar.binary.left[edge], right = grammar.binary.sister[edge];
        if (left < grammar.items && sweep.row.stamps[left] != of.i) continue;
        for (std::int64_t m = of.i + 1; m < of.k; ++m) {
            if (!sweep.rights.present(m, right, of.k)) continue;
            const auto value = left_number(sweep, left, of.i, m);
            if (K::is_zero(value)) continue;
            const auto inside = sweep.rights.inside[sweep.rights.at(m, right, of.k)];
            if (visit(Way{edge, m, -1}, K::mul(K::mul(value, sweep.in.weights.edges[edge]), inside))) return true;
        }
    }
    return false;
}

// The ways to make an item of an arc or of shorter items.
template <class K, class Visit> bool base_ways(const Sweep<K> &sweep, const Place &of, Visit &&visit) {
    const Topology &grammar = sweep.in.grammar;
    const Lattice &lattice = sweep.lattice;
    for (const std::int64_t a : lattice.arcs(of.i)) {
        if (lattice.target[a] != of.k || lattice.entry[a] < 0) continue;
        for (const std::int32_t lexical : grammar.entries[lattice.entry[a]]) {
            const std::int64_t edge = grammar.lexicals() + lexical;
            if (grammar.lexical_target[lexical] == of.item &&
                visit(Way{edge, of.k, -1}, K::mul(sweep.arcs.factors[a], sweep.in.weights.edges[edge])))
                return true;
        }
    }
    return scan_ways(sweep, of, visit) || binary_ways(sweep, of, visit);
}

// The ways by unary edges; below(source) says which item it is, -1 where it is none.
template <class K, class Below, class Visit>
bool unary_ways(const Sweep<K> &sweep, const Place &of, Below &&below, Visit &&visit) {
    const Edges &unary = sweep.in.grammar.unary;
    for (const std::int32_t edge : unary.into[of.item]) {
        const std::int32_t source = below(unary.left[edge]);
        if (source < 0) continue;
        const std::int64_t number = sweep.in.grammar.unaries() + edge;
        const auto value = K::mul(number_of(sweep, {source, of.i, of.k}), sweep.in.unary(edge));
        if (visit(Way{number, of.k, source}, value)) return true;
    }
    return false;
}

// The ways of a nonterminal of a layer.
template <class K, class Visit>
bool layer_ways(const Sweep<K> &sweep, const Layers<K> &layers, std::int64_t layer, const Place &of, Visit &&visit) {
    const Topology &grammar = sweep.in.grammar;
    const auto early = [&](std::int32_t source) { return grammar.late.has[source] ? -1 : source; };
    if (layers.after(0, of.item) == layer && (base_ways(sweep, of, visit) || unary_ways(sweep, of, early, visit))) return true;
    for (std::int64_t from = 0; from <= layer; ++from) {
        if (layers.after(from, of.item) != layer) continue;
        const auto below = [&](std::int32_t source) {
            return grammar.late.has[source] ? static_cast<std::int32_t>((from + 1) * grammar.items + source) : -1;
        };
        if (unary_ways(sweep, of, below, visit)) return true;
    }
    return false;
}

// Calls visit(way, number) for all ways to make an item, until it returns true.
template <class K, class Visit> void each_way(const Sweep<K> &sweep, const Place &of, Visit &&visit) {
    const Topology &grammar = sweep.in.grammar;
    const std::int32_t items = grammar.items, item = of.item % items;
    const auto unless_zero = [&](const Way &way, typename K::Number value) { return !K::is_zero(value) && visit(way, value); };
    const bool sealed = sweep.limits.sealed(of.i, of.k) && (of.item >= items || grammar.late.has[item]);
    if (sealed && of.item < items && grammar.row_of[item] < 0) { // a prefix that leaves, made of what leaves
        unary_ways(sweep, of, [&](std::int32_t source) { return grammar.late.has[source] ? source : -1; }, unless_zero);
        return;
    }
    const bool plain = sweep.limits.plain;
    const auto by = plain ? K::one() : sweep.limits.factor(of.i, of.k, item);
    const auto offer = [&](const Way &way, typename K::Number value) {
        return unless_zero(way, plain ? value : K::mul(value, by));
    };
    const Place place{item, of.i, of.k};
    if (sealed) {
        const Layers<K> &layers = sweep.sealed.at(of.i * sweep.lattice.states + of.k);
        layer_ways(sweep, layers, of.item < items ? layers.count() - 1 : of.item / items - 1, place, offer);
    } else if (!base_ways(sweep, place, offer)) {
        unary_ways(sweep, place, [](std::int32_t source) { return source; }, offer);
    }
}

// What a way adds to the scores of an item's children.
template <class K> typename K::Number own_weight(const Sweep<K> &sweep, const Place &of, const Way &way) {
    const Topology &grammar = sweep.in.grammar;
    // A nonterminal that leaves a sealed cell is that of its last layer; a prefix has no factor there.
    const bool leaves = sweep.limits.sealed(of.i, of.k) && of.item < grammar.items && grammar.row_of[of.item] < 0;
    const auto weight = sweep.in.weights.edges[way.edge];
    return leaves ? weight : sweep.limits.weighed(weight, of.i, of.k, of.item % grammar.items);
}

} // namespace weft::chart
