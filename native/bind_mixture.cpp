// Binds the kernels of mixture_sums.hpp and mixture_best.hpp: checks what they index, splits the work, releases the
// GIL.
#include "binding.hpp"

#include "mixture_best.hpp"
#include "mixture_sums.hpp"
#include "parallel.hpp"

using namespace weft::binding;
using weft::mixture::Best, weft::mixture::Sums;

namespace {

using Numbers = In<std::int32_t, 1>;
using Offsets = In<std::int64_t, 1>;
using Values = In<double, 1>;

template <class T, class Array> std::vector<T> copied(const Array &array) {
    return {array.data(), array.data() + array.size()};
}

bool ascend(const Offsets &offsets, std::int64_t count, std::int64_t last) {
    const std::int64_t *first = offsets.data();
    return length(offsets) == count + 1 && first[0] == 0 && first[count] == last && std::is_sorted(first, first + count + 1);
}

weft::mixture::Entries entries(const Offsets &offsets, const Numbers &columns, const Values &values, std::int64_t count,
                               std::int64_t bound) {
    require(ascend(offsets, count, length(columns)) && length(columns) == length(values), "entries differ in number");
    require(within({columns.data(), columns.size()}, 0, bound), "entries are of tags and the boundary");
    return {copied<std::int64_t>(offsets), copied<std::int32_t>(columns), copied<double>(values)};
}

class StepMixtures {
  public:
    StepMixtures(std::int32_t tags, In<double, 2> weights, In<std::int32_t, 2> defaults, In<double, 2> wide,
                 Offsets base_offsets, Numbers base_columns, Values base_values, Numbers kinds, Offsets share_offsets,
                 Numbers share_columns, Values share_values, Offsets row_offsets, Numbers row_tags, Numbers row_classes,
                 Offsets own_offsets, Numbers own_columns, Values own_values, std::optional<Values> final) {
        const std::int64_t size = std::int64_t{tags} + 1, items = length(kinds), classes = length(weights);
        require(tags > 0 && length(weights, 1) == 4, "a class has four weights");
        require(length(defaults, 1) == size && within({defaults.data(), defaults.size()}, 0, classes), "no such class");
        require(length(wide) == 2 && length(wide, 1) == size, "there are two widest distributions");
        require(within({kinds.data(), kinds.size()}, 0, length(defaults)), "no such kind of items");
        require(ascend(row_offsets, items, length(row_tags)) && length(row_tags) == length(row_classes), "rows differ in number");
        require(within({row_tags.data(), row_tags.size()}, 0, size), "rows are of tags and the boundary");
        require(within({row_classes.data(), row_classes.size()}, 0, classes), "no such class");
        require(!final || length(*final) == size, "the end has a weight after each tag");
        steps_.tags = tags;
        for (std::int64_t each = 0; each < classes; ++each) {
            const double *row = weights.data() + 4 * each;
            steps_.weights.push_back({row[0], row[1], row[2], row[3]});
        }
        steps_.defaults = copied<std::int32_t>(defaults);
        steps_.wide = copied<double>(wide);
        steps_.base = entries(base_offsets, base_columns, base_values, size, size);
        steps_.kinds = copied<std::int32_t>(kinds);
        steps_.shares = entries(share_offsets, share_columns, share_values, items, size);
        steps_.rows = copied<std::int64_t>(row_offsets);
        steps_.row_tags = copied<std::int32_t>(row_tags);
        steps_.row_classes = copied<std::int32_t>(row_classes);
        steps_.own = entries(own_offsets, own_columns, own_values, length(row_tags), size);
        if (final) steps_.final = copied<double>(*final);
        ranking_.emplace(steps_);
    }

#define TEXT_ARGUMENTS                                                                                                 \
    Offsets sentence_offsets, Numbers step_items, Numbers last_items, Numbers places,                                  \
        std::optional<In<double, 2>> emission, std::optional<In<double, 2>> rates, Offsets set_offsets,                \
        Numbers set_tags, In<double, 2> set_factors, Offsets member_offsets, Offsets member_starts, Numbers member_sets
#define MEMBERS sentence_offsets, member_offsets, member_starts, member_sets
#define TEXT                                                                                                           \
    sentence_offsets, step_items, last_items, places, emission, rates, set_offsets, set_tags, set_factors,             \
        member_offsets, member_starts, member_sets

    void log_partition(TEXT_ARGUMENTS, Out<double, 1> values, int threads) const {
        const weft::mixture::Text text = checked(TEXT);
        require(length(values) >= member_offsets.data()[length(last_items)], "there is one value per member");
        nb::gil_scoped_release release;
        each([&] { return Sums(steps_, text); }, MEMBERS, threads,
             [&](Sums &work, std::int64_t k) { values.data()[k] = work.log_partition(); });
    }

    void marginals(TEXT_ARGUMENTS, Out<double, 1> values, Out<double, 2> probs, int threads) const {
        const weft::mixture::Text text = checked(TEXT);
        require(length(values) >= member_offsets.data()[length(last_items)], "there is one value per member");
        require(length(probs) >= length(member_sets) && length(probs, 1) == steps_.tags, "marginals must be [tokens, tags]");
        nb::gil_scoped_release release;
        each([&] { return Sums(steps_, text); }, MEMBERS, threads,
             [&](Sums &work, std::int64_t k) {
                 values.data()[k] = work.marginals(probs.data() + member_starts.data()[k] * steps_.tags);
             });
    }

    void best(TEXT_ARGUMENTS, Out<double, 1> scores, Out<std::int32_t, 1> tags, int threads) const {
        const weft::mixture::Text text = checked(TEXT);
        require(length(scores) >= member_offsets.data()[length(last_items)], "there is one score per member");
        require(length(tags) >= length(member_sets), "there is one tag per token");
        nb::gil_scoped_release release;
        each([&] { return Best(steps_, *ranking_, text); }, MEMBERS, threads,
             [&](Best &work, std::int64_t k) {
                 scores.data()[k] = work.best(tags.data() + member_starts.data()[k]);
             });
    }

  private:
    static constexpr std::int64_t RUNS = 16;

    weft::mixture::Text checked(TEXT_ARGUMENTS) const {
        const std::int64_t sentences = length(last_items), items = static_cast<std::int64_t>(steps_.kinds.size());
        const std::int64_t width = length(set_factors, 1), sets = length(set_factors);
        require(ascend(sentence_offsets, sentences, length(step_items)) && length(places) == length(step_items),
                "sentences and tokens differ in number");
        require(within({step_items.data(), step_items.size()}, 0, items) &&
                    within({last_items.data(), last_items.size()}, 0, items),
                "no such item");
        require(width >= steps_.tags + 1 && ascend(set_offsets, sets, length(set_tags)) &&
                    within({set_tags.data(), set_tags.size()}, 0, steps_.tags),
                "the tag sets do not fit together");
        for (const auto *table : {&emission, &rates})
            require(!*table || (length(**table, 1) == width && within({places.data(), places.size()}, 0, length(**table))),
                    "tables must be [places, width]");
        require(length(member_offsets) == sentences + 1 && member_offsets.data()[0] == 0 &&
                    std::is_sorted(member_offsets.data(), member_offsets.data() + sentences + 1),
                "members do not fit the sentences");
        require(ascend(member_starts, member_offsets.data()[sentences], length(member_sets)) &&
                    within({member_sets.data(), member_sets.size()}, 0, sets),
                "a member has a tag set per token");
        for (std::int64_t i = 0; i < sentences; ++i)
            for (std::int64_t k = member_offsets.data()[i]; k < member_offsets.data()[i + 1]; ++k)
                require(member_starts.data()[k + 1] - member_starts.data()[k] ==
                            sentence_offsets.data()[i + 1] - sentence_offsets.data()[i],
                        "a member has a tag set per token");
        return {width,
                sentence_offsets.data(),
                step_items.data(),
                last_items.data(),
                places.data(),
                emission ? emission->data() : nullptr,
                rates ? rates->data() : nullptr,
                set_factors.data(),
                {set_offsets.data(), set_tags.data(), nullptr}};
    }

    template <class Make, class Visit>
    void each(Make &&make, const Offsets &sentences, const Offsets &members, const Offsets &starts,
              const Numbers &sets, int threads, Visit &&visit) const {
        const std::int64_t count = length(sentences) - 1, runs = std::clamp<std::int64_t>(count, 1, RUNS);
        const std::vector<std::int64_t> bounds = split(sentences.data(), count, runs);
        weft::parallel_for(runs, threads, [&](std::size_t run) {
            auto work = make();
            for (std::int64_t i = bounds[run]; i < bounds[run + 1]; ++i)
                for (std::int64_t k = members.data()[i]; k < members.data()[i + 1]; ++k) {
                    work.aim(i, sets.data() + starts.data()[k]);
                    visit(work, k);
                }
        });
    }

    weft::mixture::Steps steps_;
    std::optional<weft::mixture::Ranking> ranking_;
};

#define TEXT_NAMES                                                                                                     \
    array("sentence_offsets"), array("step_items"), array("last_items"), array("places"), optional_array("emission"),  \
        optional_array("rates"), array("set_offsets"), array("set_tags"), array("set_factors"),                        \
        array("member_offsets"), array("member_starts"), array("member_sets")

} // namespace

void bind_mixture(nb::module_ &module) {
    nb::class_<StepMixtures>(module, "StepMixtures", "Chains whose steps are mixtures of sparse tables.")
        .def(nb::init<std::int32_t, In<double, 2>, In<std::int32_t, 2>, In<double, 2>, Offsets, Numbers, Values, Numbers,
                      Offsets, Numbers, Values, Offsets, Numbers, Numbers, Offsets, Numbers, Values,
                      std::optional<Values>>(),
             "tags"_a, array("weights"), array("defaults"), array("wide"), array("base_offsets"), array("base_columns"),
             array("base_values"), array("kinds"), array("share_offsets"), array("share_columns"), array("share_values"),
             array("row_offsets"), array("row_tags"), array("row_classes"), array("own_offsets"), array("own_columns"),
             array("own_values"), optional_array("final"))
        .def("log_partition", &StepMixtures::log_partition, TEXT_NAMES, array("values"), "threads"_a,
             "Write log Z of each member; NaN where it must be summed in logs.")
        .def("marginals", &StepMixtures::marginals, TEXT_NAMES, array("values"), array("probs"), "threads"_a,
             "Write log Z of each member and the probability of each tag at each token.")
        .def("best", &StepMixtures::best, TEXT_NAMES, array("scores"), array("tags"), "threads"_a,
             "Write the score and the tags of each member's best sequence.");
}
