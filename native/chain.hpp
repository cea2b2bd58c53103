// Sums over the tag sequences of a chain of order 1 or 2, arcs implicit.
//
// A sequence y_1 .. y_m of tags, with the boundary tag B before and after it, scores
//
//     sum_j emission[j, y_j] + pair[j, y_{j-1}, y_j] + triple[j, y_{j-2}, y_{j-1}, y_j]    (order 2 only)
//   + sum_{j <= m+1} transition[y_{j-2}, y_{j-1}, y_j]        (order 2; [y_{j-1}, y_j] for order 1)
//
// Both orders are one recursion. The step to token j falls into *groups*: order 1 has a single one,
// order 2 one for each y_{j-1}. Within group g a vector over *rows* (the tag at j - order) is
// multiplied by the matrix transition[g, row, column] and gives a vector over columns (the tag at j):
//
//     alpha_j[g, y] = emission_j[y] sum_k in_j[g, k] T[g, k, y],
//     in_j[g, k]    = alpha_{j-1}[0, k]  (order 1)   or   alpha_{j-1}[k, g]  (order 2).
//
// Rows of the tag axis are padded to a multiple of LANES; the boundary is tag `tags`, the first of
// the padding. Each token has a set of allowed tags, so a dictionary or partial labels make fewer
// groups and rows; columns are always whole vectors.
#pragma once

#include "chain_cells.hpp"
#include "vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weft {

struct TagSets {                    // the distinct sets of allowed tags
    const std::int64_t *offsets;    // [sets + 1]
    const std::int32_t *tags;       // [sum], ascending
    const double *bias;             // [sets, width]: what a tag adds to a score, -inf if not allowed
};

struct Chain {                      // what all sentences share
    int order;
    std::int32_t boundary;          // = number of tags
    std::int64_t width;             // padded number of tags, boundary included
    std::int64_t groups;            // 1, or width for order 2
    const double *transitions;      // [groups, width, width], log; with cells of order 2 only [group, column]
    TagSets sets;
    std::vector<Cells> cells{};     // [groups], where most transitions are equal, without pair scores; else none
    // Derived by prepare():
    double top = 0.0;               // the largest transition
    Buffer forward{};  // exp(transition - top); these three have nothing where there are cells
    Buffer backward{}; // the same with rows and columns exchanged
    Buffer possible{}; // 1 where the transition is above -inf
    Buffer pairs{};    // [group, column]: exp(score - the largest), for cells of order 2

    std::int64_t square() const { return width * width; }
    bool few() const { return !cells.empty(); }
    // Whether steps have scores of pairs, [group, column], beside cells.
    bool few_triples() const { return few() && order == 2; }
    std::int64_t cell_count() const { return few() ? cells.back().first + cells.back().size() : 0; }
    // How many totals of transitions there are: those of pairs, where they are apart, come before those of cells.
    std::int64_t totals() const { return few() ? apart() + cell_count() : groups * square(); }
    std::int64_t apart() const { return few_triples() ? square() : 0; }
    // Where the total of a step is; -1 where it has no cell.
    std::int64_t total_of(std::int32_t group, std::int32_t row, std::int32_t column) const {
        if (!few()) return group * square() + row * width + column;
        const std::int64_t at = cells[group].find(row, column);
        return at < 0 ? at : apart() + cells[group].first + at;
    }
    double transition(std::int32_t group, std::int32_t row, std::int32_t column) const {
        if (few_triples()) return transitions[group * width + column] + cells[group].score(row, column);
        return transitions[group * square() + row * width + column];
    }
    // exp(transition - top) of the step to the boundary.
    double ending(std::int32_t group, std::int32_t row) const {
        if (!few()) return forward[group * square() + row * width + boundary];
        return cells[group].factor(row, boundary) * (order == 1 ? 1.0 : pairs[group * width + boundary]);
    }
};

struct Sentence {                   // one sentence's scores; pair and triple may be null
    std::int64_t length;
    const double *emission;         // [length, width]
    const double *pair;             // [length, width (previous), width]
    const double *triple = nullptr; // [length, width (previous), width (the one before), width], for order 2
};

struct Sink {                       // where a member's expectations are added
    double *marginals;              // [length, width]
    double *pair;                   // [length, width, width]; null where there are no pair scores
    double *transitions;            // [groups, width, width]; where there are cells [Chain::totals()]
    double *scaled;                 // the same, still to be multiplied by exp(transition - top)
};

WEFT_KERNEL void exp_all(const double *from, double shift, std::int64_t count, double *to) {
    for (std::int64_t i = 0; i < count; i += LANES) store(to + i, exp(load(from + i) - shift));
}

constexpr double MOST_TOP = 1e300; // in the place of -inf, which cannot be taken away

inline void prepare(Chain &chain) {
    const std::int64_t width = chain.width, square = chain.square(), count = chain.groups * square;
    if (chain.few()) {
        chain.top = top_cell(chain.cells);
        for (Cells &cells : chain.cells) prepare_cells(cells, chain.top);
        if (chain.order == 1) return;
        const double top = std::max(*std::max_element(chain.transitions, chain.transitions + square), -MOST_TOP);
        chain.pairs.resize(square);
        dispatch<exp_all>(chain.transitions, top, square, chain.pairs.data());
        chain.top += top;
        return;
    }
    chain.top = *std::max_element(chain.transitions, chain.transitions + count);
    if (chain.top == NEG_INF) chain.top = 0.0;
    chain.forward.resize(count);
    chain.backward.resize(count);
    chain.possible.resize(count);
    dispatch<exp_all>(chain.transitions, chain.top, count, chain.forward.data());
    for (std::int64_t g = 0; g < chain.groups; ++g)
        for (std::int64_t k = 0; k < width; ++k)
            for (std::int64_t y = 0; y < width; ++y)
                chain.backward[g * square + y * width + k] = chain.forward[g * square + k * width + y];
    for (std::int64_t i = 0; i < count; ++i) chain.possible[i] = chain.transitions[i] > NEG_INF;
}

// One member of the sum: a sentence with a set of allowed tags per token; and working memory.
struct Member {
    const Chain &chain;
    Sentence sentence{};
    const std::int32_t *sets = nullptr; // [length]

    // The tags at a position: the boundary before the sentence and after it.
    Range tags_at(std::int64_t position) const {
        if (position < 0 || position >= sentence.length) return {&chain.boundary, &chain.boundary + 1};
        const std::int64_t *offset = chain.sets.offsets + sets[position];
        return {chain.sets.tags + offset[0], chain.sets.tags + offset[1]};
    }
    Range groups_at(std::int64_t position) const {
        static constexpr std::int32_t only[1] = {0};
        return chain.order == 1 ? Range{only, only + 1} : tags_at(position - 1);
    }
    Range rows_at(std::int64_t position) const { return tags_at(position - chain.order); }

    // A state [a, y] of one position is the input [group, row] of the next step; here is its place.
    std::int64_t place(std::int32_t group, std::int32_t row) const {
        return chain.order == 1 ? row : row * chain.width + group;
    }
    std::int64_t start() const { return place(chain.order == 1 ? 0 : chain.boundary, chain.boundary); }
    std::int64_t state_size() const { return chain.groups * chain.width; }

    // Whether the matrices of steps differ from token to token; pair scores of order 2 are on states.
    bool differs() const { return chain.order == 1 ? sentence.pair : sentence.triple; }
    // What a token then adds to the matrix of a group, [row, column].
    const double *matrix_at(std::int64_t position, std::int32_t group) const {
        if (chain.order == 1) return sentence.pair + position * chain.square();
        return sentence.triple + (position * chain.width + group) * chain.square();
    }

    // The score of a step: a transition and, within the sentence, what its token adds.
    double step(std::int64_t position, std::int32_t group, std::int32_t row, std::int32_t column) const {
        const std::int64_t width = chain.width, square = chain.square();
        double score = chain.transition(group, row, column);
        if (position == sentence.length) return score;
        score += sentence.emission[position * width + column] + chain.sets.bias[sets[position] * width + column];
        if (sentence.triple) score += matrix_at(position, group)[row * width + column];
        const std::int32_t previous = chain.order == 1 ? row : group;
        return sentence.pair ? score + sentence.pair[position * square + previous * width + column] : score;
    }
};

// Adds a share of a step's features to the sink.
inline void add_step(const Member &member, std::int64_t position, std::int32_t group, std::int32_t row,
                     std::int32_t column, double share, const Sink &sink) {
    const std::int64_t width = member.chain.width, square = member.chain.square();
    const std::int64_t place = member.chain.total_of(group, row, column);
    if (place >= 0) sink.transitions[place] += share;
    if (member.chain.few_triples()) sink.transitions[group * width + column] += share;
    if (position == member.sentence.length) return;
    sink.marginals[position * width + column] += share;
    const std::int32_t previous = member.chain.order == 1 ? row : group;
    if (sink.pair) sink.pair[position * square + previous * width + column] += share;
}

} // namespace weft
