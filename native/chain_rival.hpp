// The best tag sequence of a chain that is not among observed ones: with a tag outside their sets.
//
// A sequence is inside as long as each of its tags is in the observed set of its token; after the first that
// is not it stays outside. Viterbi over states and whether one is outside finds the best that ends there.
#pragma once

#include "chain_viterbi.hpp"

namespace weft {

struct Rival {
    explicit Rival(const Chain &chain) : viterbi(chain) {}

    Viterbi viterbi;                        // the member, and the matrix of a step
    const std::int32_t *observed = nullptr; // [length], tag sets
    Buffer best[2], next[2], in[2];         // inside and outside: [groups, width]
    Buffer found[2];                        // the best ways to one group from inside and from outside: [width]
    std::vector<std::int32_t> from[2];      // and their rows: [width]
    Room<std::int32_t> back[2];             // [length, groups, width]: the row the best came from; outside,
                                            // twice the row, plus one if it was outside before

    // Kernels do not allocate: see vector.hpp.
    void make_room() {
        const std::int64_t size = viterbi.member.state_size(), width = viterbi.member.chain.width;
        viterbi.make_block();
        for (int side = 0; side < 2; ++side) {
            for (Buffer *each : {&best[side], &next[side], &in[side]}) each->resize(size);
            found[side].resize(width);
            from[side].resize(width);
            renew(back[side], viterbi.member.sentence.length * size);
        }
    }
};

// Parts the ways to tags of one group into those that are still inside and those that are outside.
WEFT_INLINE void part_ways(Rival &work, const double *seen, std::int64_t width, std::int64_t at, std::int64_t back) {
    for (std::int64_t i = 0; i < width; i += LANES) {
        const Vec inside = load(work.found[0].data() + i), outside = load(work.found[1].data() + i);
        const IntVec leaves = load(seen + i) == splat(NEG_INF);
        const IntVec first = leaves & (inside > outside);
        store(work.next[0].data() + at + i, choose(leaves, splat(NEG_INF), inside));
        store(work.next[1].data() + at + i, choose(first, inside, outside));
        for (int lane = 0; lane < LANES; ++lane) {
            work.back[0][back + i + lane] = work.from[0][i + lane];
            work.back[1][back + i + lane] = first[lane] ? 2 * work.from[0][i + lane] : 2 * work.from[1][i + lane] + 1;
        }
    }
}

WEFT_KERNEL double rival_kernel(Rival &work, std::int32_t *tags) {
    const Member &member = work.viterbi.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, size = member.state_size(), length = member.sentence.length;
    for (int side = 0; side < 2; ++side)
        for (Buffer *each : {&work.best[side], &work.next[side], &work.in[side]})
            std::fill(each->begin(), each->end(), NEG_INF);
    work.best[0][member.start()] = 0.0;
    for (std::int64_t j = 0; j < length; ++j) {
        const double *bias = chain.sets.bias + member.sets[j] * width, *emission = member.sentence.emission + j * width;
        const double *in[2] = {work.best[0].data(), work.best[1].data()};
        for (int side = 0; side < 2 && chain.order == 2; ++side) {
            turn_best(member, j, work.best[side].data(), work.in[side].data());
            in[side] = work.in[side].data();
        }
        for (std::int32_t g : member.groups_at(j)) {
            const double *block = scored_block(work.viterbi, j, g);
            const double *pair =
                member.sentence.pair && chain.order == 2 ? member.sentence.pair + j * chain.square() + g * width : nullptr;
            for (int side = 0; side < 2; ++side) {
                double *row = work.found[side].data();
                best_step(work.viterbi, j, g, block, in[side] + g * width, row, work.from[side].data());
                for (std::int64_t i = 0; i < width; i += LANES) {
                    Vec value = load(row + i) + load(emission + i) + load(bias + i);
                    if (pair) value += load(pair + i);
                    store(row + i, value);
                }
            }
            part_ways(work, chain.sets.bias + work.observed[j] * width, width, g * width, j * size + g * width);
        }
        for (int side = 0; side < 2; ++side) work.best[side].swap(work.next[side]);
    }
    double best = NEG_INF;
    std::int32_t group = 0, row = 0;
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length)) {
            const double score = work.best[1][member.place(g, k)] + member.step(length, g, k, chain.boundary);
            if (score > best) best = score, group = g, row = k;
        }
    if (best == NEG_INF) return best;
    // As in viterbi(), with the side that the sequence is on.
    const bool single = chain.order == 1;
    std::int32_t first = single ? 0 : row, second = single ? row : group, side = 1;
    for (std::int64_t j = length - 1; j >= 0; --j) {
        tags[j] = second;
        std::int32_t from = work.back[side][j * size + first * width + second];
        if (side) side = from % 2, from /= 2;
        second = single ? from : first;
        if (!single) first = from;
    }
    return best;
}

// Returns the best score (-inf where there is no such sequence) and writes its tags.
inline double rival(Rival &work, std::int32_t *tags) {
    work.make_room();
    return dispatch<rival_kernel>(work, tags);
}

} // namespace weft
