// Python's view of chains that are normalised step by step: checks shapes, splits the work, releases the GIL.
#include "binding_chain.hpp"
#include "chain_local.hpp"
#include "parallel.hpp"

using namespace weft::binding;

namespace {

// The arguments of the functions of chains that are normalised step by step.
#define LOCAL_ARGUMENTS                                                                                                \
    int order, int tags, In<double, 3> transitions, In<std::int64_t, 1> sentence_offsets, In<double, 2> emission,      \
        std::optional<In<double, 2>> pair, In<std::int64_t, 1> set_offsets, In<std::int32_t, 1> set_tags,              \
        In<double, 2> set_bias, In<std::int32_t, 1> needed, In<std::int32_t, 1> allowed

// Sentences whose tokens have two tag sets each: the needed and the allowed ones.
struct LocalCorpus {
    std::int64_t sentences, width;
    const std::int64_t *offsets;
    const double *emission, *pair;
    const std::int32_t *needed, *allowed;

    LocalCorpus(LOCAL_ARGUMENTS)
        : sentences(static_cast<std::int64_t>(sentence_offsets.shape(0)) - 1),
          width(static_cast<std::int64_t>(emission.shape(1))), offsets(sentence_offsets.data()),
          emission(emission.data()), pair(pair ? pair->data() : nullptr), needed(needed.data()), allowed(allowed.data()) {
        const auto tokens = static_cast<std::size_t>(sentences < 0 ? 0 : offsets[sentences]);
        require(sentences >= 0 && tokens <= emission.shape(0), "too few emission scores");
        require(emission.shape(1) == transitions.shape(1), "emission scores have the wrong width");
        require(tokens <= needed.shape(0) && tokens <= allowed.shape(0), "every token needs two tag sets");
        require(!pair || (pair->shape(1) == emission.shape(1) * emission.shape(1) && tokens <= pair->shape(0)),
                "pair scores must be [tokens, width * width]");
        const auto sets = static_cast<std::int32_t>(set_bias.shape(0));
        for (std::size_t t = 0; t < tokens; ++t)
            require(this->needed[t] >= 0 && this->needed[t] < sets && this->allowed[t] >= 0 && this->allowed[t] < sets,
                    "there is no such tag set");
        (void)order, (void)tags, (void)set_offsets, (void)set_tags;
    }

    std::int64_t tokens() const { return offsets[sentences]; }

    // Calls visit(local, run, first token) for each sentence.
    template <class Visit> void visit(const weft::Chain &chain, std::int64_t runs, int threads, Visit &&visit) const {
        const std::vector<std::int64_t> bounds = split(offsets, sentences, runs);
        weft::parallel_for(runs, threads, [&](std::size_t run) {
            weft::Local local(chain);
            for (std::int64_t i = bounds[run]; i < bounds[run + 1]; ++i) {
                const std::int64_t at = offsets[i];
                local.member.sentence = {offsets[i + 1] - at, emission + at * width,
                                         pair ? pair + at * width * width : nullptr};
                local.member.sets = needed + at;
                local.allowed = allowed + at;
                visit(local, static_cast<std::int64_t>(run), at);
            }
        });
    }
};

std::int64_t local_runs(const weft::Chain &chain, const LocalCorpus &corpus) {
    const std::int64_t fit = TOTALS_BYTES / (8 * chain.groups * chain.square());
    return std::clamp<std::int64_t>(std::min(fit, corpus.sentences), 1, RUNS);
}

#define MAKE_LOCAL                                                                                                     \
    LocalCorpus(order, tags, transitions, sentence_offsets, emission, pair, set_offsets, set_tags, set_bias, needed,   \
                allowed)

void chain_charge(LOCAL_ARGUMENTS, Out<double, 2> charged_emission, std::optional<Out<double, 2>> charged_pair,
                  int threads) {
    const weft::Chain chain = make_chain(order, transitions, set_offsets, set_tags, set_bias, tags);
    const LocalCorpus corpus = MAKE_LOCAL;
    require(order == 1 || charged_pair, "order 2 charges pair scores");
    const std::int64_t width = chain.width, square = chain.square();
    require(holds(charged_emission, corpus.tokens(), width) &&
                (!charged_pair || holds(*charged_pair, corpus.tokens(), square)),
            "charged scores must be [tokens, width] and [tokens, width * width]");
    nb::gil_scoped_release release;
    corpus.visit(chain, local_runs(chain, corpus), threads, [&](const weft::Local &local, std::int64_t, std::int64_t at) {
        weft::charge_normalisers(local, charged_emission.data() + at * width,
                                 charged_pair ? charged_pair->data() + at * square : nullptr);
    });
}

void chain_discharge(LOCAL_ARGUMENTS, Out<double, 2> marginals, std::optional<Out<double, 2>> pair_marginals,
                     Out<double, 3> transition_totals, int threads) {
    const weft::Chain chain = make_chain(order, transitions, set_offsets, set_tags, set_bias, tags);
    const LocalCorpus corpus = MAKE_LOCAL;
    require(order == 1 || pair_marginals, "order 2 charges pair scores");
    const std::int64_t width = chain.width, square = chain.square(), totals = chain.groups * square;
    require(holds(marginals, corpus.tokens(), width) &&
                (!pair_marginals || holds(*pair_marginals, corpus.tokens(), square)),
            "marginals must be [tokens, width] and [tokens, width * width]");
    require(transition_totals.size() == transitions.size(), "totals must have the shape of the transitions");
    nb::gil_scoped_release release;
    const std::int64_t runs = local_runs(chain, corpus);
    weft::Buffer taken(runs * totals);
    corpus.visit(chain, runs, threads, [&](const weft::Local &local, std::int64_t run, std::int64_t at) {
        weft::collect_normalisers(local, marginals.data() + at * width,
                                  pair_marginals ? pair_marginals->data() + at * square : nullptr,
                                  taken.data() + run * totals);
    });
    for (std::int64_t run = 0; run < runs; ++run)
        for (std::int64_t i = 0; i < totals; ++i) transition_totals.data()[i] += taken[run * totals + i];
}

} // namespace

#define LOCAL_NAMES                                                                                                    \
    "order"_a, "tags"_a, array("transitions"), array("sentence_offsets"), array("emission"), optional_array("pair"),   \
        array("set_offsets"), array("set_tags"), array("set_bias"), array("needed"), array("allowed")

void bind_chain_local(nb::module_ &module) {
    module.def("chain_charge", &chain_charge, LOCAL_NAMES, array("charged_emission"), optional_array("charged_pair"),
               "threads"_a, "Charge the normaliser of each step to the token before it.");
    module.def("chain_discharge", &chain_discharge, LOCAL_NAMES, array("marginals"), optional_array("pair_marginals"),
               array("transition_totals"), "threads"_a,
               "Take from the marginals of a charged chain what its normalisers are expected to be.");
}
