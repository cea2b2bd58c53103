// The inward pass of a sweep: rows are filled, closed over unary edges, pruned and scaled.
//
// The bodies of Sweep's members; included by chart.hpp, whose comment says what they compute.
#pragma once

#include "chart.hpp"

namespace weft::chart {

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
