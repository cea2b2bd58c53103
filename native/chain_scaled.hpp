// Forward-backward on probabilities, scaled token by token: the fast path of a chain.
//
// Every factor is divided by its largest value and each alpha_j by its sum. A term that underflows is
// below 1e-308; while each alpha that a derivation reaches stays above TINY = 1e-280 the loss is
// invisible. Each function returns false where that may not hold, and the member is done again in logs.
#pragma once

#include "chain.hpp"
#include "chain_multiply.hpp"

namespace weft {

constexpr double TINY = 1e-280;

struct Scaled {
    explicit Scaled(const Chain &chain) : member{chain} {}

    Member member;
    double final = 0.0;              // mass of the step to the boundary
    Buffer emission;    // [length, width], each row's largest is 1
    Buffer pair;        // [length, width, width], likewise
    Room<double> alpha; // [1 + length, groups, width], each position's sum is 1; only of allowed groups
    Buffer inverse;     // [length], 1 / the sum before
    Room<double> q;     // [length, groups, width]: emission * beta / sum
    Buffer posterior;   // [length, width]
    Buffer tops;        // [length], what is taken from triple scores
    Buffer in, block;   // one step's input and matrix
    Buffer beta, out;   // what a step backwards reads and writes; forwards, what is reached
    Buffer apart;       // [width], see sum_apart()
    Buffer faded;       // [width], what a step backwards reads, times the factors of pairs
    Buffer pairs;       // [groups, width], posteriors of pairs where they have totals of their own

    double *alpha_at(std::int64_t position) { return alpha.data() + (position + 1) * member.state_size(); }
    double *q_at(std::int64_t position) { return q.data() + position * member.state_size(); }

    // Kernels do not allocate: see vector.hpp.
    void make_room_forward() {
        const std::int64_t width = member.chain.width, length = member.sentence.length, size = member.state_size();
        emission.resize(length * width);
        if (member.sentence.pair) pair.resize(length * member.chain.square());
        renew(alpha, (length + 1) * size);
        inverse.resize(length);
        for (Buffer *each : {&in, &beta, &out}) each->resize(size);
        if (member.differs()) block.resize(member.chain.square());
        if (member.chain.few()) apart.resize(width);
        if (member.sentence.triple) tops.resize(length);
    }
    void make_room_backward() {
        renew(q, member.sentence.length * member.state_size());
        posterior.resize(member.sentence.length * member.chain.width);
        if (!member.chain.few_triples()) return;
        faded.resize(member.chain.width);
        pairs.resize(member.state_size());
    }
};

// exp(score + bias - max) over the allowed tags, 0 elsewhere; returns the max.
WEFT_INLINE double scale_row(const double *score, const double *bias, Range allowed, std::int64_t width, double *to) {
    double top = NEG_INF;
    for (std::int32_t y : allowed) top = std::max(top, score[y] + bias[y]);
    if (top == NEG_INF) top = 0.0;
    if (allowed.size() == 1) { // observed: no exponential needed
        std::fill(to, to + width, 0.0);
        to[*allowed.begin()] = score[*allowed.begin()] > NEG_INF;
        return top;
    }
    for (std::int64_t i = 0; i < width; i += LANES) store(to + i, exp(load(score + i) + load(bias + i) - top));
    return top;
}

// exp(pair - max) over the allowed pairs; returns the max.
WEFT_INLINE double scale_pairs(const double *pair, Range rows, Range allowed, std::int64_t width, double *to) {
    double top = NEG_INF;
    for (std::int32_t k : rows)
        for (std::int32_t y : allowed) top = std::max(top, pair[k * width + y]);
    for (std::int32_t k : rows)
        for (std::int64_t i = k * width; i < (k + 1) * width; i += LANES)
            // Columns that are not allowed may lie far above the max: keep them finite, emission is 0 there.
            store(to + i, exp(min(load(pair + i) - top, Vec{})));
    return top;
}

// The largest triple score of a token among allowed tags.
WEFT_INLINE double top_triple(const Member &member, std::int64_t position) {
    double top = NEG_INF;
    for (std::int32_t g : member.groups_at(position)) {
        const double *matrix = member.matrix_at(position, g);
        for (std::int32_t k : member.rows_at(position))
            for (std::int32_t y : member.tags_at(position)) top = std::max(top, matrix[k * member.chain.width + y]);
    }
    return top == NEG_INF ? 0.0 : top;
}

WEFT_INLINE double scale_scores(Scaled &work) {
    const Member &member = work.member;
    const Sentence &sentence = member.sentence;
    const std::int64_t width = member.chain.width, square = member.chain.square();
    double tops = 0.0;
    for (std::int64_t j = 0; j < sentence.length; ++j) {
        const double *bias = member.chain.sets.bias + member.sets[j] * width;
        tops += scale_row(sentence.emission + j * width, bias, member.tags_at(j), width,
                          work.emission.data() + j * width);
        if (sentence.pair)
            tops += scale_pairs(sentence.pair + j * square, member.tags_at(j - 1), member.tags_at(j), width,
                                work.pair.data() + j * square);
        if (sentence.triple) tops += work.tops[j] = top_triple(member, j);
    }
    return tops;
}

// The matrix of a step within a group, that of a token with triple scores.
WEFT_INLINE void scale_triples(Scaled &work, std::int64_t position, std::int32_t group, bool transposed) {
    const Chain &chain = work.member.chain;
    const std::int64_t width = chain.width;
    const double *shared = chain.forward.data() + group * chain.square(), top = work.tops[position];
    const double *own = work.member.matrix_at(position, group);
    double *block = work.block.data();
    for (std::int32_t k : work.member.rows_at(position))
        for (std::int64_t i = 0; i < width; i += LANES) {
            // Columns that are not allowed may lie far above the top: see scale_pairs().
            const Vec value = load(shared + k * width + i) * exp(min(load(own + k * width + i) - top, Vec{}));
            if (!transposed) store(block + k * width + i, value);
            else
                for (int lane = 0; lane < LANES; ++lane) block[(i + lane) * width + k] = value[lane];
        }
}

// The matrix of a step within a group; none where there are cells. With pair scores, that of order 1 differs from token to token.
WEFT_INLINE const double *block_at(Scaled &work, std::int64_t position, std::int32_t group, bool transposed) {
    const Chain &chain = work.member.chain;
    const std::int64_t width = chain.width, square = chain.square();
    if (chain.few()) return nullptr;
    const double *shared = (transposed ? chain.backward : chain.forward).data() + group * square;
    if (!work.member.differs()) return shared;
    if (chain.order == 2) {
        scale_triples(work, position, group, transposed);
        return work.block.data();
    }
    const double *pair = work.pair.data() + position * square;
    for (std::int32_t k : work.member.tags_at(position - 1)) {
        if (transposed) {
            for (std::int32_t y : work.member.tags_at(position))
                work.block[y * width + k] = shared[y * width + k] * pair[k * width + y];
        } else {
            for (std::int64_t i = k * width; i < (k + 1) * width; i += LANES)
                store(work.block.data() + i, load(shared + i) * load(pair + i));
        }
    }
    return work.block.data();
}

// out = in times factors
WEFT_INLINE void fade(const double *in, const double *factors, std::int64_t width, double *out) {
    for (std::int64_t i = 0; i < width; i += LANES) store(out + i, load(in + i) * load(factors + i));
}

// out = in times the matrix of the step to a position within a group.
WEFT_INLINE void step_on(Scaled &work, std::int64_t position, std::int32_t group, const double *in, double *out) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const Range rows = member.rows_at(position);
    if (!chain.few()) return multiply(in, rows, block_at(work, position, group, false), chain.width, out);
    const Cells &cells = chain.cells[group];
    multiply_cells(in, rows, cells.rows, cells.columns, cells.rest, member.tags_at(position), chain.width, out,
                   work.apart.data());
    if (chain.order == 2) fade(out, chain.pairs.data() + group * chain.width, chain.width, out);
}

// out = in times the same matrix transposed; block is block_at() of that.
WEFT_INLINE void step_back(Scaled &work, std::int64_t position, std::int32_t group, const double *block,
                           const double *in, double *out) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const Range columns = member.tags_at(position);
    if (!chain.few()) return multiply(in, columns, block, chain.width, out);
    if (chain.order == 2) {
        fade(in, chain.pairs.data() + group * chain.width, chain.width, work.faded.data());
        in = work.faded.data();
    }
    const Cells &cells = chain.cells[group];
    multiply_cells(in, columns, cells.columns, cells.rows, cells.rest, member.rows_at(position), chain.width, out,
                   work.apart.data());
}

// Order 2 has its pair scores on states: the factors of row g, or null.
WEFT_INLINE const double *pair_row(const Scaled &work, std::int64_t position, std::int32_t group) {
    const Chain &chain = work.member.chain;
    if (!work.member.sentence.pair || chain.order == 1) return nullptr;
    return work.pair.data() + position * chain.square() + group * chain.width;
}

WEFT_INLINE const double *input_of(Scaled &work, std::int64_t position) {
    const Member &member = work.member;
    const double *state = work.alpha_at(position - 1);
    if (member.chain.order == 1) return state;
    turn(state, member.groups_at(position - 1), member.tags_at(position - 1), member.chain.width, work.in.data(),
         member.chain.few());
    return work.in.data();
}

// 1 where a step within a group is possible, as far as transitions and triple scores say.
WEFT_INLINE const double *possible_at(Scaled &work, std::int64_t position, std::int32_t group) {
    const Chain &chain = work.member.chain;
    const double *shared = chain.possible.data() + group * chain.square();
    if (!work.member.sentence.triple) return shared;
    const double *own = work.member.matrix_at(position, group);
    for (std::int32_t k : work.member.rows_at(position))
        for (std::int64_t i = k * chain.width; i < (k + 1) * chain.width; i += LANES)
            store(work.block.data() + i, choose(load(own + i) == splat(NEG_INF), Vec{}, load(shared + i)));
    return work.block.data();
}

// How many of the rows that are reached, 1 each and else 0, a step within a group leads from; not what is in no row.
WEFT_INLINE void reach_on(Scaled &work, std::int64_t position, std::int32_t group, const double *in, double *out) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const Range rows = member.rows_at(position);
    if (!chain.few()) return multiply(in, rows, possible_at(work, position, group), chain.width, out);
    double total = 0.0;
    for (std::int32_t k : rows) total += in[k];
    const CellLists &lists = chain.cells[group].rows;
    add_cells(in, rows, lists, lists.gone.data(), total, chain.width, out);
    if (chain.order == 2)
        for (std::int32_t y : member.tags_at(position))
            if (chain.transitions[group * chain.width + y] == NEG_INF) out[y] = 0.0;
}

// Whether an alpha that some derivation's prefix reaches has fallen below TINY.
WEFT_INLINE bool lost_mass(Scaled &work) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width;
    Buffer &reached = work.beta, &in = work.out;
    std::fill(reached.begin(), reached.end(), 0.0);
    reached[member.start()] = 1.0;
    for (std::int64_t j = 0; j < member.sentence.length; ++j) {
        if (chain.order == 1) std::copy(reached.begin(), reached.end(), in.begin());
        else turn(reached.data(), member.groups_at(j - 1), member.tags_at(j - 1), width, in.data());
        const double *emission = member.sentence.emission + j * width;
        const double *alpha = work.alpha_at(j);
        const double mass = std::min(1.0, 1.0 / work.inverse[j]); // terms underflow before the division
        for (std::int32_t g : member.groups_at(j)) {
            double *row = reached.data() + g * width;
            reach_on(work, j, g, in.data() + g * width, row);
            for (std::int32_t y : member.tags_at(j)) {
                row[y] = row[y] > 0.0 && emission[y] > NEG_INF;
                if (row[y] > 0.0 && !(alpha[g * width + y] * mass >= TINY)) return true;
            }
        }
    }
    return false;
}

WEFT_KERNEL bool forward_kernel(Scaled &work, double &log_partition) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, length = member.sentence.length, size = member.state_size();
    double log_scale = scale_scores(work) + static_cast<double>(length + 1) * chain.top;
    if (!chain.few_triples()) std::fill(work.alpha.begin(), work.alpha.begin() + size, 0.0);
    work.alpha[member.start()] = 1.0;
    bool suspicious = false;
    double product = 1.0; // of sums, so that one logarithm serves many tokens
    for (std::int64_t j = 0; j < length; ++j) {
        const double *in = input_of(work, j);
        const double *emission = work.emission.data() + j * width;
        const double *bias = chain.sets.bias + member.sets[j] * width;
        double *out = work.alpha_at(j);
        Vec total{}, least = splat(1.0);
        for (std::int32_t g : member.groups_at(j)) {
            double *row = out + g * width;
            step_on(work, j, g, in + g * width, row);
            const double *pair = pair_row(work, j, g);
            for (std::int64_t i = 0; i < width; i += LANES) {
                Vec value = load(row + i) * load(emission + i);
                if (pair) value *= load(pair + i);
                store(row + i, value);
                total += value;
                least = min(least, choose(load(bias + i) == splat(NEG_INF), splat(1.0), value));
            }
        }
        const double mass = sum(total);
        if (!(mass >= TINY)) return false;
        suspicious |= !(min(least) >= TINY);
        work.inverse[j] = 1.0 / mass;
        for (std::int32_t g : member.groups_at(j))
            for (std::int64_t i = g * width; i < (g + 1) * width; i += LANES)
                store(out + i, load(out + i) * work.inverse[j]);
        if (mass < 1e-100 || product < 1e-100 || product > 1e100) {
            log_scale += std::log(product) + std::log(mass);
            product = 1.0;
        } else {
            product *= mass;
        }
    }
    if (suspicious && lost_mass(work)) return false;
    const double *last = work.alpha_at(length - 1);
    work.final = 0.0;
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length))
            work.final += last[member.place(g, k)] * chain.ending(g, k);
    if (!(work.final >= TINY)) return false;
    log_partition = std::log(work.final) + std::log(product) + log_scale;
    return true;
}

// Alphas and log Z.
inline bool scaled_forward(Scaled &work, double &log_partition) {
    work.make_room_forward();
    return dispatch<forward_kernel>(work, log_partition);
}

WEFT_INLINE void add_to(double *to, Vec value) { store(to, load(to) + value); }

// Zeros for the posteriors of pairs that a member has.
WEFT_INLINE void clear_pairs(Scaled &work) {
    const Member &member = work.member;
    const std::int64_t width = member.chain.width;
    for (std::int64_t j = 0; j < member.sentence.length; ++j)
        for (std::int32_t g : member.groups_at(j))
            std::fill(work.pairs.data() + g * width, work.pairs.data() + (g + 1) * width, 0.0);
}

WEFT_INLINE bool is_one(double total) { return std::fabs(total - 1.0) < 1e-8; }

// beta_j is divided by the same sums as alpha_j, so that sum_y alpha_j[y] beta_j[y] = 1 at every token: a sum
// that is not 1 tells of lost mass.
WEFT_KERNEL bool backward_kernel(Scaled &work) {
    const Member &member = work.member;
    const Chain &chain = member.chain;
    const std::int64_t width = chain.width, length = member.sentence.length;
    Buffer &beta = work.beta, &out = work.out;
    if (chain.few_triples()) clear_pairs(work); // what is in no allowed state is not read
    else std::fill(beta.begin(), beta.end(), 0.0);
    for (std::int32_t g : member.groups_at(length))
        for (std::int32_t k : member.rows_at(length))
            beta[member.place(g, k)] = chain.ending(g, k) / work.final;
    for (std::int64_t j = length - 1; j >= 0; --j) {
        const double *emission = work.emission.data() + j * width;
        const double *alpha = work.alpha_at(j);
        const Vec inverse = splat(work.inverse[j]);
        double *q = work.q_at(j), *posterior = work.posterior.data() + j * width;
        std::fill(posterior, posterior + width, 0.0);
        for (std::int32_t g : member.groups_at(j)) {
            const double *pair = pair_row(work, j, g);
            for (std::int64_t i = 0; i < width; i += LANES) {
                const Vec a = load(alpha + g * width + i), b = load(beta.data() + g * width + i);
                Vec value = load(emission + i) * inverse * b;
                if (pair) value *= load(pair + i);
                // Where nothing arrives beta may be anything, infinite too.
                store(q + g * width + i, choose(a > Vec{}, value, Vec{}));
                const Vec both = choose(a > Vec{}, a * b, Vec{});
                store(posterior + i, load(posterior + i) + both);
                if (chain.few_triples()) add_to(work.pairs.data() + g * width + i, both);
            }
            double *to = chain.order == 1 ? out.data() : out.data() + g * width;
            step_back(work, j, g, block_at(work, j, g, true), q + g * width, to);
        }
        Vec total{};
        for (std::int64_t i = 0; i < width; i += LANES) total += load(posterior + i);
        if (!is_one(sum(total))) return false;
        if (chain.order == 1) beta.swap(out);
        else turn(out.data(), member.groups_at(j), member.rows_at(j), width, beta.data());
    }
    return is_one(beta[member.start()]);
}

// q and posteriors from the alphas.
inline bool scaled_backward(Scaled &work) {
    work.make_room_backward();
    return dispatch<backward_kernel>(work);
}

} // namespace weft
