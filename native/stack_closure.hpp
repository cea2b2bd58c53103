// Chains of reduce₁ moves among labels that lead to each other, summed in closed form.
//
// Over one span, with one label below and one terminal next, the moves within a rank are a matrix M, and all chains of
// them, from none to endless ones, sum to M* = I + M + M² + … = (I − M)⁻¹. It is solved in logarithms by elimination:
// nothing is subtracted but a diagonal element from 1, so that small numbers keep their digits.
#pragma once

#include "stack_items.hpp"

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

inline double log_add(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low == NEVER ? high : high + std::log1p(std::exp(low - high));
}

inline Star star_of(Rounds rounds) {
    drop_traps(rounds);
    const std::size_t size = rounds.leaves.size();
    Star found;
    found.logs = std::move(rounds.logs);
    std::vector<double> row(size);
    for (std::size_t place = 0; place < size; ++place) {
        const double again = found.logs[place * size + place];
        if (!(again < 0.0)) {
            found.endless = static_cast<std::int32_t>(place);
            return found;
        }
        const double more = -std::log(-std::expm1(again));
        for (std::size_t to = 0; to < size; ++to) row[to] = found.logs[place * size + to] + more;
        for (std::size_t from = 0; from < size; ++from) {
            const double there = found.logs[from * size + place];
            if (there == NEVER) continue;
            for (std::size_t to = 0; to < size; ++to)
                if (row[to] > NEVER) found.logs[from * size + to] = log_add(found.logs[from * size + to], there + row[to]);
        }
    }
    for (std::size_t place = 0; place < size; ++place)
        if (rounds.leaves[place]) found.logs[place * size + place] = log_add(0.0, found.logs[place * size + place]);
    return found;
}

} // namespace weft::stack
