// Shares of the known answers of a block, for Frank–Wolfe: moved from the worst to the best, in closed form.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace weft {

struct Answers {
    std::int64_t count;
    const std::int64_t *offsets; // [count + 1] into places and values
    const std::int64_t *places;  // the coordinates of ψ, a run per answer
    const double *values;        // ψ there
    const double *costs;         // [count]
};

// gains[n] = cost_n − θ·ψ_n: how fast the dual falls as the share of n grows.
inline void gains_of(const Answers &answers, const double *weights, double *gains) {
    for (std::int64_t n = 0; n < answers.count; ++n) {
        double score = 0.0;
        for (std::int64_t i = answers.offsets[n]; i < answers.offsets[n + 1]; ++i)
            score += answers.values[i] * weights[answers.places[i]];
        gains[n] = answers.costs[n] - score;
    }
}

// products[n, m] = ψ_nᵀ P⁻¹ ψ_m for all m, if they are not known: NaN. The scratch [θ] is zeros before and after.
inline const double *products_of(const Answers &answers, std::int64_t n, const double *variances, double *scratch,
                                 double *products) {
    double *row = products + n * answers.count;
    if (!std::isnan(row[n])) return row;
    const std::int64_t first = answers.offsets[n], last = answers.offsets[n + 1];
    for (std::int64_t i = first; i < last; ++i)
        scratch[answers.places[i]] = answers.values[i] * variances[answers.places[i]];
    for (std::int64_t m = 0; m < answers.count; ++m) {
        double product = 0.0;
        for (std::int64_t i = answers.offsets[m]; i < answers.offsets[m + 1]; ++i)
            product += answers.values[i] * scratch[answers.places[i]];
        row[m] = product;
    }
    for (std::int64_t i = first; i < last; ++i) scratch[answers.places[i]] = 0.0;
    return row;
}

// Move shares until none is better than another, or as often as there are answers: more would be wasted while other
// blocks move θ. Returns by how much the dual fell.
inline double move_shares(const Answers &answers, double settled, const double *variances, double *weights,
                          double *shares, double *products, double *gains, double *changes, double *scratch) {
    gains_of(answers, weights, gains);
    for (std::int64_t n = 0; n < answers.count; ++n) changes[n] = 0.0;
    double fell = 0.0;
    for (std::int64_t turn = 0; turn < answers.count; ++turn) {
        std::int64_t best = 0, worst = -1;
        for (std::int64_t n = 0; n < answers.count; ++n) {
            if (gains[n] > gains[best]) best = n;
            if (shares[n] > 0.0 && (worst < 0 || gains[n] < gains[worst])) worst = n;
        }
        if (worst < 0) break;
        const double slope = gains[best] - gains[worst];
        if (!(slope > settled * std::fmax(1.0, std::fabs(gains[best])))) break;
        const double *more = products_of(answers, best, variances, scratch, products);
        const double *less = products_of(answers, worst, variances, scratch, products);
        const double curvature = more[best] + less[worst] - 2.0 * more[worst];
        const double move = curvature > 0.0 ? std::fmin(slope / curvature, shares[worst]) : shares[worst];
        shares[best] += move;
        changes[best] += move;
        shares[worst] -= move;
        changes[worst] -= move;
        fell += move * (slope - 0.5 * move * curvature);
        for (std::int64_t n = 0; n < answers.count; ++n) gains[n] -= move * (more[n] - less[n]);
    }
    for (std::int64_t n = 0; n < answers.count; ++n) {
        if (changes[n] == 0.0) continue;
        for (std::int64_t i = answers.offsets[n]; i < answers.offsets[n + 1]; ++i)
            weights[answers.places[i]] += changes[n] * answers.values[i] * variances[answers.places[i]];
    }
    return fell;
}

} // namespace weft
