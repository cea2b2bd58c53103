// Sums over a lattice in numbers, each state with a scale of its own; see lattice.hpp.
#pragma once

#include "lattice_sweep.hpp"

namespace weft {

// Brings a block to a largest number between 1/2 and 1; false if a positive one is then too small.
inline bool rescale(double *block, std::int64_t count, std::int64_t &shift) {
    double top = 0.0;
    for (std::int64_t i = 0; i < count; ++i) top = std::max(top, block[i]);
    if (top == 0.0) {
        shift = NOTHING;
        return true;
    }
    const std::int64_t exponent = exponent_of(top);
    const double factor = power(-exponent);
    double low = 1.0;
    for (std::int64_t i = 0; i < count; ++i) {
        block[i] *= factor;
        low = block[i] > 0.0 ? std::min(low, block[i]) : low;
    }
    shift += exponent;
    return low >= SMALLEST;
}

// to[y] += a * step[y] over some tags, or over whole vectors where most are asked for.
WEFT_INLINE void add_row(double a, const double *step, const std::int32_t *tags, std::int64_t count, std::int64_t width,
                         double *to) {
    if (2 * count >= width) {
        for (std::int64_t y = 0; y < width; y += LANES) store(to + y, load(to + y) + a * load(step + y));
    } else {
        for (std::int64_t i = 0; i < count; ++i) to[tags[i]] += a * step[tags[i]];
    }
}

WEFT_INLINE void clear_row(const std::int32_t *tags, std::int64_t count, std::int64_t width, double *to) {
    if (2 * count >= width)
        std::fill(to, to + width, 0.0);
    else
        for (std::int64_t i = 0; i < count; ++i) to[tags[i]] = 0.0;
}

WEFT_INLINE double dot_row(const double *step, const double *with, const std::int32_t *tags, std::int64_t count,
                           std::int64_t width) {
    if (2 * count >= width) {
        Vec total{};
        for (std::int64_t y = 0; y < width; y += LANES) total += load(step + y) * load(with + y);
        return sum(total);
    }
    double total = 0.0;
    for (std::int64_t i = 0; i < count; ++i) total += step[tags[i]] * with[tags[i]];
    return total;
}

// F of a state from its A: one pass over rows and groups.
WEFT_KERNEL void step_out(const ScoredLattices &all, std::int64_t state, const double *inside, double *front) {
    const std::int64_t width = all.width;
    const std::int64_t rows = all.sets.size(all.rows[state]), groups = all.sets.size(all.groups[state]);
    const std::int32_t *row_tags = all.sets.begin(all.rows[state]), *group_tags = all.sets.begin(all.groups[state]);
    const std::int32_t *nexts = all.sets.begin(all.nexts[state]);
    const std::int64_t count = all.sets.size(all.nexts[state]);
    for (std::int64_t g = 0; g < groups; ++g) {
        clear_row(nexts, count, width, front + g * width);
        for (std::int64_t k = 0; k < rows; ++k) {
            const double a = inside[k * groups + g];
            if (a != 0.0) add_row(a, all.step(group_tags[g], row_tags[k]), nexts, count, width, front + g * width);
        }
    }
}

// B of a state from its G.
WEFT_KERNEL void step_back(const ScoredLattices &all, std::int64_t state, const double *back, double *outside) {
    const std::int64_t width = all.width;
    const std::int64_t rows = all.sets.size(all.rows[state]), groups = all.sets.size(all.groups[state]);
    const std::int32_t *row_tags = all.sets.begin(all.rows[state]), *group_tags = all.sets.begin(all.groups[state]);
    const std::int32_t *nexts = all.sets.begin(all.nexts[state]);
    const std::int64_t count = all.sets.size(all.nexts[state]);
    for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t k = 0; k < rows; ++k)
            outside[k * groups + g] =
                dot_row(all.step(group_tags[g], row_tags[k]), back + g * width, nexts, count, width);
}

// Adds the expected steps out of a state, still to be multiplied by their factors.
WEFT_KERNEL void step_taken(const ScoredLattices &all, std::int64_t state, const double *back, const double *inside, double share,
                            double *taken) {
    const std::int64_t width = all.width;
    const std::int64_t rows = all.sets.size(all.rows[state]), groups = all.sets.size(all.groups[state]);
    const std::int32_t *row_tags = all.sets.begin(all.rows[state]), *group_tags = all.sets.begin(all.groups[state]);
    const std::int32_t *nexts = all.sets.begin(all.nexts[state]);
    const std::int64_t count = all.sets.size(all.nexts[state]);
    for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t k = 0; k < rows; ++k) {
            const double a = share * inside[k * groups + g];
            if (a == 0.0) continue;
            double *to = taken + (all.step(group_tags[g], row_tags[k]) - all.steps.data());
            add_row(a, back + g * width, nexts, count, width, to);
        }
}

inline bool LatticeSweep::scaled_forward() {
    const std::int64_t width = all_.width;
    std::fill(inside_.begin(), inside_.end(), 0.0);
    std::fill(shift_.begin(), shift_.end(), NOTHING);
    inside_[0] = 1.0;
    shift_[0] = 0;
    total_ = 0.0;
    total_shift_ = NOTHING;
    for (std::int64_t q = 0; q < states_; ++q) {
        const std::int64_t state = first_ + q;
        if (shift_[q] == NOTHING) continue;
        if (!rescale(inside_.data() + blocks_[q], blocks_[q + 1] - blocks_[q], shift_[q])) return false;
        if (shift_[q] == NOTHING) continue;
        double *front = front_.data() + fronts_[q];
        dispatch<step_out>(all_, state, inside_.data() + blocks_[q], front);
        const std::int64_t shift = shift_[q] + all_.step_shift;
        const std::int64_t groups = all_.sets.size(all_.groups[state]);
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a) {
            const std::int64_t r = all_.targets[a];
            const std::int64_t brought = shift + all_.shifts[all_.words[a]];
            double factor = 1.0;
            double *block = inside_.data() + blocks_[r];
            if (shift_[r] == NOTHING) {
                shift_[r] = brought;
            } else if (brought <= shift_[r]) {
                if (shift_[r] - brought > WIDEST_SHIFT) return false;
                factor = power(brought - shift_[r]);
            } else { // what is there already moves down
                if (brought - shift_[r] > WIDEST_SHIFT) return false;
                const double down = power(shift_[r] - brought);
                for (std::int64_t i = 0; i < blocks_[r + 1] - blocks_[r]; ++i) {
                    block[i] *= down;
                    if (block[i] != 0.0 && block[i] < 1e-290) return false;
                }
                shift_[r] = brought;
            }
            const double *word = all_.factors.data() + all_.words[a] * width;
            const std::int32_t *tags = all_.sets.begin(all_.allowed[a]);
            const std::int64_t count = all_.sets.size(all_.allowed[a]);
            const std::int32_t *bases = all_.bases_of(state, a, groups), *places = all_.places + all_.entry_offsets[a];
            for (std::int64_t g = 0; g < groups; ++g) {
                const double *from = front + g * width;
                double *to = block + bases[g];
                for (std::int64_t i = 0; i < count; ++i) to[places[i]] += from[tags[i]] * (word[tags[i]] * factor);
            }
        }
        if (all_.final[state]) {
            double ending = 0.0;
            for (std::int64_t g = 0; g < groups; ++g) ending += front[g * width + all_.boundary];
            if (ending > 0.0 && (total_shift_ == NOTHING || shift > total_shift_)) {
                total_ = ending + (total_shift_ == NOTHING ? 0.0 : total_ * power(total_shift_ - shift));
                total_shift_ = shift;
            } else if (ending > 0.0) {
                total_ += ending * power(shift - total_shift_);
            }
        }
    }
    value_ = total_ > 0.0 ? std::log(total_) + static_cast<double>(total_shift_) * LN2 : NEG_INF;
    return true;
}

// B and G of all states; false if the scales do not suffice, before anything has been added.
inline bool LatticeSweep::scaled_backward() {
    const std::int64_t width = all_.width;
    outside_.resize(blocks_[states_]);
    back_.resize(fronts_[states_]);
    outside_shift_.assign(states_, NOTHING);
    back_shift_.assign(states_, NOTHING);
    for (std::int64_t q = states_; q-- > 0;) {
        const std::int64_t state = first_ + q;
        // The largest shift that the end and the arcs bring.
        std::int64_t shift = all_.final[state] ? 0 : NOTHING;
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a)
            if (outside_shift_[all_.targets[a]] != NOTHING)
                shift = std::max(shift, outside_shift_[all_.targets[a]] + all_.shifts[all_.words[a]]);
        if (shift == NOTHING || shift_[q] == NOTHING) continue;
        if (shift_[q] + all_.step_shift + shift - total_shift_ > 1000) return false;
        const std::int64_t groups = all_.sets.size(all_.groups[state]);
        double *back = back_.data() + fronts_[q];
        for (std::int64_t g = 0; g < groups; ++g)
            clear_row(all_.sets.begin(all_.nexts[state]), all_.sets.size(all_.nexts[state]), width, back + g * width);
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a) {
            const std::int64_t r = all_.targets[a];
            if (outside_shift_[r] == NOTHING) continue;
            const std::int64_t down = shift - outside_shift_[r] - all_.shifts[all_.words[a]];
            if (down > WIDEST_SHIFT) return false;
            const double factor = power(-down);
            const double *word = all_.factors.data() + all_.words[a] * width;
            const std::int32_t *tags = all_.sets.begin(all_.allowed[a]);
            const std::int64_t count = all_.sets.size(all_.allowed[a]);
            const std::int32_t *bases = all_.bases_of(state, a, groups), *places = all_.places + all_.entry_offsets[a];
            for (std::int64_t g = 0; g < groups; ++g) {
                const double *from = outside_.data() + blocks_[r] + bases[g];
                for (std::int64_t i = 0; i < count; ++i)
                    back[g * width + tags[i]] += word[tags[i]] * factor * from[places[i]];
            }
        }
        if (all_.final[state]) {
            if (shift > WIDEST_SHIFT) return false;
            for (std::int64_t g = 0; g < groups; ++g) back[g * width + all_.boundary] = power(-shift);
        }
        dispatch<step_back>(all_, state, back, outside_.data() + blocks_[q]);
        back_shift_[q] = shift;
        outside_shift_[q] = shift + all_.step_shift;
        if (!rescale(outside_.data() + blocks_[q], blocks_[q + 1] - blocks_[q], outside_shift_[q])) return false;
    }
    return true;
}

inline void LatticeSweep::scaled_collect(double coefficient, double *uses, double *scaled) {
    const std::int64_t width = all_.width;
    for (std::int64_t q = 0; q < states_; ++q) {
        const std::int64_t state = first_ + q;
        if (shift_[q] == NOTHING || back_shift_[q] == NOTHING) continue;
        const std::int64_t base = shift_[q] + all_.step_shift - total_shift_;
        const double *front = front_.data() + fronts_[q], *back = back_.data() + fronts_[q];
        dispatch<step_taken>(all_, state, back, inside_.data() + blocks_[q], coefficient / total_ * power(base + back_shift_[q]),
                   scaled);
        const std::int64_t groups = all_.sets.size(all_.groups[state]);
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a) {
            const std::int64_t r = all_.targets[a];
            if (outside_shift_[r] == NOTHING) continue;
            const double share =
                coefficient / total_ * power(base + outside_shift_[r] + all_.shifts[all_.words[a]]);
            const double *word = all_.factors.data() + all_.words[a] * width;
            const std::int32_t *tags = all_.sets.begin(all_.allowed[a]);
            const std::int64_t count = all_.sets.size(all_.allowed[a]);
            const std::int32_t *bases = all_.bases_of(state, a, groups), *places = all_.places + all_.entry_offsets[a];
            double *used = uses + all_.uses[a];
            for (std::int64_t g = 0; g < groups; ++g) {
                const double *from = outside_.data() + blocks_[r] + bases[g];
                for (std::int64_t i = 0; i < count; ++i)
                    used[i] += share * (front[g * width + tags[i]] * word[tags[i]] * from[places[i]]);
            }
        }
    }
}

} // namespace weft
