// The best tag sequences of chains whose steps are mixtures (mixture.hpp).
//
// w_item P[y] + w_wide W[y] is what a step weighs at least, and at most where N and B have no entry; it is largest,
// within a class, where in[k] is. Where an entry of B is negative it takes from that what is not there, and y is
// looked at k by k.
//
// Most entries of B are too low to be tried. With the ratios r[k, y] = B[k, y] / W[y], r[k] being the lowest or 0,
//
//     max over k of the step to y  >=  W[y] floor,    floor = max over k of in[k] (w_wide + w_tag r[k]),
//
// and where P and N have no entry, (k, y) makes in[k] (w_wide + w_tag r[k, y]) W[y]. The entries of k are ranked by
// ratio, and from the first that is below the floor on they are left out. The columns of P are tried k by k, and the
// entries of N one by one.
#pragma once

#include "mixture.hpp"

namespace weft::mixture {

// Far more than rounding changes the products of a step, so that what is left out is lower, and no equal.
constexpr double SLACK = 1e-12;

struct Ranked {
    double ratio, value;
    std::int32_t column;
};

struct Ranking { // of the base
    std::vector<Ranked> entries;  // row by row as in the base, the highest ratio first
    std::vector<double> lows;     // [tags + 1], the lowest ratio of each row, or 0
    Entries columns;              // by y; none where items have no shares

    explicit Ranking(const Steps &steps) : lows(steps.tags + 1, 0.0) {
        const Entries &base = steps.base;
        entries.reserve(base.columns.size());
        for (std::int32_t k = 0; k <= steps.tags; ++k) {
            // Nothing but the boundary goes before the beginning, and it before nothing else.
            const double *wide = steps.wide.data() + (k == steps.tags ? steps.tags + 1 : 0);
            for (std::int64_t e = base.offsets[k]; e < base.offsets[k + 1]; ++e)
                add(k, base.columns[e], base.values[e], wide);
            std::sort(entries.begin() + base.offsets[k], entries.end(), [](const Ranked &a, const Ranked &b) {
                return a.ratio != b.ratio ? a.ratio > b.ratio : a.column < b.column;
            });
        }
        if (!steps.shares.columns.empty()) columns = transposed(base);
    }

  private:
    void add(std::int32_t k, std::int32_t y, double value, const double *wide) {
        const bool divides = wide[y] > 0;
        const double ratio = divides ? value / wide[y] : std::numeric_limits<double>::infinity();
        if (value < 0) lows[k] = std::min(lows[k], divides ? ratio : -ratio);
        entries.push_back({ratio, value, y});
    }

    static Entries transposed(const Entries &rows) {
        const std::size_t count = rows.columns.size(), size = rows.offsets.size();
        Entries out{std::vector<std::int64_t>(size, 0), std::vector<std::int32_t>(count), std::vector<double>(count)};
        for (std::int32_t y : rows.columns) ++out.offsets[y + 1];
        for (std::size_t y = 1; y < size; ++y) out.offsets[y] += out.offsets[y - 1];
        std::vector<std::int64_t> next(out.offsets.begin(), out.offsets.end());
        for (std::size_t k = 0; k + 1 < size; ++k)
            for (std::int64_t e = rows.offsets[k]; e < rows.offsets[k + 1]; ++e) {
                const std::int64_t at = next[rows.columns[e]]++;
                out.columns[at] = static_cast<std::int32_t>(k);
                out.values[at] = rows.values[e];
            }
        return out;
    }
};

class Best : public Walk {
  public:
    Best(const Steps &steps, const Ranking &ranking, const Text &text)
        : Walk(steps, text), ranking_(ranking), stamps_(size_, -1), heads_(steps.weights.size(), -1) {}

    // Writes the best tags, and returns their score.
    double best(std::int32_t *tags) {
        if (!length_) return 0.0;
        alpha_.assign(length_ * size_, 0.0);
        scales_.assign(length_, 0.0);
        back_.assign(length_ * size_, size_);
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
    struct Ways { // the best step to each tag, and the tag that it comes from, in the end the lowest of several
        const double *wide;
        double *out;
        std::int32_t *back;

        void offer(double value, std::int32_t k, std::int32_t y) {
            if (value > out[y] || (value == out[y] && k < back[y])) out[y] = value, back[y] = k;
        }
    };

    void raise_steps(std::int64_t j, double *out, std::int32_t *back) {
        Ways ways{wide(!j), out, back};
        const std::int32_t item = text_.step_items[first_ + j];
        const Entries &shares = steps_.shares;
        const std::int64_t first = shares.offsets[item], last = shares.offsets[item + 1];
        std::fill(q_.begin(), q_.end(), 0.0); // P_a
        for (std::int64_t e = first; e < last; ++e) q_[shares.columns[e]] = shares.values[e];
        const Range before = tags_at(j - 1), shared{shares.columns.data() + first, shares.columns.data() + last};
        const double floor = find_floor(before);
        raise_rest(before, shared, floor, ways);
        raise_base(before, floor, ways);
        for (std::int32_t y : shared) raise_column(y, ways);
        for (std::int64_t row = steps_.rows[item]; row < steps_.rows[item + 1]; ++row) raise_own(row, ways);
    }

    // Below what the best step to any y is, divided by W[y].
    double find_floor(Range before) const {
        double floor = 0.0;
        for (std::int32_t k : before) {
            const Weights &weights = steps_.weights[classes_[k]];
            floor = std::max(floor, in_[k] * (weights.wide * (1 - SLACK) + weights.tag * ranking_.lows[k]));
        }
        return floor * (1 - SLACK);
    }

    void raise_base(Range before, double floor, Ways &ways) {
        for (std::int32_t k : before) {
            const Weights &weights = steps_.weights[classes_[k]];
            const double least = (floor / in_[k] - weights.wide * (1 + SLACK)) / weights.tag; // NaN leaves nothing out
            const Ranked *each = ranking_.entries.data() + steps_.base.offsets[k];
            const Ranked *const end = ranking_.entries.data() + steps_.base.offsets[k + 1];
            for (; each != end && !(each->ratio < least); ++each)
                ways.offer(in_[k] * usual(weights, each->column, each->value, ways), k, each->column);
        }
    }

    // What a step weighs without N.
    double usual(const Weights &weights, std::int32_t y, double base, const Ways &ways) const {
        return weights.item * q_[y] + weights.wide * ways.wide[y] + weights.tag * base;
    }

    void raise_column(std::int32_t y, Ways &ways) {
        const Entries &columns = ranking_.columns;
        for (std::int64_t e = columns.offsets[y]; e < columns.offsets[y + 1]; ++e) {
            const std::int32_t k = columns.columns[e];
            ways.offer(in_[k] * usual(steps_.weights[classes_[k]], y, columns.values[e], ways), k, y);
        }
    }

    void raise_own(std::int64_t row, Ways &ways) {
        const std::int32_t k = steps_.row_tags[row];
        if (in_[k] == 0.0) return;
        const Weights &weights = steps_.weights[steps_.row_classes[row]];
        for (std::int64_t e = steps_.own.offsets[row]; e < steps_.own.offsets[row + 1]; ++e) {
            const std::int32_t y = steps_.own.columns[e];
            const double value = usual(weights, y, base_at(k, y), ways) + weights.own * steps_.own.values[e];
            ways.offer(in_[k] * value, k, y);
        }
    }

    double base_at(std::int32_t k, std::int32_t y) const {
        const std::int32_t *all = steps_.base.columns.data();
        const std::int32_t *last = all + steps_.base.offsets[k + 1];
        const std::int32_t *at = std::lower_bound(all + steps_.base.offsets[k], last, y);
        return at != last && *at == y ? steps_.base.values[at - all] : 0.0;
    }

    // The best steps by the back-off alone, of each class the one from the tag where most arrives.
    void raise_rest(Range before, Range shared, double floor, Ways &ways) {
        used_.clear();
        for (std::int32_t k : before) {
            std::int32_t &head = heads_[classes_[k]];
            if (head < 0) used_.push_back(classes_[k]);
            if (head < 0 || in_[k] > in_[head]) head = k;
        }
        for (std::int32_t kind : used_) {
            const std::int32_t head = heads_[kind];
            heads_[kind] = -1;
            mark(head);
            if (!(in_[head] * steps_.weights[kind].wide * (1 + SLACK) < floor))
                for (std::int32_t y = 0; y < steps_.tags; ++y) raise_one(before, kind, head, y, ways);
            else
                for (std::int32_t y : shared) raise_one(before, kind, head, y, ways);
        }
    }

    void raise_one(Range before, std::int32_t kind, std::int32_t head, std::int32_t y, Ways &ways) {
        const std::int32_t k = stamps_[y] == head ? highest(before, kind, y) : head;
        if (k >= 0) ways.offer(in_[k] * usual(steps_.weights[kind], y, 0.0, ways), k, y);
    }

    // Remembers the columns where a tag's entries are negative.
    void mark(std::int32_t k) {
        if (ranking_.lows[k] == 0.0) return;
        std::fill(stamps_.begin(), stamps_.end(), -1);
        for (std::int64_t e = steps_.base.offsets[k]; e < steps_.base.offsets[k + 1]; ++e)
            if (ranking_.entries[e].value < 0) stamps_[ranking_.entries[e].column] = k;
    }

    // Of a class, the tag without a negative entry at y where most arrives; -1 if there is none.
    std::int32_t highest(Range before, std::int32_t kind, std::int32_t y) const {
        std::int32_t found = -1;
        for (std::int32_t k : before)
            if (classes_[k] == kind && (found < 0 || in_[k] > in_[found]) && !(base_at(k, y) < 0)) found = k;
        return found;
    }

    const Ranking &ranking_;
    std::vector<std::int32_t> stamps_, heads_, used_; // [tags + 1], [classes]: -1 where nothing is
    std::vector<std::int32_t> back_;                  // [length, tags + 1]
};

} // namespace weft::mixture
