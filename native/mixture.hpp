// Chains of order 1 whose steps are mixtures, at the cost of what differs from the back-off.
//
// The step from tag k to tag y at token j, whose item is a, weighs
//
//     rate_j[k] emission_j[y] (w_own N_a[k, y] + w_item P_a[y] + w_tag B[k, y] + w_wide W[y]),
//
// the weights w those of the class that (a, k) has. N, P and B have few entries: those that were
// counted. Sums over k are in mixture_sums.hpp, maxima in mixture_best.hpp.
//
// Both are scaled token by token. Where that may lose mass the value is NaN, and whoever asks sums in logs instead.
#pragma once

#include "chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::mixture {

constexpr double TINY = 1e-280, LOST = std::numeric_limits<double>::quiet_NaN();

struct Entries { // lists of columns with values
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

struct Weights {
    double own, item, tag, wide;
};

struct Steps { // what all sentences share
    std::int32_t tags = 0;              // = the boundary's number
    std::vector<Weights> weights;       // [classes]
    std::vector<std::int32_t> defaults; // [kinds, tags + 1], classes
    std::vector<double> wide;           // [2, tags + 1], inside a sentence and where one begins
    Entries base;                       // by k
    std::vector<std::int32_t> kinds;    // [items]
    Entries shares;                     // by item
    std::vector<std::int64_t> rows;     // [items + 1]
    std::vector<std::int32_t> row_tags, row_classes;
    Entries own;                        // by row
    std::vector<double> final;          // [tags + 1]; empty where the end is one more step
};

struct Text { // some sentences
    std::int64_t width;
    const std::int64_t *offsets;
    const std::int32_t *step_items, *last_items, *places;
    const double *emission, *rates; // [places, width], or null
    const double *factors;          // [sets, width], exp of what tag sets add
    TagSets sets;
};

// What sums and maxima over a sentence share: what arrives at a token, and what becomes of it.
class Walk {
  public:
    Walk(const Steps &steps, const Text &text)
        : steps_(steps), text_(text), size_(steps.tags + 1), classes_(size_), in_(size_), q_(size_) {}

    void aim(std::int64_t sentence, const std::int32_t *sets) {
        sentence_ = sentence;
        first_ = text_.offsets[sentence];
        length_ = text_.offsets[sentence + 1] - first_;
        sets_ = sets;
    }

  protected:
    Range tags_at(std::int64_t position) const {
        if (position < 0) return {&steps_.tags, &steps_.tags + 1};
        const std::int64_t *offset = text_.sets.offsets + sets_[position];
        return {text_.sets.tags + offset[0], text_.sets.tags + offset[1]};
    }
    const double *rates_at(std::int64_t j) const {
        return text_.rates ? text_.rates + text_.places[first_ + j] * text_.width : nullptr;
    }
    const double *emission_at(std::int64_t j) const {
        return text_.emission ? text_.emission + text_.places[first_ + j] * text_.width : nullptr;
    }
    double factor(std::int64_t j, std::int32_t y) const {
        if (y == steps_.tags) return 0.0;
        const double own = text_.factors[sets_[j] * text_.width + y];
        return text_.emission ? own * emission_at(j)[y] : own;
    }
    const double *wide(bool begins) const { return steps_.wide.data() + (begins ? size_ : 0); }

    // The class of every tag before, with an item.
    void choose(std::int32_t item) {
        const std::int32_t *usual = steps_.defaults.data() + steps_.kinds[item] * size_;
        std::copy(usual, usual + size_, classes_.begin());
        for (std::int64_t row = steps_.rows[item]; row < steps_.rows[item + 1]; ++row)
            classes_[steps_.row_tags[row]] = steps_.row_classes[row];
    }

    // What arrives at token j, its rates included.
    void enter(std::int64_t j, const double *before) {
        const double *rates = rates_at(j);
        std::fill(in_.begin(), in_.end(), 0.0);
        for (std::int32_t k : tags_at(j - 1)) in_[k] = (before ? before[k] : 1.0) * (rates ? rates[k] : 1.0);
        choose(text_.step_items[first_ + j]);
    }

    // What lies ahead of the tags before, given what lies ahead of a token's tags in q.
    void gather(std::int32_t item, const double *rates, bool begins, Range before, double *out) {
        double shared = 0.0, everywhere = 0.0;
        for (std::int64_t e = steps_.shares.offsets[item]; e < steps_.shares.offsets[item + 1]; ++e)
            shared += steps_.shares.values[e] * q_[steps_.shares.columns[e]];
        for (std::int32_t y = 0; y < size_; ++y) everywhere += wide(begins)[y] * q_[y];
        std::fill(out, out + size_, 0.0);
        const double *values = steps_.base.values.data();
        const std::int32_t *columns = steps_.base.columns.data();
        for (std::int32_t k : before) {
            const Weights &weights = steps_.weights[classes_[k]];
            double even = 0.0, odd = 0.0;
            std::int64_t e = steps_.base.offsets[k];
            const std::int64_t last = steps_.base.offsets[k + 1];
            for (; e + 1 < last; e += 2) {
                even += values[e] * q_[columns[e]];
                odd += values[e + 1] * q_[columns[e + 1]];
            }
            if (e < last) even += values[e] * q_[columns[e]];
            out[k] = weights.tag * (even + odd) + weights.item * shared + weights.wide * everywhere;
        }
        for (std::int64_t row = steps_.rows[item]; row < steps_.rows[item + 1]; ++row) {
            double sum = 0.0;
            for (std::int64_t e = steps_.own.offsets[row]; e < steps_.own.offsets[row + 1]; ++e)
                sum += steps_.own.values[e] * q_[steps_.own.columns[e]];
            out[steps_.row_tags[row]] += steps_.weights[steps_.row_classes[row]].own * sum;
        }
        if (rates)
            for (std::int32_t k : before) out[k] *= rates[k];
    }

    // Multiplies by emissions, and divides by the sum or the largest; false where mass may be lost.
    bool settle(std::int64_t j, double *out, bool largest) {
        double total = 0.0;
        out[steps_.tags] = 0.0;
        const double *sets = text_.factors + sets_[j] * text_.width, *emission = emission_at(j);
        for (std::int32_t y = 0; y < steps_.tags; ++y) out[y] *= emission ? sets[y] * emission[y] : sets[y];
        if (largest)
            for (std::int32_t y = 0; y < steps_.tags; ++y) total = std::max(total, out[y]);
        else
            for (std::int32_t y = 0; y < steps_.tags; ++y) total += out[y];
        if (!(total > 0) || !std::isfinite(total)) return false;
        scales_[j] = total;
        for (std::int32_t y = 0; y < steps_.tags; ++y) out[y] /= total;
        for (std::int32_t y : tags_at(j))
            if (!(out[y] > TINY)) return false;
        return true;
    }

    // In q: the last alpha times what the end weighs after each tag.
    void leave() {
        const double *last = alpha_.data() + (length_ - 1) * size_;
        if (steps_.final.empty()) {
            std::fill(q_.begin(), q_.end(), 0.0);
            q_[steps_.tags] = 1.0;
            std::vector<double> ahead(size_);
            choose(text_.last_items[sentence_]);
            gather(text_.last_items[sentence_], nullptr, false, tags_at(length_ - 1), ahead.data());
            for (std::int32_t y = 0; y < size_; ++y) q_[y] = last[y] * ahead[y];
        } else {
            for (std::int32_t y = 0; y < size_; ++y) q_[y] = last[y] * steps_.final[y];
        }
    }

    const Steps &steps_;
    const Text &text_;
    std::int32_t size_;
    std::int64_t sentence_ = 0, first_ = 0, length_ = 0;
    const std::int32_t *sets_ = nullptr;
    std::vector<std::int32_t> classes_;     // [tags + 1]
    std::vector<double> in_, q_;            // [tags + 1]
    std::vector<double> alpha_, scales_;    // [length, tags + 1], [length]
};

} // namespace weft::mixture
