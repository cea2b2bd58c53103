// What charts are made of: a grammar's edges, the lattices, and what is known of trees.
//
// See chart.hpp for what the edges mean.
#pragma once

#include "vector.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::chart {

// The numbers first … last - 1.
struct Range {
    struct Iterator {
        std::int64_t at;
        std::int64_t operator*() const { return at; }
        Iterator &operator++() { return ++at, *this; }
        bool operator!=(const Iterator &other) const { return at != other.at; }
    };
    std::int64_t first, last;
    Iterator begin() const { return {first}; }
    Iterator end() const { return {last}; }
    std::int64_t size() const { return last - first; }
};

// A list of numbers for each key.
struct Lists {
    std::vector<std::int64_t> offsets{0};               // [keys + 1]
    std::vector<std::int32_t> values;

    std::int64_t keys() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    std::span<const std::int32_t> operator[](std::int64_t key) const {
        return {values.data() + offsets[key], values.data() + offsets[key + 1]};
    }
};

// Edges of one kind, sorted by their left, or source. The sister is a nonterminal, a terminal, or none.
struct Edges {
    std::vector<std::int64_t> offsets;                  // [lefts + 1]
    std::vector<std::int32_t> sister, target;           // [edges]
    std::vector<std::int32_t> left;                     // [edges]; this and what follows is made by index_edges()
    Lists into;                                         // [items]: the edges to each
    std::int64_t first = 0;                             // what is added to its numbers among all edges

    std::int64_t count() const { return static_cast<std::int64_t>(target.size()); }
    Range from(std::int64_t item) const { return {offsets[item], offsets[item + 1]}; }

    void index(std::int64_t items) {
        left.resize(count());
        for (std::int64_t item = 0; item + 1 < static_cast<std::int64_t>(offsets.size()); ++item)
            for (const std::int64_t edge : from(item)) left[edge] = static_cast<std::int32_t>(item);
        into.offsets.assign(items + 1, 0);
        for (const std::int32_t to : target) ++into.offsets[to + 1];
        for (std::int64_t item = 0; item < items; ++item) into.offsets[item + 1] += into.offsets[item];
        std::vector<std::int64_t> at(into.offsets.begin(), into.offsets.end() - 1);
        into.values.resize(count());
        for (const std::int64_t edge : Range{0, count()}) into.values[at[target[edge]]++] = static_cast<std::int32_t>(edge);
    }
};

// A set of nonterminals or terminals is one bit each, modulo 64.
inline std::uint64_t filter_bit(std::int64_t number) { return std::uint64_t{1} << (number & 63); }

// A grammar without weights. Lefts are the items and, after them, the terminals.
struct Topology {
    std::int32_t nonterminals = 0, items = 0, terminals = 0, start = 0;  // start is a nonterminal
    std::vector<std::int32_t> item_of;                  // [nonterminals]
    std::vector<std::int32_t> row_of;                   // [items]: its nonterminal, or -1
    Edges binary, scan, unary;                          // scans ascend by terminal within a left
    std::vector<std::int32_t> lexical_target;           // [lexical edges]
    Lists entries;                                      // what an arc may be read as: lexical edges
    std::vector<std::int32_t> component;                // [items]: the cyclic component, or -1
    std::vector<Range> components;                      // runs of items

    // Items are *late* if they are nonterminals or some unary edge leads to them: a cell is closed over
    // these, in their order, after all others.
    struct Late {
        std::vector<std::int32_t> items, prefixes;      // all; the prefixes among them, shorter ones first
        std::vector<std::uint8_t> has;                  // [items]
    } late;
    struct Uses {
        std::uint64_t rights = 0, terminals = 0;        // filters
        std::int32_t unary_first = 0, unary_last = 0;
    };
    std::vector<Uses> uses;                             // [lefts]: what may become of each
    struct Pair {
        std::int32_t right, target;
    };
    std::vector<Pair> pairs;                            // [binary edges]: what is read in inner loops

    // Edges are numbered binary, scan, unary, lexical; the last is the empty sentence.
    std::int64_t scans() const { return scan.first; }
    std::int64_t unaries() const { return unary.first; }
    std::int64_t lexicals() const { return unary.first + unary.count(); }
    std::int64_t empty() const { return lexicals() + static_cast<std::int64_t>(lexical_target.size()); }
    std::int64_t edges() const { return empty() + 1; }

    bool in_cycle(std::int32_t a, std::int32_t b) const { return component[a] >= 0 && component[a] == component[b]; }
};

// A prefix is made of shorter ones by leaving out what is empty: how often, at most.
inline std::vector<std::int32_t> prefix_depths(const Topology &grammar) {
    std::vector<std::int32_t> depth(grammar.items, 0);
    for (bool deeper = true; deeper;) {
        deeper = false;
        for (const std::int64_t edge : Range{0, grammar.unary.count()}) {
            const std::int32_t from = grammar.unary.left[edge], to = grammar.unary.target[edge];
            if (grammar.row_of[from] >= 0 || grammar.row_of[to] >= 0 || depth[to] > depth[from]) continue;
            depth[to] = depth[from] + 1;
            deeper = true;
        }
    }
    return depth;
}

// Makes what follows from the edges.
inline void index_edges(Topology &grammar) {
    for (Edges *edges : {&grammar.binary, &grammar.scan, &grammar.unary}) edges->index(grammar.items);
    grammar.scan.first = grammar.binary.count();
    grammar.unary.first = grammar.scan.first + grammar.scan.count();
    grammar.uses.assign(grammar.items + grammar.terminals, {});
    for (const std::int64_t edge : Range{0, grammar.binary.count()}) {
        grammar.uses[grammar.binary.left[edge]].rights |= filter_bit(grammar.binary.sister[edge]);
        grammar.pairs.push_back({grammar.binary.sister[edge], grammar.binary.target[edge]});
    }
    for (const std::int64_t edge : Range{0, grammar.scan.count()})
        grammar.uses[grammar.scan.left[edge]].terminals |= filter_bit(grammar.scan.sister[edge]);
    grammar.late.has.assign(grammar.items, 0);
    for (const std::int32_t target : grammar.unary.target) grammar.late.has[target] = 1;
    for (const std::int32_t target : grammar.lexical_target) grammar.late.has[target] = 1; // which may be a prefix
    for (std::int32_t item = 0; item < grammar.items; ++item) {
        const auto [first, last] = grammar.unary.from(item);
        grammar.uses[item].unary_first = static_cast<std::int32_t>(first);
        grammar.uses[item].unary_last = static_cast<std::int32_t>(last);
        if (grammar.row_of[item] >= 0) grammar.late.has[item] = 1;
        if (!grammar.late.has[item]) continue;
        grammar.late.items.push_back(item);
        if (grammar.row_of[item] < 0) grammar.late.prefixes.push_back(item);
    }
    const std::vector<std::int32_t> depth = prefix_depths(grammar);
    std::stable_sort(grammar.late.prefixes.begin(), grammar.late.prefixes.end(),
                     [&](std::int32_t a, std::int32_t b) { return depth[a] < depth[b]; });
}

// One of the lattices below.
struct Lattice {
    std::int64_t states = 0;
    const std::uint8_t *final = nullptr;                // [states]
    const std::int64_t *offsets = nullptr;              // [states + 1], of all lattices' arcs
    const std::int32_t *terminal = nullptr, *entry = nullptr, *target = nullptr;    // [arcs]

    Range arcs(std::int64_t state) const { return {offsets[state] - offsets[0], offsets[state + 1] - offsets[0]}; }
};

// Lattices in flat arrays. States are numbered within their lattice, arcs lead upwards.
struct Members {
    std::vector<std::int64_t> state_offsets;            // [members + 1]
    std::vector<std::int64_t> arc_offsets;              // [states + 1]
    std::vector<std::int32_t> arc_terminal, arc_entry, arc_target;  // [arcs]; -1: no such terminal or entry
    std::vector<std::uint8_t> final;                    // [states]

    std::int64_t count() const { return static_cast<std::int64_t>(state_offsets.size()) - 1; }
    std::int64_t states(std::int64_t member) const { return state_offsets[member + 1] - state_offsets[member]; }
    std::int64_t spans(std::int64_t member) const { return states(member) * (states(member) - 1) / 2; }
    Lattice operator[](std::int64_t member) const {
        const std::int64_t state = state_offsets[member], arc = arc_offsets[state];
        return {states(member), final.data() + state, arc_offsets.data() + state, arc_terminal.data() + arc,
                arc_entry.data() + arc, arc_target.data() + arc};
    }
};

// The number of the span i … k among those of a lattice.
inline std::int64_t span_number(std::int64_t states, std::int64_t i, std::int64_t k) {
    return i * (states - 1) - i * (i - 1) / 2 + (k - i - 1);
}

// What a member adds to the grammar: scores of spans, and what is not allowed.
struct Extras {
    const double *span_scores = nullptr;                // [spans, nonterminals], log
    const std::uint8_t *allowed = nullptr;              // [spans, nonterminals]
    const std::uint8_t *prefixes = nullptr;             // [spans]: whether prefixes may span it
    const std::int32_t *required = nullptr;             // [spans]: a key of the requirements, or -1
    double beam = NEG_INF;                              // how far below the best of its cell, in logs
    const double *span_broken = nullptr;                // [spans, nonterminals], see Fewest; with span_scores
};

// Constituents that trees must have: for each key a set of labels, nonterminals, all of which must be
// among those of the nodes that span it; where the set is empty, there must be a node.
struct Requirements : Lists {};

} // namespace weft::chart
