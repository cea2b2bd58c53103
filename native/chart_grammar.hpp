// What charts are made of: a grammar's edges and their weights, the lattices, and what is known of trees.
//
// See chart.hpp for what the edges mean.
#pragma once

#include "chart_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

namespace weft::chart {

// A grammar without weights. Lefts are the items and, after them, the terminals.
struct Topology {
    std::int32_t nonterminals = 0, items = 0, terminals = 0, start = 0;  // start is a nonterminal
    std::vector<std::int32_t> item_of;                  // [nonterminals]
    std::vector<std::int32_t> row_of;                   // [items]: its nonterminal, or -1
    std::vector<std::int64_t> binary_offsets;           // [lefts + 1]
    std::vector<std::int32_t> binary_right;             // [binary edges], nonterminals
    std::vector<std::int32_t> binary_target;            // [binary edges], items
    std::vector<std::int64_t> scan_offsets;             // [lefts + 1]
    std::vector<std::int32_t> scan_terminal, scan_target;   // ascending by terminal within a left
    std::vector<std::int64_t> unary_offsets;            // [items + 1]
    std::vector<std::int32_t> unary_target;
    std::vector<std::int32_t> lexical_target;           // [lexical edges]
    std::vector<std::int64_t> entry_offsets;            // [entries + 1]: what an arc may be read as
    std::vector<std::int32_t> entry_edges;              // numbers of lexical edges
    std::vector<std::int32_t> component;                // [items]: the cyclic component, or -1
    std::vector<std::int32_t> component_first, component_last;  // [components], runs of items

    // The same edges by target: [items + 1] offsets, and numbers of edges; made by index_edges().
    std::vector<std::int32_t> binary_left, scan_left, unary_source;
    std::vector<std::int64_t> into_binary_offsets, into_scan_offsets, into_unary_offsets;
    std::vector<std::int32_t> into_binary, into_scan, into_unary;
    // Items are *late* if they are nonterminals or some unary edge leads to them: a cell is closed over
    // these, in their order, after all others. A set of rights or terminals is one bit each, modulo 64.
    std::vector<std::int32_t> late;
    std::vector<std::int32_t> late_prefixes;            // the prefixes among them, shorter ones first
    std::vector<std::uint8_t> is_late;                  // [items]
    struct Uses {
        std::uint64_t rights = 0, terminals = 0;
        std::int32_t unary_first = 0, unary_last = 0;
    };
    std::vector<Uses> uses;                             // [lefts]: what may become of each
    struct Binary {
        std::int32_t right, target;
    };
    std::vector<Binary> binary;                         // [binary edges]: what is read in inner loops

    void index_edges();

    // Edges are numbered binary, scan, unary, lexical; the last is the empty sentence.
    std::int64_t scans() const { return static_cast<std::int64_t>(binary_target.size()); }
    std::int64_t unaries() const { return scans() + static_cast<std::int64_t>(scan_target.size()); }
    std::int64_t lexicals() const { return unaries() + static_cast<std::int64_t>(unary_target.size()); }
    std::int64_t empty() const { return lexicals() + static_cast<std::int64_t>(lexical_target.size()); }
    std::int64_t edges() const { return empty() + 1; }
};

// Numbers 0 … targets.size() - 1, sorted by target.
inline void sort_by_target(const std::vector<std::int32_t> &targets, std::int64_t items, std::vector<std::int64_t> &offsets,
                           std::vector<std::int32_t> &edges) {
    offsets.assign(items + 1, 0);
    for (const std::int32_t target : targets) ++offsets[target + 1];
    for (std::int64_t item = 0; item < items; ++item) offsets[item + 1] += offsets[item];
    std::vector<std::int64_t> at(offsets.begin(), offsets.end() - 1);
    edges.resize(targets.size());
    for (std::size_t e = 0; e < targets.size(); ++e) edges[at[targets[e]]++] = static_cast<std::int32_t>(e);
}

inline std::uint64_t filter_bit(std::int64_t number) { return std::uint64_t{1} << (number & 63); }

inline void Topology::index_edges() {
    binary_left.resize(binary_target.size());
    scan_left.resize(scan_target.size());
    unary_source.resize(unary_target.size());
    uses.assign(items + terminals, {});
    is_late.assign(items, 0);
    for (std::int32_t left = 0; left < items + terminals; ++left) {
        for (std::int64_t e = binary_offsets[left]; e < binary_offsets[left + 1]; ++e) {
            binary_left[e] = left;
            uses[left].rights |= filter_bit(binary_right[e]);
            binary.push_back({binary_right[e], binary_target[e]});
        }
        for (std::int64_t e = scan_offsets[left]; e < scan_offsets[left + 1]; ++e) {
            scan_left[e] = left;
            uses[left].terminals |= filter_bit(scan_terminal[e]);
        }
        if (left >= items) continue;
        uses[left].unary_first = static_cast<std::int32_t>(unary_offsets[left]);
        uses[left].unary_last = static_cast<std::int32_t>(unary_offsets[left + 1]);
        for (std::int64_t e = unary_offsets[left]; e < unary_offsets[left + 1]; ++e) {
            unary_source[e] = left;
            is_late[unary_target[e]] = 1;
        }
        if (row_of[left] >= 0) is_late[left] = 1;
    }
    for (const std::int32_t target : lexical_target) is_late[target] = 1; // which may be a prefix
    for (std::int32_t item = 0; item < items; ++item)
        if (is_late[item]) late.push_back(item);
    // A prefix is made of shorter ones by leaving out what is empty: how often, at most.
    std::vector<std::int32_t> depth(items, 0);
    for (bool deeper = true; deeper;) {
        deeper = false;
        for (std::size_t e = 0; e < unary_target.size(); ++e) {
            const std::int32_t from = unary_source[e], to = unary_target[e];
            if (row_of[from] >= 0 || row_of[to] >= 0 || depth[to] > depth[from]) continue;
            depth[to] = depth[from] + 1;
            deeper = true;
        }
    }
    for (const std::int32_t item : late)
        if (row_of[item] < 0) late_prefixes.push_back(item);
    std::stable_sort(late_prefixes.begin(), late_prefixes.end(),
                     [&](std::int32_t a, std::int32_t b) { return depth[a] < depth[b]; });
    sort_by_target(binary_target, items, into_binary_offsets, into_binary);
    sort_by_target(scan_target, items, into_scan_offsets, into_scan);
    sort_by_target(unary_target, items, into_unary_offsets, into_unary);
}

// Lattices in flat arrays. States are numbered within their lattice, arcs lead upwards.
struct Members {
    std::vector<std::int64_t> state_offsets;            // [members + 1]
    std::vector<std::int64_t> arc_offsets;              // [states + 1]
    std::vector<std::int32_t> arc_terminal, arc_entry, arc_target;  // [arcs]; -1: no such terminal or entry
    std::vector<std::uint8_t> final;                    // [states]

    std::int64_t count() const { return static_cast<std::int64_t>(state_offsets.size()) - 1; }
    std::int64_t states(std::int64_t member) const { return state_offsets[member + 1] - state_offsets[member]; }
    std::int64_t spans(std::int64_t member) const { return states(member) * (states(member) - 1) / 2; }
};

// The number of the span i … k among those of a lattice.
inline std::int64_t span_number(std::int64_t states, std::int64_t i, std::int64_t k) {
    return i * (states - 1) - i * (i - 1) / 2 + (k - i - 1);
}

// What a member adds to the grammar: scores of spans, and what is not allowed.
struct Extras {
    const double *span_scores = nullptr;                // [spans, nonterminals], log
    const std::uint8_t *allowed = nullptr;              // [spans, nonterminals]
    const std::uint8_t *prefixes = nullptr;                 // [spans]: whether prefixes may span it
    const std::int32_t *required = nullptr;             // [spans]: a number of Requirements, or -1
    double beam = NEG_INF;                              // how far below the best of its cell, in logs
};

// Constituents that trees must have: for each span a set of labels, all of which must be among those of
// the nodes that span it; where the set is empty, there must be a node.
struct Requirements {
    std::vector<std::int64_t> offsets{0};               // [requirements + 1]
    std::vector<std::int32_t> labels;                   // nonterminals, ascending in each
};

// Log-weights beyond this do not go with scaling; see Real.
constexpr double WIDEST_WEIGHT = 138.0;

// The weights of all edges, and of the unary edges within each cyclic component as a matrix.
template <class K> struct Weights {
    using Number = typename K::Number;
    std::vector<Number> edges;
    std::vector<Number> closures;                       // component after component, [target, source]
    std::vector<Number> steps;                          // the same before they are closed
    std::vector<std::int64_t> offsets;                  // [components + 1]
};

// A* = I + A + A² + … in place, [size, size]; false if it diverges. Kleene's elimination only adds and
// multiplies, and so loses no digits but those that 1 - x loses.
template <class K> bool close_matrix(typename K::Number *a, std::int64_t size) {
    for (std::int64_t m = 0; m < size; ++m) {
        auto star = a[m * size + m];
        if (!K::star(star)) {
            if constexpr (!K::drops) return false;
            for (std::int64_t i = 0; i < size; ++i) a[i * size + m] = a[m * size + i] = K::zero();
            continue;
        }
        for (std::int64_t i = 0; i < size; ++i) {
            if (i == m || K::is_zero(a[i * size + m])) continue;
            const auto through = K::mul(a[i * size + m], star);
            for (std::int64_t j = 0; j < size; ++j)
                if (j != m) a[i * size + j] = K::add(a[i * size + j], K::mul(through, a[m * size + j]));
            a[i * size + m] = through;
        }
        for (std::int64_t j = 0; j < size; ++j)
            if (j != m) a[m * size + j] = K::mul(star, a[m * size + j]);
        a[m * size + m] = star;
    }
    return true;
}

template <class K>
Weights<K> closed_weights(const Topology &grammar, std::vector<typename K::Number> edges, bool &finite) {
    Weights<K> made;
    made.edges = std::move(edges);
    made.offsets.push_back(0);
    finite = true;
    for (std::size_t c = 0; c < grammar.component_first.size(); ++c) {
        const std::int64_t first = grammar.component_first[c], size = grammar.component_last[c] - first;
        std::vector<typename K::Number> matrix(size * size, K::zero());
        for (std::int64_t x = 0; x < size; ++x)
            for (std::int64_t u = grammar.unary_offsets[first + x]; u < grammar.unary_offsets[first + x + 1]; ++u) {
                const std::int64_t y = grammar.unary_target[u] - first;
                if (0 <= y && y < size)
                    matrix[y * size + x] = K::add(matrix[y * size + x], made.edges[grammar.unaries() + u]);
            }
        made.steps.insert(made.steps.end(), matrix.begin(), matrix.end());
        if (!close_matrix<K>(matrix.data(), size)) finite = false;
        made.closures.insert(made.closures.end(), matrix.begin(), matrix.end());
        made.offsets.push_back(static_cast<std::int64_t>(made.closures.size()));
    }
    return made;
}

template <class K> Weights<K> make_weights(const Topology &grammar, const double *logs, bool &finite) {
    std::vector<typename K::Number> edges(grammar.edges());
    for (std::int64_t e = 0; e < grammar.edges(); ++e) edges[e] = K::from_log(logs[e]);
    return closed_weights<K>(grammar, std::move(edges), finite);
}

} // namespace weft::chart
