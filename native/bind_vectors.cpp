// Python's view of the vector kernels: checks shapes, releases the GIL.
#include "binding.hpp"
#include "shares.hpp"
#include "vectors.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace weft::binding;

namespace {

// Gives memory that is free back to the system, where the library has a way to.
void trim_memory() {
#ifdef __GLIBC__
    nb::gil_scoped_release release;
    malloc_trim(0);
#endif
}

void dots(In<double, 2> rows, In<double, 1> vector, Out<double, 1> out) {
    require(rows.shape(0) == out.shape(0) && rows.shape(1) == vector.shape(0), "shapes differ");
    nb::gil_scoped_release release;
    weft::dispatch<weft::dots>(rows.data(), rows.shape(0), rows.shape(1), vector.data(), out.data());
}

void combine(In<double, 1> coefficients, In<double, 2> rows, Out<double, 1> out) {
    require(rows.shape(0) == coefficients.shape(0) && rows.shape(1) == out.shape(0), "shapes differ");
    nb::gil_scoped_release release;
    weft::dispatch<weft::combine>(coefficients.data(), rows.data(), rows.shape(0), rows.shape(1), out.data());
}

using Longs = In<std::int64_t, 1>;
using Doubles = In<double, 1>;

weft::Answers answers_of(const Longs &offsets, const Longs &places, const Doubles &values, const Doubles &costs,
                         std::int64_t size) {
    const std::int64_t count = length(costs);
    require(length(offsets) == count + 1 && length(places) == length(values), "the answers do not fit together");
    const std::int64_t *bounds = offsets.data(), *all = places.data();
    require(bounds[0] == 0 && bounds[count] == length(places) && std::is_sorted(bounds, bounds + count + 1),
            "offsets must rise from 0 to the number of places");
    require(std::all_of(all, all + length(places), [&](std::int64_t place) { return 0 <= place && place < size; }),
            "a place is outside the weights");
    return {count, bounds, all, values.data(), costs.data()};
}

void answer_gains(Longs offsets, Longs places, Doubles values, Doubles costs, Doubles weights, Out<double, 1> out) {
    const weft::Answers answers = answers_of(offsets, places, values, costs, length(weights));
    require(length(out) == answers.count, "shapes differ");
    nb::gil_scoped_release release;
    weft::gains_of(answers, weights.data(), out.data());
}

double move_shares(Longs offsets, Longs places, Doubles values, Doubles costs, Doubles variances, double settled,
                   Out<double, 1> weights, Out<double, 1> shares, Out<double, 2> products, Out<double, 2> room,
                   Out<double, 1> scratch) {
    const std::int64_t size = length(weights);
    const weft::Answers answers = answers_of(offsets, places, values, costs, size);
    const std::int64_t count = answers.count;
    require(length(variances) == size && length(scratch) == size && length(shares) == count &&
                length(products) == count && length(products, 1) == count && length(room) == 2 &&
                length(room, 1) == count,
            "shapes differ");
    nb::gil_scoped_release release;
    return weft::move_shares(answers, settled, variances.data(), weights.data(), shares.data(), products.data(),
                             room.data(), room.data() + count, scratch.data());
}

} // namespace

void bind_vectors(nb::module_ &module) {
    module.def("trim_memory", &trim_memory, "Give memory that is free back to the system.");
    module.def("dots", &dots, array("rows"), array("vector"), array("out"), "Write rows @ vector to out.");
    module.def("combine", &combine, array("coefficients"), array("rows"), array("out"),
               "Write coefficients @ rows to out.");
    module.def("answer_gains", &answer_gains, array("offsets"), array("places"), array("values"), array("costs"),
               array("weights"), array("out"), "Write cost − θ·ψ of each answer to out.");
    module.def("move_shares", &move_shares, array("offsets"), array("places"), array("values"), array("costs"),
               array("variances"), "settled"_a, array("weights"), array("shares"), array("products"), array("room"),
               array("scratch"),
               "Move shares from the worst answers to the best, and the weights with them. Return by how much the dual "
               "fell. Products that are not known are NaN; room is [2, answers]; scratch is zeros.");
}
