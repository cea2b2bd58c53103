// Products of long vectors, for the optimiser: one pass over memory, sums in a fixed order.
#pragma once

#include "vector.hpp"

#include <algorithm>
#include <cstdint>

namespace weft {

constexpr std::int64_t BLOCK = 2048; // columns whose part of the vector stays in the first-level cache

WEFT_INLINE double dot_block(const double *a, const double *b, std::int64_t count) {
    Vec even{}, odd{};
    std::int64_t i = 0;
    for (; i + 2 * LANES <= count; i += 2 * LANES) {
        even += load(a + i) * load(b + i);
        odd += load(a + i + LANES) * load(b + i + LANES);
    }
    double total = sum(even + odd);
    for (; i < count; ++i) total += a[i] * b[i];
    return total;
}

// out[r] = sum_i rows[r, i] vector[i]
WEFT_KERNEL void dots(const double *rows, std::int64_t count, std::int64_t size, const double *vector, double *out) {
    std::fill(out, out + count, 0.0);
    for (std::int64_t first = 0; first < size; first += BLOCK)
        for (std::int64_t r = 0; r < count; ++r)
            out[r] += dot_block(rows + r * size + first, vector + first, std::min(BLOCK, size - first));
}

WEFT_INLINE void add_block(double factor, const double *row, std::int64_t count, double *out) {
    std::int64_t i = 0;
    for (; i + LANES <= count; i += LANES) store(out + i, load(out + i) + factor * load(row + i));
    for (; i < count; ++i) out[i] += factor * row[i];
}

// out[i] = sum_r coefficients[r] rows[r, i]
WEFT_KERNEL void combine(const double *coefficients, const double *rows, std::int64_t count, std::int64_t size,
                         double *out) {
    std::fill(out, out + size, 0.0);
    for (std::int64_t first = 0; first < size; first += BLOCK)
        for (std::int64_t r = 0; r < count; ++r)
            add_block(coefficients[r], rows + r * size + first, std::min(BLOCK, size - first), out + first);
}

} // namespace weft
