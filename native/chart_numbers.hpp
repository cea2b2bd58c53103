// The kinds of numbers that charts are filled with: what + and × are.
//
//     Real      doubles; a chart scales them, and gives up where one leaves the range that products need
//     Wide      a double with an exponent of 64 bits, for the sentences that Real gives up
//     Best      logarithms; + is max, × is +
//     Fewest    pairs of logarithms, of which the first decides; + is max, × is +
//     Size      Wide, for counting roughly
//     Residue   integers modulo a prime, for counting exactly
//
// Each has `star`, the sum 1 + x + x² + …, and says whether there is none. Where trees are counted, items
// on cycles are *dropped*: members in whose trees they occur have been found to have infinitely many.
// `Sum` is the kind of Z, which is not scaled.
#pragma once

#include "vector.hpp"

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace weft::chart {

constexpr double LN2 = 0.693147180559945309417232121458;

// 2^exponent for |exponent| <= 1000.
inline double power(std::int64_t exponent) { return std::bit_cast<double>((exponent + 1023) << 52); }

// The exponent of a normal number above 0: it is below 2^exponent, and at least half of that.
inline std::int64_t exponent_of(double value) { return (std::bit_cast<std::int64_t>(value) >> 52) - 1022; }

// mantissa × 2^exponent, the mantissa 0 or between 1/2 and 1.
struct WideNumber {
    double mantissa = 0.0;
    std::int64_t exponent = 0;
};

struct Wide {
    using Number = WideNumber;
    using Sum = Wide;
    static constexpr bool scaled = false, drops = false;
    static Number zero() { return {}; }
    static Number one() { return {0.5, 1}; }
    static bool is_zero(Number a) { return a.mantissa == 0.0; }
    static Number normal(double mantissa, std::int64_t exponent) {
        if (mantissa == 0.0) return {};
        const std::int64_t shift = exponent_of(mantissa);
        return {mantissa * power(-shift), exponent + shift};
    }
    static Number from_log(double log) {
        if (log == NEG_INF) return {};
        const double whole = std::floor(log / LN2);
        return normal(std::exp(std::fma(-whole, LN2, log)), static_cast<std::int64_t>(whole));
    }
    static Number from_double(double value) { return normal(value, 0); }
    static double to_log(Number a) {
        return is_zero(a) ? NEG_INF : std::log(a.mantissa) + LN2 * static_cast<double>(a.exponent);
    }
    // Of a number of moderate size; what is too small is 0.
    static double to_double(Number a) {
        if (is_zero(a) || a.exponent < -1000) return 0.0;
        return a.exponent > 1000 ? -NEG_INF : a.mantissa * power(a.exponent);
    }
    static Number add(Number a, Number b) {
        if (is_zero(a)) return b;
        if (is_zero(b)) return a;
        if (a.exponent < b.exponent) std::swap(a, b);
        const std::int64_t apart = a.exponent - b.exponent;
        if (apart > 60) return a;
        return normal(a.mantissa + b.mantissa * power(-apart), a.exponent);
    }
    static Number mul(Number a, Number b) {
        if (is_zero(a) || is_zero(b)) return {};
        return normal(a.mantissa * b.mantissa, a.exponent + b.exponent);
    }
    static Number inverse(Number a) { return normal(1.0 / a.mantissa, -a.exponent); }
    static bool star(Number &a) {
        const double value = to_double(a);
        if (!(value < 1.0)) return false;
        a = from_double(1.0 / (1.0 - value));
        return true;
    }
    static bool less(Number a, Number b) {
        if (is_zero(a) || is_zero(b)) return is_zero(a) && !is_zero(b);
        return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
    }
};

struct Size : Wide {
    static constexpr bool drops = true;
    static bool star(Number &a) {
        const bool none = is_zero(a);
        a = one();
        return none;
    }
};

// The prime is set for each thread that counts.
struct Residue {
    using Number = std::uint64_t;
    using Sum = Residue;
    static constexpr bool scaled = false, drops = true;
    static inline thread_local std::uint64_t prime = 2;
    static Number zero() { return 0; }
    static Number one() { return 1; }
    static bool is_zero(Number a) { return a == 0; }
    static Number add(Number a, Number b) {
        const Number sum = a + b; // primes are below 2^62
        return sum >= prime ? sum - prime : sum;
    }
    static Number mul(Number a, Number b) { return multiply_modulo(a, b, prime); }
    static bool star(Number &a) {
        const bool none = a == 0;
        a = 1;
        return none;
    }
};

struct Real {
    using Number = double;
    using Sum = Wide;
    static constexpr bool scaled = true, drops = false;
    // Numbers within 2^±400 and weights within 2^±200: no product of two numbers and a weight underflows,
    // and a zero is a true one.
    static constexpr std::int64_t WIDEST = 400;
    static double zero() { return 0.0; }
    static double one() { return 1.0; }
    static bool is_zero(double a) { return a == 0.0; }
    static double from_log(double log) { return std::exp(log); }
    static double from_double(double value) { return value; }
    static double to_log(double a) { return std::log(a); }
    static double to_double(double a) { return a; }
    WEFT_INLINE static double add(double a, double b) { return a + b; }
    WEFT_INLINE static double mul(double a, double b) { return a * b; }
    static bool star(double &a) {
        if (!(a < 1.0)) return false;
        a = 1.0 / (1.0 - a);
        return true;
    }
    static bool less(double a, double b) { return a < b; }
};

struct Best {
    using Number = double;
    using Sum = Best;
    static constexpr bool scaled = false, drops = false;
    static double zero() { return NEG_INF; }
    static double one() { return 0.0; }
    static bool is_zero(double a) { return a == NEG_INF; }
    static double from_log(double log) { return log; }
    static double to_log(double a) { return a; }
    static double to_double(double a) { return a; }
    WEFT_INLINE static double add(double a, double b) { return a > b ? a : b; }
    WEFT_INLINE static double mul(double a, double b) { return a + b; }
    static bool star(double &a) {
        if (a > 0.0) return false;
        a = 0.0;
        return true;
    }
    static bool less(double a, double b) { return a < b; }
};

// How many rules are broken, as a negative number, and the best score with as few: no weight makes up for a rule.
struct Fewest {
    struct Number {
        double broken = NEG_INF, score = 0.0;
        auto operator<=>(const Number &) const = default;
    };
    using Sum = Fewest;
    static constexpr bool scaled = false, drops = false;
    static Number zero() { return {}; }
    static Number one() { return {0.0, 0.0}; }
    static Number from_logs(double broken, double score) { return score == NEG_INF ? zero() : Number{broken, score}; }
    static bool is_zero(Number a) { return a.broken == NEG_INF; }
    static double to_log(Number a) { return is_zero(a) ? NEG_INF : a.score; }
    static Number add(Number a, Number b) { return a > b ? a : b; }
    static Number mul(Number a, Number b) {
        return is_zero(a) || is_zero(b) ? zero() : Number{a.broken + b.broken, a.score + b.score};
    }
    static bool star(Number &a) {
        if (a > one()) return false;
        a = one();
        return true;
    }
    static bool less(Number a, Number b) { return a < b; }
};

// Kinds of which one way to make an item is the best.
template <class K> constexpr bool chooses = std::is_same_v<K, Best> || std::is_same_v<K, Fewest>;

} // namespace weft::chart
