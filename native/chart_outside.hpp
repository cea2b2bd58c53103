// The outward pass of a chart: how often each edge, and each nonterminal over each span, is expected.
//
// The outside of an item is the derivative of log Z by its number. Rows go from the first start to the
// last and each from right to left, so that all that an item is part of comes before it. A cell is left
// in the reverse of the order in which it was closed; a cyclic component by its closure transposed. The
// expected number of an edge is outside(target) · w · its children, in closures too: the derivative of
// (I − U)⁻¹ by an entry of U is the product of the column before it and the row after it.
#pragma once

#include "chart.hpp"

namespace weft::chart {

template <class K> void Sweep<K>::outside(double coefficient, double *totals, double *marginals) {
    if (Wide::is_zero(total_)) return;
    const std::int64_t n = grammar_.nonterminals;
    const Number *weights = weights_.edges.data();
    const WideNumber inverse = Wide::inverse(total_);
    const auto share = [&](WideNumber value) {
        const WideNumber made = Wide::mul(value, inverse);
        if constexpr (std::is_same_v<K, Wide>)
            return made;
        else
            return Wide::to_double(made);
    };
    if (final(0))
        totals[grammar_.empty()] += coefficient * K::to_double(share(wide(weights[grammar_.empty()])));
    grow(outside_, states_ * n * stride_);
    for (std::int64_t r = 0; r < states_ * n; ++r)
        if (right_last_[r] >= 0)
            std::fill(outside_.begin() + r * stride_, outside_.begin() + (r + 1) * stride_, K::zero());
    for (std::int32_t item = 0; item < grammar_.items; ++item) rows_[item] = prefixes_.data() + item * stride_;

    for (std::int64_t i = 0; i + 1 < states_; ++i) {
        std::fill(stamps_.begin(), stamps_.end(), -1);
        touched_.clear();
        const auto above = [&](std::int32_t item, std::int64_t k) {
            return stamps_[item] == i && present(item, k) ? rows_[item][k] : K::zero();
        };
        for (std::int64_t k = states_ - 1; k > i; --k) {
            Cell<Number> cell = cell_at(i, k);
            const std::int64_t first = cell_first_[i * states_ + k];
            const std::int64_t count = cell_last_[i * states_ + k] - first;
            cell.right_outside = outside_.data() + k * n * stride_;
            cell.coefficient = coefficient;
            cell.totals = totals;
            // What scans of a left add; targets are in the same row, further right.
            const auto scanned = [&](std::int32_t left, Number value) {
                Number sum = K::zero();
                if (!(grammar_.scan_filter[left] & arc_filter_[k])) return sum;
                const std::int64_t from = grammar_.scan_offsets[left], to = grammar_.scan_offsets[left + 1];
                for (std::int64_t a = arcs_from(k); a < arcs_to(k); ++a) {
                    const auto begin = grammar_.scan_terminal.begin();
                    auto at = std::lower_bound(begin + from, begin + to, all_.arc_terminal[a]);
                    for (; at != begin + to && *at == all_.arc_terminal[a]; ++at) {
                        const std::int64_t edge = at - begin;
                        const Number over = above(grammar_.scan_target[edge], all_.arc_target[a]);
                        if (K::is_zero(over)) continue;
                        const Number part = K::mul(K::mul(over, arc_factor(a)), weights[grammar_.scans() + edge]);
                        totals[grammar_.scans() + edge] += coefficient * K::to_double(K::mul(value, part));
                        sum = K::add(sum, part);
                    }
                }
                return sum;
            };
            for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
                if (all_.arc_target[a] != k || all_.arc_terminal[a] < 0) continue;
                if (extras_.prefixes && !extras_.prefixes[span_number(states_, i, k)]) continue;
                const std::int32_t left = grammar_.items + all_.arc_terminal[a];
                const Number value = arc_factor(a);
                Number unused;
                cell.items = &left;
                cell.values = &value;
                cell.outside = &unused;
                cell.count = 1;
                pull<K>(cell);
                scanned(left, value);
            }
            left_outside_.resize(count);
            cell.items = active_items_.data() + first;
            cell.values = active_values_.data() + first;
            cell.outside = left_outside_.data();
            cell.count = count;
            pull<K>(cell);

            const auto put = [&](std::int64_t place, Number outer) {
                const std::int32_t item = cell.items[place], s = grammar_.row_of[item];
                if (K::is_zero(outer)) return;
                if (marginals && s >= 0)
                    marginals[span_number(states_, i, k) * n + s] = K::to_double(K::mul(outer, cell.values[place]));
                if (!plain_) outer = K::mul(outer, factor(i, k, item));
                add(cell, item, k, outer);
            };
            // All that an item is part of, but for unary edges within its component.
            const auto gather = [&](std::int64_t place) {
                const std::int32_t item = cell.items[place], s = grammar_.row_of[item];
                Number outer = K::add(left_outside_[place], scanned(item, cell.values[place]));
                if (s >= 0 && right_last_[i * n + s] >= 0)
                    outer = K::add(outer, outside_[(i * n + s) * stride_ + k]);
                if (i == 0 && s == grammar_.start && final(k))
                    outer = K::add(outer, share(unscaled(K::one(), k)));
                const std::int32_t component = grammar_.component[item];
                for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u) {
                    const std::int32_t target = grammar_.unary_target[u];
                    if (component >= 0 && grammar_.component[target] == component) continue;
                    outer = K::add(outer, K::mul(above(target, k), weights[grammar_.unaries() + u]));
                }
                return outer;
            };
            for (std::int64_t place = count - 1; place >= 0;) {
                const std::int32_t component = grammar_.component[cell.items[place]];
                if (component < 0) {
                    put(place, gather(place));
                    --place;
                    continue;
                }
                const std::int32_t from = grammar_.component_first[component];
                const std::int64_t size = grammar_.component_last[component] - from;
                const Number *closure = closure_in(i, k, component);
                std::int64_t low = place;
                while (low > 0 && grammar_.component[cell.items[low - 1]] == component) --low;
                before_.assign(size, K::zero());
                for (std::int64_t p = low; p <= place; ++p) before_[cell.items[p] - from] = gather(p);
                for (std::int64_t p = low; p <= place; ++p) {
                    Number outer = K::zero();
                    for (std::int64_t y = 0; y < size; ++y)
                        outer = K::add(outer, K::mul(closure[y * size + cell.items[p] - from], before_[y]));
                    put(p, outer);
                }
                place = low - 1;
            }
            for (std::int64_t place = 0; place < count; ++place) {
                const std::int32_t item = cell.items[place];
                for (std::int64_t u = grammar_.unary_offsets[item]; u < grammar_.unary_offsets[item + 1]; ++u) {
                    const Number over = above(grammar_.unary_target[u], k);
                    if (K::is_zero(over)) continue;
                    const Number part = K::mul(K::mul(over, weights[grammar_.unaries() + u]), cell.values[place]);
                    totals[grammar_.unaries() + u] += coefficient * K::to_double(part);
                }
            }
            for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
                const std::int32_t entry = all_.arc_entry[a];
                if (all_.arc_target[a] != k || entry < 0) continue;
                for (std::int64_t e = grammar_.entry_offsets[entry]; e < grammar_.entry_offsets[entry + 1]; ++e) {
                    const std::int64_t edge = grammar_.entry_edges[e];
                    const Number over = above(grammar_.lexical_target[edge], k);
                    if (K::is_zero(over)) continue;
                    const Number part = K::mul(K::mul(over, arc_factor(a)), weights[grammar_.lexicals() + edge]);
                    totals[grammar_.lexicals() + edge] += coefficient * K::to_double(part);
                }
            }
        }
    }
}

} // namespace weft::chart
