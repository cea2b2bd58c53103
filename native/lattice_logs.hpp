// The same sums in logs, for lattices whose weights are too far apart for numbers; see lattice.hpp.
#pragma once

#include "lattice_sweep.hpp"

namespace weft {

inline void LatticeSweep::logs_forward() {
    const std::int64_t width = all_.width;
    std::fill(inside_.begin(), inside_.end(), NEG_INF);
    std::fill(front_.begin(), front_.end(), NEG_INF);
    inside_[0] = 0.0;
    value_ = NEG_INF;
    scaled_ = false;
    for (std::int64_t q = 0; q < states_; ++q) {
        const std::int64_t state = first_ + q;
        const std::int64_t rows = all_.sets.size(all_.rows[state]), groups = all_.sets.size(all_.groups[state]);
        const std::int32_t *row_tags = all_.sets.begin(all_.rows[state]), *group_tags = all_.sets.begin(all_.groups[state]);
        const std::int32_t *nexts = all_.sets.begin(all_.nexts[state]);
        const std::int64_t count = all_.sets.size(all_.nexts[state]);
        double *front = front_.data() + fronts_[q];
        for (std::int64_t g = 0; g < groups; ++g)
            for (std::int64_t k = 0; k < rows; ++k) {
                const double a = inside_[blocks_[q] + k * groups + g];
                if (a == NEG_INF) continue;
                const double *step = all_.log_step(group_tags[g], row_tags[k]);
                for (std::int64_t i = 0; i < count; ++i)
                    front[g * width + nexts[i]] = log_add(front[g * width + nexts[i]], a + step[nexts[i]]);
            }
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a) {
            const std::int64_t r = all_.targets[a];
            const double *word = all_.emission + all_.words[a] * width;
            const std::int32_t *bases = all_.bases_of(state, a, groups), *places = all_.places + all_.entry_offsets[a];
            for (std::int64_t g = 0; g < groups; ++g)
                for (std::int64_t i = 0; i < all_.sets.size(all_.allowed[a]); ++i) {
                    const std::int32_t y = all_.sets.begin(all_.allowed[a])[i];
                    double &to = inside_[blocks_[r] + bases[g] + places[i]];
                    to = log_add(to, front[g * width + y] + word[y]);
                }
        }
        if (all_.final[state])
            for (std::int64_t g = 0; g < groups; ++g) value_ = log_add(value_, front[g * width + all_.boundary]);
    }
}

inline void LatticeSweep::logs_collect(double coefficient, double *uses, double *exact) {
    if (value_ == NEG_INF) return;
    const std::int64_t width = all_.width;
    outside_.resize(blocks_[states_]);
    for (std::int64_t q = states_; q-- > 0;) {
        const std::int64_t state = first_ + q;
        const std::int64_t rows = all_.sets.size(all_.rows[state]), groups = all_.sets.size(all_.groups[state]);
        const std::int32_t *row_tags = all_.sets.begin(all_.rows[state]), *group_tags = all_.sets.begin(all_.groups[state]);
        const std::int32_t *nexts = all_.sets.begin(all_.nexts[state]);
        const std::int64_t count = all_.sets.size(all_.nexts[state]);
        const double *front = front_.data() + fronts_[q];
        back_.assign(groups * width, NEG_INF);
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a) {
            const std::int64_t r = all_.targets[a];
            const double *word = all_.emission + all_.words[a] * width;
            const std::int32_t *bases = all_.bases_of(state, a, groups), *places = all_.places + all_.entry_offsets[a];
            double *used = uses + all_.uses[a];
            for (std::int64_t g = 0; g < groups; ++g)
                for (std::int64_t i = 0; i < all_.sets.size(all_.allowed[a]); ++i) {
                    const std::int32_t y = all_.sets.begin(all_.allowed[a])[i];
                    const double on = word[y] + outside_[blocks_[r] + bases[g] + places[i]];
                    double &to = back_[g * width + y];
                    to = log_add(to, on);
                    used[i] += coefficient * std::exp(front[g * width + y] + on - value_);
                }
        }
        if (all_.final[state])
            for (std::int64_t g = 0; g < groups; ++g) back_[g * width + all_.boundary] = 0.0;
        for (std::int64_t g = 0; g < groups; ++g)
            for (std::int64_t k = 0; k < rows; ++k) {
                const double *step = all_.log_step(group_tags[g], row_tags[k]);
                double *taken = exact + (step - all_.transitions);
                const double a = inside_[blocks_[q] + k * groups + g];
                double total = NEG_INF;
                for (std::int64_t i = 0; i < count; ++i) {
                    const double on = step[nexts[i]] + back_[g * width + nexts[i]];
                    total = log_add(total, on);
                    if (a > NEG_INF && on > NEG_INF) taken[nexts[i]] += coefficient * std::exp(a + on - value_);
                }
                outside_[blocks_[q] + k * groups + g] = total;
            }
    }
}

} // namespace weft
