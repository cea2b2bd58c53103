// Sealed cells: spans over which a tree is known to have constituents.
//
// Of the nodes that span a sealed cell, a chain of unary steps, all labels of a set R must be among the
// labels. Items have *layers*, one for each subset of R: what of it the chain below has already met, the
// item included. An edge to an item whose label is in R leads to the layer with that label. What leaves
// the cell, as a left or a right child, are its nonterminals in the layer of all of R, and prefixes
// that are made of these and of what is empty; and never a prefix of several parts, nor a terminal:
// then no node would span the cell.
#pragma once

#include "chart_closure.hpp"

namespace weft::chart {

// Keeps the labels of R that a layer has not met out of it.
template <class K> void block(Limits<K> &limits, const Layers<K> &layers, std::int64_t layer) {
    limits.blocked.assign(limits.grammar.items, 0);
    for (const std::int32_t label : layers.labels) limits.blocked[label] = layers.after(layer, label) != layer;
}

// Calls visit(edge, place of its target) for the unary edges of an item of a layer that are not part of its
// component's closure.
template <class K, class Visit>
void each_unary(const Limits<K> &limits, const Layers<K> &layers, std::int64_t layer, std::int32_t item, Visit &&visit) {
    const Topology &grammar = limits.grammar;
    for (const std::int64_t u : grammar.unary.from(item)) {
        const std::int32_t target = grammar.unary.target[u];
        if (grammar.in_cycle(item, target) && !limits.blocked[target]) continue;
        visit(u, layers.after(layer, target) * grammar.items + target);
    }
}

// Closes one layer in place: numbers that were brought to it become those of all ways. What leads to other
// layers is brought there.
template <class K>
void close_layer(Sweep<K> &sweep, std::int64_t i, std::int64_t k, Layers<K> &layers, std::int64_t layer) {
    const Topology &grammar = sweep.in.grammar;
    const Limits<K> &limits = sweep.limits;
    auto *values = layers.values.data() + layer * grammar.items;
    block(sweep.limits, layers, layer);
    const auto leave = [&](std::int32_t item) {
        check_range(sweep, values[item]);
        if (K::is_zero(values[item])) return;
        each_unary(limits, layers, layer, item, [&](std::int64_t u, std::int64_t at) {
            layers.values[at] = K::add(layers.values[at], K::mul(values[item], sweep.in.unary(u)));
        });
    };
    for (std::size_t at = 0; at < grammar.late.items.size(); ++at) {
        const std::int32_t item = grammar.late.items[at], component = grammar.component[item];
        if (component < 0) {
            values[item] = limits.weighed(values[item], i, k, item);
            leave(item);
            continue;
        }
        const Range run = grammar.components[component];
        sweep.closure.before.assign(run.size(), K::zero());
        for (const std::int64_t x : run)
            sweep.closure.before[x - run.first] = limits.weighed(values[x], i, k, static_cast<std::int32_t>(x));
        close_values(sweep, i, k, component);
        std::copy(sweep.closure.after.begin(), sweep.closure.after.end(), values + run.first);
        for (const std::int64_t x : run) leave(static_cast<std::int32_t>(x));
        at += run.size() - 1;
    }
    sweep.limits.blocked.clear();
}

template <class K> void close_sealed(Sweep<K> &sweep, std::int64_t i, std::int64_t k) {
    const Topology &grammar = sweep.in.grammar;
    const std::int64_t items = grammar.items;
    Row<K> &row = sweep.row;
    Layers<K> &layers = sweep.sealed[i * sweep.lattice.states + k];
    for (const std::int32_t label : sweep.in.requirements[sweep.limits.required(i, k)])
        layers.labels.push_back(grammar.item_of[label]);
    layers.values.assign(layers.count() * items, K::zero());
    close_earlies(sweep, i, k);
    for (const std::int32_t item : grammar.late.items)
        if (row.present(item, k)) layers.values[layers.after(0, item) * items + item] = row.rows[item][k];
    for (std::int64_t layer = 0; layer < layers.count(); ++layer) close_layer(sweep, i, k, layers, layer);
    sweep.cells.at(i, k).open = sweep.cells.count;
    const auto *last = layers.values.data() + (layers.count() - 1) * items;
    const auto leave = [&](std::int32_t item, typename K::Number value) {
        row.put(item, k, value);
        record(sweep, item, value);
    };
    for (const std::int32_t item : grammar.item_of) leave(item, last[item]);
    for (const std::int32_t item : grammar.late.prefixes) {
        auto value = K::zero();
        for (const std::int32_t edge : grammar.unary.into[item]) {
            const std::int32_t source = grammar.unary.left[edge];
            if (grammar.late.has[source] && row.present(source, k))
                value = K::add(value, K::mul(row.rows[source][k], sweep.in.unary(edge)));
        }
        leave(item, value);
    }
}

// Counts a unary edge; returns what it adds to the outside of its source.
template <class K>
typename K::Number count_unary(const Inputs<K> &in, std::int64_t u, typename K::Number below, typename K::Number over,
                               Counts &counts) {
    const auto weight = in.unary(u);
    counts.add(in.grammar.unaries() + u, K::to_double(K::mul(K::mul(below, over), weight)));
    return K::mul(over, weight);
}

// What leaves a sealed cell: the outside of prefixes goes to the nonterminals that they are made of.
template <class K>
void open_prefixes(const Inputs<K> &in, const std::vector<typename K::Number> &values,
                   std::vector<typename K::Number> &outside, Counts &counts) {
    const Topology &grammar = in.grammar;
    for (auto at = grammar.late.prefixes.rbegin(); at != grammar.late.prefixes.rend(); ++at) {
        if (K::is_zero(outside[*at])) continue;
        for (const std::int32_t edge : grammar.unary.into[*at]) {
            const std::int32_t source = grammar.unary.left[edge];
            if (!grammar.late.has[source] || K::is_zero(values[source])) continue;
            outside[source] = K::add(outside[source], count_unary(in, edge, values[source], outside[*at], counts));
        }
    }
}

// The reverse of close_layer(). The outside of an item that is done is before its factor, as edges into it
// see it.
template <class K>
void open_layer(Sweep<K> &sweep, std::int64_t i, std::int64_t k, Layers<K> &layers, std::int64_t layer, Counts &counts) {
    const Topology &grammar = sweep.in.grammar;
    auto *outer = layers.outside.data() + layer * grammar.items;
    const auto *inner = layers.values.data() + layer * grammar.items;
    block(sweep.limits, layers, layer);
    const auto reach = [&](std::int32_t item) {
        each_unary(sweep.limits, layers, layer, item, [&](std::int64_t u, std::int64_t at) {
            const auto over = layers.outside[at];
            if (!K::is_zero(over)) outer[item] = K::add(outer[item], count_unary(sweep.in, u, inner[item], over, counts));
        });
    };
    const auto finish = [&](std::int32_t item) {
        const std::int32_t s = grammar.row_of[item];
        if (counts.marginals && s >= 0)
            counts.marginals[span_number(sweep.lattice.states, i, k) * grammar.nonterminals + s] +=
                K::to_double(K::mul(outer[item], inner[item]));
        outer[item] = sweep.limits.weighed(outer[item], i, k, item);
    };
    for (std::int64_t at = static_cast<std::int64_t>(grammar.late.items.size()) - 1; at >= 0;) {
        const std::int32_t item = grammar.late.items[at], component = grammar.component[item];
        if (component < 0) {
            reach(item);
            finish(item);
            --at;
            continue;
        }
        const Range run = grammar.components[component];
        const auto first = static_cast<std::int32_t>(run.first), last = static_cast<std::int32_t>(run.last);
        const auto *closure = closure_in(sweep, i, k, component);
        for (std::int32_t x = first; x < last; ++x) reach(x);
        sweep.closure.before.assign(outer + first, outer + last);
        for (std::int32_t x = first; x < last; ++x) {
            outer[x] = transposed<K>(closure, sweep.closure.before, x - first);
            if (!sweep.endless && !K::is_zero(outer[x]) && !K::is_zero(inner[x])) sweep.endless = on_cycle(sweep, i, k, x);
            finish(x);
        }
        for (std::int32_t x = first; x < last; ++x)
            for (const std::int64_t u : grammar.unary.from(x)) {
                const std::int32_t target = grammar.unary.target[u];
                if (grammar.component[target] == component && !sweep.limits.blocked[target])
                    count_unary(sweep.in, u, inner[x], outer[target], counts);
            }
        at -= run.size();
    }
    sweep.limits.blocked.clear();
}

// The outside pass through a sealed cell, from the outsides of what leaves it. Afterwards the row has, of
// each late item, the outside of what was brought to the cell.
template <class K>
void open_sealed(Sweep<K> &sweep, std::int64_t i, std::int64_t k, const Lefts<K> &lefts, Counts &counts) {
    using Number = typename K::Number;
    const Topology &grammar = sweep.in.grammar;
    const std::int64_t items = grammar.items;
    Layers<K> &layers = sweep.sealed[i * sweep.lattice.states + k];
    std::vector<Number> outside(items, K::zero()), values(items, K::zero());
    for (std::int64_t place = 0; place < lefts.count; ++place) {
        outside[lefts.items[place]] = lefts.outside[place];
        values[lefts.items[place]] = lefts.values[place];
    }
    open_prefixes(sweep.in, values, outside, counts);
    layers.outside.assign(layers.count() * items, K::zero());
    for (const std::int32_t item : grammar.item_of) layers.outside[(layers.count() - 1) * items + item] = outside[item];
    for (std::int64_t layer = layers.count() - 1; layer >= 0; --layer) open_layer(sweep, i, k, layers, layer, counts);
    for (const std::int32_t item : grammar.late.items)
        sweep.row.add(item, k, layers.outside[layers.after(0, item) * items + item]);
}

} // namespace weft::chart
