// Python's view of the vector kernels: checks shapes, releases the GIL.
#include "binding.hpp"
#include "vectors.hpp"

using namespace weft::binding;

namespace {

void dots(In<double, 2> rows, In<double, 1> vector, Out<double, 1> out) {
    require(rows.shape(0) == out.shape(0) && rows.shape(1) == vector.shape(0), "shapes differ");
    nb::gil_scoped_release release;
    weft::dots(rows.data(), rows.shape(0), rows.shape(1), vector.data(), out.data());
}

void combine(In<double, 1> coefficients, In<double, 2> rows, Out<double, 1> out) {
    require(rows.shape(0) == coefficients.shape(0) && rows.shape(1) == out.shape(0), "shapes differ");
    nb::gil_scoped_release release;
    weft::combine(coefficients.data(), rows.data(), rows.shape(0), rows.shape(1), out.data());
}

} // namespace

void bind_vectors(nb::module_ &module) {
    module.def("dots", &dots, array("rows"), array("vector"), array("out"), "Write rows @ vector to out.");
    module.def("combine", &combine, array("coefficients"), array("rows"), array("out"),
               "Write coefficients @ rows to out.");
}
