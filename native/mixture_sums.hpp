// Sums over the tag sequences of chains whose steps are mixtures (mixture.hpp).
//
// A sum over k takes the entries of B and N and two sums of single numbers,
//
//     sum_k in[k] w_item[k]  and  sum_k in[k] w_wide[k].
#pragma once

#include "mixture.hpp"

namespace weft::mixture {

class Sums : public Walk {
  public:
    using Walk::Walk;

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

  private:
    void add_steps(std::int64_t j, double *out) {
        double shared = 0.0, everywhere = 0.0;
        const double *values = steps_.base.values.data();
        const std::int32_t *columns = steps_.base.columns.data();
        for (std::int32_t k : tags_at(j - 1)) {
            const Weights &weights = steps_.weights[classes_[k]];
            shared += in_[k] * weights.item;
            everywhere += in_[k] * weights.wide;
            const double mass = in_[k] * weights.tag;
            std::int64_t e = steps_.base.offsets[k];
            const std::int64_t last = steps_.base.offsets[k + 1];
            for (; e + 1 < last; e += 2) { // two columns, which differ
                const std::int32_t one = columns[e], two = columns[e + 1];
                const double first = out[one] + mass * values[e], second = out[two] + mass * values[e + 1];
                out[one] = first;
                out[two] = second;
            }
            if (e < last) out[columns[e]] += mass * values[e];
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

    double ending() {
        leave();
        double total = 0.0;
        for (std::int32_t y : tags_at(length_ - 1)) total += q_[y];
        return total;
    }
};

} // namespace weft::mixture
