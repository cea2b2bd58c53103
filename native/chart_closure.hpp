// The unary closure of a cell: what its items come to by unary edges, and what of them is kept.
#pragma once

#include "chart_cells.hpp"

namespace weft::chart {

template <class K> inline void check_range(Sweep<K> &sweep, typename K::Number value) {
    if constexpr (K::scaled)
        if (value != 0.0 && !(value > power(-K::WIDEST) && value < power(K::WIDEST))) sweep.outcome = Outcome::out_of_range;
}

template <class K> inline bool record(Sweep<K> &sweep, std::int32_t item, typename K::Number value) {
    if (K::is_zero(value)) return false;
    check_range(sweep, value);
    sweep.cells.list(item, value);
    return true;
}

// The closure of a component in a cell, [target, source].
template <class K>
const typename K::Number *closure_in(Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::int32_t component) {
    const Weights<K> &weights = sweep.in.weights;
    const std::int64_t at = weights.offsets[component];
    if (sweep.limits.plain) return weights.closures.data() + at;
    const Range run = sweep.in.grammar.components[component];
    const std::int64_t size = run.size();
    auto &matrix = sweep.closure.matrix;
    matrix.assign(weights.steps.begin() + at, weights.steps.begin() + at + size * size);
    for (std::int64_t y = 0; y < size; ++y) {
        const auto by = sweep.limits.factor(i, k, static_cast<std::int32_t>(run.first + y));
        for (std::int64_t x = 0; x < size; ++x) matrix[y * size + x] = K::mul(matrix[y * size + x], by);
    }
    if (!close_matrix<K>(matrix.data(), size)) sweep.outcome = Outcome::diverges;
    return matrix.data();
}

// The outside of an item of a component, of those before the closure.
template <class K>
typename K::Number transposed(const typename K::Number *closure, const std::vector<typename K::Number> &before, std::int64_t x) {
    const auto size = static_cast<std::int64_t>(before.size());
    auto outer = K::zero();
    for (std::int64_t y = 0; y < size; ++y) outer = K::add(outer, K::mul(closure[y * size + x], before[y]));
    return outer;
}

// Whether unary edges lead from an item of a component back to it, in this cell.
template <class K> bool on_cycle(const Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::int32_t item) {
    const Topology &grammar = sweep.in.grammar;
    std::vector<std::int32_t> reached{item};
    for (std::size_t at = 0; at < reached.size(); ++at)
        for (const std::int64_t u : grammar.unary.from(reached[at])) {
            const std::int32_t target = grammar.unary.target[u];
            if (!grammar.in_cycle(item, target) || K::is_zero(sweep.in.unary(u)) ||
                (!sweep.limits.plain && K::is_zero(sweep.limits.factor(i, k, target))))
                continue;
            if (target == item) return true;
            if (std::find(reached.begin(), reached.end(), target) == reached.end()) reached.push_back(target);
        }
    return false;
}

// The best of a component by single steps, so that each number is exactly that of some way to make it.
template <class K> void relax(Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::int32_t component) {
    const Topology &grammar = sweep.in.grammar;
    const Range run = grammar.components[component];
    auto &after = sweep.closure.after;
    after = sweep.closure.before;
    bool better = true;
    for (std::int64_t round = 0; better && round <= run.size(); ++round) {
        better = false;
        for (const std::int64_t x : run)
            for (const std::int64_t u : grammar.unary.from(x)) {
                const std::int32_t y = grammar.unary.target[u];
                if (y < run.first || y >= run.last) continue;
                const auto value = sweep.limits.weighed(K::mul(after[x - run.first], sweep.in.unary(u)), i, k, y);
                if (!K::less(after[y - run.first], value)) continue;
                after[y - run.first] = value;
                better = true;
            }
    }
    if (better) sweep.outcome = Outcome::diverges;
}

// From what is brought to a component, `before`, to what it comes to, `after`.
template <class K> void close_values(Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::int32_t component) {
    if constexpr (chooses<K>) {
        relax(sweep, i, k, component);
    } else {
        const auto &before = sweep.closure.before;
        auto &after = sweep.closure.after;
        const auto size = static_cast<std::int64_t>(before.size());
        const auto *closure = closure_in(sweep, i, k, component);
        after.assign(size, K::zero());
        for (std::int64_t y = 0; y < size; ++y)
            for (std::int64_t x = 0; x < size; ++x) after[y] = K::add(after[y], K::mul(closure[y * size + x], before[x]));
    }
}

// Follows the unary edges of an item to late items, whose rows are all begun.
template <class K> inline void send_up(Sweep<K> &sweep, std::int32_t item, typename K::Number value, std::int64_t k) {
    const Topology &grammar = sweep.in.grammar;
    const Topology::Uses &uses = grammar.uses[item];
    const std::int32_t component = grammar.component[item];
    const std::int32_t *targets = grammar.unary.target.data();
    const auto *weights = sweep.in.weights.edges.data() + grammar.unaries();
    const std::int64_t words = sweep.row.words;
    std::uint64_t *bits = sweep.row.bits.data() + k / 64;
    auto *const *rows = sweep.row.rows.data();
    for (std::int32_t u = uses.unary_first; u < uses.unary_last; ++u) {
        const std::int32_t target = targets[u];
        if (component >= 0 && grammar.component[target] == component) continue;
        const auto part = K::mul(value, weights[u]);
        if (K::is_zero(part)) continue;
        auto &to = rows[target][k];
        to = K::add(to, part);
        bits[target * words] |= std::uint64_t{1} << (k % 64);
    }
}

template <class K>
void close_early(Sweep<K> &sweep, std::int32_t item, typename K::Number value, std::int64_t i, std::int64_t k) {
    const Topology::Uses &uses = sweep.in.grammar.uses[item];
    const bool completes = uses.unary_first < uses.unary_last;
    // What nothing can follow, and completes nothing, is of no use.
    if (!completes && !(uses.rights & sweep.rights.alive[k]) && !(uses.terminals & sweep.arcs.filter[k])) return;
    if (!completes && sweep.limits.sealed(i, k)) return;
    value = sweep.limits.weighed(value, i, k, item);
    if (record(sweep, item, value) && completes) send_up(sweep, item, value, k);
}

// All items of a cell that are not late.
template <class K> void close_earlies(Sweep<K> &sweep, std::int64_t i, std::int64_t k) {
    Row<K> &row = sweep.row;
    const std::uint64_t *bits = row.bits.data() + k / 64;
    const std::int64_t words = row.words;
    for (const std::int32_t item : row.touched)
        if (bits[item * words] >> (k % 64) & 1) close_early(sweep, item, row.rows[item][k], i, k);
    for (const auto &each : row.arrivals[k]) close_early(sweep, each.item, each.value, i, k);
    row.arrivals[k].clear();
}

template <class K> void close_component(Sweep<K> &sweep, std::int64_t i, std::int64_t k, std::int32_t component) {
    const Range run = sweep.in.grammar.components[component];
    const auto first = static_cast<std::int32_t>(run.first), last = static_cast<std::int32_t>(run.last);
    Row<K> &row = sweep.row;
    auto &before = sweep.closure.before;
    bool any = false;
    before.assign(last - first, K::zero());
    for (std::int32_t x = first; x < last; ++x) {
        if (!row.present(x, k)) continue;
        any = true;
        before[x - first] = sweep.limits.weighed(row.rows[x][k], i, k, x);
    }
    if (!any) return;
    close_values(sweep, i, k, component);
    for (std::int32_t y = first; y < last; ++y) {
        const auto value = sweep.closure.after[y - first];
        row.put(y, k, value);
        if (record(sweep, y, value)) send_up(sweep, y, value, k);
    }
}

template <class K> void close_cell(Sweep<K> &sweep, std::int64_t i, std::int64_t k) {
    const Topology &grammar = sweep.in.grammar;
    Row<K> &row = sweep.row;
    close_earlies(sweep, i, k);
    const std::vector<std::int32_t> &late = grammar.late.items;
    for (std::size_t at = 0; at < late.size(); ++at) {
        const std::int32_t item = late[at], component = grammar.component[item];
        if (component >= 0) {
            close_component(sweep, i, k, component);
            at += grammar.components[component].size() - 1;
            continue;
        }
        if (!row.present(item, k)) continue;
        auto &value = row.rows[item][k];
        value = sweep.limits.weighed(value, i, k, item);
        if (record(sweep, item, value))
            send_up(sweep, item, value, k);
        else
            row.clear(item, k);
    }
}

// Marks what stays of the last cell: what is not far below the best of its kind, nonterminals and prefixes
// apart, and what unary edges make something of that stays.
template <class K> void mark_kept(Sweep<K> &sweep, std::int64_t first) {
    const Topology &grammar = sweep.in.grammar;
    Cells<K> &cells = sweep.cells;
    double best[2] = {NEG_INF, NEG_INF};
    for (std::int64_t a = first; a < cells.count; ++a) {
        double &mine = best[grammar.row_of[cells.items[a]] >= 0];
        mine = std::max(mine, K::to_log(cells.values[a]));
    }
    cells.kept.assign(grammar.items, 0);
    for (std::int64_t a = cells.count - 1; a >= first; --a) {
        const std::int32_t item = cells.items[a], component = grammar.component[item];
        if (K::to_log(cells.values[a]) >= best[grammar.row_of[item] >= 0] + sweep.limits.extras.beam) cells.kept[item] = 1;
        if (!cells.kept[item]) continue;
        for (const std::int64_t each : component < 0 ? Range{item, item + 1} : grammar.components[component]) {
            cells.kept[each] = 1;
            for (const std::int32_t edge : grammar.unary.into[each]) cells.kept[grammar.unary.left[edge]] = 1;
        }
    }
}

// Drops from the last cell what is far below the best.
template <class K> void prune(Sweep<K> &sweep, std::int64_t i, std::int64_t k) {
    Cells<K> &cells = sweep.cells;
    const std::int64_t first = cells.at(i, k).open, end = cells.count;
    mark_kept(sweep, first);
    cells.count = first;
    for (std::int64_t a = first; a < end; ++a) {
        const std::int32_t item = cells.items[a];
        if (cells.kept[item])
            cells.list(item, cells.values[a]);
        else if (sweep.in.grammar.late.has[item])
            sweep.row.put(item, k, K::zero());
    }
}

} // namespace weft::chart
