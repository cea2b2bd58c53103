// The outward pass of a chart: how often each edge, and each nonterminal over each span, is expected.
//
// The outside of an item is the derivative of log Z by its number. Rows go from the first start to the
// last and each from right to left, so that all that an item is part of comes before it. A cell is left
// in the reverse of the order in which it was closed; a cyclic component by its closure transposed. The
// expected number of an edge is outside(target) · w · its children, in closures too: the derivative of
// (I − U)⁻¹ by an entry of U is the product of the column before it and the row after it.
#pragma once

#include "chart_sealed.hpp"

namespace weft::chart {

// What the scans of a left add to its outside; their targets are in the same row, further right.
template <class K>
typename K::Number Sweep<K>::scanned(std::int64_t i, std::int64_t k, std::int32_t left, Number value, Cell<Number> &cell) {
    Number sum = K::zero();
    if (!(grammar_.uses[left].terminals & arc_filter_[k])) return sum;
    const auto begin = grammar_.scan_terminal.begin();
    const auto first = begin + grammar_.scan_offsets[left], last = begin + grammar_.scan_offsets[left + 1];
    for (std::int64_t a = arcs_from(k); a < arcs_to(k); ++a) {
        if (required(k, all_.arc_target[a]) >= 0) continue;
        for (auto at = std::lower_bound(first, last, all_.arc_terminal[a]); at != last && *at == all_.arc_terminal[a]; ++at) {
            const std::int64_t edge = at - begin;
            const Number over = above(grammar_.scan_target[edge], i, all_.arc_target[a]);
            if (K::is_zero(over)) continue;
            const std::int64_t number = grammar_.scans() + edge;
            const Number part = K::mul(K::mul(over, arc_factor(a)), cell.weights[number]);
            cell.totals[number] += cell.coefficient * K::to_double(K::mul(value, part));
            sum = K::add(sum, part);
        }
    }
    return sum;
}

// Counts the edges of terminals that span the cell as first symbols of right sides.
template <class K> void Sweep<K>::pull_arc_lefts(std::int64_t i, std::int64_t k, Cell<Number> &cell) {
    for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
        if (all_.arc_target[a] != k || all_.arc_terminal[a] < 0 || required(i, k) >= 0) continue;
        const std::int32_t left = grammar_.items + all_.arc_terminal[a];
        const Number value = arc_factor(a);
        Number unused;
        cell.items = &left;
        cell.values = &value;
        cell.outside = &unused;
        cell.count = 1;
        pull<K>(cell);
        scanned(i, k, left, value, cell);
    }
}

// The outside of an item of the cell, but for unary edges within its component; in a sealed cell, but for
// all unary edges.
template <class K>
typename K::Number Sweep<K>::gather(std::int64_t i, std::int64_t k, std::int64_t place, Cell<Number> &cell) {
    const std::int64_t n = grammar_.nonterminals;
    const std::int32_t item = cell.items[place], s = grammar_.row_of[item];
    Number outer = K::add(cell.outside[place], scanned(i, k, item, cell.values[place], cell));
    if (s >= 0 && right_last_[i * n + s] >= 0) outer = K::add(outer, outside_[(i * n + s) * stride_ + k]);
    if (i == 0 && s == grammar_.start && final(k)) outer = K::add(outer, share(unscaled(K::one(), k)));
    if (required(i, k) >= 0) return outer;
    const std::int32_t component = grammar_.component[item];
    for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u) {
        const std::int32_t target = grammar_.unary_target[u];
        if (component >= 0 && grammar_.component[target] == component) continue;
        outer = K::add(outer, K::mul(above(target, i, k), cell.weights[grammar_.unaries() + u]));
    }
    return outer;
}

// Notes an outside. What edges into the item see is what was before scores of spans.
template <class K>
void Sweep<K>::put(std::int64_t i, std::int64_t k, std::int64_t place, Number outer, Cell<Number> &cell, double *marginals) {
    const std::int32_t item = cell.items[place], s = grammar_.row_of[item];
    if (K::is_zero(outer)) return;
    if (marginals && s >= 0)
        marginals[span_number(states_, i, k) * grammar_.nonterminals + s] =
            K::to_double(K::mul(outer, cell.values[place]));
    if (!plain_) outer = K::mul(outer, factor(i, k, item));
    if (K::is_zero(above(item, i, k))) add(cell, item, k, outer); // an item may be listed twice, with one outside
}

template <class K> void Sweep<K>::open_cell(std::int64_t i, std::int64_t k, Cell<Number> &cell, double *marginals) {
    for (std::int64_t place = cell.count - 1; place >= 0;) {
        const std::int32_t component = grammar_.component[cell.items[place]];
        if (component < 0) {
            put(i, k, place, gather(i, k, place, cell), cell, marginals);
            --place;
            continue;
        }
        const std::int32_t from = grammar_.component_first[component];
        const std::int64_t size = grammar_.component_last[component] - from;
        const Number *closure = closure_in(i, k, component);
        std::int64_t low = place;
        while (low > 0 && grammar_.component[cell.items[low - 1]] == component) --low;
        before_.assign(size, K::zero());
        for (std::int64_t p = low; p <= place; ++p) before_[cell.items[p] - from] = gather(i, k, p, cell);
        for (std::int64_t p = low; p <= place; ++p) {
            Number outer = K::zero();
            for (std::int64_t y = 0; y < size; ++y)
                outer = K::add(outer, K::mul(closure[y * size + cell.items[p] - from], before_[y]));
            put(i, k, p, outer, cell, marginals);
            if (!endless_ && !K::is_zero(outer)) endless_ = on_cycle(i, k, cell.items[p]);
        }
        place = low - 1;
    }
}

// Counts the unary edges of some listed items.
template <class K>
void Sweep<K>::count_unaries(std::int64_t i, std::int64_t k, std::int64_t first, std::int64_t last, Cell<Number> &cell) {
    for (std::int64_t at = first; at < last; ++at) {
        const std::int32_t item = active_items_[at];
        for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u) {
            const Number over = above(grammar_.unary_target[u], i, k);
            if (K::is_zero(over)) continue;
            const std::int64_t number = grammar_.unaries() + u;
            const Number part = K::mul(K::mul(over, cell.weights[number]), active_values_[at]);
            cell.totals[number] += cell.coefficient * K::to_double(part);
        }
    }
}

template <class K> void Sweep<K>::count_lexical(std::int64_t i, std::int64_t k, Cell<Number> &cell) {
    for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
        const std::int32_t entry = all_.arc_entry[a];
        if (all_.arc_target[a] != k || entry < 0) continue;
        for (std::int64_t e = grammar_.entry_offsets[entry]; e < grammar_.entry_offsets[entry + 1]; ++e) {
            const std::int64_t edge = grammar_.entry_edges[e], number = grammar_.lexicals() + edge;
            const Number over = above(grammar_.lexical_target[edge], i, k);
            if (K::is_zero(over)) continue;
            const Number part = K::mul(K::mul(over, arc_factor(a)), cell.weights[number]);
            cell.totals[number] += cell.coefficient * K::to_double(part);
        }
    }
}

template <class K> void Sweep<K>::outside(double coefficient, double *totals, double *marginals) {
    if (Wide::is_zero(total_)) return;
    const std::int64_t n = grammar_.nonterminals;
    if (final(0))
        totals[grammar_.empty()] += coefficient * K::to_double(share(wide(weights_.edges[grammar_.empty()])));
    grow(outside_, states_ * n * stride_);
    for (std::int64_t r = 0; r < states_ * n; ++r)
        if (right_last_[r] >= 0)
            std::fill(outside_.begin() + r * stride_, outside_.begin() + (r + 1) * stride_, K::zero());
    for (std::int32_t item = 0; item < grammar_.items; ++item) rows_[item] = prefixes_.data() + item * stride_;
    for (std::int64_t i = 0; i + 1 < states_; ++i) {
        std::fill(stamps_.begin(), stamps_.end(), -1);
        touched_.clear();
        for (std::int64_t k = states_ - 1; k > i; --k) {
            Cell<Number> cell = cell_at(i, k);
            cell.right_outside = outside_.data() + k * n * stride_;
            cell.coefficient = coefficient;
            cell.totals = totals;
            pull_arc_lefts(i, k, cell);
            const std::int64_t first = cell_first_[i * states_ + k], last = cell_last_[i * states_ + k];
            const std::int64_t open = cell_open_[i * states_ + k];
            cell.items = active_items_.data() + open;
            cell.values = active_values_.data() + open;
            cell.count = last - open;
            left_outside_.resize(cell.count);
            cell.outside = left_outside_.data();
            pull<K>(cell);
            if (required(i, k) >= 0) {
                open_sealed(i, k, cell, marginals);
                count_unaries(i, k, first, open, cell);
                // The items that are listed before made others of the cell, and are put after them.
                cell.items = active_items_.data() + first;
                cell.values = active_values_.data() + first;
                for (std::int64_t place = 0; place < open - first; ++place) {
                    Number outer = K::zero();
                    const std::int32_t item = cell.items[place];
                    for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u)
                        outer = K::add(outer, K::mul(above(grammar_.unary_target[u], i, k),
                                                     cell.weights[grammar_.unaries() + u]));
                    put(i, k, place, outer, cell, nullptr);
                }
            } else {
                open_cell(i, k, cell, marginals);
                count_unaries(i, k, first, last, cell);
            }
            count_lexical(i, k, cell);
        }
    }
}

} // namespace weft::chart
