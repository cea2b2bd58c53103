// How expectations of a chain change as the scores of observed tags rise: forward-backward on pairs of
// numbers, the second of which is the derivative of the first (dual numbers).
//
// Token j has a rate r_j >= 0, at which the scores of its observed tags rise. With
//
//     G(y) = sum of r_j over the tokens j of y whose tag is observed,
//
// the probability p of a step changes by E[G where the step is taken] - p E[G], their covariance. No rate is
// negative, so that nothing is subtracted but E[G], in logs and in numbers alike.
#pragma once

#include "chain_collect.hpp"
#include "chain_logs.hpp"

namespace weft {

constexpr double FASTEST = 1e100;  // rates above this are left to logs
constexpr double UNLIKELY = 1e-200; // and so are probabilities below this

struct Tangent {
    explicit Tangent(const Chain &chain) : scaled(chain), logs(chain) {}

    Scaled scaled;
    Logs logs;
    const std::int32_t *observed = nullptr; // [length], tag sets
    const double *log_rates = nullptr;      // [length]
    Buffer rates;                           // [length, width], 0 for tags that were not observed
    Room<double> gamma;                     // [1 + length, groups, width]: alpha times E[G] so far, as scaled as alpha
    Room<double> slope;                     // [length, groups, width]: the derivative of q
    Buffer delta, delta_out;                // what a step backwards reads and writes, beside those of `scaled`
    Room<double> log_gamma;                 // [1 + length, groups, width]: as the log-alphas, of allowed tags

    bool is_observed(std::int64_t position, std::int32_t tag) const {
        const Chain &chain = scaled.member.chain;
        return chain.sets.bias[observed[position] * chain.width + tag] > NEG_INF;
    }
    // After scaled_backward(), which has made room for the rest; kernels do not allocate: see vector.hpp.
    void make_room() {
        const std::int64_t length = scaled.member.sentence.length, size = scaled.member.state_size();
        renew(gamma, (length + 1) * size);
        renew(slope, length * size);
        for (Buffer *each : {&delta, &delta_out}) each->resize(size);
    }
    double *gamma_at(std::int64_t position) { return gamma.data() + (position + 1) * scaled.member.state_size(); }
    double *log_gamma_at(std::int64_t position) { return log_gamma.data() + (position + 1) * logs.member.state_size(); }
};

// --- The log-probability that each token has an observed tag; -inf where there is no sequence.

inline bool scaled_observed(Tangent &work, double *log_probs) {
    const Member &member = work.scaled.member;
    double value;
    if (!scaled_forward(work.scaled, value) || !scaled_backward(work.scaled)) return false;
    for (std::int64_t j = 0; j < member.sentence.length; ++j) {
        double inside = 0.0, outside = 0.0;
        for (std::int32_t y : member.tags_at(j))
            (work.is_observed(j, y) ? inside : outside) += work.scaled.posterior[j * member.chain.width + y];
        if (!(inside >= UNLIKELY)) return false;
        // What is nearly certain is measured by what is missing.
        log_probs[j] = inside > 0.5 ? std::log1p(-outside / (inside + outside)) : std::log(inside);
    }
    return true;
}

inline void logs_observed(Tangent &work, double *log_probs) {
    std::fill(log_probs, log_probs + work.logs.member.sentence.length, NEG_INF);
    const double value = logs_forward(work.logs);
    if (value == NEG_INF) return;
    logs_backward(work.logs, value,
                  [&](std::int64_t j, std::int32_t, std::int32_t, std::int32_t y, double log_probability, double) {
                      if (j < work.logs.member.sentence.length && work.is_observed(j, y))
                          log_probs[j] = std::min(0.0, log_add(log_probs[j], log_probability));
                  });
}

// --- The change of what is expected, in numbers.

inline bool set_rates(Tangent &work) {
    const Member &member = work.scaled.member;
    const std::int64_t width = member.chain.width;
    work.rates.assign(member.sentence.length * width, 0.0);
    for (std::int64_t j = 0; j < member.sentence.length; ++j) {
        const double rate = std::exp(work.log_rates[j]);
        if (!(rate <= FASTEST)) return false;
        for (std::int32_t y : member.tags_at(j))
            if (work.is_observed(j, y)) work.rates[j * width + y] = rate;
    }
    return true;
}

// Gammas, less E[G] times the alphas.
WEFT_KERNEL void tangent_forward(Tangent &work) {
    Scaled &scaled = work.scaled;
    const Member &member = scaled.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, length = member.sentence.length, size = member.state_size();
    std::fill(work.gamma.begin(), work.gamma.begin() + size, 0.0);
    for (std::int64_t j = 0; j < length; ++j) {
        const double *in = work.gamma_at(j - 1), *rates = work.rates.data() + j * width;
        if (chain.order == 2) {
            turn(in, member.groups_at(j - 1), member.tags_at(j - 1), width, scaled.in.data(), chain.few());
            in = scaled.in.data();
        }
        const double *emission = scaled.emission.data() + j * width, *alpha = scaled.alpha_at(j);
        const Vec inverse = splat(scaled.inverse[j]);
        for (std::int32_t g : member.groups_at(j)) {
            double *row = work.gamma_at(j) + g * width;
            step_on(scaled, j, g, in + g * width, row);
            const double *pair = pair_row(scaled, j, g);
            for (std::int64_t i = 0; i < width; i += LANES) {
                Vec value = load(row + i) * load(emission + i) * inverse;
                if (pair) value *= load(pair + i);
                store(row + i, value + load(rates + i) * load(alpha + g * width + i));
            }
        }
    }
    double mean = 0.0;
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length))
            mean += work.gamma_at(length - 1)[member.place(g, k)] * chain.ending(g, k) / scaled.final;
    work.gamma[member.start()] = -mean * scaled.alpha[member.start()];
    for (std::int64_t j = 0; j < length; ++j)
        for (std::int32_t g : member.groups_at(j))
            for (std::int64_t i = g * width; i < (g + 1) * width; ++i)
                work.gamma_at(j)[i] -= mean * scaled.alpha_at(j)[i];
}

// The derivatives of q, and in the place of the posteriors theirs.
WEFT_KERNEL void tangent_backward(Tangent &work) {
    Scaled &scaled = work.scaled;
    const Member &member = scaled.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, length = member.sentence.length, size = member.state_size();
    Buffer &beta = scaled.beta, &delta = work.delta, &before = scaled.out, &delta_before = work.delta_out;
    for (Buffer *each : {&beta, &delta}) std::fill(each->begin(), each->end(), 0.0);
    if (chain.few_triples()) clear_pairs(scaled);
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length))
            beta[member.place(g, k)] = chain.ending(g, k) / scaled.final;
    for (std::int64_t j = length - 1; j >= 0; --j) {
        const double *emission = scaled.emission.data() + j * width, *rates = work.rates.data() + j * width;
        const double *alpha = scaled.alpha_at(j), *gamma = work.gamma_at(j), *q = scaled.q_at(j);
        const Vec inverse = splat(scaled.inverse[j]);
        double *slope = work.slope.data() + j * size, *change = scaled.posterior.data() + j * width;
        std::fill(change, change + width, 0.0);
        for (std::int32_t g : member.groups_at(j)) {
            const double *pair = pair_row(scaled, j, g);
            for (std::int64_t i = 0; i < width; i += LANES) {
                const std::int64_t at = g * width + i;
                const Vec a = load(alpha + at), b = load(beta.data() + at), d = load(delta.data() + at);
                Vec value = load(emission + i) * inverse * (d + load(rates + i) * b);
                if (pair) value *= load(pair + i);
                // Where nothing arrives beta may be anything, infinite too.
                store(slope + at, choose(a > Vec{}, value, Vec{}));
                const Vec both = choose(a > Vec{}, load(gamma + at) * b + a * d, Vec{});
                add_to(change + i, both);
                if (chain.few_triples()) add_to(scaled.pairs.data() + at, both);
            }
            const double *block = block_at(scaled, j, g, true);
            const std::int64_t to = chain.order == 1 ? 0 : g * width;
            step_back(scaled, j, g, block, q + g * width, before.data() + to);
            step_back(scaled, j, g, block, slope + g * width, delta_before.data() + to);
        }
        if (chain.order == 1) {
            beta.swap(before);
            delta.swap(delta_before);
        } else {
            turn(before.data(), member.groups_at(j), member.rows_at(j), width, beta.data());
            turn(delta_before.data(), member.groups_at(j), member.rows_at(j), width, delta.data());
        }
    }
}

inline bool scaled_tangent(Tangent &work, const Sink &sink) {
    double value;
    if (!set_rates(work) || !scaled_forward(work.scaled, value) || !scaled_backward(work.scaled)) return false;
    work.make_room();
    dispatch<tangent_forward>(work);
    dispatch<tangent_backward>(work);
    // Expectations are products of what arrives and what leaves: one derivative each.
    work.scaled.alpha.swap(work.gamma);
    dispatch<scaled_collect>(work.scaled, 1.0, sink);
    work.scaled.alpha.swap(work.gamma);
    work.scaled.q.swap(work.slope);
    dispatch<collect_steps>(work.scaled, 1.0, sink);
    return true;
}

// --- The same in logs.

// Log-gammas, and the log of E[G].
inline double logs_tangent_forward(Tangent &work, double log_partition) {
    const Member &member = work.logs.member;
    const std::int64_t width = member.chain.width, length = member.sentence.length;
    std::vector<double> &terms = work.logs.terms;
    renew(work.log_gamma, (length + 1) * member.state_size());
    work.log_gamma[member.start()] = NEG_INF;
    for (std::int64_t j = 0; j < length; ++j)
        for (std::int32_t g : member.groups_at(j))
            for (std::int32_t y : member.tags_at(j)) {
                terms.clear();
                for (std::int32_t k : member.rows_at(j))
                    terms.push_back(work.log_gamma_at(j - 1)[member.place(g, k)] + member.step(j, g, k, y));
                if (work.is_observed(j, y)) terms.push_back(work.logs.alpha_at(j)[g * width + y] + work.log_rates[j]);
                work.log_gamma_at(j)[g * width + y] = log_sum_exp(terms);
            }
    terms.clear();
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length))
            terms.push_back(work.log_gamma_at(length - 1)[member.place(g, k)] +
                            member.step(length, g, k, member.chain.boundary));
    return log_sum_exp(terms) - log_partition;
}

inline void logs_tangent(Tangent &work, const Sink &sink) {
    const Member &member = work.logs.member;
    const std::int64_t width = member.chain.width, length = member.sentence.length, size = member.state_size();
    const double log_partition = logs_forward(work.logs);
    if (log_partition == NEG_INF) return;
    const double mean = std::exp(logs_tangent_forward(work, log_partition));
    std::vector<double> beta(size, NEG_INF), delta(size, NEG_INF), before(size), delta_before(size), changes;
    std::vector<double> &terms = work.logs.terms;
    for (std::int64_t j = length; j >= 0; --j) {
        std::fill(before.begin(), before.end(), NEG_INF);
        std::fill(delta_before.begin(), delta_before.end(), NEG_INF);
        for (std::int32_t g : member.groups_at(j))
            for (std::int32_t k : member.rows_at(j)) {
                const std::int64_t from = member.place(g, k);
                const double alpha = work.logs.alpha_at(j - 1)[from], gamma = work.log_gamma_at(j - 1)[from];
                terms.clear();
                changes.clear();
                for (std::int32_t y : member.tags_at(j)) {
                    const double step = member.step(j, g, k, y);
                    double ahead = 0.0, change = NEG_INF; // after the sentence there is nothing to change
                    if (j < length) {
                        ahead = beta[g * width + y];
                        change = delta[g * width + y];
                        if (work.is_observed(j, y)) change = log_add(change, ahead + work.log_rates[j]);
                    }
                    terms.push_back(step + ahead);
                    changes.push_back(step + change);
                    const double log_probability = alpha + step + ahead - log_partition;
                    if (log_probability == NEG_INF) continue;
                    const double together = log_add(gamma + step + ahead, alpha + step + change) - log_partition;
                    add_step(member, j, g, k, y, std::exp(together) - std::exp(log_probability) * mean, sink);
                }
                before[from] = log_sum_exp(terms);
                delta_before[from] = log_sum_exp(changes);
            }
        beta.swap(before);
        delta.swap(delta_before);
    }
}

} // namespace weft
