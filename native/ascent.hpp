// Stochastic gradient ascent on chains with free weights of attribute x tag and of tag n-grams: a pass over batches of
// sentences, the weights changing after each, with a penalty that pulls all of them towards 0 alike.
//
// theta = scale * v: a step multiplies the scale by a factor, and adds to the v of what its sentences touch,
//
//     theta <- factor * theta + rate * sum_i weight_i (E[f | A_i] - E[f | B_i]).
//
// The sum of all iterates is reach * v - drift, where reach is the sum of the scales so far, and drift what each addition
// would have added to the iterates before it.
#pragma once

#include "chain_sweep.hpp"
#include "online.hpp"

namespace weft {

class Ascent {
  public:
    Ascent(const Chain &chain, const Features &features, const double *theta, std::int64_t size, std::int64_t most_tokens)
        : chain_(chain), features_(features), size_(size), table_(chain.transitions, chain.transitions + totals()),
          sweep_(chain_), emission_(most_tokens * chain.width), marginals_(most_tokens * chain.width), exact_(totals()),
          scaled_(totals()), ngrams_(theta, theta + others(features, size)), ngram_drift_(others(features, size)),
          rows_(features.row_count) {
        for (std::int64_t i = 0; i < features.row_count; ++i)
            rows_[i] = {theta[features.row_start + i], 0.0, features.columns[i]};
        chain_.transitions = table_.data();
    }

    // Makes a step on a batch; returns the sum of its values.
    double step(const OnlineExample *examples, std::int64_t count, double rate, double factor) {
        refresh();
        std::fill(exact_.begin(), exact_.end(), 0.0);
        std::fill(scaled_.begin(), scaled_.end(), 0.0);
        double value = 0.0;
        std::int64_t at = 0;
        for (std::int64_t i = 0; i < count; at += examples[i++].length) value += collect(examples[i], at * chain_.width);
        scale_ *= factor;
        at = 0;
        for (std::int64_t i = 0; i < count; at += examples[i++].length) add(examples[i], at * chain_.width, rate / scale_);
        add_ngrams(rate / scale_);
        reach_ += scale_;
        return value;
    }

    // Writes the weights, and adds the sum of all iterates where that is wanted.
    void finish(double *theta, double *sums) const {
        for (std::int64_t w = 0; w < size_; ++w) {
            const std::int64_t row = w - features_.row_start;
            const bool mine = row >= 0 && row < features_.row_count;
            const double v = mine ? rows_[row].weight : ngrams_[w], drift = mine ? rows_[row].drift : ngram_drift_[w];
            if (sums) sums[w] += reach_ * v - drift;
            theta[w] = scale_ * v;
        }
    }

  private:
    struct Row {
        double weight, drift;
        std::int64_t column;
    };

    Chain chain_;
    Features features_;
    std::int64_t size_;
    Buffer table_; // the transitions at the current weights
    Sweep sweep_;
    Buffer emission_, marginals_, exact_, scaled_;
    std::vector<double> ngrams_, ngram_drift_; // n-grams, and what else is not in rows
    std::vector<Row> rows_;
    double scale_ = 1.0, reach_ = 0.0;

    // How many weights there are but for rows, where these come last; else all.
    static std::int64_t others(const Features &features, std::int64_t size) {
        return features.row_start + features.row_count == size ? features.row_start : size;
    }

    std::int64_t totals() const { return chain_.groups * chain_.square(); }

    // Calls visit(table place, bigram or -1, trigram or -1) for each transition that may be.
    template <class Visit> void over_transitions(Visit &&visit) {
        const std::int64_t width = chain_.width, tags = chain_.boundary + 1;
        for (std::int64_t middle = 0; middle < tags; ++middle)
            for (std::int64_t first = 0; first < (chain_.order == 1 ? 1 : tags); ++first)
                for (std::int64_t last = 0; last < tags; ++last) {
                    const std::int64_t place = chain_.order == 1 ? middle * width + last : (middle * width + first) * width + last;
                    if (table_[place] == NEG_INF) continue;
                    visit(place, features_.bigrams[middle * width + last],
                          features_.trigrams ? features_.trigrams[(first * width + middle) * width + last] : -1);
                }
    }

    void refresh() {
        over_transitions([&](std::int64_t place, std::int32_t pair, std::int32_t triple) {
            table_[place] = scale_ * ((pair >= 0 ? ngrams_[pair] : 0.0) + (triple >= 0 ? ngrams_[triple] : 0.0));
        });
        prepare(chain_);
    }

    template <class Visit> void over_attributes(const OnlineExample &example, Visit &&visit) {
        const Occurrences &of = features_.tokens;
        for (std::int64_t j = 0; j < example.length; ++j)
            for (std::int64_t k = of.offsets[example.first + j]; k < of.offsets[example.first + j + 1]; ++k) {
                if (k + 2 * AHEAD < of.count) prefetch(rows_.data() + of.items[k + 2 * AHEAD]);
                Row *row = rows_.data() + of.items[k];
                visit(j * chain_.width, row, row + features_.sizes[k], of.values ? of.values[k] : 1.0);
            }
    }

    double collect(const OnlineExample &example, std::int64_t at) {
        double *emission = emission_.data() + at, *marginals = marginals_.data() + at;
        std::fill_n(emission, example.length * chain_.width, 0.0);
        std::fill_n(marginals, example.length * chain_.width, 0.0);
        over_attributes(example, [&](std::int64_t token, const Row *row, const Row *end, double value) {
            for (; row < end; ++row) emission[token + row->column] += value * row->weight;
        });
        for (std::int64_t i = 0; i < example.length * chain_.width; ++i) emission[i] *= scale_;
        const Sink sink{marginals, nullptr, exact_.data(), scaled_.data()};
        const Sentence sentence{example.length, emission, nullptr};
        aim(sweep_, sentence, example.observed);
        const double above = sweep_.collect(example.weight, sink);
        aim(sweep_, sentence, example.rival);
        const double below = sweep_.collect(-example.weight, sink);
        return example.weight * (above - std::max(above, below));
    }

    void add(const OnlineExample &example, std::int64_t at, double rate) {
        const double *marginals = marginals_.data() + at;
        over_attributes(example, [&](std::int64_t token, Row *row, const Row *end, double value) {
            for (; row < end; ++row) {
                const double by = rate * value * marginals[token + row->column];
                row->weight += by;
                row->drift += reach_ * by;
            }
        });
    }

    void add_ngrams(double rate) {
        over_transitions([&](std::int64_t place, std::int32_t pair, std::int32_t triple) {
            const double by = rate * (exact_[place] + scaled_[place] * chain_.forward[place]);
            for (std::int32_t weight : {pair, triple})
                if (weight >= 0) {
                    ngrams_[weight] += by;
                    ngram_drift_[weight] += reach_ * by;
                }
        });
    }
};

} // namespace weft
