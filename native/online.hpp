// Passes over labelled sentences in which the weights change after each one: the perceptron, passive-aggressive steps
// and AROW on chains with free weights of attribute x tag and of tag n-grams.
//
// Of each example there are two members over one sentence: what was observed, A, and what it is compared with, B. With
// the best sequence of each, psi are the features of A's less those of B's, and the loss is the score of B's, charges
// included, less that of A's. What a rule makes of these is in src/weft/optimise/online.py.
#pragma once

#include "chain_path.hpp"
#include "chain_viterbi.hpp"
#include "rows.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft {

enum class Rule { perceptron, passive, passive_one, passive_two, arow };

struct Weights {
    double *theta, *drift, *variances; // [size]; drift of means over all steps, variances of AROW; or null
    std::int64_t size;
};

struct Features { // which weight belongs to what
    Occurrences tokens;          // token -> where the weights of an attribute begin, counted from row_start
    const std::int32_t *sizes;   // and how many they are
    const std::int32_t *columns; // of the weights, ascending within an attribute
    std::int64_t row_start, row_count;
    const std::int32_t *bigrams;       // [width, width] -> weight, or -1
    const std::int32_t *trigrams;      // [width, width, width] by first, middle, last; null for order 1
};

struct Entry { // a weight beside its column: one place in memory to wait for, not two
    double weight;
    std::int64_t column;
};

struct OnlineExample {
    std::int64_t first, length;           // tokens
    const std::int32_t *observed, *rival; // tag sets of both members
    double weight;
};

class OnlinePass {
  public:
    OnlinePass(const Chain &chain, double *transitions, const Features &features, const Weights &weights,
               std::int64_t longest, std::int64_t most_attributes)
        : chain_(chain), transitions_(transitions), features_(features), weights_(weights), viterbi_(chain_),
          path_(chain_), emission_(longest * chain.width), observed_(longest), rival_(longest), delta_(weights.size) {
        // All memory comes first, so that weights do not change by half.
        viterbi_.member.sentence = {longest, emission_.data(), nullptr};
        viterbi_.make_room();
        const std::int64_t most = 2 * most_attributes + 4 * (longest + 1);
        touched_.reserve(most);
        moves_.reserve(most);
        entries_.resize(features.row_count);
        for (std::int64_t i = 0; i < features.row_count; ++i)
            entries_[i] = {weights.theta[features.row_start + i], features.columns[i]};
    }

    // Lets the weights answer to an example; returns minus its loss and whether they changed.
    std::pair<double, bool> answer(const OnlineExample &example, Rule rule, double strength, double before) {
        score(example);
        const double above = best(example, example.observed, observed_.data());
        const double below = best(example, example.rival, rival_.data());
        if (above == NEG_INF) return {NEG_INF, false};
        const double value = example.weight * (above - std::max(above, below));
        if (value == 0.0 && rule != Rule::perceptron) return {value, false};
        compare(example);
        if (moves_.empty()) return {value, false};
        move(rule, strength, -value, before);
        refresh(example);
        return {value, true};
    }

    // Writes the weights of attributes back.
    void finish() const {
        for (std::int64_t i = 0; i < features_.row_count; ++i)
            weights_.theta[features_.row_start + i] = entries_[i].weight;
    }

  private:
    Chain chain_;
    double *transitions_;
    Features features_;
    Weights weights_;
    Viterbi viterbi_;
    Path path_;
    Buffer emission_;
    std::vector<std::int32_t> observed_, rival_;
    std::vector<double> delta_; // [size], zeros between examples
    std::vector<Entry> entries_; // the weights of attributes, which those in weights_ do not follow until finish()
    std::vector<std::int32_t> touched_;
    std::vector<std::pair<std::int32_t, double>> moves_;

    void score(const OnlineExample &example) {
        std::fill_n(emission_.data(), example.length * chain_.width, 0.0);
        const Occurrences &of = features_.tokens;
        const Entry *entries = entries_.data();
        for (std::int64_t j = 0; j < example.length; ++j) {
            double *to = emission_.data() + j * chain_.width;
            for (std::int64_t k = of.offsets[example.first + j]; k < of.offsets[example.first + j + 1]; ++k) {
                if (k + 2 * AHEAD < of.count) prefetch(entries + of.items[k + 2 * AHEAD]);
                const Entry *entry = entries + of.items[k], *end = entry + features_.sizes[k];
                if (of.values)
                    for (const double value = of.values[k]; entry < end; ++entry) to[entry->column] += value * entry->weight;
                else
                    for (; entry < end; ++entry) to[entry->column] += entry->weight;
            }
        }
    }

    double best(const OnlineExample &example, const std::int32_t *sets, std::int32_t *tags) {
        for (Member *member : {&viterbi_.member, &path_.member}) {
            member->sentence = {example.length, emission_.data(), nullptr};
            member->sets = sets;
        }
        if (!path_.single()) return viterbi(viterbi_, tags);
        for (std::int64_t j = 0; j < example.length; ++j) tags[j] = *path_.member.tags_at(j).begin();
        return path_.score();
    }

    void touch(std::int64_t weight, double by) {
        touched_.push_back(static_cast<std::int32_t>(weight));
        delta_[weight] += by;
    }

    void touch_attribute(std::int64_t occurrence, std::int32_t column, double by) {
        const Entry *begin = entries_.data() + features_.tokens.items[occurrence], *end = begin + features_.sizes[occurrence];
        const Entry *found =
            std::lower_bound(begin, end, column, [](const Entry &entry, std::int64_t wanted) { return entry.column < wanted; });
        if (found != end && found->column == column) touch(features_.row_start + (found - entries_.data()), by);
    }

    std::int32_t tag(const std::vector<std::int32_t> &tags, const OnlineExample &example, std::int64_t j) const {
        return j < 0 || j >= example.length ? chain_.boundary : tags[j];
    }

    void touch_ngrams(const std::vector<std::int32_t> &tags, const OnlineExample &example, std::int64_t j, double by) {
        const std::int64_t width = chain_.width;
        const std::int32_t last = tag(tags, example, j), middle = tag(tags, example, j - 1);
        const std::int32_t pair = features_.bigrams[middle * width + last];
        if (pair >= 0) touch(pair, by);
        if (!features_.trigrams) return;
        const std::int32_t first = tag(tags, example, j - 2);
        const std::int32_t triple = features_.trigrams[(first * width + middle) * width + last];
        if (triple >= 0) touch(triple, by);
    }

    bool same(const OnlineExample &example, std::int64_t j) const {
        return tag(observed_, example, j) == tag(rival_, example, j);
    }

    // Whether the n-grams that end at a token are not the same.
    bool differ(const OnlineExample &example, std::int64_t j) const {
        for (int back = 0; back <= chain_.order; ++back)
            if (!same(example, j - back)) return true;
        return false;
    }

    // psi, as the weights that it is not zero at.
    void compare(const OnlineExample &example) {
        touched_.clear();
        moves_.clear();
        for (std::int64_t j = 0; j <= example.length; ++j) {
            if (!differ(example, j)) continue;
            touch_ngrams(observed_, example, j, example.weight);
            touch_ngrams(rival_, example, j, -example.weight);
            if (j == example.length || same(example, j)) continue;
            const Occurrences &of = features_.tokens;
            for (std::int64_t k = of.offsets[example.first + j]; k < of.offsets[example.first + j + 1]; ++k) {
                const double value = example.weight * (of.values ? of.values[k] : 1.0);
                touch_attribute(k, observed_[j], value);
                touch_attribute(k, rival_[j], -value);
            }
        }
        for (std::int32_t weight : touched_) {
            if (delta_[weight] != 0.0) moves_.emplace_back(weight, delta_[weight]);
            delta_[weight] = 0.0;
        }
    }

    void move(Rule rule, double strength, double loss, double before) {
        double square = 0.0;
        for (const auto &[weight, value] : moves_)
            square += value * value * (rule == Rule::arow ? weights_.variances[weight] : 1.0);
        double step = 1.0;
        if (rule == Rule::passive) step = loss / square;
        if (rule == Rule::passive_one) step = std::min(strength, loss / square);
        if (rule == Rule::passive_two) step = loss / (square + 0.5 / strength);
        if (rule == Rule::arow) step = loss / (square + strength);
        for (const auto &[weight, value] : moves_) {
            double by = step * value;
            if (rule == Rule::arow) {
                double &variance = weights_.variances[weight];
                by *= variance;
                variance = 1.0 / (1.0 / variance + value * value / strength);
            }
            const std::int64_t row = weight - features_.row_start;
            (row >= 0 && row < features_.row_count ? entries_[row].weight : weights_.theta[weight]) += by;
            if (weights_.drift) weights_.drift[weight] += before * by;
        }
    }

    // Brings the table of transitions up to date with the weights of n-grams that may have moved.
    void refresh(const OnlineExample &example) {
        for (std::int64_t j = 0; j <= example.length; ++j)
            if (differ(example, j))
                for (const auto *tags : {&observed_, &rival_})
                    refresh_pair(tag(*tags, example, j - 1), tag(*tags, example, j));
    }

    void refresh_pair(std::int32_t middle, std::int32_t last) {
        const std::int64_t width = chain_.width;
        const std::int32_t pair = features_.bigrams[middle * width + last];
        const double both = pair >= 0 ? weights_.theta[pair] : 0.0;
        for (std::int64_t first = 0; first < (chain_.order == 1 ? 1 : width); ++first) {
            double &entry = chain_.order == 1 ? transitions_[middle * width + last]
                                              : transitions_[(middle * width + first) * width + last];
            if (entry == NEG_INF) continue; // forbidden
            const std::int32_t triple =
                features_.trigrams ? features_.trigrams[(first * width + middle) * width + last] : -1;
            entry = triple >= 0 ? both + weights_.theta[triple] : both;
        }
    }
};

} // namespace weft
