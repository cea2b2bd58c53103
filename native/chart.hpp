// Sums over all trees of a weighted context-free grammar over a sentence or an acyclic lattice.
//
// *Items* are the nonterminals and the prefixes of right sides (two symbols or more), the latter made
// anew once for all rules that begin so. An item over the states i < k of a lattice is the sum of
//
//     binary    left(i, m) · right(m, k) · w     over m, the right one a nonterminal
//     scan      left(i, m) · w                   over arcs m → k with a terminal
//     lexical   w                                for an arc i → k with a terminal
//     unary     source(i, k) · w                 the same span
//
// Rows are filled from the last start to the first, and each from left to right, so that every row of
// a right child is whole when it is used: a left item is pushed along it in vectors,
//
//     row(target, i)[·] += left(i, m) · w · row(right, m)[·].
//
// Unary edges lead to higher items, but for those within a *cyclic component*, a run of items whose
// edges are summed by a matrix, their closure (I − U)⁻¹. Bits say which numbers of a row are not 0,
// and only what is not 0 is ever looked at. The outward pass goes over the same lists backwards.
//
// Numbers of kind Real are scaled: those that begin at state i and end at state k by 2^(s(k) − s(i)),
// so that products need no care; s(i) is chosen when its row is done. See chart_numbers.hpp.
#pragma once
//
// Files, each of which includes those before it only: chart_numbers, chart_grammar, chart_weights,
// chart_rows, chart (what a sweep owns), chart_cells (inner loops), chart_closure (unary edges), chart_sealed
// (required constituents), chart_inside, chart_outside; chart_ways, chart_trees, chart_kbest.
#pragma once

#include "chart_rows.hpp"

#include <map>
#include <type_traits>

namespace weft::chart {

// What became of a sweep.
enum class Outcome { done, out_of_range, diverges, too_large };

// What a member's cells allow, and the scores of their nonterminals.
template <class K> struct Limits {
    using Number = typename K::Number;
    const Topology &grammar;
    std::int64_t states = 0;
    Extras extras;
    bool plain = true;                                  // whether a cell's items depend on the grammar alone
    std::vector<std::uint8_t> blocked;                  // [items], where a layer of a sealed cell is closed

    void aim(std::int64_t of, const Extras &given) {
        states = of;
        extras = given;
        plain = !given.span_scores && !given.allowed && !given.prefixes && !given.required;
    }
    // The key of what is required over a span, or -1.
    std::int32_t required(std::int64_t i, std::int64_t k) const {
        return extras.required ? extras.required[span_number(states, i, k)] : -1;
    }
    bool sealed(std::int64_t i, std::int64_t k) const { return required(i, k) >= 0; }
    // What a completed item is multiplied by.
    Number factor(std::int64_t i, std::int64_t k, std::int32_t item) const {
        if (!blocked.empty() && blocked[item]) return K::zero();
        const std::int32_t s = grammar.row_of[item];
        const std::int64_t span = span_number(states, i, k);
        if (s < 0) return extras.prefixes && !extras.prefixes[span] ? K::zero() : K::one();
        const std::int64_t at = span * grammar.nonterminals + s;
        if (extras.allowed && !extras.allowed[at]) return K::zero();
        if constexpr (!std::is_same_v<K, Residue>)
            if (extras.span_scores) {
                if constexpr (std::is_same_v<K, Fewest>)
                    return K::from_logs(extras.span_broken[at], extras.span_scores[at]);
                else
                    return K::from_log(extras.span_scores[at]);
            }
        return K::one();
    }
    Number weighed(Number value, std::int64_t i, std::int64_t k, std::int32_t item) const {
        return plain ? value : K::mul(value, factor(i, k, item));
    }
};

// The arcs of a member's lattice as numbers.
template <class K> struct Arcs {
    std::vector<std::int64_t> scale;                    // [states]
    std::vector<typename K::Number> factors;            // [arcs]: the scale from end to end
    std::vector<std::uint64_t> filter;                  // [states]: the terminals that begin there

    void aim(const Lattice &lattice) {
        scale.assign(lattice.states, 0);
        factors.assign(lattice.offsets[lattice.states] - lattice.offsets[0], K::one());
        filter.assign(lattice.states, 0);
        for (std::int64_t q = 0; q < lattice.states; ++q)
            for (const std::int64_t a : lattice.arcs(q))
                if (lattice.terminal[a] >= 0) filter[q] |= filter_bit(lattice.terminal[a]);
    }
    // Sets the factors of a state's arcs; false if a scale is too far away.
    bool rescale(const Lattice &lattice, std::int64_t i) {
        if constexpr (K::scaled)
            for (const std::int64_t a : lattice.arcs(i)) {
                const std::int64_t apart = scale[lattice.target[a]] - scale[i];
                if (apart < -K::WIDEST || apart > K::WIDEST) return false;
                factors[a] = power(apart);
            }
        return true;
    }
};

// A cell over which constituents are required: see chart_sealed.hpp.
template <class K> struct Layers {
    std::vector<std::int32_t> labels;                   // items
    std::vector<typename K::Number> values, outside;    // [layers, items]

    std::int64_t count() const { return std::int64_t{1} << labels.size(); }
    // The layer that an item is in when it is reached from a layer.
    std::int64_t after(std::int64_t layer, std::int32_t item) const {
        for (std::size_t at = 0; at < labels.size(); ++at)
            if (labels[at] == item) return layer | std::int64_t{1} << at;
        return layer;
    }
};

// A cyclic component in a cell: its closure, and numbers before and after it.
template <class K> struct Closure {
    std::vector<typename K::Number> matrix, before, after;
};

// A chart for one member at a time.
template <class K> struct Sweep {
    using Kind = K;
    Inputs<K> in;
    Lattice lattice;
    Limits<K> limits;
    Arcs<K> arcs;
    Row<K> row;
    Rights<K> rights;
    Cells<K> cells;
    std::map<std::int64_t, Layers<K>> sealed;           // by cell, i · states + k
    Closure<K> closure;
    typename K::Sum::Number total = K::Sum::zero();     // Z, or the best score
    Outcome outcome = Outcome::done;
    bool endless = false;                               // whether infinitely many trees were met on the way outwards

    explicit Sweep(const Inputs<K> &inputs)
        : in(inputs), limits{inputs.grammar, 0, {}, true, {}}, row(inputs.grammar.items), rights(inputs.grammar.nonterminals) {}
};

// Makes room for a member; false if there is too little.
template <class K> bool aim(Sweep<K> &sweep, std::int64_t member, const Extras &extras) {
    const Topology &grammar = sweep.in.grammar;
    const std::int64_t states = sweep.in.members.states(member), stride = (states + LANES - 1) / LANES * LANES;
    // Both passes' rows, and offsets; what is left is for the lists of items.
    const double rows = static_cast<double>(2 * states * grammar.nonterminals + grammar.items) * static_cast<double>(stride);
    const double left = sweep.in.memory - rows * sizeof(typename K::Number) - 16.0 * static_cast<double>(states * states);
    if (left < 0) return false;
    sweep.lattice = sweep.in.members[member];
    sweep.limits.aim(states, extras);
    sweep.arcs.aim(sweep.lattice);
    sweep.row.aim(states);
    sweep.rights.aim(states, sweep.row);
    sweep.cells.aim(states, left);
    sweep.sealed.clear();
    sweep.outcome = Outcome::done;
    sweep.endless = false;
    return true;
}


// A number of what begins at state 0 and ends at k, without its scale.
template <class K> typename K::Sum::Number unscaled(const Sweep<K> &sweep, typename K::Number value, std::int64_t k) {
    if constexpr (K::scaled) {
        WideNumber made = Wide::from_double(value);
        if (!Wide::is_zero(made)) made.exponent += sweep.arcs.scale[0] - sweep.arcs.scale[k];
        return made;
    } else {
        return value;
    }
}

// [states]: the sums of what ends in each final state; the first is that of the empty sentence.
template <class K> std::vector<typename K::Sum::Number> sums_by_end(const Sweep<K> &sweep) {
    const Topology &grammar = sweep.in.grammar;
    std::vector<typename K::Sum::Number> sums(sweep.lattice.states, K::Sum::zero());
    if (sweep.lattice.final[0]) sums[0] = unscaled(sweep, sweep.in.weights.edges[grammar.empty()], 0);
    if (sweep.rights.last[grammar.start] < 0) return sums;
    for (std::int64_t k = 1; k < sweep.lattice.states; ++k)
        if (sweep.lattice.final[k]) sums[k] = unscaled(sweep, sweep.rights.inside[sweep.rights.at(0, grammar.start, k)], k);
    return sums;
}

// log Z, or the best score.
template <class K> double log_partition(const Sweep<K> &sweep) { return K::Sum::to_log(sweep.total); }

} // namespace weft::chart
