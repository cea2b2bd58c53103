// Sums over the derivations of an acyclic hypergraph.
//
// Edges are in the order of their heads and every tail is a lower vertex than its edge's head, so
// a pass over the edges meets each vertex after all it is made of, and a pass backwards after all
// that uses it. With w the edges' log-weights and t over the tails of an edge, as positions:
//
//     score(e)  = w(e) + Σ_t in(t)              the derivations whose first edge is e
//     in(v)     = log Σ_{e into v} exp score(e)
//     p(e)      = exp(score(e) − in(head e))    given that head(e) is used, that it is made by e
//     uses(t)   = Σ_{(e, i): tail i of e is t} μ(e),    uses(root) = 1
//     μ(e)      = uses(head e) · p(e)           the marginal of e
//
// The outward pass is in probabilities and not in log outside weights: p(e) is what the inward
// pass has exponentiated already, so an edge costs one exp in all, and differences of large
// log-weights (in and out near ±1e6 whose sum is near 0) never lose digits. −inf needs no care
// beyond the inward pass: p(e) is then 0.
//
// The kernels assume what weft.structures.hypergraph.Hypergraph has checked. Graphs whose edges have one
// tail each are summed faster by automaton.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::hypergraph {

constexpr double NEG_INF = -std::numeric_limits<double>::infinity();

// Borrowed arrays: heads [edges], tail_offsets [edges + 1], tails [tail_offsets[edges]].
struct Topology {
    std::int64_t vertices;
    std::int64_t edges;
    const std::int32_t *heads;
    const std::int64_t *tail_offsets;
    const std::int32_t *tails;

    std::int64_t root() const { return vertices - 1; }
};

// start + Σ_t values[t] over the tails of an edge, from left to right.
inline double plus_tails(const Topology &graph, std::int64_t edge, double start,
                         const double *values) {
    for (std::int64_t i = graph.tail_offsets[edge]; i < graph.tail_offsets[edge + 1]; ++i)
        start += values[graph.tails[i]];
    return start;
}

// values[t] += amount for every tail of an edge; a tail that occurs twice gets it twice.
inline void add_to_tails(const Topology &graph, std::int64_t edge, double amount,
                         double *values) {
    for (std::int64_t i = graph.tail_offsets[edge]; i < graph.tail_offsets[edge + 1]; ++i)
        values[graph.tails[i]] += amount;
}

// Turns log-weights into the probabilities in proportion to them, and returns the log of their
// sum. The largest is taken out so that no exp overflows and at least one is 1. If all are
// impossible so is each: probability 0, not NaN.
inline double normalise(double *first, double *last) {
    double largest = NEG_INF;
    for (double *score = first; score != last; ++score) largest = std::max(largest, *score);
    if (largest == NEG_INF) {
        std::fill(first, last, 0.0);
        return NEG_INF;
    }
    double sum = 0.0;
    for (double *score = first; score != last; ++score) sum += *score = std::exp(*score - largest);
    for (double *score = first; score != last; ++score) *score /= sum;
    return largest + std::log(sum);
}

// The inward pass. Fills probs [edges] with p(e); returns in(root) = log Z.
inline double inward(const Topology &graph, const double *weights, double *probs) {
    std::vector<double> inside(graph.vertices, NEG_INF);
    for (std::int64_t edge = 0; edge < graph.edges;) {
        const std::int64_t first = edge;
        const std::int32_t head = graph.heads[first];
        for (; edge < graph.edges && graph.heads[edge] == head; ++edge)
            probs[edge] = plus_tails(graph, edge, weights[edge], inside.data());
        inside[head] = normalise(probs + first, probs + edge);
    }
    return inside[graph.root()];
}

// Fills marginals [edges] and returns log Z. Where the root has no derivation log Z is −inf, and
// the marginals are 0 because p(e) is 0 for all edges into the root.
inline double inside_outside(const Topology &graph, const double *weights,
                             double *marginals) {
    const double log_partition = inward(graph, weights, marginals);
    std::vector<double> uses(graph.vertices, 0.0);
    uses[graph.root()] = 1.0;
    for (std::int64_t edge = graph.edges - 1; edge >= 0; --edge) {
        marginals[edge] *= uses[graph.heads[edge]];
        add_to_tails(graph, edge, marginals[edge], uses.data());
    }
    return log_partition;
}

// Fills best_edges [vertices] with the first best edge into each vertex, −1 where there is none,
// and returns the best score of the root: in(v) with max in the place of log Σ exp.
inline double viterbi(const Topology &graph, const double *weights,
                      std::int32_t *best_edges) {
    std::vector<double> best(graph.vertices, NEG_INF);
    std::fill(best_edges, best_edges + graph.vertices, -1);
    for (std::int64_t edge = 0; edge < graph.edges; ++edge) {
        const double score = plus_tails(graph, edge, weights[edge], best.data());
        const std::int32_t head = graph.heads[edge];
        // Strictly better, so that the first of equals stays and −inf never enters.
        if (score > best[head]) {
            best[head] = score;
            best_edges[head] = static_cast<std::int32_t>(edge);
        }
    }
    return best[graph.root()];
}

// Fills through [edges] with the score of the best derivation that has each edge, −inf where there is none, and
// returns the largest number that was added on the way, which says how far rounding may go. With out(t) the best of what
// may stand around t: through(e) = out(head e) + score(e), out(t) = max through(e) − in(t).
inline double best_through(const Topology &graph, const double *weights, double *through) {
    std::vector<double> best(graph.vertices, NEG_INF), out(graph.vertices, NEG_INF);
    for (std::int64_t edge = 0; edge < graph.edges; ++edge) {
        through[edge] = plus_tails(graph, edge, weights[edge], best.data());
        best[graph.heads[edge]] = std::max(best[graph.heads[edge]], through[edge]);
    }
    out[graph.root()] = 0.0;
    double largest = 0.0;
    for (std::int64_t edge = graph.edges - 1; edge >= 0; --edge) {
        const double around = out[graph.heads[edge]], score = through[edge];
        through[edge] += around;
        if (through[edge] == NEG_INF) continue;
        largest = std::max({largest, std::abs(around), std::abs(score)});
        for (std::int64_t i = graph.tail_offsets[edge]; i < graph.tail_offsets[edge + 1]; ++i) {
            double &mine = out[graph.tails[i]];
            mine = std::max(mine, through[edge] - best[graph.tails[i]]);
        }
    }
    return largest;
}

// Fills marginal_changes [edges] with dμ and returns d log Z for weights that move at the rates
// of direction [edges]. With a dot for a derivative, by the chain rule on the formulas above:
//
//     score˙(e) = direction(e) + Σ_t in˙(t),    in˙(v) = Σ_{e into v} p(e) score˙(e)
//     p˙(e)     = p(e) (score˙(e) − in˙(head e))
//     μ˙(e)     = uses˙(head e) p(e) + uses(head e) p˙(e),    uses˙(t) = Σ μ˙(e)
//
// An impossible edge has p = 0 and a finite score˙, and so changes nothing and does not change.
inline double tangent(const Topology &graph, const double *weights, const double *direction,
                      double *marginal_changes) {
    std::vector<double> probs(graph.edges), score_changes(graph.edges);
    std::vector<double> inside_changes(graph.vertices, 0.0);
    inward(graph, weights, probs.data());
    for (std::int64_t edge = 0; edge < graph.edges; ++edge) {
        score_changes[edge] = plus_tails(graph, edge, direction[edge], inside_changes.data());
        inside_changes[graph.heads[edge]] += probs[edge] * score_changes[edge];
    }
    std::vector<double> uses(graph.vertices, 0.0), uses_changes(graph.vertices, 0.0);
    uses[graph.root()] = 1.0;
    for (std::int64_t edge = graph.edges - 1; edge >= 0; --edge) {
        const std::int32_t head = graph.heads[edge];
        const double marginal = uses[head] * probs[edge];
        marginal_changes[edge] = uses_changes[head] * probs[edge] +
                                 marginal * (score_changes[edge] - inside_changes[head]);
        add_to_tails(graph, edge, marginal, uses.data());
        add_to_tails(graph, edge, marginal_changes[edge], uses_changes.data());
    }
    return inside_changes[graph.root()];
}

} // namespace weft::hypergraph
