// The best tag sequence of a chain; among equals the one whose last difference has the lower tag.
#pragma once

#include "chain.hpp"

namespace weft {

struct Viterbi {
    explicit Viterbi(const Chain &chain) : member{chain} {}

    Member member;
    Buffer best, next, in;      // [groups, width]
    Room<std::int32_t> back;                 // [length, groups, width]: the row the best came from
    Buffer block;               // one step's matrix, where it differs from token to token
    Buffer left;                             // [width], and
    std::vector<std::uint64_t> open;         // [words]: see best_cells()

    // Kernels do not allocate: see vector.hpp.
    void make_block() {
        if (member.differs()) block.resize(member.chain.square());
        if (!member.chain.few()) return;
        left.resize(member.chain.width);
        open.resize(member.chain.cells[0].words());
    }
    void make_room() {
        for (Buffer *each : {&best, &next, &in}) each->resize(member.state_size());
        renew(back, member.sentence.length * member.state_size());
        make_block();
    }
};

// out[i] = max over rows of in[k] + matrix[k, i], and the k; N vectors of columns.
template <int N>
WEFT_INLINE void best_tile(const double *in, Range rows, const double *matrix, std::int64_t width, double *out,
                           std::int32_t *back) {
    Vec best[N];
    IntVec from[N] = {};
    for (int v = 0; v < N; ++v) best[v] = splat(NEG_INF);
    for (std::int32_t k : rows) {
        const Vec value = splat(in[k]);
        const IntVec index = IntVec{} + k;
        for (int v = 0; v < N; ++v) {
            const Vec candidate = value + load(matrix + k * width + v * LANES);
            const IntVec better = candidate > best[v];
            best[v] = choose(better, candidate, best[v]);
            from[v] = choose(better, index, from[v]);
        }
    }
    for (int v = 0; v < N; ++v) {
        store(out + v * LANES, best[v]);
        for (int lane = 0; lane < LANES; ++lane) back[v * LANES + lane] = static_cast<std::int32_t>(from[v][lane]);
    }
}

WEFT_INLINE void best_rows(const double *in, Range rows, const double *matrix, std::int64_t width, double *out,
                           std::int32_t *back) {
    std::int64_t i = 0;
    for (; width - i >= 4 * LANES; i += 4 * LANES) best_tile<4>(in, rows, matrix + i, width, out + i, back + i);
    switch ((width - i) / LANES) {
    case 1: best_tile<1>(in, rows, matrix + i, width, out + i, back + i); break;
    case 2: best_tile<2>(in, rows, matrix + i, width, out + i, back + i); break;
    case 3: best_tile<3>(in, rows, matrix + i, width, out + i, back + i); break;
    default: break;
    }
}

WEFT_INLINE const double *scored_block(Viterbi &work, std::int64_t position, std::int32_t group) {
    const Chain &chain = work.member.chain;
    if (chain.few()) return nullptr;
    const double *shared = chain.transitions + group * chain.square();
    if (!work.member.differs()) return shared;
    const double *own = work.member.matrix_at(position, group);
    for (std::int32_t k : work.member.rows_at(position))
        for (std::int64_t i = k * chain.width; i < (k + 1) * chain.width; i += LANES)
            store(work.block.data() + i, load(shared + i) + load(own + i));
    return work.block.data();
}

// The best ways to the tags of a group at a position, and the rows that they come from; block is scored_block().
WEFT_INLINE void best_step(Viterbi &work, std::int64_t position, std::int32_t group, const double *block,
                           const double *in, double *out, std::int32_t *back) {
    const Chain &chain = work.member.chain;
    const Range rows = work.member.rows_at(position);
    if (!chain.few()) return best_rows(in, rows, block, chain.width, out, back);
    best_cells(in, rows, chain.cells[group], chain.width, out, back, work.left.data(), work.open.data());
    if (chain.order == 1) return;
    const double *pairs = chain.transitions + group * chain.width;
    for (std::int64_t i = 0; i < chain.width; i += LANES) store(out + i, load(out + i) + load(pairs + i));
}

// Order 2: what a step reads, [g, k], of the state that the one before has left; all else is -inf.
WEFT_INLINE void turn_best(const Member &member, std::int64_t position, const double *best, double *in) {
    const std::int64_t width = member.chain.width;
    for (std::int32_t g : member.groups_at(position)) {
        std::fill(in + g * width, in + (g + 1) * width, NEG_INF);
        for (std::int32_t k : member.rows_at(position)) in[g * width + k] = best[member.place(g, k)];
    }
}

WEFT_KERNEL double viterbi_kernel(Viterbi &work, std::int32_t *tags) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, size = member.state_size(), length = member.sentence.length;
    if (chain.order == 1) std::fill(work.best.begin(), work.best.end(), NEG_INF); // of order 2 only states are read
    work.best[member.start()] = 0.0;
    for (std::int64_t j = 0; j < length; ++j) {
        const double *in = work.best.data();
        if (chain.order == 2) {
            turn_best(member, j, work.best.data(), work.in.data());
            in = work.in.data();
        }
        const double *bias = chain.sets.bias + member.sets[j] * width;
        const double *emission = member.sentence.emission + j * width;
        for (std::int32_t g : member.groups_at(j)) {
            double *row = work.next.data() + g * width;
            best_step(work, j, g, scored_block(work, j, g), in + g * width, row,
                      work.back.data() + j * size + g * width);
            const double *pair = member.sentence.pair && chain.order == 2
                                     ? member.sentence.pair + j * chain.square() + g * width
                                     : nullptr;
            for (std::int64_t i = 0; i < width; i += LANES) {
                Vec value = load(row + i) + load(emission + i) + load(bias + i);
                if (pair) value += load(pair + i);
                store(row + i, value);
            }
        }
        work.best.swap(work.next);
    }
    double best = NEG_INF;
    std::int32_t group = 0, row = 0;
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length)) {
            const double score = work.best[member.place(g, k)] + chain.transition(g, k, chain.boundary);
            if (score > best) best = score, group = g, row = k;
        }
    if (best == NEG_INF) return best;
    // The state before the boundary is [0, row] for order 1 and [row, group] for order 2.
    std::int32_t first = chain.order == 1 ? 0 : row, second = chain.order == 1 ? row : group;
    for (std::int64_t j = length - 1; j >= 0; --j) {
        tags[j] = second;
        const std::int32_t from = work.back[j * size + first * width + second];
        if (chain.order == 1) {
            second = from;
        } else {
            second = first;
            first = from;
        }
    }
    return best;
}

// Returns the best score (-inf where there is no sequence) and writes its tags.
inline double viterbi(Viterbi &work, std::int32_t *tags) {
    work.make_room();
    return dispatch<viterbi_kernel>(work, tags);
}

} // namespace weft
