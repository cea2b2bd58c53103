// Sealed cells: spans over which a tree is known to have constituents.
//
// Of the nodes that span a sealed cell, a chain of unary steps, all labels of a set R must be among the
// labels. Items have *layers*, one for each subset of R: what of it the chain below has already met, the
// item included. An edge to an item whose label is in R leads to the layer with that label. What leaves
// the cell, as a left or a right child, are its nonterminals in the layer of all of R, and prefixes
// that are made of these and of what is empty; and never a prefix of several parts, nor a terminal:
// then no node would span the cell.
#pragma once

#include "chart.hpp"

namespace weft::chart {

// The layer that an item is in when it is reached from a layer.
inline std::int64_t layer_after(const std::vector<std::int32_t> &labels, std::int64_t layer, std::int32_t item) {
    for (std::size_t at = 0; at < labels.size(); ++at)
        if (labels[at] == item) return layer | std::int64_t{1} << at;
    return layer;
}

// Closes one layer in place: numbers that were brought to it become those of all ways. What leads to other
// layers is brought there.
template <class K>
void Sweep<K>::close_layer(std::int64_t i, std::int64_t k, Sealed &sealed, std::int64_t layer) {
    const std::int64_t items = grammar_.items;
    Number *values = sealed.values.data() + layer * items;
    blocked_.assign(items, 0);
    for (const std::int32_t label : sealed.labels) blocked_[label] = layer_after(sealed.labels, layer, label) != layer;
    const auto leave = [&](std::int32_t item) {
        const std::int32_t component = grammar_.component[item];
        if (K::is_zero(values[item])) return;
        for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u) {
            const std::int32_t target = grammar_.unary_target[u];
            if (component >= 0 && grammar_.component[target] == component && !blocked_[target]) continue;
            Number &to = sealed.values[layer_after(sealed.labels, layer, target) * items + target];
            to = K::add(to, K::mul(values[item], weights_.edges[grammar_.unaries() + u]));
        }
    };
    for (std::size_t at = 0; at < grammar_.late.size(); ++at) {
        const std::int32_t item = grammar_.late[at], component = grammar_.component[item];
        if (component < 0) {
            values[item] = K::mul(values[item], factor(i, k, item));
            check_range(values[item]);
            leave(item);
            continue;
        }
        const std::int32_t first = grammar_.component_first[component], last = grammar_.component_last[component];
        before_.assign(last - first, K::zero());
        for (std::int32_t x = first; x < last; ++x) before_[x - first] = K::mul(values[x], factor(i, k, x));
        close_values(i, k, component);
        for (std::int32_t x = first; x < last; ++x) values[x] = after_[x - first];
        for (std::int32_t x = first; x < last; ++x) {
            check_range(values[x]);
            leave(x);
        }
        at += last - first - 1;
    }
    blocked_.clear();
}

template <class K> void Sweep<K>::close_sealed(std::int64_t i, std::int64_t k, Cell<Number> &cell) {
    const std::int32_t number = required(i, k);
    const std::int64_t items = grammar_.items;
    Sealed &sealed = sealed_[i * states_ + k];
    for (std::int64_t at = requirements_.offsets[number]; at < requirements_.offsets[number + 1]; ++at)
        sealed.labels.push_back(grammar_.item_of[requirements_.labels[at]]);
    sealed.layers = std::int64_t{1} << sealed.labels.size();
    sealed.values.assign(sealed.layers * items, K::zero());
    for (const std::int32_t item : touched_)
        if (present(item, k)) close_early(item, rows_[item][k], i, k, cell);
    for (const Arrival &each : arrivals_[k]) close_early(each.item, each.value, i, k, cell);
    arrivals_[k].clear();
    for (const std::int32_t item : grammar_.late)
        if (present(item, k)) sealed.values[layer_after(sealed.labels, 0, item) * items + item] = rows_[item][k];
    for (std::int64_t layer = 0; layer < sealed.layers; ++layer) close_layer(i, k, sealed, layer);
    cell_open_[i * states_ + k] = active_count_;
    const Number *last = sealed.values.data() + (sealed.layers - 1) * items;
    const auto leave = [&](std::int32_t item, Number value) {
        rows_[item][k] = value;
        const std::uint64_t bit = std::uint64_t{1} << (k % 64);
        if (record(item, value))
            bits_[item * words_ + k / 64] |= bit;
        else
            bits_[item * words_ + k / 64] &= ~bit;
    };
    for (const std::int32_t item : grammar_.item_of) leave(item, last[item]);
    for (const std::int32_t item : grammar_.late_prefixes) {
        Number value = K::zero();
        for (std::int64_t at = grammar_.into_unary_offsets[item]; at < grammar_.into_unary_offsets[item + 1]; ++at) {
            const std::int32_t edge = grammar_.into_unary[at], source = grammar_.unary_source[edge];
            if (grammar_.is_late[source] && present(source, k))
                value = K::add(value, K::mul(rows_[source][k], weights_.edges[grammar_.unaries() + edge]));
        }
        leave(item, value);
    }
}

// The outward pass through a sealed cell. Afterwards rows have, of each late item, the outside of what was
// brought to the cell.
template <class K>
void Sweep<K>::open_sealed(std::int64_t i, std::int64_t k, Cell<Number> &cell, double *marginals) {
    const std::int64_t items = grammar_.items, span = span_number(states_, i, k);
    Sealed &sealed = sealed_[i * states_ + k];
    const std::int64_t layers = sealed.layers;
    sealed.outside.assign(layers * items, K::zero());
    std::vector<Number> left(items, K::zero()); // of what leaves the cell
    std::vector<Number> values(items, K::zero());
    for (std::int64_t place = 0; place < cell.count; ++place) {
        left[cell.items[place]] = gather(i, k, place, cell);
        values[cell.items[place]] = cell.values[place];
    }
    const auto count = [&](std::int64_t u, Number below, Number over) {
        const std::int64_t number = grammar_.unaries() + u;
        const Number part = K::mul(K::mul(below, over), cell.weights[number]);
        cell.totals[number] += cell.coefficient * K::to_double(part);
        return K::mul(over, cell.weights[number]);
    };
    for (auto at = grammar_.late_prefixes.rbegin(); at != grammar_.late_prefixes.rend(); ++at) {
        if (K::is_zero(left[*at])) continue;
        for (std::int64_t e = grammar_.into_unary_offsets[*at]; e < grammar_.into_unary_offsets[*at + 1]; ++e) {
            const std::int32_t edge = grammar_.into_unary[e], source = grammar_.unary_source[edge];
            if (!grammar_.is_late[source] || K::is_zero(values[source])) continue;
            left[source] = K::add(left[source], count(edge, values[source], left[*at]));
        }
    }
    for (const std::int32_t item : grammar_.item_of) sealed.outside[(layers - 1) * items + item] = left[item];
    // Layer by layer; `outside` is before the factor of an item for those that are done, by which edges
    // into them see it.
    for (std::int64_t layer = layers - 1; layer >= 0; --layer) {
        Number *outer = sealed.outside.data() + layer * items;
        const Number *inner = sealed.values.data() + layer * items;
        blocked_.assign(items, 0);
        for (const std::int32_t label : sealed.labels) blocked_[label] = layer_after(sealed.labels, layer, label) != layer;
        const auto reach = [&](std::int32_t item) {
            const std::int32_t component = grammar_.component[item];
            for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u) {
                const std::int32_t target = grammar_.unary_target[u];
                if (component >= 0 && grammar_.component[target] == component && !blocked_[target]) continue;
                const Number over = sealed.outside[layer_after(sealed.labels, layer, target) * items + target];
                if (!K::is_zero(over)) outer[item] = K::add(outer[item], count(u, inner[item], over));
            }
        };
        const auto finish = [&](std::int32_t item) {
            const std::int32_t s = grammar_.row_of[item];
            if (marginals && s >= 0)
                marginals[span * grammar_.nonterminals + s] += K::to_double(K::mul(outer[item], inner[item]));
            outer[item] = K::mul(outer[item], factor(i, k, item));
        };
        for (std::int64_t at = static_cast<std::int64_t>(grammar_.late.size()) - 1; at >= 0;) {
            const std::int32_t item = grammar_.late[at], component = grammar_.component[item];
            if (component < 0) {
                reach(item);
                finish(item);
                --at;
                continue;
            }
            const std::int32_t first = grammar_.component_first[component], last = grammar_.component_last[component];
            const std::int64_t size = last - first;
            const Number *closure = closure_in(i, k, component);
            for (std::int32_t x = first; x < last; ++x) reach(x);
            before_.assign(outer + first, outer + last);
            for (std::int64_t x = 0; x < size; ++x) {
                outer[first + x] = K::zero();
                for (std::int64_t y = 0; y < size; ++y)
                    outer[first + x] = K::add(outer[first + x], K::mul(closure[y * size + x], before_[y]));
            }
            for (std::int32_t x = first; x < last; ++x) {
                if (!endless_ && !K::is_zero(outer[x]) && !K::is_zero(inner[x])) endless_ = on_cycle(i, k, x);
                finish(x);
            }
            for (std::int32_t x = first; x < last; ++x)
                for (std::int64_t u = grammar_.unary_offsets[x]; u < grammar_.unary_offsets[x + 1]; ++u) {
                    const std::int32_t target = grammar_.unary_target[u];
                    if (grammar_.component[target] == component && !blocked_[target]) count(u, inner[x], outer[target]);
                }
            at -= size;
        }
        blocked_.clear();
    }
    for (const std::int32_t item : grammar_.late)
        add(cell, item, k, sealed.outside[layer_after(sealed.labels, 0, item) * items + item]);
}

// The ways of an item of a layer: items + layer · items + item; or of one that leaves the cell.
template <class K>
template <class Visit>
void Sweep<K>::sealed_ways(std::int32_t item, std::int64_t i, std::int64_t k, Visit &&visit) {
    const std::int32_t items = grammar_.items;
    const Sealed &sealed = sealed_.at(i * states_ + k);
    bool stop = false;
    const auto offer = [&](const Way &way, Number value) {
        stop = stop || (!K::is_zero(value) && visit(way, value));
        return stop;
    };
    std::int64_t layer = sealed.layers - 1;
    if (item < items && grammar_.row_of[item] < 0) { // a prefix that leaves, made of what leaves
        for (std::int64_t at = grammar_.into_unary_offsets[item]; at < grammar_.into_unary_offsets[item + 1]; ++at) {
            const std::int32_t edge = grammar_.into_unary[at], source = grammar_.unary_source[edge];
            if (!grammar_.is_late[source]) continue;
            const std::int64_t number = grammar_.unaries() + edge;
            if (offer({number, k, source}, K::mul(laid_out(source, i, k), weights_.edges[number]))) return;
        }
        return;
    }
    if (item >= items) {
        layer = item / items - 1;
        item %= items;
    }
    const Number by = factor(i, k, item);
    if (layer_after(sealed.labels, 0, item) == layer) {
        base_ways(item, i, k, by, offer);
        if (stop) return;
        for (std::int64_t at = grammar_.into_unary_offsets[item]; at < grammar_.into_unary_offsets[item + 1]; ++at) {
            const std::int32_t edge = grammar_.into_unary[at], source = grammar_.unary_source[edge];
            if (grammar_.is_late[source]) continue;
            const std::int64_t number = grammar_.unaries() + edge;
            const Number value = K::mul(K::mul(laid_out(source, i, k), weights_.edges[number]), by);
            if (offer({number, k, source}, value)) return;
        }
    }
    for (std::int64_t from = 0; from <= layer; ++from) {
        if (layer_after(sealed.labels, from, item) != layer) continue;
        for (std::int64_t at = grammar_.into_unary_offsets[item]; at < grammar_.into_unary_offsets[item + 1]; ++at) {
            const std::int32_t edge = grammar_.into_unary[at], source = grammar_.unary_source[edge];
            if (!grammar_.is_late[source]) continue;
            const std::int64_t number = grammar_.unaries() + edge;
            const auto below = static_cast<std::int32_t>((from + 1) * items + source);
            const Number value = K::mul(K::mul(laid_out(below, i, k), weights_.edges[number]), by);
            if (offer({number, k, below}, value)) return;
        }
    }
}

} // namespace weft::chart
