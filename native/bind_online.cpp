// Python's view of passes in which weights change after each sentence: checks shapes, releases the GIL.
#include "binding.hpp" // with Python's headers, which come first

#include "ascent.hpp"
#include "online.hpp"

#include <nanobind/stl/pair.h>

using namespace weft::binding;

namespace {

using Longs = In<std::int64_t, 1>;
using Ints = In<std::int32_t, 1>;

std::int64_t count(const auto &array) { return static_cast<std::int64_t>(array.shape(0)); }

std::int64_t last(const Longs &offsets) { return offsets.data()[offsets.shape(0) - 1]; }

// What both passes look at; lengths are checked when it is made.
#define PASS_ARGUMENTS                                                                                                 \
    int order, int tags, Out<double, 3> transitions, Longs set_offsets, Ints set_tags, In<double, 2> set_bias,         \
        Longs token_offsets, Ints begins, Ints sizes, std::optional<In<double, 1>> values, Ints columns,               \
        std::int64_t row_start, Ints bigrams, std::optional<Ints> trigrams, Longs firsts, Longs lengths,               \
        Longs observed_starts, Longs rival_starts, Ints member_sets, In<double, 1> example_weights, Longs turns
#define PASS_VALUES                                                                                                    \
    order, tags, transitions, set_offsets, set_tags, set_bias, token_offsets, begins, sizes, values, columns,          \
        row_start, bigrams, trigrams, firsts, lengths, observed_starts, rival_starts, member_sets, example_weights, turns
#define PASS_NAMES                                                                                                     \
    "order"_a, "tags"_a, array("transitions"), array("set_offsets"), array("set_tags"), array("set_bias"),             \
        array("token_offsets"), array("begins"), array("sizes"), optional_array("values"), array("columns"),           \
        "row_start"_a, array("bigrams"), optional_array("trigrams"), array("firsts"), array("lengths"),                \
        array("observed_starts"), array("rival_starts"), array("member_sets"), array("example_weights"), array("turns")

struct Pass {
    weft::Chain chain;
    weft::Features features;
    std::vector<weft::OnlineExample> examples; // in the order of their turns
    std::int64_t longest = 0, most = 0;

    Pass(PASS_ARGUMENTS, std::int64_t size) {
        const auto groups = static_cast<std::int64_t>(transitions.shape(0)), width = static_cast<std::int64_t>(transitions.shape(1));
        require((order == 1 && groups == 1) || (order == 2 && groups == width), "transitions have the wrong number of groups");
        require(static_cast<std::int64_t>(transitions.shape(2)) == width && width % weft::LANES == 0 && tags < width,
                "transitions must be [groups, width, width], width a multiple of 8 above the number of tags");
        require(set_offsets.shape(0) == set_bias.shape(0) + 1 && static_cast<std::int64_t>(set_bias.shape(1)) == width &&
                    last(set_offsets) <= count(set_tags),
                "the tag sets do not fit together");
        require(token_offsets.shape(0) > 0 && last(token_offsets) <= count(begins), "there are too few attributes");
        require(count(sizes) == count(begins) && (!values || count(*values) == count(begins)),
                "attributes, sizes and values differ in number");
        require(row_start >= 0 && row_start + count(columns) <= size, "there are too few weights");
        require(count(bigrams) == width * width, "there is a number for each pair of tags");
        require(order == 1 || (trigrams && count(*trigrams) == width * width * width), "there is a number for each three tags");
        const std::int64_t known = count(firsts), tokens = count(token_offsets) - 1;
        require(count(lengths) == known && count(observed_starts) == known && count(rival_starts) == known &&
                    count(example_weights) == known,
                "the examples do not fit together");
        examples.reserve(count(turns));
        for (std::int64_t k = 0; k < count(turns); ++k) {
            const std::int64_t i = turns.data()[k];
            require(i >= 0 && i < known, "there is no such example");
            const std::int64_t first = firsts.data()[i], length = lengths.data()[i];
            require(first >= 0 && length >= 0 && first + length <= tokens, "an example needs its tokens");
            for (const Longs *starts : {&observed_starts, &rival_starts})
                require(starts->data()[i] >= 0 && starts->data()[i] + length <= count(member_sets), "there are too few tag sets");
            longest = std::max(longest, length);
            most = std::max(most, token_offsets.data()[first + length] - token_offsets.data()[first]);
            examples.push_back({first, length, member_sets.data() + observed_starts.data()[i],
                                member_sets.data() + rival_starts.data()[i], example_weights.data()[i]});
        }
        chain.order = order;
        chain.boundary = static_cast<std::int32_t>(tags);
        chain.width = width;
        chain.groups = groups;
        chain.transitions = transitions.data();
        chain.sets = {set_offsets.data(), set_tags.data(), set_bias.data()};
        features = {{token_offsets.data(), begins.data(), values ? values->data() : nullptr, count(begins)},
                    sizes.data(),
                    columns.data(),
                    row_start,
                    count(columns),
                    bigrams.data(),
                    order == 2 ? trigrams->data() : nullptr};
    }
};

std::pair<double, std::int64_t> chain_online(PASS_ARGUMENTS, int rule, double strength, std::int64_t before,
                                             Out<double, 1> theta, std::optional<Out<double, 1>> drift,
                                             std::optional<Out<double, 1>> variances) {
    require((!drift || count(*drift) == count(theta)) && (!variances || count(*variances) == count(theta)), "weights differ in number");
    require(rule >= 0 && rule <= static_cast<int>(weft::Rule::arow), "there is no such rule");
    require(variances || rule != static_cast<int>(weft::Rule::arow), "AROW needs variances");
    const Pass all(PASS_VALUES, count(theta));
    const weft::Weights weights{theta.data(), drift ? drift->data() : nullptr, variances ? variances->data() : nullptr, count(theta)};
    nb::gil_scoped_release release;
    weft::OnlinePass pass(all.chain, transitions.data(), all.features, weights, all.longest, all.most);
    double total = 0.0;
    std::int64_t changes = 0;
    for (const weft::OnlineExample &example : all.examples) {
        const auto [value, changed] =
            pass.answer(example, static_cast<weft::Rule>(rule), strength, static_cast<double>(before++));
        total += value;
        changes += changed;
    }
    pass.finish();
    return {total, changes};
}

double chain_ascent(PASS_ARGUMENTS, Longs batches, double rate, double factor, Out<double, 1> theta,
                    std::optional<Out<double, 1>> sums) {
    require(!sums || count(*sums) == count(theta), "weights differ in number");
    require(batches.shape(0) > 0 && batches.data()[0] == 0 && last(batches) == count(turns), "batches do not fit the turns");
    const Pass all(PASS_VALUES, count(theta));
    std::int64_t most = 0;
    for (std::int64_t k = 0; k + 1 < count(batches); ++k) {
        const std::int64_t first = batches.data()[k], end = batches.data()[k + 1];
        require(first <= end && end <= count(turns), "batches do not fit the turns");
        std::int64_t tokens = 0;
        for (std::int64_t i = first; i < end; ++i) tokens += all.examples[i].length;
        most = std::max(most, tokens);
    }
    nb::gil_scoped_release release;
    weft::Ascent ascent(all.chain, all.features, theta.data(), count(theta), most);
    double total = 0.0;
    for (std::int64_t k = 0; k + 1 < count(batches); ++k)
        total += ascent.step(all.examples.data() + batches.data()[k], batches.data()[k + 1] - batches.data()[k], rate, factor);
    ascent.finish(theta.data(), sums ? sums->data() : nullptr);
    return total;
}

} // namespace

void bind_online(nb::module_ &module) {
    module.def("chain_online", &chain_online, PASS_NAMES, "rule"_a, "strength"_a, "before"_a, array("theta"), optional_array("drift"),
               optional_array("variances"),
               "Let weights answer to one example after the other; return the sum of their values, and the changes.");
    module.def("chain_ascent", &chain_ascent, PASS_NAMES, array("batches"), "rate"_a, "factor"_a, array("theta"),
               optional_array("sums"),
               "Make a step of gradient ascent on one batch after the other; return the sum of their values.");
}
