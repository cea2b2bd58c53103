// Python's view of the chain kernels: checks shapes, splits the work, releases the GIL.
#include "binding_chain.hpp"
#include "chain_logs.hpp"
#include "chain_path.hpp"
#include "chain_rival.hpp"
#include "chain_scaled.hpp"
#include "chain_sweep.hpp"
#include "chain_tangent.hpp"
#include "chain_viterbi.hpp"
#include "parallel.hpp"

#include <utility>

using namespace weft::binding;

namespace {

using Offsets = std::optional<In<std::int64_t, 1>>;
using Columns = std::optional<In<std::int32_t, 1>>;

// A chain whose transitions are 0 but for the cells, if these are given. For order 2 the transitions are then the
// scores of pairs, [group, column], and after them those of the cells.
weft::Chain with_cells(weft::Chain &&chain, const Offsets &offsets, const Columns &columns, bool paired,
                       std::int64_t size) {
    require(offsets.has_value() == columns.has_value(), "cells need offsets and columns");
    if (!offsets) return std::move(chain);
    const std::int64_t width = chain.width, square = chain.square(), rows = chain.groups * width;
    require(!paired, "cells are without pair scores");
    require(length(*offsets) == rows + 1 && offsets->data()[0] == 0 &&
                std::is_sorted(offsets->data(), offsets->data() + rows + 1) &&
                offsets->data()[rows] <= length(*columns),
            "cells need an offset per row, ascending");
    require(weft::binding::within({columns->data(), columns->size()}, 0, width), "there is no such column");
    require(chain.order == 1 || square + offsets->data()[rows] <= size, "cells of order 2 need a score each");
    const double *scores = chain.transitions;
    for (std::int64_t group = 0; group < chain.groups; ++group)
        chain.cells.push_back(weft::make_cells(
            offsets->data() + group * width, columns->data(), width, [&](std::int64_t k, std::int32_t y, std::int64_t i) {
                return chain.order == 1 ? scores[k * width + y] : scores[square + i];
            }));
    return std::move(chain);
}

struct Corpus { // sentences, and for each the members that sum over it
    std::int64_t sentences, width;
    const std::int64_t *offsets, *member_offsets, *member_starts;
    const std::int32_t *member_sets;
    const double *emission, *pair, *triple;

    Corpus(const In<double, 3> &transitions, const In<std::int64_t, 1> &sentence_offsets, const In<double, 2> &emission_scores,
           const std::optional<In<double, 2>> &pair_scores, const In<std::int64_t, 1> &members,
           const In<std::int64_t, 1> &starts, const In<std::int32_t, 1> &sets)
        : sentences(static_cast<std::int64_t>(sentence_offsets.shape(0)) - 1),
          width(static_cast<std::int64_t>(emission_scores.shape(1))), offsets(sentence_offsets.data()),
          member_offsets(members.data()), member_starts(starts.data()), member_sets(sets.data()),
          emission(emission_scores.data()), pair(pair_scores ? pair_scores->data() : nullptr), triple(nullptr) {
        require(sentences >= 0 && members.shape(0) == sentence_offsets.shape(0), "members do not fit the sentences");
        require(emission_scores.shape(1) == transitions.shape(1), "emission scores have the wrong width");
        require(offsets[sentences] <= static_cast<std::int64_t>(emission_scores.shape(0)), "too few emission scores");
        require(member_offsets[sentences] < static_cast<std::int64_t>(starts.shape(0)), "too few member starts");
        require(starts.data()[member_offsets[sentences]] <= static_cast<std::int64_t>(sets.shape(0)), "too few tag sets");
        for (std::int64_t i = 0; i < sentences; ++i)
            for (std::int64_t k = member_offsets[i]; k < member_offsets[i + 1]; ++k)
                require(member_starts[k + 1] - member_starts[k] == offsets[i + 1] - offsets[i],
                        "a member needs one tag set per token");
        if (pair_scores && transitions.shape(0) > 1 && holds(*pair_scores, tokens(), width * width * width))
            std::swap(pair, triple);
        require(!pair || holds(*pair_scores, tokens(), width * width),
                "pair scores must be [tokens, width * width], or * width once more for triples of order 2");
    }

    std::int64_t tokens() const { return offsets[sentences]; }

    // Whether an array has a number for each member, or for each token of each.
    template <class Array> bool one_a_member(const Array &array) const {
        return static_cast<std::int64_t>(array.shape(0)) >= member_offsets[sentences];
    }
    template <class Array> bool one_a_tag(const Array &array) const {
        return static_cast<std::int64_t>(array.shape(0)) >= member_starts[member_offsets[sentences]];
    }

    weft::Sentence operator[](std::int64_t i) const {
        return {offsets[i + 1] - offsets[i], emission + offsets[i] * width,
                pair ? pair + offsets[i] * width * width : nullptr,
                triple ? triple + offsets[i] * width * width * width : nullptr};
    }
};

void aim(weft::Tangent &work, const weft::Sentence &sentence, const std::int32_t *sets) {
    for (weft::Member *member : {&work.scaled.member, &work.logs.member}) {
        member->sentence = sentence;
        member->sets = sets;
    }
}

void aim(weft::Rival &work, const weft::Sentence &sentence, const std::int32_t *sets) {
    work.viterbi.member.sentence = sentence;
    work.viterbi.member.sets = sets;
}

template <class Work> void aim(Work &work, const weft::Sentence &sentence, const std::int32_t *sets) {
    work.member.sentence = sentence;
    work.member.sets = sets;
}

std::int64_t runs_of(const Corpus &corpus) { return std::clamp<std::int64_t>(corpus.sentences, 1, RUNS); }

// About how many additions a sweep takes, as far as `enough`.
std::int64_t work_of(const weft::Chain &chain, const Corpus &corpus, std::int64_t enough) {
    const std::int64_t tokens = corpus.member_starts[corpus.member_offsets[corpus.sentences]];
    std::int64_t work = 0;
    for (std::int64_t t = corpus.member_starts[0]; t < tokens && work < enough; ++t) {
        const std::int64_t *offset = chain.sets.offsets + corpus.member_sets[t], size = offset[1] - offset[0];
        if (chain.few()) work += size == 1 ? 1 : chain.width * (chain.order == 1 ? 1 : size) + chain.cell_count();
        else work += size == 1 ? 1 : chain.width * size * (chain.order == 1 ? 1 : size);
    }
    return work;
}

// Fewer where totals are large: adding them up must not take longer than the sweeps, as it does where
// every tag of a chain of order 2 is known.
std::int64_t runs_with_totals(const weft::Chain &chain, const Corpus &corpus) {
    const std::int64_t totals = std::max<std::int64_t>(chain.totals(), 1), fit = TOTALS_BYTES / (2 * 8 * totals);
    return std::clamp<std::int64_t>(std::min(fit, work_of(chain, corpus, RUNS * totals) / totals), 1, runs_of(corpus));
}

// Calls visit(work, run, sentence, member) for each member, with working memory that aims at it.
template <class Work, class Visit>
void over_members(const weft::Chain &chain, const Corpus &corpus, std::int64_t runs, int threads, Visit &&visit) {
    const std::vector<std::int64_t> bounds = split(corpus.offsets, corpus.sentences, runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) {
        Work work(chain);
        for (std::int64_t i = bounds[run]; i < bounds[run + 1]; ++i)
            for (std::int64_t k = corpus.member_offsets[i]; k < corpus.member_offsets[i + 1]; ++k) {
                aim(work, corpus[i], corpus.member_sets + corpus.member_starts[k]);
                visit(work, static_cast<std::int64_t>(run), i, k);
            }
    });
}

// Adds the transitions of all runs up, in a fixed order.
void add_totals(const weft::Chain &chain, const weft::Buffer &exact, const weft::Buffer &scaled, std::int64_t runs,
                double *to, int threads) {
    const std::int64_t square = chain.square(), totals = chain.totals();
    const auto total = [&](std::int64_t i, double factor) {
        double exact_total = 0.0, scaled_total = 0.0;
        for (std::int64_t run = 0; run < runs; ++run) {
            exact_total += exact[run * totals + i];
            scaled_total += scaled[run * totals + i];
        }
        return exact_total + scaled_total * factor;
    };
    if (chain.few_triples()) {
        for (std::int64_t i = 0; i < square; ++i) to[i] += total(i, 0.0);
        for (std::int64_t g = 0; g < chain.groups; ++g) {
            const weft::CellLists &rows = chain.cells[g].rows;
            const double *pairs = chain.pairs.data() + g * chain.width;
            for (std::int64_t i = 0, at = square + chain.cells[g].first; i < chain.cells[g].size(); ++i, ++at)
                to[at] += total(at, rows.factors[i] * pairs[rows.others[i]]);
        }
        return;
    }
    if (chain.few()) {
        const weft::CellLists &rows = chain.cells[0].rows;
        for (std::int64_t k = 0; k < chain.width; ++k)
            for (std::int64_t i = rows.offsets[k]; i < rows.offsets[k + 1]; ++i)
                to[k * chain.width + rows.others[i]] += total(i, rows.factors[i]);
        return;
    }
    weft::parallel_for(chain.groups, threads, [&](std::size_t group) {
        for (std::int64_t i = group * square; i < static_cast<std::int64_t>(group + 1) * square; ++i)
            to[i] += total(i, chain.forward[i]);
    });
}

// Where expectations go: as large as what they are expectations of.
void check_totals(const Corpus &corpus, const Out<double, 2> &marginals,
                  const std::optional<Out<double, 2>> &pair_marginals, const In<double, 3> &transitions,
                  const Out<double, 3> &transition_totals) {
    require(holds(marginals, corpus.tokens(), corpus.width), "marginals must be [tokens, width]");
    require(!corpus.pair || pair_marginals, "pair scores need pair marginals");
    require(!pair_marginals || holds(*pair_marginals, corpus.tokens(), corpus.width * corpus.width),
            "pair marginals must be [tokens, width * width]");
    require(transition_totals.size() == transitions.size(), "totals must have the shape of the transitions");
}

// The arguments that all functions of a chain begin with.
#define CHAIN_ARGUMENTS                                                                                                \
    int order, int tags, In<double, 3> transitions, In<std::int64_t, 1> sentence_offsets, In<double, 2> emission,      \
        std::optional<In<double, 2>> pair, In<std::int64_t, 1> set_offsets, In<std::int32_t, 1> set_tags,              \
        In<double, 2> set_bias, In<std::int64_t, 1> member_offsets, In<std::int64_t, 1> member_starts,                 \
        In<std::int32_t, 1> member_sets, Offsets cell_offsets, Columns cell_columns
#define MAKE_CHAIN                                                                                                     \
    with_cells(make_chain(order, transitions, set_offsets, set_tags, set_bias, tags, cell_offsets.has_value()),        \
               cell_offsets, cell_columns, pair.has_value(), static_cast<std::int64_t>(transitions.size()))
#define MAKE_CORPUS                                                                                                    \
    Corpus(transitions, sentence_offsets, emission, pair, member_offsets, member_starts, member_sets)

void chain_log_partition(CHAIN_ARGUMENTS, Out<double, 1> log_partition, int threads) {
    weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    require(corpus.one_a_member(log_partition), "there is one log Z a member");
    nb::gil_scoped_release release;
    weft::prepare(chain);
    over_members<weft::Sweep>(chain, corpus, runs_of(corpus), threads, [&](weft::Sweep &work, std::int64_t, std::int64_t, std::int64_t k) {
        log_partition.data()[k] = work.log_partition();
    });
}

void chain_sweep(CHAIN_ARGUMENTS, In<double, 1> coefficients, Out<double, 1> log_partition, Out<double, 2> marginals,
                 std::optional<Out<double, 2>> pair_marginals, Out<double, 3> transition_totals, int threads) {
    weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    require(corpus.one_a_member(log_partition) && corpus.one_a_member(coefficients),
            "there is one log Z and one coefficient a member");
    check_totals(corpus, marginals, pair_marginals, transitions, transition_totals);
    nb::gil_scoped_release release;
    weft::prepare(chain);
    const std::int64_t width = chain.width, square = chain.square(), totals = chain.totals();
    const std::int64_t runs = runs_with_totals(chain, corpus);
    weft::Buffer exact(runs * totals), scaled(runs * totals);
    over_members<weft::Sweep>(
        chain, corpus, runs, threads, [&](weft::Sweep &work, std::int64_t run, std::int64_t i, std::int64_t k) {
            const std::int64_t at = corpus.offsets[i];
            const weft::Sink sink{marginals.data() + at * width, corpus.pair ? pair_marginals->data() + at * square : nullptr,
                                  exact.data() + run * totals, scaled.data() + run * totals};
            log_partition.data()[k] = work.collect(coefficients.data()[k], sink);
        });
    add_totals(chain, exact, scaled, runs, transition_totals.data(), threads);
}

void chain_viterbi(CHAIN_ARGUMENTS, Out<double, 1> scores, Out<std::int32_t, 1> best, int threads) {
    const weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    require(corpus.one_a_member(scores) && corpus.one_a_tag(best), "there is one score per member and one tag per token");
    nb::gil_scoped_release release;
    over_members<weft::Viterbi>(
        chain, corpus, runs_of(corpus), threads, [&](weft::Viterbi &work, std::int64_t, std::int64_t, std::int64_t k) {
            scores.data()[k] = weft::viterbi(work, best.data() + corpus.member_starts[k]);
        });
}

void check_observed(const In<std::int32_t, 1> &observed, const In<std::int32_t, 1> &member_sets,
                    const In<double, 2> &set_bias) {
    require(observed.shape(0) == member_sets.shape(0), "a member needs one observed tag set per token");
    const auto sets = static_cast<std::int32_t>(set_bias.shape(0));
    for (std::size_t t = 0; t < observed.shape(0); ++t)
        require(observed.data()[t] >= 0 && observed.data()[t] < sets, "there is no such tag set");
}

void chain_rival(CHAIN_ARGUMENTS, In<std::int32_t, 1> observed, Out<double, 1> scores, Out<std::int32_t, 1> best,
                 int threads) {
    const weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    check_observed(observed, member_sets, set_bias);
    require(corpus.one_a_member(scores) && corpus.one_a_tag(best), "there is one score per member and one tag per token");
    nb::gil_scoped_release release;
    over_members<weft::Rival>(
        chain, corpus, runs_of(corpus), threads, [&](weft::Rival &work, std::int64_t, std::int64_t, std::int64_t k) {
            const std::int64_t start = corpus.member_starts[k];
            work.observed = observed.data() + start;
            scores.data()[k] = weft::rival(work, best.data() + start);
        });
}

void chain_observed(CHAIN_ARGUMENTS, In<std::int32_t, 1> observed, Out<double, 1> log_probs, int threads) {
    weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    check_observed(observed, member_sets, set_bias);
    require(log_probs.shape(0) == member_sets.shape(0), "there is one log-probability a token");
    nb::gil_scoped_release release;
    weft::prepare(chain);
    over_members<weft::Tangent>(
        chain, corpus, runs_of(corpus), threads, [&](weft::Tangent &work, std::int64_t, std::int64_t, std::int64_t k) {
            const std::int64_t start = corpus.member_starts[k];
            work.observed = observed.data() + start;
            if (!weft::scaled_observed(work, log_probs.data() + start))
                weft::logs_observed(work, log_probs.data() + start);
        });
}

void chain_tangent(CHAIN_ARGUMENTS, In<std::int32_t, 1> observed, In<double, 1> log_rates, Out<double, 2> marginals,
                   std::optional<Out<double, 2>> pair_marginals, Out<double, 3> transition_totals, int threads) {
    weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    check_observed(observed, member_sets, set_bias);
    require(log_rates.shape(0) == member_sets.shape(0), "a member needs one rate a token");
    check_totals(corpus, marginals, pair_marginals, transitions, transition_totals);
    nb::gil_scoped_release release;
    weft::prepare(chain);
    const std::int64_t width = chain.width, square = chain.square(), totals = chain.totals();
    const std::int64_t runs = runs_with_totals(chain, corpus);
    weft::Buffer exact(runs * totals), scaled(runs * totals);
    over_members<weft::Tangent>(
        chain, corpus, runs, threads, [&](weft::Tangent &work, std::int64_t run, std::int64_t i, std::int64_t k) {
            const std::int64_t at = corpus.offsets[i], start = corpus.member_starts[k];
            const weft::Sink sink{marginals.data() + at * width, corpus.pair ? pair_marginals->data() + at * square : nullptr,
                                  exact.data() + run * totals, scaled.data() + run * totals};
            work.observed = observed.data() + start;
            work.log_rates = log_rates.data() + start;
            if (!weft::scaled_tangent(work, sink)) weft::logs_tangent(work, sink);
        });
    add_totals(chain, exact, scaled, runs, transition_totals.data(), threads);
}

void chain_entropy(CHAIN_ARGUMENTS, Out<double, 1> entropy, int threads) {
    const weft::Chain chain = MAKE_CHAIN;
    const Corpus corpus = MAKE_CORPUS;
    require(corpus.one_a_member(entropy), "there is one entropy a member");
    nb::gil_scoped_release release;
    over_members<weft::Logs>(
        chain, corpus, runs_of(corpus), threads, [&](weft::Logs &work, std::int64_t, std::int64_t, std::int64_t k) {
            const double value = weft::logs_forward(work);
            entropy.data()[k] = value == weft::NEG_INF ? weft::NEG_INF : weft::logs_entropy(work, value);
        });
}

} // namespace

#define CHAIN_NAMES                                                                                                    \
    "order"_a, "tags"_a, array("transitions"), array("sentence_offsets"), array("emission"), optional_array("pair"), array("set_offsets"),        \
        array("set_tags"), array("set_bias"), array("member_offsets"), array("member_starts"), array("member_sets"),    \
        optional_array("cell_offsets"), optional_array("cell_columns")

void bind_chain(nb::module_ &module) {
    module.def("chain_log_partition", &chain_log_partition, CHAIN_NAMES, array("log_partition"), "threads"_a,
               "Write log Z of each member.");
    module.def("chain_sweep", &chain_sweep, CHAIN_NAMES, array("coefficients"), array("log_partition"), array("marginals"),
               optional_array("pair_marginals"), array("transition_totals"), "threads"_a,
               "Write log Z of each member; add its coefficient times its expectations to the totals.");
    module.def("chain_viterbi", &chain_viterbi, CHAIN_NAMES, array("scores"), array("best"), "threads"_a,
               "Write the score and the tags of each member's best sequence.");
    module.def("chain_rival", &chain_rival, CHAIN_NAMES, array("observed"), array("scores"), array("best"), "threads"_a,
               "Write the score and the tags of each member's best sequence with a tag outside the observed sets.");
    module.def("chain_observed", &chain_observed, CHAIN_NAMES, array("observed"), array("log_probs"), "threads"_a,
               "Write the log-probability of the observed tags of each token of each member.");
    module.def("chain_tangent", &chain_tangent, CHAIN_NAMES, array("observed"), array("log_rates"), array("marginals"),
               optional_array("pair_marginals"), array("transition_totals"), "threads"_a,
               "Add to the totals how expectations change as the scores of observed tags rise.");
    module.def("chain_entropy", &chain_entropy, CHAIN_NAMES, array("entropy"), "threads"_a,
               "Write the entropy of each member's distribution over sequences.");
}
