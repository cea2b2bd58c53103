// Sums over the tag sequences of all strings of a lattice, for chains of order 1 or 2, arcs implicit.
//
// A lattice state q of the chain falls into *groups* and *rows*, as a step of chain.hpp does: order 2
// has a group for each tag of the last word and a row for each tag of the one before; order 1 has one
// group, and a row for each tag of the last word. The step out of q is made once for all its arcs,
//
//     F_q[g, y] = sum_k A_q[k, g] T[g, k, y],
//
// and an arc to r that bears a word of row w adds F_q[g, y] E[w, y] to A_r. Backwards the arcs are
// summed first, G_q[g, y] = sum_arcs E[w, y] B_r, and B_q[k, g] = sum_y T[g, k, y] G_q[g, y].
//
// Each state carries its own scale, a power of two, aligned exactly where arcs meet. Scaling is safe
// as long as no factor of a product is below SMALLEST: then no product of four of them underflows,
// and a zero is a true one. Where that cannot be promised the lattice is summed in logs instead.
#pragma once

#include "vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weft {

constexpr double SMALLEST = 1e-70;                  // four factors make 1e-280
constexpr std::int64_t WIDEST_SHIFT = 232;          // 2^-232 is about SMALLEST
constexpr double LN2 = 0.693147180559945309417232121458;

struct Sets {                       // distinct sets of tags
    const std::int64_t *offsets;    // [sets + 1]
    const std::int32_t *tags;       // ascending in each

    const std::int32_t *begin(std::int32_t set) const { return tags + offsets[set]; }
    std::int64_t size(std::int32_t set) const { return offsets[set + 1] - offsets[set]; }
};

struct Lattices {                   // all lattices of a batch, and the chain over them
    int order;
    std::int32_t boundary;
    std::int64_t width;
    Sets sets;
    // States, lattice after lattice; arcs by source; targets count from their lattice's first state.
    const std::int64_t *state_offsets;              // [lattices + 1]
    const std::int32_t *rows, *groups, *nexts;      // [states], sets
    const std::uint8_t *final;                      // [states]
    const std::int64_t *arc_offsets;                // [states + 1]
    const std::int32_t *targets, *words, *allowed;  // [arcs]; words are rows of the emission scores
    const std::int64_t *entry_offsets;              // [arcs + 1]: an entry an allowed tag of an arc
    // Where a step ends in the block of the state that it leads to: that of its group, and its tag.
    const std::int64_t *base_offsets;               // [states]: the first of a state's arcs
    const std::int32_t *bases;                      // arc after arc, a base a group
    const std::int32_t *places;                     // [entries]
    const double *transitions;                      // [groups, width, width], log
    const double *emission;                         // [words, width], log

    // Derived by prepare(): the same as numbers times a power of two.
    Buffer steps, factors;
    std::int64_t step_shift = 0;
    std::vector<std::int64_t> shifts;               // [words]
    std::vector<std::uint8_t> unsafe;               // [words]
    bool safe = true;                               // whether transitions are

    const double *step(std::int32_t group, std::int32_t row) const {
        return steps.data() + (order == 1 ? row : group * width + row) * width;
    }
    const double *log_step(std::int32_t group, std::int32_t row) const {
        return transitions + (order == 1 ? row : group * width + row) * width;
    }
    const std::int32_t *bases_of(std::int64_t state, std::int64_t arc, std::int64_t count) const {
        return bases + base_offsets[state] + (arc - arc_offsets[state]) * count;
    }
    std::int64_t block(std::int64_t state) const { return sets.size(rows[state]) * sets.size(groups[state]); }
};

// Writes exp(from) = to * 2^shift; false if some positive number is too small beside the largest.
WEFT_KERNEL bool exp_shifted(const double *from, std::int64_t count, double *to, std::int64_t &shift) {
    double top = NEG_INF, low = -NEG_INF;
    for (std::int64_t i = 0; i < count; ++i) {
        top = std::max(top, from[i]);
        if (from[i] > NEG_INF) low = std::min(low, from[i]);
    }
    if (top == NEG_INF) {
        std::fill(to, to + count, 0.0);
        shift = 0;
        return true;
    }
    shift = static_cast<std::int64_t>(std::ceil(top / LN2));
    const double base = static_cast<double>(shift) * LN2;
    for (std::int64_t i = 0; i < count; i += LANES) store(to + i, exp(load(from + i) - base));
    return low > base + std::log(SMALLEST);
}

inline void prepare_steps(Lattices &all) {
    const std::int64_t count = (all.order == 1 ? 1 : all.width) * all.width * all.width;
    all.steps.resize(count);
    all.safe = exp_shifted(all.transitions, count, all.steps.data(), all.step_shift);
}

inline void prepare_word(Lattices &all, std::int64_t word) {
    const std::int64_t at = word * all.width;
    all.unsafe[word] =
        !exp_shifted(all.emission + at, all.width, all.factors.data() + at, all.shifts[word]);
}

// 2^exponent, 0 where that is too small for a normal number.
inline double power(std::int64_t exponent) {
    if (exponent < -1022) return 0.0;
    const std::int64_t bits = (exponent + 1023) << 52;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// The exponent of a normal number above 0: it is below 2^exponent, and at least half of that.
inline std::int64_t exponent_of(double value) {
    std::int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits >> 52) - 1022;
}

// Working memory for one lattice at a time.
class LatticeSweep {
  public:
    explicit LatticeSweep(const Lattices &lattices) : all_(lattices) {}

    // log Z of a lattice, -inf if it has no derivation.
    double forward(std::int64_t lattice) {
        aim(lattice);
        scaled_ = safe() && scaled_forward();
        if (!scaled_) logs_forward();
        return value_;
    }

    // Adds coefficient * expectations: of arcs with tags to their entries, of steps to `exact`, or to
    // `scaled` what is still to be multiplied by the factors of steps.
    double collect(std::int64_t lattice, double coefficient, double *entries, Buffer &exact, double *scaled) {
        forward(lattice);
        if (value_ == NEG_INF) return value_;
        if (scaled_ && scaled_backward()) {
            scaled_collect(coefficient, entries, scaled);
        } else {
            if (scaled_) logs_forward();
            exact.resize(all_.steps.size());
            logs_collect(coefficient, entries, exact.data());
        }
        return value_;
    }

  private:
    void aim(std::int64_t lattice) {
        first_ = all_.state_offsets[lattice];
        states_ = all_.state_offsets[lattice + 1] - first_;
        blocks_.resize(states_ + 1);
        fronts_.resize(states_ + 1);
        blocks_[0] = fronts_[0] = 0;
        for (std::int64_t q = 0; q < states_; ++q) {
            blocks_[q + 1] = blocks_[q] + all_.block(first_ + q);
            fronts_[q + 1] = fronts_[q] + all_.sets.size(all_.groups[first_ + q]) * all_.width;
        }
        inside_.resize(blocks_[states_]);
        front_.resize(fronts_[states_]);
        shift_.resize(states_);
    }

    bool safe() const {
        if (!all_.safe) return false;
        for (std::int64_t a = all_.arc_offsets[first_]; a < all_.arc_offsets[first_ + states_]; ++a)
            if (all_.unsafe[all_.words[a]]) return false;
        return true;
    }

    bool scaled_forward();
    bool scaled_backward();
    void scaled_collect(double coefficient, double *entries, double *scaled);
    void logs_forward();
    void logs_collect(double coefficient, double *entries, double *exact);

    const Lattices &all_;
    std::int64_t first_ = 0, states_ = 0;
    bool scaled_ = false;
    double value_ = 0.0, total_ = 0.0;              // log Z; Z = total_ * 2^total_shift_
    std::int64_t total_shift_ = 0;
    std::vector<std::int64_t> blocks_, fronts_;     // where each state's block and its step begin
    Buffer inside_, outside_, front_, back_;        // A, B; F, G
    std::vector<std::int64_t> shift_, outside_shift_, back_shift_;
};

constexpr std::int64_t NOTHING = std::numeric_limits<std::int64_t>::min() / 4; // the shift of an empty sum

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
WEFT_KERNEL void step_out(const Lattices &all, std::int64_t state, const double *inside, double *front) {
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
WEFT_KERNEL void step_back(const Lattices &all, std::int64_t state, const double *back, double *outside) {
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
WEFT_KERNEL void step_taken(const Lattices &all, std::int64_t state, const double *back, const double *inside, double share,
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
        step_out(all_, state, inside_.data() + blocks_[q], front);
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
        step_back(all_, state, back, outside_.data() + blocks_[q]);
        back_shift_[q] = shift;
        outside_shift_[q] = shift + all_.step_shift;
        if (!rescale(outside_.data() + blocks_[q], blocks_[q + 1] - blocks_[q], outside_shift_[q])) return false;
    }
    return true;
}

inline void LatticeSweep::scaled_collect(double coefficient, double *entries, double *scaled) {
    const std::int64_t width = all_.width;
    for (std::int64_t q = 0; q < states_; ++q) {
        const std::int64_t state = first_ + q;
        if (shift_[q] == NOTHING || back_shift_[q] == NOTHING) continue;
        const std::int64_t base = shift_[q] + all_.step_shift - total_shift_;
        const double *front = front_.data() + fronts_[q], *back = back_.data() + fronts_[q];
        step_taken(all_, state, back, inside_.data() + blocks_[q], coefficient / total_ * power(base + back_shift_[q]),
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
            double *entry = entries + all_.entry_offsets[a];
            for (std::int64_t g = 0; g < groups; ++g) {
                const double *from = outside_.data() + blocks_[r] + bases[g];
                for (std::int64_t i = 0; i < count; ++i)
                    entry[i] += share * (front[g * width + tags[i]] * word[tags[i]] * from[places[i]]);
            }
        }
    }
}

inline double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == NEG_INF ? a : a + std::log1p(std::exp(b - a));
}

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

inline void LatticeSweep::logs_collect(double coefficient, double *entries, double *exact) {
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
            double *entry = entries + all_.entry_offsets[a];
            for (std::int64_t g = 0; g < groups; ++g)
                for (std::int64_t i = 0; i < all_.sets.size(all_.allowed[a]); ++i) {
                    const std::int32_t y = all_.sets.begin(all_.allowed[a])[i];
                    const double on = word[y] + outside_[blocks_[r] + bases[g] + places[i]];
                    double &to = back_[g * width + y];
                    to = log_add(to, on);
                    entry[i] += coefficient * std::exp(front[g * width + y] + on - value_);
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
