// Python's view of sums over lattices: checks shapes, splits the work, releases the GIL.
#include "binding.hpp"
#include "lattice.hpp"
#include "parallel.hpp"

using namespace weft::binding;

namespace {

#define LATTICE_ARGUMENTS                                                                                              \
    int order, int tags, In<double, 3> transitions, In<double, 2> emission, In<std::int64_t, 1> set_offsets,           \
        In<std::int32_t, 1> set_tags, In<std::int64_t, 1> state_offsets,                                                \
        In<std::int32_t, 1> rows, In<std::int32_t, 1> groups, In<std::int32_t, 1> nexts, In<std::uint8_t, 1> final,    \
        In<std::int64_t, 1> arc_offsets, In<std::int32_t, 1> targets, In<std::int32_t, 1> words,                       \
        In<std::int32_t, 1> allowed, In<std::int64_t, 1> entry_offsets, In<std::int64_t, 1> base_offsets,              \
        In<std::int32_t, 1> bases, In<std::int32_t, 1> places
#define LATTICE_VALUES                                                                                                 \
    order, tags, transitions, emission, set_offsets, set_tags, state_offsets, rows, groups, nexts, final,  \
        arc_offsets, targets, words, allowed, entry_offsets, base_offsets, bases, places
#define LATTICE_NAMES                                                                                                  \
    "order"_a, "tags"_a, array("transitions"), array("emission"), array("set_offsets"), array("set_tags"),             \
        array("state_offsets"), array("rows"), array("groups"), array("nexts"), array("final"),   \
        array("arc_offsets"), array("targets"), array("words"), array("allowed"), array("entry_offsets"),    \
        array("base_offsets"), array("bases"), array("places")

weft::Lattices make_lattices(LATTICE_ARGUMENTS) {
    const auto width = static_cast<std::int64_t>(transitions.shape(1));
    require(order == 1 || order == 2, "order must be 1 or 2");
    require(static_cast<std::int64_t>(transitions.shape(2)) == width && width % weft::LANES == 0 && tags < width &&
                static_cast<std::int64_t>(transitions.shape(0)) == (order == 1 ? 1 : width),
            "transitions must be [groups, width, width], width a multiple of 8 above the number of tags");
    require(static_cast<std::int64_t>(emission.shape(1)) == width, "emission scores have the wrong width");
    require(set_offsets.shape(0) > 0, "there are no tag sets");
    const std::size_t states = final.shape(0), arcs = targets.shape(0);
    require(rows.shape(0) == states && groups.shape(0) == states && nexts.shape(0) == states &&
                arc_offsets.shape(0) == states + 1,
            "the states do not fit together");
    require(words.shape(0) == arcs && allowed.shape(0) == arcs && entry_offsets.shape(0) == arcs + 1 &&
                base_offsets.shape(0) == states && static_cast<std::int64_t>(places.shape(0)) == entry_offsets.data()[arcs],
            "the arcs do not fit together");
    require(state_offsets.shape(0) > 0 && state_offsets.data()[state_offsets.shape(0) - 1] == static_cast<std::int64_t>(states) &&
                arc_offsets.data()[states] == static_cast<std::int64_t>(arcs),
            "the lattices do not fit together");
    weft::Lattices all{order,
                       static_cast<std::int32_t>(tags),
                       width,
                       {set_offsets.data(), set_tags.data()},
                       state_offsets.data(),
                       rows.data(),
                       groups.data(),
                       nexts.data(),
                       final.data(),
                       arc_offsets.data(),
                       targets.data(),
                       words.data(),
                       allowed.data(),
                       entry_offsets.data(),
                       base_offsets.data(),
                       bases.data(),
                       places.data(),
                       transitions.data(),
                       emission.data(),
                       {},
                       {},
                       0,
                       {},
                       {},
                       true};
    const std::size_t count = emission.shape(0);
    all.factors.resize(count * width);
    all.shifts.resize(count);
    all.unsafe.resize(count);
    return all;
}

void prepare(weft::Lattices &all, int threads) {
    weft::prepare_steps(all);
    constexpr std::size_t PART = 1024; // words at a time
    const std::size_t words = all.shifts.size();
    weft::parallel_for((words + PART - 1) / PART, threads, [&](std::size_t part) {
        for (std::size_t w = part * PART; w < std::min(words, (part + 1) * PART); ++w) weft::prepare_word(all, w);
    });
}

// How many runs of lattices there are, and so how many arrays of totals: see split().
constexpr std::int64_t RUNS = 16, TOTALS_BYTES = 1 << 28;

template <class Visit> void over_lattices(const weft::Lattices &all, std::int64_t lattices, std::int64_t runs, int threads, Visit &&visit) {
    const std::vector<std::int64_t> bounds = split(all.state_offsets, lattices, runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) {
        weft::LatticeSweep sweep(all);
        for (std::int64_t i = bounds[run]; i < bounds[run + 1]; ++i) visit(sweep, static_cast<std::int64_t>(run), i);
    });
}

std::int64_t runs_of(const weft::Lattices &all, std::int64_t lattices, std::int64_t totals) {
    const std::int64_t enough = 1 + all.state_offsets[lattices] / 16384; // so that a run outweighs its totals
    return std::clamp<std::int64_t>(std::min({TOTALS_BYTES / (16 * totals), lattices, enough}), 1, RUNS);
}

void lattice_log_partition(LATTICE_ARGUMENTS, Out<double, 1> log_partition, int threads) {
    weft::Lattices all = make_lattices(LATTICE_VALUES);
    const auto lattices = static_cast<std::int64_t>(state_offsets.shape(0)) - 1;
    require(static_cast<std::int64_t>(log_partition.shape(0)) == lattices, "one value a lattice");
    nb::gil_scoped_release release;
    prepare(all, threads);
    over_lattices(all, lattices, runs_of(all, lattices, 1), threads,
                  [&](weft::LatticeSweep &sweep, std::int64_t, std::int64_t i) { log_partition.data()[i] = sweep.forward(i); });
}

void lattice_sweep(LATTICE_ARGUMENTS, In<double, 1> coefficients, Out<double, 1> log_partition, Out<double, 1> entries,
                   Out<double, 3> transition_totals, int threads) {
    weft::Lattices all = make_lattices(LATTICE_VALUES);
    const auto lattices = static_cast<std::int64_t>(state_offsets.shape(0)) - 1;
    require(static_cast<std::int64_t>(log_partition.shape(0)) == lattices && static_cast<std::int64_t>(coefficients.shape(0)) == lattices,
            "one value and one coefficient a lattice");
    require(static_cast<std::int64_t>(entries.shape(0)) == entry_offsets.data()[entry_offsets.shape(0) - 1], "one entry a tag of an arc");
    nb::gil_scoped_release release;
    prepare(all, threads);
    const std::int64_t totals = static_cast<std::int64_t>(transitions.size()), runs = runs_of(all, lattices, totals);
    std::vector<weft::Buffer> exact(runs); // empty where no lattice of a run needed logs
    weft::Buffer scaled(runs * totals);
    over_lattices(all, lattices, runs, threads, [&](weft::LatticeSweep &sweep, std::int64_t run, std::int64_t i) {
        log_partition.data()[i] = sweep.collect(i, coefficients.data()[i], entries.data(), exact[run],
                                                scaled.data() + run * totals);
    });
    constexpr std::int64_t PART = 1 << 14; // totals at a time
    weft::parallel_for((totals + PART - 1) / PART, threads, [&](std::size_t part) {
        for (std::int64_t i = part * PART; i < std::min<std::int64_t>(totals, (part + 1) * PART); ++i) {
            double exact_total = 0.0, scaled_total = 0.0;
            for (std::int64_t run = 0; run < runs; ++run) {
                if (!exact[run].empty()) exact_total += exact[run][i];
                scaled_total += scaled[run * totals + i];
            }
            transition_totals.data()[i] += exact_total + scaled_total * all.steps[i];
        }
    });
}

} // namespace

void bind_lattice(nb::module_ &module) {
    module.def("lattice_log_partition", &lattice_log_partition, LATTICE_NAMES, array("log_partition"), "threads"_a,
               "Write log Z of each lattice.");
    module.def("lattice_sweep", &lattice_sweep, LATTICE_NAMES, array("coefficients"), array("log_partition"), array("entries"),
               array("transition_totals"), "threads"_a,
               "Write log Z of each lattice; add its coefficient times its expectations to the entries and totals.");
}
