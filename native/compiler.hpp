// What compilers say in different words: GCC, Clang (clang-cl, too) and Visual C++.
//
// WEFT_KERNEL marks a function that is compiled for several instruction sets; it is called as
// dispatch<kernel>(arguments), which takes the best that the processor has. What a kernel calls must be
// WEFT_INLINE, so that it is compiled along with it. The versions are functions of their own, around the
// kernel's body: attributes that make clones are not known to all compilers, need a linker that can choose, and
// in Clang let no vectors be passed to what has fewer instructions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define WEFT_INLINE __forceinline
#define WEFT_NOINLINE __declspec(noinline)
#ifndef WEFT_PLAIN_VECTORS
#define WEFT_PLAIN_VECTORS // which vector.hpp writes as loops
#endif
#else
#define WEFT_INLINE inline __attribute__((always_inline))
#define WEFT_NOINLINE __attribute__((noinline))
#endif

#define WEFT_KERNEL WEFT_INLINE

#if defined(__x86_64__) && !defined(WEFT_PLAIN_VECTORS)
#define WEFT_DISPATCHES
#include <cpuid.h>
#define WEFT_V3 __attribute__((target("avx2,bmi,bmi2,fma")))
#define WEFT_V4 __attribute__((target("avx2,bmi,bmi2,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))
#endif

namespace weft {

// Asks for memory ahead of its use.
WEFT_INLINE void prefetch(const void *at) {
#if !defined(_MSC_VER) || defined(__clang__)
    __builtin_prefetch(at);
#elif defined(_M_X64)
    _mm_prefetch(static_cast<const char *>(at), _MM_HINT_T0);
#elif defined(_M_ARM64)
    __prefetch(at);
#endif
}

// a b modulo m, where a and b are lower than m.
inline std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Product;
    return static_cast<std::uint64_t>(static_cast<Product>(a) * b % m);
#elif defined(_M_X64)
    std::uint64_t high, rest;
    const std::uint64_t low = _umul128(a, b, &high);
    _udiv128(high, low, m, &rest);
    return rest;
#else
    std::uint64_t product = 0;
    for (; b; b >>= 1) { // m is below 2^63
        if (b & 1) product = (product + a) % m;
        a = 2 * a % m;
    }
    return product;
#endif
}

// What kernels are compiled for: what every processor of the platform has, and two levels of x86-64.
enum class Instructions { BASE, V3, V4 };
constexpr const char *INSTRUCTION_NAMES[] = {"base", "x86-64-v3", "x86-64-v4"};

#ifdef WEFT_DISPATCHES

inline void check_limit() {
    const char *limit = std::getenv("WEFT_INSTRUCTIONS");
    if (!limit || !*limit) return;
    for (const char *name : INSTRUCTION_NAMES)
        if (!std::strcmp(limit, name)) return;
    throw std::invalid_argument(std::string("WEFT_INSTRUCTIONS is base, x86-64-v3 or x86-64-v4, not '") + limit +
                                "'; without it the best that the processor has are taken");
}

// What the processor has and the system keeps when it switches between programs. WEFT_INSTRUCTIONS=base or
// x86-64-v3 allows less, so that all versions can be tried on one machine; check_limit refuses other names.
inline Instructions find_instructions() {
    unsigned a, b, c, d, low, high;
    constexpr unsigned FMA = 1u << 12, OSXSAVE = 1u << 27, AVX = 1u << 28; // of leaf 1, register c
    constexpr unsigned AVX2 = 1u << 5 | 1u << 3 | 1u << 8;                 // with BMI and BMI2; of leaf 7, b
    constexpr unsigned AVX512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    constexpr unsigned YMM = 0x6, ZMM = 0xe6; // registers that are kept
    if (!__get_cpuid(1, &a, &b, &c, &d) || (~c & (FMA | OSXSAVE | AVX))) return Instructions::BASE;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (~b & AVX2) || (~low & YMM)) return Instructions::BASE;
    const char *limit = std::getenv("WEFT_INSTRUCTIONS");
    if (limit && !std::strcmp(limit, "base")) return Instructions::BASE;
    if (limit && !std::strcmp(limit, "x86-64-v3")) return Instructions::V3;
    return (~b & AVX512) || (~low & ZMM) ? Instructions::V3 : Instructions::V4;
}

inline const Instructions instructions = find_instructions();

template <auto kernel> struct Versions;
template <class Result, class... Given, Result (*kernel)(Given...)> struct Versions<kernel> {
    WEFT_V3 static Result call_v3(Given... given) { return kernel(given...); }
    WEFT_V4 static Result call_v4(Given... given) { return kernel(given...); }
    static Result call(Given... given) {
        switch (instructions) {
        case Instructions::V4: return call_v4(given...);
        case Instructions::V3: return call_v3(given...);
        default: return kernel(given...);
        }
    }
};

#else

constexpr Instructions instructions = Instructions::BASE;
inline void check_limit() {} // there is nothing to choose among

template <auto kernel> struct Versions;
template <class Result, class... Given, Result (*kernel)(Given...)> struct Versions<kernel> {
    WEFT_NOINLINE static Result call(Given... given) { return kernel(given...); }
};

#endif

template <auto kernel> constexpr auto dispatch = &Versions<kernel>::call;

} // namespace weft
