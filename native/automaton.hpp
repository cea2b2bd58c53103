// Sums over acyclic automata: hypergraphs whose edges have one tail each, or none where paths begin.
//
// They are those of hypergraph.hpp in another arithmetic: the inside weight of a vertex is m 2^(512 e) with
// m a number between 2^-256 and 2^256 and e an integer, nearly always that of its neighbours, so that an
// edge costs a product and a sum, and nothing overflows or underflows on a path of any length. Edges are
// taken one by one: vertices have few, and how many could not be predicted.
//
// A weight is at most LARGEST in size, its exp between 2^-433 and 2^433 and a product with m between 2^-689
// and 2^689. Of two terms whose e differ by 2 or more the lower is below 2^-78 of the other, and is left
// out of the sum. Larger weights are left to hypergraph.hpp.
#pragma once

#include "hypergraph.hpp"
#include "vector.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace weft::automaton {

constexpr double LARGEST = 300.0;
constexpr double HIGH = 0x1p256, LOW = 0x1p-256, DOWN = 0x1p-512, UP = 0x1p512;

// Whether each edge has at most one tail.
WEFT_KERNEL bool is_automaton(const hypergraph::Topology &graph) {
    std::int64_t more = 0;
    for (std::int64_t edge = 0; edge < graph.edges; ++edge)
        more |= (graph.tail_offsets[edge + 1] - graph.tail_offsets[edge]) >> 1;
    return more == 0;
}

// Writes exp(weight) of each; false if one is too large.
WEFT_KERNEL bool exponentiate(const double *weights, std::int64_t count, double *factors) {
    const std::int64_t whole = count / LANES * LANES;
    Vec top{}, rest{};
    for (std::int64_t i = 0; i < whole; i += LANES) {
        const Vec weight = load(weights + i);
        top = max(top, weight);
        top = max(top, choose(weight == splat(NEG_INF), Vec{}, -weight));
        store(factors + i, exp(weight));
    }
    for (std::int64_t i = whole; i < count; ++i) rest[i - whole] = weights[i];
    top = max(top, rest);
    top = max(top, choose(rest == splat(NEG_INF), Vec{}, -rest));
    rest = exp(rest);
    for (std::int64_t i = whole; i < count; ++i) factors[i] = rest[i - whole];
    return max(top) <= LARGEST;
}

WEFT_KERNEL void inward(const hypergraph::Topology &graph, const double *factors, double *numbers, std::int32_t *scales) {
    for (std::int64_t edge = 0; edge < graph.edges; ++edge) {
        const std::int64_t at = graph.tail_offsets[edge];
        const std::int32_t head = graph.heads[edge];
        const bool begins = at == graph.tail_offsets[edge + 1];
        const std::int32_t scale = begins ? 0 : scales[graph.tails[at]];
        double product = (begins ? 1.0 : numbers[graph.tails[at]]) * factors[edge];
        double sum = numbers[head];
        std::int32_t to = sum == 0.0 ? scale : scales[head];
        if (scale != to && product != 0.0) {
            if (scale > to) {
                sum = scale - to > 1 ? 0.0 : sum * DOWN;
                to = scale;
            } else {
                product = to - scale > 1 ? 0.0 : product * DOWN;
            }
        }
        sum += product;
        if (sum > HIGH) {
            sum *= DOWN;
            ++to;
        } else if (sum < LOW && sum != 0.0) {
            sum *= UP;
            --to;
        }
        numbers[head] = sum;
        scales[head] = to;
    }
}

// Turns the factors into marginals, given uses of the root.
WEFT_KERNEL void outward(const hypergraph::Topology &graph, const double *numbers, const std::int32_t *scales, double *uses,
                         double *factors) {
    for (std::int64_t edge = graph.edges - 1; edge >= 0; --edge) {
        const std::int64_t at = graph.tail_offsets[edge];
        const std::int32_t head = graph.heads[edge];
        const bool begins = at == graph.tail_offsets[edge + 1];
        const double product = (begins ? 1.0 : numbers[graph.tails[at]]) * factors[edge];
        // A head without derivations has edges without a product only.
        double share = product / (numbers[head] == 0.0 ? 1.0 : numbers[head]);
        const std::int32_t scale = begins ? 0 : scales[graph.tails[at]];
        if (scale != scales[head] && share != 0.0) {
            if (scale > scales[head]) share *= UP;
            for (std::int32_t k = scale; k < scales[head] && share != 0.0; ++k) share *= DOWN;
        }
        factors[edge] = uses[head] * share;
        if (!begins) uses[graph.tails[at]] += factors[edge];
    }
}

// Fills marginals [edges] and log Z as hypergraph::inside_outside() does, or returns false.
inline bool inside_outside(const hypergraph::Topology &graph, const double *weights, double *marginals,
                           double &log_partition) {
    if (!dispatch<is_automaton>(graph) || !dispatch<exponentiate>(weights, graph.edges, marginals)) return false;
    std::vector<double> numbers(graph.vertices, 0.0), uses(graph.vertices, 0.0);
    std::vector<std::int32_t> scales(graph.vertices, 0);
    dispatch<inward>(graph, marginals, numbers.data(), scales.data());
    uses[graph.root()] = 1.0;
    dispatch<outward>(graph, numbers.data(), scales.data(), uses.data(), marginals);
    const double root = numbers[graph.root()], bits = 512.0 * scales[graph.root()];
    log_partition = root == 0.0 ? NEG_INF : std::log(root) + bits * 0.693147180559945309417232121458;
    return true;
}

} // namespace weft::automaton
