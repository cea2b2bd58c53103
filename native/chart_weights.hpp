// The weights of a grammar's edges, and the closures of its cyclic components.
#pragma once

#include "chart_grammar.hpp"
#include "chart_numbers.hpp"

#include <utility>

namespace weft::chart {

// Log-weights beyond this do not go with scaling; see Real.
constexpr double WIDEST_WEIGHT = 138.0;

// The weights of all edges, and of the unary edges within each cyclic component as a matrix.
template <class K> struct Weights {
    using Number = typename K::Number;
    std::vector<Number> edges;
    std::vector<Number> closures;                       // component after component, [target, source]
    std::vector<Number> steps;                          // the same before they are closed
    std::vector<std::int64_t> offsets{0};               // [components + 1]
};

// What sweeps are over.
template <class K> struct Inputs {
    const Topology &grammar;
    const Weights<K> &weights;
    const Members &members;
    const Requirements &requirements;
    double memory;                                      // a member that needs more bytes is given up

    typename K::Number unary(std::int64_t edge) const { return weights.edges[grammar.unaries() + edge]; }
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
    finite = true;
    for (const Range &run : grammar.components) {
        const std::int64_t size = run.size();
        std::vector<typename K::Number> matrix(size * size, K::zero());
        for (const std::int64_t x : run)
            for (const std::int64_t u : grammar.unary.from(x)) {
                const std::int64_t y = grammar.unary.target[u];
                if (y < run.first || y >= run.last) continue;
                auto &step = matrix[(y - run.first) * size + x - run.first];
                step = K::add(step, made.edges[grammar.unaries() + u]);
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
