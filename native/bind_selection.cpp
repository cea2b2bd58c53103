// Python's view of sums over listed analyses: checks shapes, splits the work, releases the GIL.
#include "binding.hpp"

#include <nanobind/stl/pair.h>

#include "envelopes.hpp"
#include "parallel.hpp"
#include "selection.hpp"

#include <memory>
#include <utility>

using namespace weft::binding;

namespace {

constexpr std::int64_t MOST_RUNS = 32, MOST_ROWS = 16, BLOCK_SIZE = 4096;

// Whether offsets end where an array does, or before.
bool ends_within(const In<std::int64_t, 1> &offsets, std::size_t size) {
    return offsets.shape(0) > 0 && offsets.data()[offsets.shape(0) - 1] <= static_cast<std::int64_t>(size);
}

weft::Bags bags_of(const In<std::int64_t, 1> &offsets, const In<std::int32_t, 1> &features,
                   const std::optional<In<double, 1>> &values, const In<double, 1> &base) {
    require(offsets.shape(0) == base.shape(0) + 1, "offsets and analyses differ in number");
    require(!values || values->shape(0) == features.shape(0), "values and features differ in number");
    require(ends_within(offsets, features.shape(0)), "there are too few features");
    return {offsets.data(), features.data(), values ? values->data() : nullptr, base.data()};
}

// A run has a row of expectations of its own: as many as are small beside the features that they are made of.
std::int64_t runs_for(std::int64_t entries, std::int64_t size) {
    const std::int64_t few = entries > size ? 2 : 1;
    return std::clamp<std::int64_t>(entries / (16 * std::max<std::int64_t>(size, 1)), few, MOST_ROWS);
}

void sum_analyses(In<std::int64_t, 1> sentences, In<std::int64_t, 1> offsets, In<std::int32_t, 1> features,
                  std::optional<In<double, 1>> values, In<double, 1> base, In<std::int64_t, 1> owners,
                  In<std::int64_t, 1> choice_offsets, In<std::int32_t, 1> choices, std::optional<In<double, 1>> bias,
                  In<std::int32_t, 1> summed, In<double, 1> theta, std::optional<In<double, 1>> coefficients,
                  Out<double, 1> log_partition, std::optional<Out<double, 1>> gradient, int threads) {
    const weft::Bags bags = bags_of(offsets, features, values, base);
    const std::size_t members = log_partition.shape(0), count = sentences.shape(0) - 1;
    require(sentences.shape(0) > 0 && owners.shape(0) == sentences.shape(0), "sentences and owners differ in number");
    require(choice_offsets.shape(0) == members + 1 && summed.shape(0) == members, "members differ in number");
    require(ends_within(sentences, base.shape(0)) && ends_within(owners, members) &&
                ends_within(choice_offsets, choices.shape(0)),
            "there are too few analyses, members or choices");
    require(!bias || bias->shape(0) == choices.shape(0), "bias and choices differ in number");
    require(!coefficients || coefficients->shape(0) == members, "coefficients and members differ in number");
    require(gradient.has_value() == coefficients.has_value(), "give coefficients and a gradient, or neither");
    require(!gradient || gradient->shape(0) == theta.shape(0), "theta and its gradient differ in number");
    const weft::Choices which{choice_offsets.data(), choices.data(), bias ? bias->data() : nullptr, summed.data()};
    const auto size = static_cast<std::int64_t>(theta.shape(0));
    nb::gil_scoped_release release;
    // Entries before each sentence: what the cost of a run is measured in.
    std::vector<std::int64_t> entries(count + 1);
    for (std::size_t s = 0; s <= count; ++s) entries[s] = offsets.data()[sentences.data()[s]];
    const std::int64_t runs = gradient ? runs_for(entries[count] - entries[0], size) : MOST_RUNS;
    const std::vector<std::int64_t> bounds = split(entries.data(), static_cast<std::int64_t>(count), runs);
    // Not cleared here: each run clears its own row, where it will find it in its cache.
    const std::unique_ptr<double[]> rows(gradient ? new double[runs * size] : nullptr);
    weft::parallel_for(runs, threads, [&](std::size_t run) {
        if (gradient) std::fill_n(rows.get() + run * size, size, 0.0);
        weft::sum_analyses(bags, sentences.data(), owners.data(), which, bounds[run], bounds[run + 1], theta.data(),
                           coefficients ? coefficients->data() : nullptr, log_partition.data(),
                           gradient ? rows.get() + run * size : nullptr);
    });
    if (!gradient) return;
    const std::int64_t blocks = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    weft::parallel_for(blocks, threads, [&](std::size_t block) {
        const std::int64_t first = static_cast<std::int64_t>(block) * BLOCK_SIZE;
        weft::dispatch<weft::add_up>(rows.get(), runs, size, first, std::min(size, first + BLOCK_SIZE), gradient->data());
    });
}

void score_analyses(In<std::int64_t, 1> offsets, In<std::int32_t, 1> features, std::optional<In<double, 1>> values,
                    In<double, 1> base, In<double, 1> theta, Out<double, 1> scores, int threads) {
    const weft::Bags bags = bags_of(offsets, features, values, base);
    require(scores.shape(0) == base.shape(0), "scores and analyses differ in number");
    nb::gil_scoped_release release;
    const std::vector<std::int64_t> bounds =
        split(offsets.data(), static_cast<std::int64_t>(base.shape(0)), MOST_RUNS);
    weft::parallel_for(MOST_RUNS, threads, [&](std::size_t run) {
        weft::dispatch<weft::score_analyses>(bags, bounds[run], bounds[run + 1], theta.data(), scores.data());
    });
}

// Several hypergraphs, one after the other: vertices are numbered within each, tails through all.
nb::tuple follow_forests(In<std::int64_t, 1> vertices, In<std::int64_t, 1> edges, In<std::int32_t, 1> heads,
                         In<std::int64_t, 1> tail_offsets, In<std::int32_t, 1> tails, In<bool, 1> right,
                         In<double, 1> weights, In<double, 1> slopes, In<std::int64_t, 1> members, double reach) {
    const std::size_t count = heads.shape(0);
    require(edges.shape(0) == vertices.shape(0) + 1 && ends_within(edges, count), "there are too few edges");
    require(tail_offsets.shape(0) == count + 1 && ends_within(tail_offsets, tails.shape(0)), "there are too few tails");
    require(right.shape(0) == count && weights.shape(0) == count && slopes.shape(0) == count,
            "edges and their numbers differ in number");
    for (std::size_t k = 0; k < members.shape(0); ++k)
        require(members.data()[k] >= 0 && members.data()[k] < length(vertices), "no such forest");
    std::vector<double> first(members.shape(0), 0.0), places, jumps;
    std::vector<std::int64_t> sets;
    {
        nb::gil_scoped_release release;
        weft::envelopes::Follower follower;
        for (std::size_t k = 0; k < members.shape(0); ++k) {
            const std::int64_t member = members.data()[k], from = edges.data()[member];
            const weft::hypergraph::Topology graph{vertices.data()[member], edges.data()[member + 1] - from,
                                                   heads.data() + from, tail_offsets.data() + from, tails.data()};
            const auto &pieces = follower.follow(graph, weights.data() + from, slopes.data() + from,
                                                 right.data() + from, reach);
            if (!pieces.empty()) first[k] = pieces[0].share;
            for (std::size_t piece = 1; piece < pieces.size(); ++piece) {
                if (pieces[piece].share == pieces[piece - 1].share) continue;
                sets.push_back(static_cast<std::int64_t>(k));
                places.push_back(pieces[piece].start);
                jumps.push_back(pieces[piece].share - pieces[piece - 1].share);
            }
        }
    }
    return nb::make_tuple(made(std::move(first)), made(std::move(sets)), made(std::move(places)),
                          made(std::move(jumps)));
}

// A ballot with the arrays that it looks into.
struct ChoiceCounter {
    ChoiceCounter(In<std::int64_t, 1> offsets, In<std::int32_t, 1> analyses, std::optional<In<double, 1>> values,
                  In<std::int32_t, 1> owners, In<std::int64_t, 1> sentences, In<bool, 1> right, In<double, 1> weights,
                  In<double, 1> scores)
        : offsets(offsets), sentences(sentences), analyses(analyses), owners(owners), right(right), weights(weights),
          values(values) {
        require(owners.shape(0) == right.shape(0) && owners.shape(0) == scores.shape(0), "analyses differ in number");
        require(sentences.shape(0) == weights.shape(0) + 1, "sentences and weights differ in number");
        require(ends_within(sentences, owners.shape(0)) && ends_within(offsets, analyses.shape(0)),
                "there are too few analyses");
        require(!values || values->shape(0) == analyses.shape(0), "values and analyses differ in number");
        ballot.offsets = offsets.data();
        ballot.analyses = analyses.data();
        ballot.values = values ? values->data() : nullptr;
        ballot.owners = owners.data();
        ballot.sentences = sentences.data();
        ballot.right = right.data();
        ballot.weights = weights.data();
        ballot.scores.assign(scores.data(), scores.data() + scores.shape(0));
        ballot.count(static_cast<std::int64_t>(weights.shape(0)), static_cast<std::int64_t>(offsets.shape(0)) - 1);
    }

    // Tries changes of single weights one after the other; keeps one if the total changes by at least its slack.
    std::pair<double, double> walk(In<std::int32_t, 1> features, In<double, 1> deltas, In<double, 1> slacks,
                                   Out<double, 1> theta, Out<double, 1> best_theta, double best) {
        const std::size_t count = features.shape(0), size = theta.shape(0);
        require(deltas.shape(0) == count && slacks.shape(0) == count, "changes differ in number");
        require(size + 1 == offsets.shape(0) && best_theta.shape(0) == size, "weights differ in number");
        for (std::size_t k = 0; k < count; ++k)
            require(features.data()[k] >= 0 && static_cast<std::size_t>(features.data()[k]) < size, "no such feature");
        nb::gil_scoped_release release;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t feature = features.data()[k];
            ballot.change(feature, deltas.data()[k]);
            if (ballot.total - ballot.old_total < slacks.data()[k]) {
                ballot.undo();
                continue;
            }
            theta.data()[feature] += deltas.data()[k];
            if (ballot.total > best) {
                best = ballot.total;
                std::copy(theta.data(), theta.data() + size, best_theta.data());
            }
        }
        return {ballot.total, best};
    }

    double total() const { return ballot.total; }

    In<std::int64_t, 1> offsets, sentences;
    In<std::int32_t, 1> analyses, owners;
    In<bool, 1> right;
    In<double, 1> weights;
    std::optional<In<double, 1>> values;
    weft::Ballot ballot;
};

} // namespace

void bind_selection(nb::module_ &module) {
    module.def("sum_analyses", &sum_analyses, array("sentences"), array("offsets"), array("features"), optional_array("values"), array("base"), array("owners"), array("choice_offsets"), array("choices"), optional_array("bias"), array("summed"), array("theta"), optional_array("coefficients"), array("log_partition"), optional_array("gradient"),
               "threads"_a, "Write log Z of every member and, given coefficients, the weighted sum of their expectations.");
    module.def("score_analyses", &score_analyses, array("offsets"), array("features"), optional_array("values"), array("base"), array("theta"), array("scores"),
               "threads"_a, "Write the score of every analysis.");
    module.def("follow_forests", &follow_forests, array("vertices"), array("edges"), array("heads"), array("tail_offsets"), array("tails"), array("right"), array("weights"), array("slopes"), array("members"),
               "reach"_a, "Return the shares of right ones among the best derivations at -reach; and of each change the member, where it is and by how much.");
    nb::class_<ChoiceCounter>(module, "ChoiceCounter", "Counts right choices while single weights change.")
        .def(nb::init<In<std::int64_t, 1>, In<std::int32_t, 1>, std::optional<In<double, 1>>, In<std::int32_t, 1>, In<std::int64_t, 1>, In<bool, 1>, In<double, 1>, In<double, 1>>(),
             array("offsets"), array("analyses"), optional_array("values"), array("owners"), array("sentences"), array("right"), array("weights"), array("scores"))
        .def("walk", &ChoiceCounter::walk, array("features"), array("deltas"), array("slacks"), array("theta"), array("best_theta"), "best"_a,
             "Try changes one after the other; return the total and the best total.")
        .def_prop_ro("total", &ChoiceCounter::total);
}
