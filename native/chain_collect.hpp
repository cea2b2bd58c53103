// Expectations from the alphas, the q and the posteriors of a scaled sweep.
#pragma once

#include "chain_scaled.hpp"

namespace weft {

// Adds to the scaled totals of U tokens from `first` on, which have the same groups and rows: together,
// so that each total is fetched and put back once.
template <int U>
WEFT_INLINE void add_steps(Scaled &work, std::int64_t first, double coefficient, double *totals) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width, square = member.chain.square();
    for (std::int32_t g : member.groups_at(first))
        for (std::int32_t k : member.rows_at(first)) {
            const std::int64_t place = member.place(g, k);
            Vec share[U];
            for (int u = 0; u < U; ++u) share[u] = splat(coefficient * work.alpha_at(first + u - 1)[place]);
            double *to = totals + g * square + k * width;
            for (std::int64_t i = 0; i < width; i += LANES) {
                Vec total = load(to + i);
                for (int u = 0; u < U; ++u) total += share[u] * load(work.q_at(first + u) + g * width + i);
                store(to + i, total);
            }
        }
}

// The same for the cells of transitions: totals are [Chain::totals()].
template <int U>
WEFT_INLINE void add_cell_steps(Scaled &work, std::int64_t first, double coefficient, double *totals) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    for (std::int32_t g : member.groups_at(first)) {
        const CellLists &lists = chain.cells[g].rows;
        double *to = totals + chain.apart() + chain.cells[g].first;
        const double *q[U];
        for (int u = 0; u < U; ++u) q[u] = work.q_at(first + u) + g * chain.width;
        for (std::int32_t k : member.rows_at(first)) {
            const std::int64_t place = member.place(g, k);
            double share[U];
            for (int u = 0; u < U; ++u) share[u] = coefficient * work.alpha_at(first + u - 1)[place];
            for (std::int64_t i = lists.offsets[k]; i < lists.offsets[k + 1]; ++i) {
                double total = 0.0;
                for (int u = 0; u < U; ++u) total += share[u] * q[u][lists.others[i]];
                to[i] += total;
            }
        }
    }
}

// Whichever of the two it is.
template <int U> WEFT_INLINE void add_alike(Scaled &work, std::int64_t first, double coefficient, double *totals) {
    if (work.member.chain.few()) add_cell_steps<U>(work, first, coefficient, totals);
    else add_steps<U>(work, first, coefficient, totals);
}

// How many tokens from `first` on, up to four, have the same groups and rows.
WEFT_INLINE std::int64_t alike(const Member &member, std::int64_t first) {
    std::int64_t count = 1;
    while (count < 4 && first + count < member.sentence.length &&
           member.groups_at(first + count).begin() == member.groups_at(first).begin() &&
           member.rows_at(first + count).begin() == member.rows_at(first).begin())
        ++count;
    return count;
}

// Pair marginals of a token and, where each token has a matrix of its own, transitions too.
WEFT_INLINE void add_pairs(Scaled &work, std::int64_t position, double coefficient, const Sink &sink) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, square = chain.square();
    const bool differs = member.differs();
    for (std::int32_t g : member.groups_at(position)) {
        const double *q = work.q_at(position) + g * width;
        const double *block = block_at(work, position, g, false);
        for (std::int32_t k : member.rows_at(position)) {
            const Vec share = splat(coefficient * work.alpha_at(position - 1)[member.place(g, k)]);
            double *pair = sink.pair ? sink.pair + position * square + (chain.order == 1 ? k : g) * width : nullptr;
            double *to = sink.transitions + g * square + k * width;
            for (std::int64_t i = 0; i < width; i += LANES) {
                const Vec value = share * load(block + k * width + i) * load(q + i);
                if (pair) store(pair + i, load(pair + i) + value);
                if (differs) store(to + i, load(to + i) + value);
            }
        }
    }
}

// Adds coefficient * expectations of steps within the sentence to the sink.
WEFT_KERNEL void collect_steps(Scaled &work, double coefficient, const Sink &sink) {
    const Member &member = work.member;
    const std::int64_t length = member.sentence.length;
    if (sink.pair || member.differs())
        for (std::int64_t j = 0; j < length; ++j) add_pairs(work, j, coefficient, sink);
    for (std::int64_t j = 0, count; j < length && !member.differs(); j += count) {
        switch (count = alike(member, j)) {
        case 1: add_alike<1>(work, j, coefficient, sink.scaled); break;
        case 2: add_alike<2>(work, j, coefficient, sink.scaled); break;
        case 3: add_alike<3>(work, j, coefficient, sink.scaled); break;
        default: add_alike<4>(work, j, coefficient, sink.scaled); break;
        }
    }
}

// Adds what clear_pairs() and sweeps have made to the totals of pairs; clears it, for a group may come again.
WEFT_INLINE void collect_pairs(Scaled &work, double coefficient, double *totals) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width;
    for (std::int64_t j = 0; j < member.sentence.length; ++j)
        for (std::int32_t g : member.groups_at(j))
            for (std::int64_t i = g * width; i < (g + 1) * width; i += LANES) {
                add_to(totals + i, coefficient * load(work.pairs.data() + i));
                store(work.pairs.data() + i, Vec{});
            }
}

// Adds coefficient * expectations to the sink.
WEFT_KERNEL void scaled_collect(Scaled &work, double coefficient, const Sink &sink) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, length = member.sentence.length;
    for (std::int64_t i = 0; i < length * width; i += LANES)
        store(sink.marginals + i, load(sink.marginals + i) + coefficient * load(work.posterior.data() + i));
    collect_steps(work, coefficient, sink);
    if (chain.few_triples()) collect_pairs(work, coefficient, sink.transitions);
    const double *last = work.alpha_at(length - 1);
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length)) {
            const std::int64_t place = chain.total_of(g, k, chain.boundary);
            const double share = coefficient * last[member.place(g, k)] / work.final;
            if (place >= 0) sink.scaled[place] += share;
            if (chain.few_triples()) sink.transitions[g * width + chain.boundary] += share * chain.ending(g, k);
        }
}

} // namespace weft
