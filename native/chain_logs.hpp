// Forward-backward in logs: slower, exact for any weights; what the scaled sweep falls back on.
#pragma once

#include "chain.hpp"

namespace weft {

struct Logs {
    explicit Logs(const Chain &chain) : member{chain} {}

    Member member;
    Room<double> alpha;        // [1 + length, groups, width]; only of allowed groups and tags
    std::vector<double> terms; // of one log-sum-exp

    double *alpha_at(std::int64_t position) { return alpha.data() + (position + 1) * member.state_size(); }
};

inline double log_sum_exp(const std::vector<double> &terms) {
    double top = NEG_INF;
    for (double term : terms) top = std::max(top, term);
    if (top == NEG_INF) return NEG_INF;
    double total = 0.0;
    for (double term : terms) total += std::exp(term - top);
    return top + std::log(total);
}

inline double logs_forward(Logs &work) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width, length = member.sentence.length;
    renew(work.alpha, (length + 1) * member.state_size());
    work.alpha[member.start()] = 0.0;
    for (std::int64_t j = 0; j < length; ++j)
        for (std::int32_t g : member.groups_at(j))
            for (std::int32_t y : member.tags_at(j)) {
                work.terms.clear();
                for (std::int32_t k : member.rows_at(j))
                    work.terms.push_back(work.alpha_at(j - 1)[member.place(g, k)] + member.step(j, g, k, y));
                work.alpha_at(j)[g * width + y] = log_sum_exp(work.terms);
            }
    work.terms.clear();
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length))
            work.terms.push_back(work.alpha_at(length - 1)[member.place(g, k)] +
                                 member.step(length, g, k, member.chain.boundary));
    return log_sum_exp(work.terms);
}

// Calls visit(position, group, row, column, log-probability, share) for every step a derivation can take; share
// is the log of its probability given the state that it leaves.
template <class Visit> void logs_backward(Logs &work, double log_partition, Visit &&visit) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width, length = member.sentence.length;
    std::vector<double> beta(member.state_size(), 0.0), before(member.state_size());
    for (std::int64_t j = length; j >= 0; --j) {
        std::fill(before.begin(), before.end(), NEG_INF);
        for (std::int32_t g : member.groups_at(j))
            for (std::int32_t k : member.rows_at(j)) {
                work.terms.clear();
                for (std::int32_t y : member.tags_at(j))
                    // After the sentence there is one way on, whatever the group.
                    work.terms.push_back(member.step(j, g, k, y) + (j == length ? 0.0 : beta[g * width + y]));
                const double arriving = work.alpha_at(j - 1)[member.place(g, k)];
                const double leaving = before[member.place(g, k)] = log_sum_exp(work.terms);
                if (arriving == NEG_INF || leaving == NEG_INF) continue;
                const double *term = work.terms.data();
                for (std::int32_t y : member.tags_at(j)) {
                    if (*term > NEG_INF) visit(j, g, k, y, arriving + *term - log_partition, *term - leaving);
                    ++term;
                }
            }
        beta.swap(before);
    }
}

inline void logs_collect(Logs &work, double log_partition, double coefficient, const Sink &sink) {
    logs_backward(work, log_partition,
                  [&](std::int64_t j, std::int32_t g, std::int32_t k, std::int32_t y, double log_probability, double) {
                      add_step(work.member, j, g, k, y, coefficient * std::exp(log_probability), sink);
                  });
}

// The entropy, step by step: log Z less the expected score would lose all digits to large scores.
inline double logs_entropy(Logs &work, double log_partition) {
    double total = 0.0;
    logs_backward(work, log_partition,
                  [&](std::int64_t, std::int32_t, std::int32_t, std::int32_t, double log_probability, double share) {
                      const double probability = std::exp(log_probability);
                      if (probability > 0.0) total -= probability * share;
                  });
    return total;
}

} // namespace weft
