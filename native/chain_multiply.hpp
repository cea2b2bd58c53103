// Vectors over tags times matrices: the steps of a chain.
#pragma once

#include "chain_cells.hpp"
#include "vector.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {

// out[0 .. N vectors) = sum over rows k of in[k] * matrix[k, :]
template <int N>
WEFT_INLINE void multiply_tile(const double *in, Range rows, const double *matrix, std::int64_t width, double *out) {
    Vec even[N] = {}, odd[N] = {}; // two chains of additions, so that one need not wait for the other
    const std::int32_t *k = rows.begin();
    for (; rows.end() - k >= 2; k += 2) {
        const Vec first = splat(in[k[0]]), second = splat(in[k[1]]);
        const double *one = matrix + k[0] * width, *two = matrix + k[1] * width;
        for (int v = 0; v < N; ++v) {
            even[v] += first * load(one + v * LANES);
            odd[v] += second * load(two + v * LANES);
        }
    }
    if (k != rows.end())
        for (int v = 0; v < N; ++v) even[v] += splat(in[*k]) * load(matrix + *k * width + v * LANES);
    for (int v = 0; v < N; ++v) store(out + v * LANES, even[v] + odd[v]);
}

WEFT_INLINE void multiply(const double *in, Range rows, const double *matrix, std::int64_t width, double *out) {
    std::int64_t column = 0;
    for (; width - column > 8 * LANES; column += 8 * LANES)
        multiply_tile<8>(in, rows, matrix + column, width, out + column);
    switch ((width - column) / LANES) {
    case 1: multiply_tile<1>(in, rows, matrix + column, width, out + column); break;
    case 2: multiply_tile<2>(in, rows, matrix + column, width, out + column); break;
    case 3: multiply_tile<3>(in, rows, matrix + column, width, out + column); break;
    case 4: multiply_tile<4>(in, rows, matrix + column, width, out + column); break;
    case 5: multiply_tile<5>(in, rows, matrix + column, width, out + column); break;
    case 6: multiply_tile<6>(in, rows, matrix + column, width, out + column); break;
    case 7: multiply_tile<7>(in, rows, matrix + column, width, out + column); break;
    default: multiply_tile<8>(in, rows, matrix + column, width, out + column); break;
    }
}

// Order 2: the state [g, y] becomes the next step's input [y, g]. Where sums go from cell to cell, all else is 0.
WEFT_INLINE void turn(const double *from, Range groups, Range columns, std::int64_t width, double *to,
                      bool alone = false) {
    for (std::int32_t y : columns) {
        if (alone) std::fill(to + y * width, to + (y + 1) * width, 0.0);
        for (std::int32_t g : groups) to[y * width + g] = from[g * width + y];
    }
}

} // namespace weft
