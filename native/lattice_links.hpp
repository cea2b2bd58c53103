// Sums over lattices that are written out link by link.
//
// Where words have few tags a lattice is small even when it is written out: a *cell* for each element
// of the A and F of lattice.hpp, and a *link* for each of their products. Cell 0 is where all begins
// and cell 1 where all ends. Links come in an order in which a cell is complete before it is used:
//
//     X[to] += X[from] W[weight],    Y[from] += W[weight] Y[to],    taken[weight] += X[from] Y[to].
//
// That is all: no sizes of sets to branch on, which small sets would make unpredictable. Many links
// have the same weight: W holds those alone that occur, the most frequent first. Each weight is a
// score times 2^(-rate jump): jumps are how many words further the longest way to a cell becomes, so
// that they add up to the depth of the lattice on every path, and numbers neither grow nor shrink.
//
// Nothing is scaled on the way. If every X is 0 or between LEAST and MOST and every weight 0 or
// between 1e-70 and 1e70, no product was too small or too large, and zeros are true ones. Backwards
// nothing need be checked if the coefficient is within the range too: X Y is at most the coefficient,
// so that Y is at most 1e100 times it, and what underflows, X Y < 1e-208, is less than 1e-100 of it. A
// lattice that fails the check is left to others.
#pragma once

#include "lattice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weft {

constexpr double LEAST = 1e-100, MOST = 1e100;
constexpr double WIDEST_SCORE = 161.0; // exp of it is about 1e70

// weight in the lower 32 bits, then from, then to.
struct Link {
    std::uint64_t bits;

    Link(std::uint64_t packed) : bits(packed) {}
    Link(std::uint32_t weight, std::uint32_t from, std::uint32_t to)
        : bits(weight | static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to) << 48) {}
    WEFT_INLINE std::uint32_t weight() const { return static_cast<std::uint32_t>(bits); }
    WEFT_INLINE std::uint32_t from() const { return static_cast<std::uint16_t>(bits >> 32); }
    WEFT_INLINE std::uint32_t to() const { return static_cast<std::uint32_t>(bits >> 48); }
};

struct Links {
    std::vector<std::int64_t> offsets{0};      // [lattices + 1]; none where a lattice is not written out
    std::vector<std::uint64_t> links;
    std::vector<std::int32_t> cells, depths;   // [lattices]
    std::vector<std::int64_t> places;          // [weights]: in the transitions, or beyond them in the emission scores
    std::vector<std::int32_t> jumps;           // [weights]

    bool has(std::int64_t lattice) const { return offsets[lattice] < offsets[lattice + 1]; }
    const std::uint64_t *begin(std::int64_t lattice) const { return links.data() + offsets[lattice]; }
    const std::uint64_t *end(std::int64_t lattice) const { return links.data() + offsets[lattice + 1]; }
};

// The scores of all weights, in logs.
inline std::vector<double> scores_of(const ScoredLattices &all, const Links &links) {
    const std::int64_t steps = all.step_count();
    std::vector<double> scores(links.places.size());
    for (std::size_t w = 0; w < scores.size(); ++w) {
        const std::int64_t place = links.places[w];
        scores[w] = place < steps ? all.transitions[place] : all.emission[place - steps];
    }
    return scores;
}

// How many bits a word adds to log Z, judged by the deepest lattice, where it matters most.
inline std::int64_t rate_of(const Links &all, const std::vector<double> &scores) {
    std::int64_t deepest = -1;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(all.cells.size()); ++i)
        if (all.has(i) && (deepest < 0 || all.depths[i] > all.depths[deepest])) deepest = i;
    if (deepest < 0 || all.depths[deepest] == 0) return 0;
    std::vector<double> inside(all.cells[deepest], NEG_INF);
    inside[0] = 0.0;
    for (const std::uint64_t *at = all.begin(deepest); at != all.end(deepest); ++at) {
        const Link link = *at;
        inside[link.to()] = log_add(inside[link.to()], inside[link.from()] + scores[link.weight()]);
    }
    const double rate = inside[1] / (LN2 * all.depths[deepest]);
    return std::abs(rate) < 1000.0 ? static_cast<std::int64_t>(std::lround(rate)) : 0;
}

// exp(score) 2^(-rate jump); NaN where that is too large or too small, which no check lets pass.
// `to` has room for whole vectors, and is 0.
WEFT_KERNEL void exp_weights(const Links &all, const std::vector<double> &scores, std::int64_t rate, Buffer &to) {
    constexpr double NOT = std::numeric_limits<double>::quiet_NaN();
    const auto count = static_cast<std::int64_t>(scores.size());
    for (std::int64_t w = 0; w < count; ++w) to[w] = scores[w] < WIDEST_SCORE ? scores[w] : NOT;
    for (std::int64_t w = 0; w < count; w += LANES) store(to.data() + w, exp(load(to.data() + w)));
    for (std::int64_t w = 0; w < count; ++w) {
        const double score = scores[w];
        const std::int64_t shift = -rate * all.jumps[w];
        if (score == NEG_INF) {
            to[w] = 0.0;
        } else if (std::abs(score) < WIDEST_SCORE && std::abs(score + static_cast<double>(shift) * LN2) < WIDEST_SCORE) {
            to[w] *= power(shift);
        } else {
            to[w] = NOT;
        }
    }
}

struct LinkWeights { // W
    Buffer numbers;
    std::int64_t rate;

    LinkWeights(const ScoredLattices &all, const Links &links) {
        const std::vector<double> scores = scores_of(all, links);
        rate = rate_of(links, scores);
        numbers.assign((scores.size() + LANES - 1) / LANES * LANES, 0.0);
        dispatch<exp_weights>(links, scores, rate, numbers);
    }
};

// Whether all values, none of them negative, are 0 or within the range. As bits such numbers are in the
// same order as they are as numbers, and NaN is above them.
WEFT_KERNEL bool within_range(const double *values, std::int64_t count) {
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    const std::uint64_t least = bits(LEAST), span = bits(MOST) - least;
    std::uint64_t outside = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t value = bits(values[i]);
        outside |= static_cast<std::uint64_t>(value - least > span) & static_cast<std::uint64_t>(value != 0);
    }
    return outside == 0;
}

WEFT_KERNEL void run_forward(const std::uint64_t *at, const std::uint64_t *end, const double *weights, double *inside) {
    for (; at != end; ++at) {
        const Link link = *at;
        inside[link.to()] += inside[link.from()] * weights[link.weight()];
    }
}

WEFT_KERNEL void run_backward(const std::uint64_t *first, const std::uint64_t *at, const double *weights,
                              const double *inside, double *outside, double *taken) {
    while (at != first) {
        const Link link = *--at;
        const double after = outside[link.to()];
        outside[link.from()] += weights[link.weight()] * after;
        taken[link.weight()] += inside[link.from()] * after;
    }
}

// Working memory for one lattice at a time.
class LinkSweep {
  public:
    LinkSweep(const Links &links, const LinkWeights &weights)
        : all_(links), weights_(weights.numbers.data()), rate_(weights.rate) {}

    // Whether log Z could be found; `value` is then -inf if there is no derivation.
    bool forward(std::int64_t lattice, double &value) {
        const std::int64_t cells = (all_.cells[lattice] + LANES - 1) / LANES * LANES;
        inside_.assign(cells, 0.0);
        inside_[0] = 1.0;
        dispatch<run_forward>(all_.begin(lattice), all_.end(lattice), weights_, inside_.data());
        if (!dispatch<within_range>(inside_.data(), cells)) return false;
        value = inside_[1] == 0.0 ? NEG_INF
                                  : std::log(inside_[1]) + static_cast<double>(rate_ * all_.depths[lattice]) * LN2;
        return true;
    }

    static bool takes(double coefficient) {
        return coefficient == 0.0 || (std::abs(coefficient) >= LEAST && std::abs(coefficient) <= MOST);
    }

    // After forward(), with a coefficient that it takes: adds to `taken` the expected uses of each weight times the
    // coefficient, still to be multiplied by the weights.
    void backward(std::int64_t lattice, double coefficient, double *taken) {
        if (inside_[1] == 0.0) return;
        outside_.assign(inside_.size(), 0.0);
        outside_[1] = coefficient / inside_[1];
        dispatch<run_backward>(all_.begin(lattice), all_.end(lattice), weights_, inside_.data(), outside_.data(), taken);
    }

  private:
    const Links &all_;
    const double *weights_;
    std::int64_t rate_;
    Buffer inside_, outside_; // X, Y
};

} // namespace weft
