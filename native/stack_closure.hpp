// Chains of reduce₁ moves among labels that lead to each other, summed in closed form.
//
// Over one span, with one label below and one terminal next, the moves within a rank are a matrix M, and all chains of
// them, from none to endless ones, sum to M* = I + M + M² + … = (I − M)⁻¹. It is solved by elimination: nothing is
// subtracted but a diagonal element from 1, so that small numbers keep their digits; in logarithms where numbers are too
// small or too large to be numbers.
#pragma once

#include "stack_items.hpp"
#include "vector.hpp"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::stack {

// log M*, by places among the labels of a rank.
struct Star {
    std::vector<double> logs; // [labels · labels]; -inf from and to labels that no chain leads out of
    std::int32_t endless = -1; // the place of a label whose chains have no finite sum
};

// The moves within a rank, and which labels have others.
struct Rounds {
    std::vector<double> logs; // [labels · labels], log M
    std::vector<char> leaves; // [labels], whether some move leads out; then, whether some chain does
};

// Takes out labels that no chain leads out of: they may keep all weight for ever, and no parse has them.
inline void drop_traps(Rounds &rounds) {
    const std::size_t size = rounds.leaves.size();
    for (bool more = true; more;) {
        more = false;
        for (std::size_t from = 0; from < size; ++from)
            for (std::size_t to = 0; to < size && !rounds.leaves[from]; ++to)
                if (rounds.leaves[to] && rounds.logs[from * size + to] > NEVER) rounds.leaves[from] = more = true;
    }
    for (std::size_t from = 0; from < size; ++from)
        for (std::size_t to = 0; to < size; ++to)
            if (!rounds.leaves[from] || !rounds.leaves[to]) rounds.logs[from * size + to] = NEVER;
}

// Sums of which no digit is lost: what may have been lost on the way is less than 10⁻²⁵ of any of them.
inline constexpr double LEAST = 1e-250, MOST = 1e200;

// log M⁺, all chains of one move or more, if they are within these bounds.
inline bool sum_chains(std::vector<double> &logs, std::size_t size) {
    std::vector<double> sums(logs.size());
    std::vector<char> there(logs.size()); // which chains there are
    for (std::size_t place = 0; place < logs.size(); ++place) {
        sums[place] = std::exp(logs[place]);
        there[place] = logs[place] > NEVER;
    }
    std::vector<double> row(size);
    for (std::size_t place = 0; place < size; ++place) {
        const double again = sums[place * size + place];
        if (!(again < 1.0)) return false;
        const double *mine = &sums[place * size];
        const char *leads = &there[place * size];
        for (std::size_t to = 0; to < size; ++to) row[to] = mine[to] / (1.0 - again);
        for (std::size_t from = 0; from < size; ++from) {
            if (!there[from * size + place]) continue;
            const double before = sums[from * size + place];
            double *other = &sums[from * size];
            char *others = &there[from * size];
            for (std::size_t to = 0; to < size; ++to) other[to] += before * row[to];
            for (std::size_t to = 0; to < size; ++to) others[to] |= leads[to];
        }
    }
    for (std::size_t place = 0; place < logs.size(); ++place)
        if (there[place] && !(sums[place] >= LEAST && sums[place] <= MOST)) return false;
    for (std::size_t place = 0; place < logs.size(); ++place)
        if (there[place]) logs[place] = std::log(sums[place]);
    return true;
}

// The same in logarithms, of numbers of any size; the place of a label whose chains have no finite sum, or -1.
inline std::int32_t sum_chains_in_logs(std::vector<double> &logs, std::size_t size) {
    std::vector<double> row(size);
    for (std::size_t place = 0; place < size; ++place) {
        const double again = logs[place * size + place];
        if (!(again < 0.0)) return static_cast<std::int32_t>(place);
        const double more = -std::log(-std::expm1(again));
        for (std::size_t to = 0; to < size; ++to) row[to] = logs[place * size + to] + more;
        for (std::size_t from = 0; from < size; ++from) {
            const double there = logs[from * size + place];
            if (there == NEVER) continue;
            for (std::size_t to = 0; to < size; ++to)
                if (row[to] > NEVER) logs[from * size + to] = log_add(logs[from * size + to], there + row[to]);
        }
    }
    return -1;
}

inline Star star_of(Rounds rounds) {
    drop_traps(rounds);
    const std::size_t size = rounds.leaves.size();
    Star found;
    found.logs = std::move(rounds.logs);
    if (!sum_chains(found.logs, size)) {
        found.endless = sum_chains_in_logs(found.logs, size);
        if (found.endless >= 0) return found;
    }
    for (std::size_t place = 0; place < size; ++place)
        if (rounds.leaves[place]) found.logs[place * size + place] = log_add(0.0, found.logs[place * size + place]);
    return found;
}

} // namespace weft::stack
