// The best tag sequence of a chain that is not among observed ones: with a tag outside their sets.
//
// A sequence is inside as long as each of its tags is in the observed set of its token; after the first that
// is not it stays outside. Viterbi over states and whether one is outside finds the best that ends there.
#pragma once

#include "chain.hpp"

namespace weft {

struct Rival {
    explicit Rival(const Chain &chain) : member{chain} {}

    Member member;
    const std::int32_t *observed = nullptr; // [length], tag sets
    Buffer best, next;                      // [2 (inside, outside), groups, width]
    std::vector<std::int32_t> back;         // [length, 2, groups, width]: twice the row it came from, plus the side

    bool outside(std::int64_t position, std::int32_t tag) const {
        return member.chain.sets.bias[observed[position] * member.chain.width + tag] == NEG_INF;
    }
};

// Returns the best score (-inf where there is no such sequence) and writes its tags.
inline double rival(Rival &work, std::int32_t *tags) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width, size = member.state_size(), length = member.sentence.length;
    work.best.assign(2 * size, NEG_INF);
    work.next.assign(2 * size, NEG_INF);
    work.back.assign(length * 2 * size, 0);
    work.best[member.start()] = 0.0;
    for (std::int64_t j = 0; j < length; ++j) {
        std::fill(work.next.begin(), work.next.end(), NEG_INF);
        for (std::int32_t g : member.groups_at(j))
            for (std::int32_t y : member.tags_at(j)) {
                const bool leaves = work.outside(j, y);
                for (std::int32_t k : member.rows_at(j)) {
                    const double step = member.step(j, g, k, y);
                    for (std::int32_t side = 0; side < 2; ++side) {
                        const double score = work.best[side * size + member.place(g, k)] + step;
                        const std::int64_t to = (side || leaves) * size + g * width + y;
                        if (score > work.next[to]) {
                            work.next[to] = score;
                            work.back[j * 2 * size + to] = 2 * k + side;
                        }
                    }
                }
            }
        work.best.swap(work.next);
    }
    double best = NEG_INF;
    std::int32_t group = 0, row = 0;
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length)) {
            const double score =
                work.best[size + member.place(g, k)] + member.step(length, g, k, member.chain.boundary);
            if (score > best) best = score, group = g, row = k;
        }
    if (best == NEG_INF) return best;
    // As in viterbi(), with the side that the sequence is on.
    const bool single = member.chain.order == 1;
    std::int32_t first = single ? 0 : row, second = single ? row : group, side = 1;
    for (std::int64_t j = length - 1; j >= 0; --j) {
        tags[j] = second;
        const std::int32_t from = work.back[(j * 2 + side) * size + first * width + second];
        side = from % 2;
        second = single ? from / 2 : first;
        if (!single) first = from / 2;
    }
    return best;
}

} // namespace weft
