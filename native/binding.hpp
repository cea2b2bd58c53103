// What the bindings share: array types, checks, and a split of the work that threads do not change.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft::binding {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, int N> using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N> using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// Arrays come as they are: what is written to a converted copy would be lost in silence.
inline auto array(const char *name) { return nb::arg(name).noconvert(); }
inline auto optional_array(const char *name) { return nb::arg(name).noconvert().none(); }

// An array for Python that owns what it holds.
template <class T> using Made = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T> Made<T> made(std::vector<T> &&values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    std::vector<T> *vector = owned.get();
    nb::capsule owner(owned.release(), [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
    return Made<T>(vector->data(), {vector->size()}, owner);
}

template <class Array> std::int64_t length(const Array &array, int axis = 0) {
    return static_cast<std::int64_t>(array.shape(axis));
}

inline bool within(std::span<const std::int32_t> values, std::int64_t lowest, std::int64_t highest) {
    return std::all_of(values.begin(), values.end(), [&](std::int32_t value) { return lowest <= value && value < highest; });
}

inline void require(bool condition, const char *message) {
    if (!condition) throw std::invalid_argument(message);
}

// Runs of consecutive items with about equal cost, where offsets[i] is the cost of all before i. Their
// number depends on the data alone, never on the threads: sums are made run by run, in order.
inline std::vector<std::int64_t> split(const std::int64_t *offsets, std::int64_t count, std::int64_t runs) {
    std::vector<std::int64_t> bounds{0};
    const std::int64_t base = offsets[0], total = offsets[count] - base;
    for (std::int64_t run = 1; run < runs; ++run) {
        const std::int64_t *at = std::lower_bound(offsets, offsets + count, base + total * run / runs);
        bounds.push_back(std::max(bounds.back(), static_cast<std::int64_t>(at - offsets)));
    }
    bounds.push_back(count);
    return bounds;
}

} // namespace weft::binding
