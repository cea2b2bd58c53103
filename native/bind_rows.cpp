// Python's view of the row kernels: checks shapes, splits the work, releases the GIL.
#include "binding.hpp"
#include "parallel.hpp"
#include "rows.hpp"

using namespace weft::binding;

namespace {

weft::Occurrences occurrences(const In<std::int64_t, 1> &offsets, const In<std::int32_t, 1> &items,
                              const std::optional<In<double, 1>> &values) {
    require(offsets.shape(0) > 0, "offsets need at least one element");
    require(offsets.data()[offsets.shape(0) - 1] <= static_cast<std::int64_t>(items.shape(0)), "there are too few items");
    require(!values || values->shape(0) == items.shape(0), "values and items differ in number");
    return {offsets.data(), items.data(), values ? values->data() : nullptr, static_cast<std::int64_t>(items.shape(0))};
}

template <class Weights>
weft::Columns columns_of(const In<std::int64_t, 1> &offsets, const In<std::int32_t, 1> &columns, const Weights &weights) {
    require(columns.shape(0) == weights.shape(0), "columns and weights differ in number");
    require(offsets.shape(0) > 0 && offsets.data()[offsets.shape(0) - 1] <= length(columns), "there are too few columns");
    return {offsets.data(), columns.data()};
}

// Calls work(first, last) on runs of owners of about equal cost.
template <class Work> void over_owners(const In<std::int64_t, 1> &offsets, int threads, Work &&work) {
    const auto count = static_cast<std::int64_t>(offsets.shape(0)) - 1;
    const std::int64_t runs = std::clamp<std::int64_t>(count / 64, 1, 256);
    const std::vector<std::int64_t> bounds = split(offsets.data(), count, runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) { work(bounds[run], bounds[run + 1]); });
}

void sum_rows(In<std::int64_t, 1> offsets, In<std::int32_t, 1> items, std::optional<In<double, 1>> values,
              In<double, 2> table, std::optional<In<std::int32_t, 1>> owners, Out<double, 2> out, int threads) {
    const weft::Occurrences of = occurrences(offsets, items, values);
    const auto width = static_cast<std::int64_t>(out.shape(1));
    require(static_cast<std::int64_t>(table.shape(1)) == width && width % weft::LANES == 0, "widths differ");
    require(owners ? owners->shape(0) + 1 >= offsets.shape(0) : out.shape(0) + 1 >= offsets.shape(0),
            "owners and offsets differ in number");
    nb::gil_scoped_release release;
    over_owners(offsets, threads, [&](std::int64_t first, std::int64_t last) {
        weft::dispatch<weft::sum_rows>(of, first, last, table.data(), width, owners ? owners->data() : nullptr, out.data());
    });
}

void add_entries(In<std::int64_t, 1> offsets, In<std::int32_t, 1> columns, In<std::int32_t, 1> items,
                 std::optional<In<double, 1>> values, In<double, 1> theta, Out<double, 2> out, int threads) {
    const weft::Occurrences of = occurrences(offsets, items, values);
    require(columns.shape(0) == items.shape(0), "columns and items differ in number");
    require(out.shape(0) + 1 >= offsets.shape(0), "owners and offsets differ in number");
    nb::gil_scoped_release release;
    over_owners(offsets, threads, [&](std::int64_t first, std::int64_t last) {
        weft::add_entries(of, columns.data(), first, last, theta.data(), static_cast<std::int64_t>(out.shape(1)),
                          out.data());
    });
}

void add_attributes(In<std::int64_t, 1> offsets, In<std::int32_t, 1> attributes, std::optional<In<double, 1>> values,
                    In<std::int64_t, 1> row_offsets, In<std::int32_t, 1> columns, In<double, 1> theta,
                    Out<double, 2> out, int threads) {
    const weft::Occurrences of = occurrences(offsets, attributes, values);
    require(out.shape(0) + 1 >= offsets.shape(0), "owners and offsets differ in number");
    const weft::Table table{columns_of(row_offsets, columns, theta), theta.data()};
    nb::gil_scoped_release release;
    over_owners(offsets, threads, [&](std::int64_t first, std::int64_t last) {
        weft::dispatch<weft::add_attributes>(of, table, first, last, static_cast<std::int64_t>(out.shape(1)), out.data());
    });
}

void sum_attributes(In<std::int64_t, 1> offsets, In<std::int32_t, 1> tokens, std::optional<In<double, 1>> values,
                    In<double, 2> from, In<std::int32_t, 1> attributes, In<std::int64_t, 1> row_offsets,
                    In<std::int32_t, 1> columns, Out<double, 1> out, int threads) {
    const weft::Occurrences of = occurrences(offsets, tokens, values);
    require(attributes.shape(0) + 1 >= offsets.shape(0), "owners and offsets differ in number");
    const weft::Columns table = columns_of(row_offsets, columns, out);
    nb::gil_scoped_release release;
    over_owners(offsets, threads, [&](std::int64_t first, std::int64_t last) {
        weft::sum_attributes(of, table, first, last, from.data(), static_cast<std::int64_t>(from.shape(1)),
                             attributes.data(), out.data());
    });
}

// Calls visit(weight, place) for each weight of wide rows.
template <class Visit>
void over_wide(const In<std::int32_t, 1> &attributes, const weft::Columns &table, std::int64_t width, int threads,
               Visit &&visit) {
    const auto count = static_cast<std::int64_t>(attributes.shape(0)), runs = std::clamp<std::int64_t>(count / 64, 1, 256);
    weft::parallel_for(runs, threads, [&](std::size_t run) {
        weft::over_wide(attributes.data(), table, count * run / runs, count * (run + 1) / runs, width, visit);
    });
}

void spread_rows(In<std::int32_t, 1> attributes, In<std::int64_t, 1> row_offsets, In<std::int32_t, 1> columns,
                 In<double, 1> theta, Out<double, 2> out, int threads) {
    const weft::Columns table = columns_of(row_offsets, columns, theta);
    require(out.shape(0) >= attributes.shape(0), "there are too few rows");
    nb::gil_scoped_release release;
    over_wide(attributes, table, static_cast<std::int64_t>(out.shape(1)), threads,
              [&](std::int64_t weight, std::int64_t place) { out.data()[place] = theta.data()[weight]; });
}

void gather_rows(In<std::int32_t, 1> attributes, In<std::int64_t, 1> row_offsets, In<std::int32_t, 1> columns,
                 In<double, 2> totals, Out<double, 1> out, int threads) {
    const weft::Columns table = columns_of(row_offsets, columns, out);
    require(totals.shape(0) >= attributes.shape(0), "there are too few rows");
    nb::gil_scoped_release release;
    over_wide(attributes, table, static_cast<std::int64_t>(totals.shape(1)), threads,
              [&](std::int64_t weight, std::int64_t place) { out.data()[weight] += totals.data()[place]; });
}

void sum_entries(In<std::int64_t, 1> offsets, In<std::int32_t, 1> items, std::optional<In<double, 1>> values,
                 In<double, 1> from, In<std::int32_t, 1> owners, Out<double, 1> out, int threads) {
    const weft::Occurrences of = occurrences(offsets, items, values);
    require(owners.shape(0) + 1 >= offsets.shape(0), "owners and offsets differ in number");
    nb::gil_scoped_release release;
    over_owners(offsets, threads, [&](std::int64_t first, std::int64_t last) {
        weft::sum_entries(of, first, last, from.data(), owners.data(), out.data());
    });
}

} // namespace

void bind_rows(nb::module_ &module) {
    module.def("sum_rows", &sum_rows, array("offsets"), array("items"), optional_array("values"), array("table"), optional_array("owners"), array("out"),
               "threads"_a, "Add to out[owner, :] the sum of value * table[item, :] over the owner's items.");
    module.def("add_entries", &add_entries, array("offsets"), array("columns"), array("items"), optional_array("values"), array("theta"), array("out"),
               "threads"_a, "Add value * theta[item] to out[owner, column] for each of the owner's items.");
    module.def("add_attributes", &add_attributes, array("offsets"), array("attributes"), optional_array("values"), array("row_offsets"), array("columns"), array("theta"), array("out"),
               "threads"_a, "Add value * theta[attribute, column] to out[owner, column] for each of the owner's attributes.");
    module.def("sum_attributes", &sum_attributes, array("offsets"), array("tokens"), optional_array("values"), array("source"), array("attributes"), array("row_offsets"), array("columns"), array("out"),
               "threads"_a, "Add to out[attribute, column] the sum of value * source[token, column] over the attribute's tokens.");
    module.def("spread_rows", &spread_rows, array("attributes"), array("row_offsets"), array("columns"), array("theta"), array("out"),
               "threads"_a, "Write the weights of some attributes into rows of a table, each into its column.");
    module.def("gather_rows", &gather_rows, array("attributes"), array("row_offsets"), array("columns"), array("totals"), array("out"),
               "threads"_a, "Add the rows of such a table to the weights.");
    module.def("sum_entries", &sum_entries, array("offsets"), array("items"), optional_array("values"), array("source"), array("owners"), array("out"),
               "threads"_a, "Add to out[owner] the sum of value * source[item] over the owner's items.");
}
