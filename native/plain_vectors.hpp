// Vectors as loops over their lanes, for compilers that have none (vector.hpp). GCC and Clang take them, too,
// where WEFT_PLAIN_VECTORS is defined (an option of CMakeLists.txt).
#pragma once

#include "compiler.hpp"

#include <cstdint>
#include <type_traits>

namespace weft {

template <class T, int N> struct Lanes {
    T lanes[N];

    WEFT_INLINE T operator[](std::int64_t lane) const { return lanes[lane]; }
    WEFT_INLINE T &operator[](std::int64_t lane) { return lanes[lane]; }
};

// The operation on each lane; what is no vector is the same in all lanes.
#define WEFT_LANES(operation, Result)                                                                                  \
    template <class T, int N> WEFT_INLINE Lanes<Result, N> operator operation(const Lanes<T, N> &a, const Lanes<T, N> &b) { \
        Lanes<Result, N> made;                                                                                         \
        for (int lane = 0; lane < N; ++lane) made[lane] = static_cast<Result>(a[lane] operation b[lane]);              \
        return made;                                                                                                   \
    }                                                                                                                  \
    template <class T, int N>                                                                                          \
    WEFT_INLINE Lanes<Result, N> operator operation(const Lanes<T, N> &a, std::type_identity_t<T> b) {                 \
        Lanes<Result, N> made;                                                                                         \
        for (int lane = 0; lane < N; ++lane) made[lane] = static_cast<Result>(a[lane] operation b);                    \
        return made;                                                                                                   \
    }                                                                                                                  \
    template <class T, int N>                                                                                          \
    WEFT_INLINE Lanes<Result, N> operator operation(std::type_identity_t<T> a, const Lanes<T, N> &b) {                 \
        Lanes<Result, N> made;                                                                                         \
        for (int lane = 0; lane < N; ++lane) made[lane] = static_cast<Result>(a operation b[lane]);                    \
        return made;                                                                                                   \
    }

WEFT_LANES(+, T)
WEFT_LANES(-, T)
WEFT_LANES(*, T)
WEFT_LANES(/, T)
WEFT_LANES(&, T)
WEFT_LANES(<<, T)
WEFT_LANES(<, std::int64_t)
WEFT_LANES(>, std::int64_t)
WEFT_LANES(==, std::int64_t)
#undef WEFT_LANES

template <class T, int N> WEFT_INLINE Lanes<T, N> operator-(const Lanes<T, N> &a) { return a * T{-1}; }
template <class T, int N, class Other> WEFT_INLINE Lanes<T, N> &operator+=(Lanes<T, N> &a, const Other &b) { return a = a + b; }
template <class T, int N, class Other> WEFT_INLINE Lanes<T, N> &operator*=(Lanes<T, N> &a, const Other &b) { return a = a * b; }

template <class T, int N>
WEFT_INLINE Lanes<T, N> choose(const Lanes<std::int64_t, N> &where, const Lanes<T, N> &a, const Lanes<T, N> &b) {
    Lanes<T, N> made;
    for (int lane = 0; lane < N; ++lane) made[lane] = where[lane] ? a[lane] : b[lane];
    return made;
}

} // namespace weft
