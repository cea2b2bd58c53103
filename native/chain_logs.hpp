// Forward-backward in logs: slower, exact for any weights; what the scaled sweep falls back on.
#pragma once

#include "chain.hpp"

namespace weft {

struct Logs {
    explicit Logs(const Chain &chain) : member{chain} {}

    Member member;
    std::vector<double> alpha; // [1 + length, groups, width]
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
    work.alpha.assign((length + 1) * member.state_size(), NEG_INF);
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

// Calls visit(position, group, row, column, score, probability) for every step a derivation can take.
template <class Visit> void logs_backward(Logs &work, double log_partition, Visit &&visit) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width, length = member.sentence.length;
    std::vector<double> beta(member.state_size(), 0.0), before(member.state_size());
    for (std::int64_t j = length; j >= 0; --j) {
        std::fill(before.begin(), before.end(), NEG_INF);
        for (std::int32_t g : member.groups_at(j))
            for (std::int32_t k : member.rows_at(j)) {
                const double arriving = work.alpha_at(j - 1)[member.place(g, k)];
                work.terms.clear();
                for (std::int32_t y : member.tags_at(j)) {
                    const double score = member.step(j, g, k, y);
                    // After the sentence there is one way on, whatever the group.
                    work.terms.push_back(score + (j == length ? 0.0 : beta[g * width + y]));
                    const double term = arriving + work.terms.back();
                    if (term > NEG_INF) visit(j, g, k, y, score, std::exp(term - log_partition));
                }
                before[member.place(g, k)] = log_sum_exp(work.terms);
            }
        beta.swap(before);
    }
}

inline void logs_collect(Logs &work, double log_partition, double coefficient, const Sink &sink) {
    logs_backward(work, log_partition, [&](std::int64_t j, std::int32_t g, std::int32_t k, std::int32_t y, double,
                                           double probability) {
        add_step(work.member, j, g, k, y, coefficient * probability, sink);
    });
}

// The expected score of a derivation; log Z less this is the entropy.
inline double logs_expected_score(Logs &work, double log_partition) {
    double total = 0.0;
    logs_backward(work, log_partition,
                  [&](std::int64_t, std::int32_t, std::int32_t, std::int32_t, double score, double probability) {
                      if (probability > 0.0) total += probability * score;
                  });
    return total;
}

} // namespace weft
