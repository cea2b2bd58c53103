// Chains whose steps are normalised one by one: p(y_j | y_{j-1}, x), or given y_{j-2} y_{j-1}.
//
// The normaliser of the step to token j,
//
//     N_j(history) = log sum_y exp(transition[history, y] + emission[j, y] + pair[j, y_{j-1}, y]),
//
// depends on the tags before j alone. Charged to the token before, it leaves a chain as any other:
// for order 1 emission[j - 1, y_{j-1}] -= N_j, for order 2 pair[j - 1, y_{j-2}, y_{j-1}] -= N_j, and
// the first token pays for N_0. What is expected follows the same way back.
#pragma once

#include "chain.hpp"

namespace weft {

struct Step {               // to one token from one history
    const double *transitions, *emission, *bias, *pair; // rows over the next tag; pair may be null
};

WEFT_INLINE Vec step_scores(const Step &step, std::int64_t at) {
    Vec value = load(step.transitions + at) + load(step.emission + at) + load(step.bias + at);
    if (step.pair) value += load(step.pair + at);
    return value;
}

WEFT_KERNEL double step_normaliser(const Step &step, std::int64_t width) {
    Vec top = splat(NEG_INF);
    for (std::int64_t i = 0; i < width; i += LANES) top = max(top, step_scores(step, i));
    const double highest = max(top);
    if (highest == NEG_INF) return NEG_INF;
    Vec total{};
    for (std::int64_t i = 0; i < width; i += LANES) total += exp(step_scores(step, i) - highest);
    return highest + std::log(sum(total));
}

// Takes mass * p(y | history) from three rows over y; the last may be null.
WEFT_KERNEL void take_expected(const Step &step, double normaliser, double mass, std::int64_t width, double *marginals,
                               double *transitions, double *pair) {
    for (std::int64_t i = 0; i < width; i += LANES) {
        const Vec share = mass * exp(step_scores(step, i) - normaliser);
        store(marginals + i, load(marginals + i) - share);
        store(transitions + i, load(transitions + i) - share);
        if (pair) store(pair + i, load(pair + i) - share);
    }
}

// A sentence with, for each token, the tags it may have at all and those whose steps on are needed.
struct Local {
    Member member;              // its sets are the needed ones
    const std::int32_t *allowed = nullptr; // [length]

    explicit Local(const Chain &chain) : member{chain} {}

    // Calls visit(step, position, group, row) for each history that is needed at a position.
    template <class Visit> void histories(std::int64_t position, Visit &&visit) const {
        const Chain &chain = member.chain;
        const std::int64_t width = chain.width, square = chain.square();
        for (const std::int32_t group : member.groups_at(position))
            for (const std::int32_t row : member.rows_at(position)) {
                const std::int32_t previous = chain.order == 1 ? row : group;
                const double *pair = member.sentence.pair;
                visit(Step{chain.transitions + group * square + row * width, member.sentence.emission + position * width,
                           chain.sets.bias + allowed[position] * width,
                           pair ? pair + position * square + previous * width : nullptr},
                      group, row);
            }
    }

    // Where the normaliser of a history is charged, in rows of emission (order 1) or pair scores.
    std::int64_t charged(std::int64_t position, std::int32_t group, std::int32_t row) const {
        const std::int64_t width = member.chain.width;
        return member.chain.order == 1 ? (position - 1) * width + row
                                       : (position - 1) * width * width + row * width + group;
    }
};

// Charges all normalisers of a sentence; emission and pair hold copies of its scores.
inline void charge_normalisers(const Local &local, double *emission, double *pair) {
    const std::int64_t width = local.member.chain.width;
    double *const charged = local.member.chain.order == 1 ? emission : pair;
    for (std::int64_t j = 0; j < local.member.sentence.length; ++j)
        local.histories(j, [&](const Step &step, std::int32_t group, std::int32_t row) {
            const double normaliser = dispatch<step_normaliser>(step, width);
            // A history that cannot be gone on from needs no charge: all its steps are impossible.
            if (normaliser == NEG_INF) return;
            if (j == 0)
                for (std::int64_t y = 0; y < width; ++y) emission[y] -= normaliser;
            else
                charged[local.charged(j, group, row)] -= normaliser;
        });
}

// Turns marginals of the charged chain into what they mean for the scores before the charge.
inline void collect_normalisers(const Local &local, double *marginals, double *pair, double *transitions) {
    const Chain &chain = local.member.chain;
    const std::int64_t width = chain.width, square = chain.square();
    const double *const charged = chain.order == 1 ? marginals : pair;
    // From the last token on: a token's marginals are read before anything is taken from them.
    for (std::int64_t j = local.member.sentence.length; j-- > 0;)
        local.histories(j, [&](const Step &step, std::int32_t group, std::int32_t row) {
            double mass = 0.0;
            if (j == 0)
                for (std::int64_t y = 0; y < chain.boundary; ++y) mass += marginals[y];
            else
                mass = charged[local.charged(j, group, row)];
            if (mass == 0.0) return;
            const std::int32_t previous = chain.order == 1 ? row : group;
            dispatch<take_expected>(step, dispatch<step_normaliser>(step, width), mass, width, marginals + j * width,
                          transitions + group * square + row * width,
                          pair ? pair + j * square + previous * width : nullptr);
        });
}

} // namespace weft
