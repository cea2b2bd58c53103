// Vectors of eight doubles.
//
// Vec is a compiler vector, not an intrinsic: the same source becomes one AVX-512 register, two of
// AVX2 or four of SSE2 (NEON), as the version of a kernel has them (compiler.hpp).
//
// A kernel allocates nothing: whoever calls it makes room first. tests/test_native_memory.py fails every
// allocation there is.
#pragma once

#include "compiler.hpp"
#ifdef WEFT_PLAIN_VECTORS
#include "plain_vectors.hpp"
#endif

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace weft {

constexpr int LANES = 8;
constexpr double NEG_INF = -std::numeric_limits<double>::infinity();

#ifdef WEFT_PLAIN_VECTORS
using Vec = Lanes<double, LANES>;
using IntVec = Lanes<std::int64_t, LANES>;
#else
typedef double Vec __attribute__((vector_size(LANES * sizeof(double))));
typedef std::int64_t IntVec __attribute__((vector_size(LANES * sizeof(std::int64_t))));

// Lane by lane, a where the comparison holds, and b elsewhere.
WEFT_INLINE Vec choose(IntVec where, Vec a, Vec b) { return where ? a : b; }
WEFT_INLINE IntVec choose(IntVec where, IntVec a, IntVec b) { return where ? a : b; }
#endif

inline double log_add(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == NEG_INF ? a : a + std::log1p(std::exp(b - a));
}

// Memory whose rows of whole vectors never straddle two cache lines, which would double every access.
template <class T> struct Aligned {
    using value_type = T;
    Aligned() = default;
    template <class U> Aligned(const Aligned<U> &) {}
    T *allocate(std::size_t count) {
        return static_cast<T *>(::operator new(count * sizeof(T), std::align_val_t{sizeof(double) * LANES}));
    }
    void deallocate(T *pointer, std::size_t) { ::operator delete(pointer, std::align_val_t{sizeof(double) * LANES}); }
    template <class U> bool operator==(const Aligned<U> &) const { return true; }
};
using Buffer = std::vector<double, Aligned<double>>;

// Memory that is not cleared as it grows: tables of which a little is used, again and again.
template <class T> struct Unset : Aligned<T> {
    Unset() = default;
    template <class U> Unset(const Unset<U> &) {}
    template <class U> void construct(U *) noexcept {}
    template <class U, class... Args> void construct(U *at, Args &&...args) { ::new (at) U(static_cast<Args &&>(args)...); }
};
template <class T> using Room = std::vector<T, Unset<T>>;

// Room for as many, of whatever value: a vector that grows would copy what it has, and so touch all of it.
template <class T> void renew(Room<T> &room, std::size_t count) {
    if (room.capacity() < count) Room<T>().swap(room);
    room.resize(count);
}

// memcpy rather than a cast: arrays that come from outside need not be aligned.
WEFT_INLINE Vec load(const double *from) {
    Vec value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

WEFT_INLINE void store(double *to, Vec value) { std::memcpy(to, &value, sizeof value); }

WEFT_INLINE Vec splat(double value) { return Vec{} + value; }

WEFT_INLINE double sum(Vec value) {
    return ((value[0] + value[1]) + (value[2] + value[3])) + ((value[4] + value[5]) + (value[6] + value[7]));
}

WEFT_INLINE Vec max(Vec a, Vec b) { return choose(a > b, a, b); }
WEFT_INLINE Vec min(Vec a, Vec b) { return choose(a < b, a, b); }

WEFT_INLINE double max(Vec value) {
    double best = value[0];
    for (int lane = 1; lane < LANES; ++lane) best = value[lane] > best ? value[lane] : best;
    return best;
}

WEFT_INLINE double min(Vec value) {
    double best = value[0];
    for (int lane = 1; lane < LANES; ++lane) best = value[lane] < best ? value[lane] : best;
    return best;
}

// exp(x) for x <= 709, relative error below 3e-16; exactly 0 below -708 and at -inf.
// x = n ln 2 + r with |r| <= ln 2 / 2, the Taylor series of degree 13 in r, then n into the exponent.
WEFT_INLINE Vec exp(Vec x) {
    const Vec lowest = splat(-708.0);
    const Vec shifter = splat(0x1.8p52); // adding it rounds to an integer, left in the low bits
    const Vec clamped = max(x, lowest);
    const Vec shifted = clamped * 0x1.71547652b82fep0 + shifter;
    const Vec n = shifted - shifter;
    const Vec r = (clamped - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
    Vec p = splat(1.0 / 6227020800.0);
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const IntVec exponent = (std::bit_cast<IntVec>(shifted) - std::bit_cast<IntVec>(shifter) + 1023) << 52;
    return choose(x < lowest, Vec{}, p * std::bit_cast<Vec>(exponent));
}

} // namespace weft
