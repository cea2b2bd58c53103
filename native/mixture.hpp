// Chains of order 1 whose steps are mixtures, at the cost of what differs from the back-off.
//
// The step from tag k to tag y at token j, whose item is a, weighs
//
//     rate_j[k] emission_j[y] (w_own N_a[k, y] + w_item P_a[y] + w_tag B[k, y] + w_wide W[y]),
//
// the weights w those of the class that (a, k) has. N, P and B have few entries: those that were
// counted. So a sum over k takes the entries of B and N and two sums of single numbers,
//
//     sum_k in[k] w_item[k]  and  sum_k in[k] w_wide[k],
//
// and a maximum likewise: w_item P[y] + w_wide W[y] is what a step weighs at least, and at most where
// N and B have no entry; it is largest, within a class, where in[k] is. Where an entry of B is
// negative it takes from that what is not there, and y is looked at k by k.
//
// Sums and maxima are scaled token by token. Where that may lose mass the value is NaN, and whoever asks
// sums in logs instead.
#pragma once

#include "chain.hpp"

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
    bool lowers = false;                // whether some entry of the base is negative
};

struct Text { // some sentences
    std::int64_t width;
    const std::int64_t *offsets;
    const std::int32_t *step_items, *last_items, *places;
    const double *emission, *rates; // [places, width], or null
    const double *factors;          // [sets, width], exp of what tag sets add
    TagSets sets;
};

class Sweep {
  public:
    Sweep(const Steps &steps, const Text &text)
        : steps_(steps), text_(text), size_(steps.tags + 1), classes_(size_), in_(size_), q_(size_), stamps_(size_, -1),
          heads_(steps.weights.size()) {}

    void aim(std::int64_t sentence, const std::int32_t *sets) {
        sentence_ = sentence;
        first_ = text_.offsets[sentence];
        length_ = text_.offsets[sentence + 1] - first_;
        sets_ = sets;
    }

    double log_partition() {
        if (!length_) return 0.0;
        alpha_.assign(length_ * size_, 0.0);
        scales_.assign(length_, 0.0);
        double value = 0.0;
        for (std::int64_t j = 0; j < length_; ++j) {
            double *out = alpha_.data() + j * size_;
            enter(j, j ? out - size_ : nullptr);
            add_steps(j, out);
            if (!settle(j, out, false)) return LOST;
            value += std::log(scales_[j]);
        }
        const double end = ending();
        return end > 0 ? value + std::log(end) : LOST;
    }

    // Writes [length, tags], and returns log Z.
    double marginals(double *to) {
        const double value = log_partition();
        if (!length_ || std::isnan(value)) return value;
        std::vector<double> beta(size_, 0.0);
        if (steps_.final.empty()) {
            std::fill(q_.begin(), q_.end(), 0.0);
            q_[steps_.tags] = 1.0;
            choose(text_.last_items[sentence_]);
            gather(text_.last_items[sentence_], nullptr, false, tags_at(length_ - 1), beta.data());
        } else {
            beta = steps_.final;
        }
        for (std::int64_t j = length_ - 1; j >= 0; --j) {
            const double *alpha = alpha_.data() + j * size_;
            double total = 0.0, *row = to + j * steps_.tags;
            for (std::int32_t y : tags_at(j)) total += row[y] = alpha[y] * beta[y];
            if (!(total > 0) || !std::isfinite(total)) return LOST;
            for (std::int32_t y : tags_at(j)) row[y] /= total;
            if (!j) break;
            for (std::int32_t y = 0; y < size_; ++y) q_[y] = factor(j, y) * beta[y] / scales_[j];
            const std::int32_t item = text_.step_items[first_ + j];
            choose(item);
            gather(item, rates_at(j), false, tags_at(j - 1), beta.data());
        }
        return value;
    }

    // Writes the best tags, and returns their score.
    double best(std::int32_t *tags) {
        if (!length_) return 0.0;
        alpha_.assign(length_ * size_, 0.0);
        scales_.assign(length_, 0.0);
        back_.assign(length_ * size_, 0);
        double value = 0.0;
        for (std::int64_t j = 0; j < length_; ++j) {
            double *out = alpha_.data() + j * size_;
            enter(j, j ? out - size_ : nullptr);
            raise_steps(j, out, back_.data() + j * size_);
            if (!settle(j, out, true)) return LOST;
            value += std::log(scales_[j]);
        }
        double top = 0.0;
        std::int32_t tag = -1;
        leave();
        for (std::int32_t y : tags_at(length_ - 1))
            if (q_[y] > top) top = q_[y], tag = y;
        if (tag < 0) return LOST;
        for (std::int64_t j = length_ - 1; j >= 0; --j) {
            tags[j] = tag;
            tag = back_[j * size_ + tag];
        }
        return value + std::log(top);
    }

  private:
    Range tags_at(std::int64_t position) const {
        if (position < 0) return {&steps_.tags, &steps_.tags + 1};
        const std::int64_t *offset = text_.sets.offsets + sets_[position];
        return {text_.sets.tags + offset[0], text_.sets.tags + offset[1]};
    }
    const double *rates_at(std::int64_t j) const {
        return text_.rates ? text_.rates + text_.places[first_ + j] * text_.width : nullptr;
    }
    double factor(std::int64_t j, std::int32_t y) const {
        if (y == steps_.tags) return 0.0;
        const double own = text_.factors[sets_[j] * text_.width + y];
        return text_.emission ? own * text_.emission[text_.places[first_ + j] * text_.width + y] : own;
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

    void add_steps(std::int64_t j, double *out) {
        double shared = 0.0, everywhere = 0.0;
        const double *values = steps_.base.values.data();
        const std::int32_t *columns = steps_.base.columns.data();
        for (std::int32_t k : tags_at(j - 1)) {
            const Weights &weights = steps_.weights[classes_[k]];
            shared += in_[k] * weights.item;
            everywhere += in_[k] * weights.wide;
            const double mass = in_[k] * weights.tag;
            for (std::int64_t e = steps_.base.offsets[k]; e < steps_.base.offsets[k + 1]; ++e)
                out[columns[e]] += mass * values[e];
        }
        const std::int32_t item = text_.step_items[first_ + j];
        for (std::int64_t row = steps_.rows[item]; row < steps_.rows[item + 1]; ++row) {
            const double mass = in_[steps_.row_tags[row]] * steps_.weights[steps_.row_classes[row]].own;
            for (std::int64_t e = steps_.own.offsets[row]; e < steps_.own.offsets[row + 1]; ++e)
                out[steps_.own.columns[e]] += mass * steps_.own.values[e];
        }
        for (std::int64_t e = steps_.shares.offsets[item]; e < steps_.shares.offsets[item + 1]; ++e)
            out[steps_.shares.columns[e]] += shared * steps_.shares.values[e];
        for (std::int32_t y = 0; y < size_; ++y) out[y] += everywhere * wide(!j)[y];
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
        for (std::int32_t y = 0; y < steps_.tags; ++y) {
            out[y] *= factor(j, y);
            total = largest ? std::max(total, out[y]) : total + out[y];
        }
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
    double ending() {
        leave();
        double total = 0.0;
        for (std::int32_t y : tags_at(length_ - 1)) total += q_[y];
        return total;
    }

    static void offer(double value, std::int32_t k, double &best, std::int32_t &from) {
        if (value > best || (value == best && k < from)) best = value, from = k;
    }

    void raise_steps(std::int64_t j, double *out, std::int32_t *back) {
        const std::int32_t item = text_.step_items[first_ + j];
        const Range before = tags_at(j - 1);
        const double *widest = wide(!j);
        std::fill(q_.begin(), q_.end(), 0.0); // P_a
        for (std::int64_t e = steps_.shares.offsets[item]; e < steps_.shares.offsets[item + 1]; ++e)
            q_[steps_.shares.columns[e]] = steps_.shares.values[e];
        rest(before, widest, out, back);
        std::int64_t row = steps_.rows[item];
        for (std::int32_t k : before) {
            while (row < steps_.rows[item + 1] && steps_.row_tags[row] < k) ++row;
            const bool has = row < steps_.rows[item + 1] && steps_.row_tags[row] == k;
            std::int64_t e = steps_.base.offsets[k], n = has ? steps_.own.offsets[row] : 0;
            const std::int64_t base_end = steps_.base.offsets[k + 1], own_end = has ? steps_.own.offsets[row + 1] : 0;
            const Weights &weights = steps_.weights[classes_[k]];
            while (e < base_end || n < own_end) { // both ascend
                const std::int32_t one = e < base_end ? steps_.base.columns[e] : size_;
                const std::int32_t two = n < own_end ? steps_.own.columns[n] : size_;
                const std::int32_t y = std::min(one, two);
                double value = weights.item * q_[y] + weights.wide * widest[y];
                if (one == y) value += weights.tag * steps_.base.values[e++];
                if (two == y) value += weights.own * steps_.own.values[n++];
                offer(in_[k] * value, k, out[y], back[y]);
            }
        }
    }

    // The best steps by the back-off alone, of each class the one from the tag where most arrives.
    void rest(Range before, const double *widest, double *out, std::int32_t *back) {
        used_.clear();
        for (std::int32_t k : before) {
            std::int32_t &head = heads_[classes_[k]];
            if (std::find(used_.begin(), used_.end(), classes_[k]) == used_.end()) {
                used_.push_back(classes_[k]);
                head = k;
            } else if (in_[k] > in_[head]) {
                head = k;
            }
        }
        std::fill(back, back + size_, size_);
        for (std::int32_t kind : used_) {
            const std::int32_t head = heads_[kind];
            const Weights &weights = steps_.weights[kind];
            if (steps_.lowers) mark(head);
            for (std::int32_t y = 0; y < steps_.tags; ++y) {
                std::int32_t k = head;
                if (steps_.lowers && stamps_[y] == head && (k = highest(before, kind, y)) < 0) continue;
                offer(in_[k] * (weights.item * q_[y] + weights.wide * widest[y]), k, out[y], back[y]);
            }
        }
    }

    // Remembers the columns where a tag's entries are negative.
    void mark(std::int32_t k) {
        std::fill(stamps_.begin(), stamps_.end(), -1);
        for (std::int64_t e = steps_.base.offsets[k]; e < steps_.base.offsets[k + 1]; ++e)
            if (steps_.base.values[e] < 0) stamps_[steps_.base.columns[e]] = k;
    }

    // Of a class, the tag without a negative entry at y where most arrives; -1 if there is none.
    std::int32_t highest(Range before, std::int32_t kind, std::int32_t y) const {
        std::int32_t found = -1;
        for (std::int32_t k : before) {
            if (classes_[k] != kind || (found >= 0 && in_[k] <= in_[found])) continue;
            const std::int32_t *first = steps_.base.columns.data() + steps_.base.offsets[k];
            const std::int32_t *last = steps_.base.columns.data() + steps_.base.offsets[k + 1];
            const std::int32_t *at = std::lower_bound(first, last, y);
            const bool negative =
                at != last && *at == y && steps_.base.values[at - steps_.base.columns.data()] < 0;
            if (!negative) found = k;
        }
        return found;
    }

    const Steps &steps_;
    const Text &text_;
    std::int32_t size_;
    std::int64_t sentence_ = 0, first_ = 0, length_ = 0;
    const std::int32_t *sets_ = nullptr;
    std::vector<std::int32_t> classes_;     // [tags + 1]
    std::vector<double> in_, q_;            // [tags + 1]
    std::vector<std::int32_t> stamps_, heads_, used_;
    std::vector<double> alpha_, scales_;    // [length, tags + 1], [length]
    std::vector<std::int32_t> back_;
};

} // namespace weft::mixture
