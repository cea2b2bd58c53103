// The inside pass: rows are filled, closed over unary edges, pruned and scaled.
#pragma once

#include "chart_sealed.hpp"

namespace weft::chart {

// Calls visit(arc, edge) for the scans of a left that ends at k.
template <class K, class Visit> inline void each_scan(const Sweep<K> &sweep, std::int64_t k, std::int32_t left, Visit &&visit) {
    const Edges &scan = sweep.in.grammar.scan;
    const Lattice &lattice = sweep.lattice;
    const auto begin = scan.sister.begin();
    const auto first = begin + scan.offsets[left], last = begin + scan.offsets[left + 1];
    for (const std::int64_t a : lattice.arcs(k)) {
        if (sweep.limits.sealed(k, lattice.target[a])) continue; // a node must span it, and not a bare terminal
        for (auto at = std::lower_bound(first, last, lattice.terminal[a]); at != last && *at == lattice.terminal[a]; ++at)
            visit(a, at - begin);
    }
}

// Calls visit(left, number) for the terminals that span i … k as the first symbols of right sides.
template <class K, class Visit> inline void each_terminal(const Sweep<K> &sweep, std::int64_t i, std::int64_t k, Visit &&visit) {
    const Lattice &lattice = sweep.lattice;
    for (const std::int64_t a : lattice.arcs(i))
        if (lattice.target[a] == k && lattice.terminal[a] >= 0 && !sweep.limits.sealed(i, k))
            visit(sweep.in.grammar.items + lattice.terminal[a], sweep.arcs.factors[a]);
}

template <class K> void scan(Sweep<K> &sweep, std::int64_t k, std::int32_t left, typename K::Number value) {
    const Topology &grammar = sweep.in.grammar;
    each_scan(sweep, k, left, [&](std::int64_t a, std::int64_t edge) {
        const auto made = K::mul(K::mul(value, sweep.arcs.factors[a]), sweep.in.weights.edges[grammar.scans() + edge]);
        if (K::is_zero(made)) return;
        const std::int32_t target = grammar.scan.target[edge];
        if (grammar.late.has[target])
            sweep.row.add(target, sweep.lattice.target[a], made);
        else
            sweep.row.arrivals[sweep.lattice.target[a]].push_back({target, made});
    });
}

// Begins the rows of late items; those of others are begun when they are first needed.
template <class K> void begin_row(Sweep<K> &sweep, std::int64_t i) {
    const Topology &grammar = sweep.in.grammar;
    Row<K> &row = sweep.row;
    for (std::int64_t s = 0; s < grammar.nonterminals; ++s)
        row.rows[grammar.item_of[s]] = sweep.rights.inside.data() + sweep.rights.at(i, s, 0);
    row.restart(i);
    for (const std::int32_t item : grammar.late.items) row.begin(item);
    row.touched.clear();
}

// What the arcs of a state are read as: rules of one terminal.
template <class K> void read_arcs(Sweep<K> &sweep, std::int64_t i) {
    const Topology &grammar = sweep.in.grammar;
    const Lattice &lattice = sweep.lattice;
    if constexpr (K::scaled) sweep.arcs.scale[i] = sweep.arcs.scale[i + 1];
    if (!sweep.arcs.rescale(lattice, i)) {
        sweep.outcome = Outcome::out_of_range;
        return;
    }
    for (const std::int64_t a : lattice.arcs(i)) {
        if (lattice.entry[a] < 0) continue;
        for (const std::int32_t edge : grammar.entries[lattice.entry[a]])
            sweep.row.add(grammar.lexical_target[edge], lattice.target[a],
                          K::mul(sweep.arcs.factors[a], sweep.in.weights.edges[grammar.lexicals() + edge]));
    }
}

// Sends the items of a cell on, as lefts.
template <class K> void push_cell(Sweep<K> &sweep, std::int64_t i, std::int64_t k) {
    const auto [first, open, last] = sweep.cells.at(i, k);
    const Lefts<K> lefts = sweep.cells.listed(open, last);
    if (sweep.rights.alive[k]) push(sweep, lefts, k);
    if (const std::uint64_t filter = sweep.arcs.filter[k])
        for (std::int64_t place = 0; place < lefts.count; ++place)
            if (sweep.in.grammar.uses[lefts.items[place]].terminals & filter)
                scan(sweep, k, lefts.items[place], lefts.values[place]);
    each_terminal(sweep, i, k, [&](std::int32_t left, typename K::Number value) {
        push(sweep, {&left, &value, 1}, k);
        scan(sweep, k, left, value);
    });
}

// Chooses the scale of the row that has just been filled: its cells' largest numbers are 1 on average.
template <class K> void rescale(Sweep<K> &sweep, std::int64_t i) {
    if constexpr (K::scaled) {
        Cells<K> &cells = sweep.cells;
        const std::int64_t states = sweep.lattice.states;
        std::int64_t exponents = 0, filled = 0;
        for (std::int64_t k = i + 1; k < states; ++k) {
            const auto [first, open, last] = cells.at(i, k);
            if (first == last) continue;
            exponents += exponent_of(*std::max_element(cells.values.begin() + first, cells.values.begin() + last));
            ++filled;
        }
        const std::int64_t shift = filled ? exponents / filled : 0;
        if (shift == 0) return;
        sweep.arcs.scale[i] += shift;
        const double by = power(-shift);
        for (std::int64_t a = cells.at(i, i + 1).first; a < cells.count; ++a) cells.values[a] *= by;
        auto &sealed = sweep.sealed;
        for (auto at = sealed.lower_bound(i * states); at != sealed.end() && at->first < (i + 1) * states; ++at)
            for (double &value : at->second.values) value *= by;
        for (const std::int32_t item : sweep.in.grammar.item_of)
            for (std::int64_t j = 0; j < sweep.row.stride; ++j) sweep.row.rows[item][j] *= by;
        if (!sweep.arcs.rescale(sweep.lattice, i)) sweep.outcome = Outcome::out_of_range;
    }
}

template <class K> void inside_row(Sweep<K> &sweep, std::int64_t i) {
    Cells<K> &cells = sweep.cells;
    begin_row(sweep, i);
    read_arcs(sweep, i);
    for (std::int64_t k = i + 1; k < sweep.lattice.states && sweep.outcome == Outcome::done; ++k) {
        // For all that a cell may list: rows that are begun, what scans have made, and late items.
        cells.make_room(sweep.row.touched.size() + sweep.row.arrivals[k].size() + sweep.in.grammar.late.items.size());
        auto &bounds = cells.at(i, k);
        bounds.first = bounds.open = cells.count;
        if (sweep.limits.sealed(i, k)) {
            close_sealed(sweep, i, k);
        } else {
            close_cell(sweep, i, k);
            if constexpr (!std::is_same_v<K, Residue>)
                if (sweep.limits.extras.beam > NEG_INF) prune(sweep, i, k);
        }
        bounds.last = cells.count;
        if (cells.count > cells.most) sweep.outcome = Outcome::too_large;
        push_cell(sweep, i, k);
    }
    if (sweep.outcome == Outcome::done) rescale(sweep, i);
    if (sweep.outcome == Outcome::done) sweep.rights.finish(i, sweep.in.grammar.item_of, sweep.row);
}

// Fills the chart of a member, and sums it.
template <class K> Outcome inside(Sweep<K> &sweep, std::int64_t member, const Extras &extras) {
    if (!aim(sweep, member, extras)) return Outcome::too_large;
    for (std::int64_t i = sweep.lattice.states - 2; i >= 0; --i) {
        inside_row(sweep, i);
        if (sweep.outcome != Outcome::done) return sweep.outcome;
    }
    sweep.row.use_store();
    sweep.total = K::Sum::zero();
    for (const auto &sum : sums_by_end(sweep)) sweep.total = K::Sum::add(sum, sweep.total);
    return Outcome::done;
}

} // namespace weft::chart
