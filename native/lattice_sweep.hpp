// One lattice at a time: in numbers, and in logs where those do not suffice.
#pragma once

#include "lattice.hpp"

#include <limits>

namespace weft {

constexpr std::int64_t NOTHING = std::numeric_limits<std::int64_t>::min() / 4; // the shift of an empty sum

// Working memory for one lattice at a time.
class LatticeSweep {
  public:
    explicit LatticeSweep(const ScoredLattices &lattices) : all_(lattices) {}

    // log Z of a lattice, -inf if it has no derivation.
    double forward(std::int64_t lattice) {
        aim(lattice);
        scaled_ = safe() && scaled_forward();
        if (!scaled_) logs_forward();
        return value_;
    }

    // Adds coefficient * expectations: of words with tags to `uses`, of steps to `exact`, or to
    // `scaled` what is still to be multiplied by the factors of steps.
    double collect(std::int64_t lattice, double coefficient, double *uses, Buffer &exact, double *scaled) {
        forward(lattice);
        if (value_ == NEG_INF) return value_;
        if (scaled_ && scaled_backward()) {
            scaled_collect(coefficient, uses, scaled);
        } else {
            if (scaled_) logs_forward();
            exact.resize(all_.steps.size());
            logs_collect(coefficient, uses, exact.data());
        }
        return value_;
    }

  private:
    void aim(std::int64_t lattice) {
        first_ = all_.state_offsets[lattice];
        states_ = all_.state_offsets[lattice + 1] - first_;
        blocks_.resize(states_ + 1);
        fronts_.resize(states_ + 1);
        blocks_[0] = fronts_[0] = 0;
        for (std::int64_t q = 0; q < states_; ++q) {
            blocks_[q + 1] = blocks_[q] + all_.block(first_ + q);
            fronts_[q + 1] = fronts_[q] + all_.sets.size(all_.groups[first_ + q]) * all_.width;
        }
        inside_.resize(blocks_[states_]);
        front_.resize(fronts_[states_]);
        shift_.resize(states_);
    }

    bool safe() const {
        if (!all_.safe) return false;
        for (std::int64_t a = all_.arc_offsets[first_]; a < all_.arc_offsets[first_ + states_]; ++a)
            if (all_.unsafe[all_.words[a]]) return false;
        return true;
    }

    bool scaled_forward();
    bool scaled_backward();
    void scaled_collect(double coefficient, double *uses, double *scaled);
    void logs_forward();
    void logs_collect(double coefficient, double *uses, double *exact);

    const ScoredLattices &all_;
    std::int64_t first_ = 0, states_ = 0;
    bool scaled_ = false;
    double value_ = 0.0, total_ = 0.0;              // log Z; Z = total_ * 2^total_shift_
    std::int64_t total_shift_ = 0;
    std::vector<std::int64_t> blocks_, fronts_;     // where each state's block and its step begin
    Buffer inside_, outside_, front_, back_;        // A, B; F, G
    std::vector<std::int64_t> shift_, outside_shift_, back_shift_;
};

} // namespace weft
