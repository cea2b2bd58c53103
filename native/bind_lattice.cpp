// Python's view of sums over lattices: checks shapes, splits the work, releases the GIL.
#include "binding.hpp"
#include "lattice_links.hpp"
#include "lattice_logs.hpp"
#include "lattice_scaled.hpp"
#include "lattice_unroll.hpp"
#include "parallel.hpp"

#include <array>

using namespace weft::binding;

namespace {

// Lattices with the arrays that they are made of, which Python keeps alive through it, and their links.
class LatticeSums {
  public:
    LatticeSums(int order, int tags, In<std::int64_t, 1> set_offsets, In<std::int32_t, 1> set_tags,
                In<std::int64_t, 1> state_offsets, In<std::int32_t, 1> rows, In<std::int32_t, 1> groups,
                In<std::int32_t, 1> nexts, In<std::uint8_t, 1> final, In<std::int64_t, 1> arc_offsets,
                In<std::int32_t, 1> targets, In<std::int32_t, 1> words, In<std::int32_t, 1> allowed,
                In<std::int64_t, 1> entry_offsets, In<std::int64_t, 1> base_offsets, In<std::int32_t, 1> bases,
                In<std::int32_t, 1> places, In<std::int32_t, 1> uses, In<std::int64_t, 1> use_places,
                std::int64_t word_count, std::int64_t links_an_arc)
        : longs_{set_offsets, state_offsets, arc_offsets, entry_offsets, base_offsets, use_places},
          shorts_{set_tags, rows, groups, nexts, targets, words, allowed, bases, places, uses}, final_(final) {
        require(order == 1 || order == 2, "order must be 1 or 2");
        require(set_offsets.shape(0) > 0, "there are no tag sets");
        const std::size_t states = final.shape(0), arcs = targets.shape(0);
        require(rows.shape(0) == states && groups.shape(0) == states && nexts.shape(0) == states &&
                    arc_offsets.shape(0) == states + 1 && base_offsets.shape(0) == states,
                "the states do not fit together");
        require(words.shape(0) == arcs && allowed.shape(0) == arcs && uses.shape(0) == arcs &&
                    entry_offsets.shape(0) == arcs + 1 &&
                    static_cast<std::int64_t>(places.shape(0)) == entry_offsets.data()[arcs],
                "the arcs do not fit together");
        require(state_offsets.shape(0) > 0 &&
                    state_offsets.data()[state_offsets.shape(0) - 1] == static_cast<std::int64_t>(states) &&
                    arc_offsets.data()[states] == static_cast<std::int64_t>(arcs),
                "the lattices do not fit together");
        lattices_.order = order;
        lattices_.boundary = tags;
        lattices_.width = (tags + weft::LANES) / weft::LANES * weft::LANES;
        lattices_.sets = {set_offsets.data(), set_tags.data()};
        lattices_.lattices = static_cast<std::int64_t>(state_offsets.shape(0)) - 1;
        lattices_.state_offsets = state_offsets.data();
        lattices_.rows = rows.data();
        lattices_.groups = groups.data();
        lattices_.nexts = nexts.data();
        lattices_.final = final.data();
        lattices_.arc_offsets = arc_offsets.data();
        lattices_.targets = targets.data();
        lattices_.words = words.data();
        lattices_.allowed = allowed.data();
        lattices_.entry_offsets = entry_offsets.data();
        lattices_.base_offsets = base_offsets.data();
        lattices_.bases = bases.data();
        lattices_.places = places.data();
        lattices_.uses = uses.data();
        lattices_.use_places = use_places.data();
        lattices_.use_count = static_cast<std::int64_t>(use_places.shape(0));
        lattices_.emission_rows = word_count;
        nb::gil_scoped_release release;
        weft::Unroller unroller(lattices_, links_an_arc);
        for (std::int64_t i = 0; i < lattices_.lattices; ++i) unroller.add(i);
        links_ = unroller.finish();
    }

    void log_partition(In<double, 3> transitions, In<double, 2> emission, Out<double, 1> values, int threads) const;
    void sweep(In<double, 3> transitions, In<double, 2> emission, In<double, 1> coefficients, Out<double, 1> values,
               Out<double, 2> marginals, Out<double, 3> transition_totals, int threads) const;
    std::size_t link_count() const { return links_.links.size(); }
    std::size_t weight_count() const { return links_.places.size(); }

  private:
    weft::ScoredLattices scored(const In<double, 3> &transitions, const In<double, 2> &emission) const {
        const auto size = [&](int axis) { return static_cast<std::int64_t>(transitions.shape(axis)); };
        const std::int64_t width = lattices_.width;
        require(size(0) == (lattices_.order == 1 ? 1 : width) && size(1) == width && size(2) == width,
                "transitions must be [groups, width, width]");
        require(static_cast<std::int64_t>(emission.shape(0)) == lattices_.emission_rows &&
                    static_cast<std::int64_t>(emission.shape(1)) == width,
                "emission scores must be [words, width]");
        return weft::ScoredLattices(lattices_, transitions.data(), emission.data());
    }

    std::array<In<std::int64_t, 1>, 6> longs_;
    std::array<In<std::int32_t, 1>, 10> shorts_;
    In<std::uint8_t, 1> final_;
    weft::Lattices lattices_;
    weft::Links links_;
};

// How many runs of lattices there are, and so how many arrays of totals: see split().
constexpr std::int64_t RUNS = 16, TOTALS_BYTES = 1 << 28;

std::int64_t runs_of(const weft::Lattices &all, std::int64_t totals) {
    const std::int64_t enough = 1 + all.state_offsets[all.lattices] / 16384; // so that a run outweighs its totals
    const std::int64_t room = TOTALS_BYTES / static_cast<std::int64_t>(sizeof(double) * std::max<std::int64_t>(1, totals));
    return std::clamp<std::int64_t>(std::min({room, all.lattices, enough}), 1, RUNS);
}

// Calls visit(sweep, run, lattice) for all lattices, each run with a sweep of its own.
template <class Make, class Visit>
void over_lattices(const weft::Lattices &all, std::int64_t runs, int threads, Make &&make, Visit &&visit) {
    const std::vector<std::int64_t> bounds = split(all.state_offsets, all.lattices, runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) {
        auto sweep = make();
        for (std::int64_t i = bounds[run]; i < bounds[run + 1]; ++i) visit(sweep, static_cast<std::int64_t>(run), i);
    });
}

// Scores become numbers, for the lattices that are not written out.
void prepare(weft::ScoredLattices &all, int threads) {
    weft::prepare_steps(all);
    constexpr std::int64_t PART = 1024; // words at a time
    weft::parallel_for((all.emission_rows + PART - 1) / PART, threads, [&](std::size_t part) {
        const std::int64_t first = static_cast<std::int64_t>(part) * PART;
        for (std::int64_t w = first; w < std::min(all.emission_rows, first + PART); ++w) weft::prepare_word(all, w);
    });
}

bool all_of(const std::vector<std::uint8_t> &done) { return std::find(done.begin(), done.end(), 0) == done.end(); }

void LatticeSums::log_partition(In<double, 3> transitions, In<double, 2> emission, Out<double, 1> values,
                                int threads) const {
    weft::ScoredLattices all = scored(transitions, emission);
    require(static_cast<std::int64_t>(values.shape(0)) == all.lattices, "one value a lattice");
    nb::gil_scoped_release release;
    const weft::LinkWeights weights(all, links_);
    const std::int64_t runs = runs_of(all, 1);
    std::vector<std::uint8_t> done(all.lattices, 0);
    over_lattices(
        all, runs, threads, [&] { return weft::LinkSweep(links_, weights); },
        [&](weft::LinkSweep &sweep, std::int64_t, std::int64_t i) {
            done[i] = links_.has(i) && sweep.forward(i, values.data()[i]);
        });
    if (all_of(done)) return;
    prepare(all, threads);
    over_lattices(
        all, runs, threads, [&] { return weft::LatticeSweep(all); },
        [&](weft::LatticeSweep &sweep, std::int64_t, std::int64_t i) {
            if (!done[i]) values.data()[i] = sweep.forward(i);
        });
}

// Where what is expected of all lattices goes.
struct Totals {
    double *values, *marginals, *transitions;
};

// Sums over the lattices that are written out, and notes which of them are done.
void sweep_links(const weft::ScoredLattices &all, const weft::Links &links, const double *coefficients, Totals to,
                 std::vector<std::uint8_t> &done, int threads) {
    const weft::LinkWeights weights(all, links);
    const auto count = static_cast<std::int64_t>(weights.numbers.size());
    const std::int64_t runs = runs_of(all, count), steps = all.step_count();
    weft::Buffer taken(runs * count);
    over_lattices(
        all, runs, threads, [&] { return weft::LinkSweep(links, weights); },
        [&](weft::LinkSweep &sweep, std::int64_t run, std::int64_t i) {
            done[i] = links.has(i) && weft::LinkSweep::takes(coefficients[i]) && sweep.forward(i, to.values[i]);
            if (done[i]) sweep.backward(i, coefficients[i], taken.data() + run * count);
        });
    for (std::size_t w = 0; w < links.places.size(); ++w) {
        double total = 0.0;
        for (std::int64_t run = 0; run < runs; ++run) total += taken[run * count + static_cast<std::int64_t>(w)];
        if (total == 0.0) continue; // the weight may be NaN, of lattices that were not done
        const std::int64_t place = links.places[w];
        (place < steps ? to.transitions[place] : to.marginals[place - steps]) += total * weights.numbers[w];
    }
}

// Sums over the others.
void sweep_rest(weft::ScoredLattices &all, const double *coefficients, Totals to, const std::vector<std::uint8_t> &done,
                int threads) {
    prepare(all, threads);
    const std::int64_t steps = all.step_count(), runs = runs_of(all, 2 * steps + all.use_count);
    std::vector<weft::Buffer> used(runs), exact(runs), scaled(runs); // empty where no lattice of a run needed them
    over_lattices(
        all, runs, threads, [&] { return weft::LatticeSweep(all); },
        [&](weft::LatticeSweep &sweep, std::int64_t run, std::int64_t i) {
            if (done[i]) return;
            used[run].resize(all.use_count);
            scaled[run].resize(steps);
            to.values[i] = sweep.collect(i, coefficients[i], used[run].data(), exact[run], scaled[run].data());
        });
    const auto total = [](const std::vector<weft::Buffer> &parts, std::int64_t i) {
        double sum = 0.0;
        for (const weft::Buffer &part : parts)
            if (!part.empty()) sum += part[i];
        return sum;
    };
    constexpr std::int64_t PART = 1 << 14; // totals at a time
    weft::parallel_for((steps + PART - 1) / PART, threads, [&](std::size_t part) {
        for (std::int64_t i = part * PART; i < std::min<std::int64_t>(steps, (part + 1) * PART); ++i)
            to.transitions[i] += total(exact, i) + total(scaled, i) * all.steps[i];
    });
    for (std::int64_t i = 0; i < all.use_count; ++i) to.marginals[all.use_places[i]] += total(used, i);
}

void LatticeSums::sweep(In<double, 3> transitions, In<double, 2> emission, In<double, 1> coefficients,
                        Out<double, 1> values, Out<double, 2> marginals, Out<double, 3> transition_totals,
                        int threads) const {
    weft::ScoredLattices all = scored(transitions, emission);
    require(static_cast<std::int64_t>(values.shape(0)) == all.lattices &&
                static_cast<std::int64_t>(coefficients.shape(0)) == all.lattices,
            "one value and one coefficient a lattice");
    require(marginals.size() == emission.size() && transition_totals.size() == transitions.size(),
            "totals must have the shapes of the scores");
    nb::gil_scoped_release release;
    const Totals to{values.data(), marginals.data(), transition_totals.data()};
    std::vector<std::uint8_t> done(all.lattices, 0);
    sweep_links(all, links_, coefficients.data(), to, done, threads);
    if (!all_of(done)) sweep_rest(all, coefficients.data(), to, done, threads);
}

} // namespace

void bind_lattice(nb::module_ &module) {
    nb::class_<LatticeSums>(module, "LatticeSums", "Sums over chains on lattices.")
        .def(nb::init<int, int, In<std::int64_t, 1>, In<std::int32_t, 1>, In<std::int64_t, 1>, In<std::int32_t, 1>,
                      In<std::int32_t, 1>, In<std::int32_t, 1>, In<std::uint8_t, 1>, In<std::int64_t, 1>,
                      In<std::int32_t, 1>, In<std::int32_t, 1>, In<std::int32_t, 1>, In<std::int64_t, 1>,
                      In<std::int64_t, 1>, In<std::int32_t, 1>, In<std::int32_t, 1>, In<std::int32_t, 1>,
                      In<std::int64_t, 1>, std::int64_t, std::int64_t>(),
             "order"_a, "tags"_a, array("set_offsets"), array("set_tags"), array("state_offsets"), array("rows"),
             array("groups"), array("nexts"), array("final"), array("arc_offsets"), array("targets"), array("words"),
             array("allowed"), array("entry_offsets"), array("base_offsets"), array("bases"), array("places"),
             array("uses"), array("use_places"), "word_count"_a, "links_an_arc"_a)
        .def("log_partition", &LatticeSums::log_partition, array("transitions"), array("emission"), array("values"),
             "threads"_a, "Write log Z of each lattice.")
        .def("sweep", &LatticeSums::sweep, array("transitions"), array("emission"), array("coefficients"),
             array("values"), array("marginals"), array("transition_totals"), "threads"_a,
             "Write log Z of each lattice; add its coefficient times its expectations to marginals and totals.")
        .def_prop_ro("link_count", &LatticeSums::link_count, "Of all lattices that are written out.")
        .def_prop_ro("weight_count", &LatticeSums::weight_count, "How many different weights links have.");
}
