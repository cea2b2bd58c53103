// Transitions that are mostly equal: a rest that all of them share, and cells that may differ from it.
//
// Where only tag pairs that were observed have a weight, all other transitions are 0. With r = exp(0 - top),
//
//     sum_k in[k] T[k, y]  =  r sum_k in[k]  +  sum over the cells (k, y) of in[k] (T[k, y] - r)
//
// takes as many additions as there are cells, not the square of the tags. What is taken away may be nearly all that
// was there: a sum that keeps less than KEPT of r sum_k in[k] is made again of its own terms, none of them negative.
//
// Order 2 has the cells of each group: the triples that have a weight, whose middle tag is the group. Beside them a
// step has the score of its pair, group and column, which all rows share and which is left out of the cells.
#pragma once

#include "vector.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weft {

constexpr double KEPT = 1.0 / 64;

struct Range {                      // a run of tags
    const std::int32_t *begin_, *end_;
    const std::int32_t *begin() const { return begin_; }
    const std::int32_t *end() const { return end_; }
    std::int64_t size() const { return end_ - begin_; }
};

struct CellLists {                      // the cells of each row, or of each column
    std::vector<std::int64_t> offsets;  // [width + 1]
    std::vector<std::int32_t> others;   // [cells], the column, or the row, ascending
    Buffer scores;                      // [cells], log
    Buffer factors;                     // exp(score - top)
    Buffer more;                        // factor - rest
    Buffer gone;                        // -1 where the score is -inf, else 0

    Range at(std::int64_t tag) const { return {others.data() + offsets[tag], others.data() + offsets[tag + 1]}; }
};

struct Cells { // of a group
    CellLists rows, columns;
    std::int64_t first = 0;          // the number of the first cell among those of all groups
    std::vector<std::int32_t> lines; // [width], the line of bits of each row; -1 where it has no cell
    std::vector<std::uint64_t> bits; // [lines, words], which columns a row has a cell in
    double rest = 1.0;               // exp(0 - top)

    std::int64_t size() const { return static_cast<std::int64_t>(rows.others.size()); }
    std::int64_t words() const { return (static_cast<std::int64_t>(rows.offsets.size()) + 62) / 64; }

    // The place of a cell; -1 where there is none.
    std::int64_t find(std::int32_t row, std::int32_t column) const {
        const Range run = rows.at(row);
        const std::int32_t *at = std::lower_bound(run.begin(), run.end(), column);
        return at != run.end() && *at == column ? at - rows.others.data() : -1;
    }
    // What a step has beside its pair.
    double score(std::int32_t row, std::int32_t column) const {
        const std::int64_t at = find(row, column);
        return at < 0 ? 0.0 : rows.scores[at];
    }
    double factor(std::int32_t row, std::int32_t column) const {
        const std::int64_t at = find(row, column);
        return at < 0 ? rest : rows.factors[at];
    }
};

// Makes the lists of a group's cells, whose columns are given row by row; score(row, column, cell) is that of one.
template <class Score>
Cells make_cells(const std::int64_t *offsets, const std::int32_t *all, std::int64_t width, Score &&score) {
    Cells cells;
    cells.first = offsets[0];
    const std::int64_t count = offsets[width] - cells.first;
    const std::int32_t *others = all + cells.first;
    cells.rows.offsets.resize(width + 1);
    for (std::int64_t k = 0; k <= width; ++k) cells.rows.offsets[k] = offsets[k] - cells.first;
    cells.rows.others.assign(others, others + count);
    cells.columns.offsets.assign(width + 1, 0);
    cells.columns.others.resize(count);
    cells.rows.scores.resize(count);
    cells.columns.scores.resize(count);
    cells.lines.assign(width, -1);
    std::int32_t lines = 0;
    for (std::int64_t k = 0; k < width; ++k)
        if (offsets[k] < offsets[k + 1]) cells.lines[k] = lines++;
    cells.bits.assign(lines * cells.words(), 0);
    for (std::int64_t i = 0; i < count; ++i) ++cells.columns.offsets[others[i] + 1];
    for (std::int64_t y = 0; y < width; ++y) cells.columns.offsets[y + 1] += cells.columns.offsets[y];
    std::vector<std::int64_t> next(cells.columns.offsets.begin(), cells.columns.offsets.end() - 1);
    for (std::int64_t k = 0; k < width; ++k)
        for (std::int64_t i = cells.rows.offsets[k]; i < cells.rows.offsets[k + 1]; ++i) {
            const std::int32_t y = others[i];
            const std::int64_t at = next[y]++;
            cells.columns.others[at] = static_cast<std::int32_t>(k);
            cells.rows.scores[i] = cells.columns.scores[at] = score(k, y, cells.first + i);
            cells.bits[cells.lines[k] * cells.words() + y / 64] |= std::uint64_t{1} << (y % 64);
        }
    return cells;
}

// The largest score of all cells and of the rest, which is 0.
inline double top_cell(const std::vector<Cells> &several) {
    double top = 0.0;
    for (const Cells &cells : several)
        for (double score : cells.rows.scores) top = std::max(top, score);
    return top;
}

// What sums need beside scores.
inline void prepare_cells(Cells &cells, double top) {
    cells.rest = std::exp(-top);
    for (CellLists *lists : {&cells.rows, &cells.columns}) {
        const std::size_t count = lists->others.size();
        for (Buffer *each : {&lists->factors, &lists->more, &lists->gone}) each->resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            lists->factors[i] = std::exp(lists->scores[i] - top);
            lists->more[i] = lists->factors[i] - cells.rest;
            lists->gone[i] = lists->scores[i] == NEG_INF ? -1.0 : 0.0;
        }
    }
}

// out[y] = total + sum over rows k and their cells (k, y) of in[k] * weights[k, y]
WEFT_INLINE void add_cells(const double *in, Range rows, const CellLists &lists, const double *weights, double total,
                           std::int64_t width, double *out) {
    for (std::int64_t i = 0; i < width; i += LANES) store(out + i, splat(total));
    for (std::int32_t k : rows) {
        const double value = in[k];
        if (value == 0.0) continue;
        const std::int64_t end = lists.offsets[k + 1];
        for (std::int64_t i = lists.offsets[k]; i < end; ++i) out[lists.others[i]] += value * weights[i];
    }
}

WEFT_INLINE double sum_all(const double *in, std::int64_t width) {
    Vec total{};
    for (std::int64_t i = 0; i < width; i += LANES) total += load(in + i);
    return sum(total);
}

// The sum to one column of its own terms: of what has no cell there, and of the cells.
WEFT_INLINE double sum_apart(const double *in, const CellLists &across, std::int64_t column, double rest,
                             std::int64_t width, double *apart) {
    std::copy(in, in + width, apart);
    double total = 0.0;
    for (std::int64_t i = across.offsets[column]; i < across.offsets[column + 1]; ++i) {
        total += in[across.others[i]] * across.factors[i];
        apart[across.others[i]] = 0.0;
    }
    return total + rest * sum_all(apart, width);
}

// out[y] = sum over rows k of in[k] T[k, y], for the columns y that are named. What is in no row is 0 in `in`. Lists
// are those of rows and, across, of columns; the other way round for the transposed product. apart: [width].
WEFT_INLINE void multiply_cells(const double *in, Range rows, const CellLists &lists, const CellLists &across,
                                double rest, Range columns, std::int64_t width, double *out, double *apart) {
    const double total = rest * sum_all(in, width);
    add_cells(in, rows, lists, lists.more.data(), total, width, out);
    for (std::int32_t y : columns)
        if (!(out[y] >= KEPT * total)) out[y] = sum_apart(in, across, y, rest, width, apart);
}

// out[y] = max over k of in[k] + T[k, y], and the lowest such k; what is in no row is -inf in `in`. left: [width],
// what has not been tried yet; open: [words], the columns for which it has been in vain.
WEFT_INLINE void best_cells(const double *in, Range rows, const Cells &cells, std::int64_t width, double *out,
                            std::int32_t *back, double *left, std::uint64_t *open) {
    const std::int64_t words = cells.words();
    std::fill(out, out + width, NEG_INF);
    std::fill(back, back + width, 0);
    std::copy(in, in + width, left);
    for (std::int64_t w = 0; w < words; ++w) open[w] = ~std::uint64_t{0};
    if (width % 64) open[words - 1] = (std::uint64_t{1} << (width % 64)) - 1;
    // The best row at which a column has no cell: from the best row of all downwards.
    for (bool some = true; some;) {
        Vec top = splat(NEG_INF);
        for (std::int64_t i = 0; i < width; i += LANES) top = max(top, load(left + i));
        const double best = max(top);
        if (best == NEG_INF) break;
        const auto k = static_cast<std::int32_t>(std::find(left, left + width, best) - left);
        left[k] = NEG_INF;
        const std::uint64_t *has = cells.lines[k] < 0 ? nullptr : cells.bits.data() + cells.lines[k] * words;
        some = false;
        for (std::int64_t w = 0; w < words; ++w) {
            const std::uint64_t kept = has ? has[w] : 0;
            for (std::uint64_t found = open[w] & ~kept; found; found &= found - 1) {
                const std::int64_t y = 64 * w + std::countr_zero(found);
                out[y] = best;
                back[y] = k;
            }
            some |= (open[w] &= kept) != 0;
        }
    }
    for (std::int32_t k : rows) {
        if (in[k] == NEG_INF) continue;
        for (std::int64_t i = cells.rows.offsets[k]; i < cells.rows.offsets[k + 1]; ++i) {
            const double candidate = in[k] + cells.rows.scores[i];
            const std::int32_t y = cells.rows.others[i];
            if (candidate > out[y] || (candidate == out[y] && k < back[y])) {
                out[y] = candidate;
                back[y] = k;
            }
        }
    }
}

} // namespace weft
