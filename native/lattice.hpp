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
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
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

struct Lattices {                   // all lattices of a batch
    int order;
    std::int32_t boundary;
    std::int64_t width, lattices, emission_rows;
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
    // Uses of a word with the tags of a set are counted together; a count belongs to word * width + tag.
    const std::int32_t *uses;                       // [arcs]: the count of the first of its tags
    const std::int64_t *use_places;                 // [use_count]
    std::int64_t use_count;

    std::int64_t step_count() const { return (order == 1 ? 1 : width) * width * width; }
    std::int64_t row(std::int32_t group, std::int32_t row) const {
        return (order == 1 ? row : group * width + row) * width;
    }
    const std::int32_t *bases_of(std::int64_t state, std::int64_t arc, std::int64_t count) const {
        return bases + base_offsets[state] + (arc - arc_offsets[state]) * count;
    }
    std::int64_t block(std::int64_t state) const { return sets.size(rows[state]) * sets.size(groups[state]); }
};

struct ScoredLattices : Lattices {  // and the chain over them
    const double *transitions;                      // [groups, width, width], log
    const double *emission;                         // [emission_rows, width], log

    // Derived by prepare_*(): the same as numbers times a power of two.
    Buffer steps, factors;
    std::int64_t step_shift = 0;
    std::vector<std::int64_t> shifts;               // [words]
    std::vector<std::uint8_t> unsafe;               // [words]
    bool safe = true;                               // whether transitions are

    ScoredLattices(const Lattices &all, const double *transition_scores, const double *emission_scores)
        : Lattices(all), transitions(transition_scores), emission(emission_scores) {}
    const double *step(std::int32_t group, std::int32_t tag) const { return steps.data() + row(group, tag); }
    const double *log_step(std::int32_t group, std::int32_t tag) const { return transitions + row(group, tag); }
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

// Also makes room for words, which prepare_word() fills.
inline void prepare_steps(ScoredLattices &all) {
    all.factors.resize(all.emission_rows * all.width);
    all.shifts.resize(all.emission_rows);
    all.unsafe.resize(all.emission_rows);
    all.steps.resize(all.step_count());
    all.safe = dispatch<exp_shifted>(all.transitions, all.step_count(), all.steps.data(), all.step_shift);
}

inline void prepare_word(ScoredLattices &all, std::int64_t word) {
    const std::int64_t at = word * all.width;
    all.unsafe[word] =
        !dispatch<exp_shifted>(all.emission + at, all.width, all.factors.data() + at, all.shifts[word]);
}

// 2^exponent, 0 where that is too small for a normal number.
inline double power(std::int64_t exponent) {
    return exponent < -1022 ? 0.0 : std::bit_cast<double>((exponent + 1023) << 52);
}

// The exponent of a normal number above 0: it is below 2^exponent, and at least half of that.
inline std::int64_t exponent_of(double value) { return (std::bit_cast<std::int64_t>(value) >> 52) - 1022; }

} // namespace weft
