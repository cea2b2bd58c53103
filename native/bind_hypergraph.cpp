// Binds the kernels of hypergraph.hpp: checks types and shapes, allocates, releases the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "automaton.hpp"
#include "hypergraph.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using weft::hypergraph::Topology;

template <typename Scalar>
using Row = nb::ndarray<const Scalar, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Scalar> using Result = nb::ndarray<nb::numpy, Scalar, nb::ndim<1>>;

template <typename Scalar> Result<Scalar> result(std::unique_ptr<Scalar[]> values, size_t size) {
    Scalar *data = values.release();
    nb::capsule owner(data, [](void *pointer) noexcept { delete[] static_cast<Scalar *>(pointer); });
    return Result<Scalar>(data, {size}, owner);
}

// Shapes are checked here and the numbers in the arrays by weft.structures.hypergraph.
Topology topology(const Row<std::int32_t> &heads, const Row<std::int64_t> &tail_offsets,
                          const Row<std::int32_t> &tails, std::int64_t vertex_count) {
    const size_t edges = heads.size();
    if (vertex_count < 1) throw std::invalid_argument("a hypergraph needs a vertex, its root");
    if (tail_offsets.size() != edges + 1)
        throw std::invalid_argument("there must be one tail offset an edge and one more");
    if (tail_offsets.data()[edges] != static_cast<std::int64_t>(tails.size()))
        throw std::invalid_argument("the last tail offset must be the number of tails");
    return {vertex_count, static_cast<std::int64_t>(edges), heads.data(), tail_offsets.data(),
            tails.data()};
}

void check_one_an_edge(const Topology &graph, const Row<double> &numbers) {
    if (static_cast<std::int64_t>(numbers.size()) != graph.edges)
        throw std::invalid_argument("weights and directions must have one number per edge");
}

nb::tuple inside_outside(const Row<std::int32_t> &heads, const Row<std::int64_t> &tail_offsets,
                         const Row<std::int32_t> &tails, std::int64_t vertex_count,
                         const Row<double> &weights) {
    const auto graph = topology(heads, tail_offsets, tails, vertex_count);
    check_one_an_edge(graph, weights);
    std::unique_ptr<double[]> marginals;
    double log_partition;
    {
        nb::gil_scoped_release release;
        marginals = std::make_unique_for_overwrite<double[]>(graph.edges);
        if (!weft::automaton::inside_outside(graph, weights.data(), marginals.get(), log_partition))
            log_partition = weft::hypergraph::inside_outside(graph, weights.data(), marginals.get());
    }
    return nb::make_tuple(log_partition, result(std::move(marginals), graph.edges));
}

nb::tuple viterbi(const Row<std::int32_t> &heads, const Row<std::int64_t> &tail_offsets,
                  const Row<std::int32_t> &tails, std::int64_t vertex_count,
                  const Row<double> &weights) {
    const auto graph = topology(heads, tail_offsets, tails, vertex_count);
    check_one_an_edge(graph, weights);
    std::unique_ptr<std::int32_t[]> best_edges;
    double score;
    {
        nb::gil_scoped_release release;
        best_edges = std::make_unique_for_overwrite<std::int32_t[]>(graph.vertices);
        score = weft::hypergraph::viterbi(graph, weights.data(), best_edges.get());
    }
    return nb::make_tuple(score, result(std::move(best_edges), graph.vertices));
}

nb::tuple best_through(const Row<std::int32_t> &heads, const Row<std::int64_t> &tail_offsets,
                       const Row<std::int32_t> &tails, std::int64_t vertex_count, const Row<double> &weights) {
    const auto graph = topology(heads, tail_offsets, tails, vertex_count);
    check_one_an_edge(graph, weights);
    std::unique_ptr<double[]> through;
    double largest;
    {
        nb::gil_scoped_release release;
        through = std::make_unique_for_overwrite<double[]>(graph.edges);
        largest = weft::hypergraph::best_through(graph, weights.data(), through.get());
    }
    return nb::make_tuple(largest, result(std::move(through), graph.edges));
}

nb::tuple tangent(const Row<std::int32_t> &heads, const Row<std::int64_t> &tail_offsets,
                  const Row<std::int32_t> &tails, std::int64_t vertex_count,
                  const Row<double> &weights, const Row<double> &direction) {
    const auto graph = topology(heads, tail_offsets, tails, vertex_count);
    check_one_an_edge(graph, weights);
    check_one_an_edge(graph, direction);
    std::unique_ptr<double[]> changes;
    double log_partition_change;
    {
        nb::gil_scoped_release release;
        changes = std::make_unique_for_overwrite<double[]>(graph.edges);
        log_partition_change =
            weft::hypergraph::tangent(graph, weights.data(), direction.data(), changes.get());
    }
    return nb::make_tuple(log_partition_change, result(std::move(changes), graph.edges));
}

} // namespace

// Arrays are refused and not converted: a silent copy would hide a slow caller.
void bind_hypergraph(nb::module_ &module) {
    module.def("hypergraph_inside_outside", &inside_outside, "heads"_a.noconvert(),
               "tail_offsets"_a.noconvert(), "tails"_a.noconvert(), "vertex_count"_a,
               "weights"_a.noconvert(), "Return log Z and the marginal of each edge.");
    module.def("hypergraph_viterbi", &viterbi, "heads"_a.noconvert(), "tail_offsets"_a.noconvert(),
               "tails"_a.noconvert(), "vertex_count"_a, "weights"_a.noconvert(),
               "Return the best score and the first best edge into each vertex (-1: none).");
    module.def("hypergraph_best_through", &best_through, "heads"_a.noconvert(), "tail_offsets"_a.noconvert(),
               "tails"_a.noconvert(), "vertex_count"_a, "weights"_a.noconvert(),
               "Return the largest number on the way, and the best score with each edge.");
    module.def("hypergraph_tangent", &tangent, "heads"_a.noconvert(), "tail_offsets"_a.noconvert(),
               "tails"_a.noconvert(), "vertex_count"_a, "weights"_a.noconvert(),
               "direction"_a.noconvert(),
               "Return the directional derivatives of log Z and of the marginals.");
}
