// Scores and expectations of features that are an attribute of a token times a column (a tag, or
// a pair of tags): the first and the last line of the narrow waist,
//
//     scores[t, c]  = sum_a value[t, a] theta[a, c]        (w = Phi theta)
//     totals[a, c]  = sum_t value[t, a] marginals[t, c]    (E[f] = Phi^T mu)
//
// Attributes that occur often with many columns have *wide* rows: theta is first spread into a dense
// table, a padded row an attribute, so that both sums run over whole rows in vector registers. Rows that
// fill little of that are *narrow*, and the sums run over the columns that they have. The rest are single
// *entries* (token, column, weight). Expectations are gathered by attribute, not scattered by token: each
// total has one writer, and its terms come in the order of the tokens.
#pragma once

#include "vector.hpp"

#include <cstdint>

namespace weft {

struct Occurrences { // for each owner, its (item, value) pairs
    const std::int64_t *offsets;
    const std::int32_t *items;
    const double *values; // null where every value is 1
    std::int64_t count;   // of all items
};

// A row is a few hundred bytes at a random place; asking for it this many rows ahead hides the wait.
constexpr std::int64_t AHEAD = 8;

template <int N> WEFT_INLINE void add_rows(const Occurrences &of, std::int64_t begin, std::int64_t end,
                                           const double *table, std::int64_t width, double *out) {
    Vec total[N];
    for (int v = 0; v < N; ++v) total[v] = load(out + v * LANES);
    for (std::int64_t k = begin; k < end; ++k) {
        const double *row = table + of.items[k] * width;
        if (k + AHEAD < of.count) { // the next owners' rows too: most lists are short
            const double *later = table + of.items[k + AHEAD] * width;
            for (int v = 0; v < N; ++v) prefetch(later + v * LANES);
        }
        if (of.values) {
            const Vec value = splat(of.values[k]);
            for (int v = 0; v < N; ++v) total[v] += value * load(row + v * LANES);
        } else {
            for (int v = 0; v < N; ++v) total[v] += load(row + v * LANES);
        }
    }
    for (int v = 0; v < N; ++v) store(out + v * LANES, total[v]);
}

// out[owner, :] += sum of value * table[item, :] over the owner's items; width is a multiple of LANES.
// owners, where given, says which row of `out` belongs to each owner.
WEFT_KERNEL void sum_rows(const Occurrences &of, std::int64_t first, std::int64_t last, const double *table,
                          std::int64_t width, const std::int32_t *owners, double *out) {
    for (std::int64_t owner = first; owner < last; ++owner) {
        const std::int64_t begin = of.offsets[owner], end = of.offsets[owner + 1];
        double *to = out + (owners ? owners[owner] : owner) * width;
        std::int64_t column = 0;
        for (; width - column > 8 * LANES; column += 4 * LANES)
            add_rows<4>(of, begin, end, table + column, width, to + column);
        switch ((width - column) / LANES) {
        case 1: add_rows<1>(of, begin, end, table + column, width, to + column); break;
        case 2: add_rows<2>(of, begin, end, table + column, width, to + column); break;
        case 3: add_rows<3>(of, begin, end, table + column, width, to + column); break;
        case 4: add_rows<4>(of, begin, end, table + column, width, to + column); break;
        case 5: add_rows<5>(of, begin, end, table + column, width, to + column); break;
        case 6: add_rows<6>(of, begin, end, table + column, width, to + column); break;
        case 7: add_rows<7>(of, begin, end, table + column, width, to + column); break;
        default: add_rows<8>(of, begin, end, table + column, width, to + column); break;
        }
    }
}

// Single entries, by token: out[token, column] += value * theta[weight].
inline void add_entries(const Occurrences &of, const std::int32_t *columns, std::int64_t first, std::int64_t last,
                        const double *theta, std::int64_t width, double *out) {
    for (std::int64_t token = first; token < last; ++token)
        for (std::int64_t k = of.offsets[token]; k < of.offsets[token + 1]; ++k)
            out[token * width + columns[k]] += (of.values ? of.values[k] : 1.0) * theta[of.items[k]];
}

struct Columns { // which weights an attribute has: offsets[a] ... offsets[a + 1] - 1, and the column of each
    const std::int64_t *offsets;
    const std::int32_t *columns;
};

struct Table : Columns {
    const double *theta;
};

// The same straight from the table: out[token, column] += value * theta[attribute, column]. Where a row begins,
// and then the row, are asked for ahead.
WEFT_KERNEL void add_attributes(const Occurrences &of, const Table &table, std::int64_t first, std::int64_t last,
                                std::int64_t width, double *out) {
    const std::int32_t *attributes = of.items;
    const std::int64_t *offsets = table.offsets;
    for (std::int64_t token = first; token < last; ++token) {
        double *to = out + token * width;
        const std::int64_t end = of.offsets[token + 1];
        for (std::int64_t k = of.offsets[token]; k < end; ++k) {
            if (k + 4 * AHEAD < of.count) {
                prefetch(offsets + attributes[k + 4 * AHEAD]);
                const std::int64_t later = offsets[attributes[k + 2 * AHEAD]];
                prefetch(table.columns + later);
                prefetch(table.theta + later);
            }
            const double value = of.values ? of.values[k] : 1.0;
            const std::int64_t stop = offsets[attributes[k] + 1];
            for (std::int64_t w = offsets[attributes[k]]; w < stop; ++w)
                to[table.columns[w]] += value * table.theta[w];
        }
    }
}

// Narrow rows, by attribute: out[attribute, column] += sum of value * from[token, column] over the attribute's tokens.
inline void sum_attributes(const Occurrences &of, const Columns &table, std::int64_t first, std::int64_t last,
                           const double *from, std::int64_t width, const std::int32_t *attributes, double *out) {
    for (std::int64_t owner = first; owner < last; ++owner) {
        const std::int64_t begin = table.offsets[attributes[owner]], end = table.offsets[attributes[owner] + 1];
        for (std::int64_t k = of.offsets[owner]; k < of.offsets[owner + 1]; ++k) {
            const double *row = from + of.items[k] * width, value = of.values ? of.values[k] : 1.0;
            for (std::int64_t w = begin; w < end; ++w) out[w] += value * row[table.columns[w]];
        }
    }
}

// Calls visit(weight, place) for each weight of some wide rows, attributes[slot], and its place in their dense table.
template <class Visit>
void over_wide(const std::int32_t *attributes, const Columns &table, std::int64_t first, std::int64_t last,
               std::int64_t width, Visit &&visit) {
    for (std::int64_t slot = first; slot < last; ++slot)
        for (std::int64_t w = table.offsets[attributes[slot]]; w < table.offsets[attributes[slot] + 1]; ++w)
            visit(w, slot * width + table.columns[w]);
}

// Single entries, by weight: out[owner] += sum of value * from[item].
inline void sum_entries(const Occurrences &of, std::int64_t first, std::int64_t last, const double *from,
                        const std::int32_t *owners, double *out) {
    for (std::int64_t owner = first; owner < last; ++owner) {
        double total = 0.0;
        for (std::int64_t k = of.offsets[owner]; k < of.offsets[owner + 1]; ++k)
            total += (of.values ? of.values[k] : 1.0) * from[of.items[k]];
        out[owners[owner]] += total;
    }
}

} // namespace weft
