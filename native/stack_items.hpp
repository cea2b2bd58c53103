// What the search of stack.hpp is given, what it makes, and what it keeps on the way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace weft::stack {

inline constexpr double NEVER = -std::numeric_limits<double>::infinity();

// How probable moves are, by the two labels on top and what is looked ahead to. A move is kind · labels + label, with
// the kinds shift, reduce₁ and reduce₂; those of a context ascend. Label 0 is ⋆.
struct Table {
    std::int32_t labels, looks;
    const std::int32_t *rows;    // [labels · labels], by the label on top, then that below; -1 for none
    const std::int64_t *offsets; // [rows · looks + 1]
    const std::int32_t *moves;
    const double *scores;
    const std::int32_t *ranks;  // [labels], a reduce₁ never leads to a lower one
    const std::int32_t *cyclic; // [labels], whether reduce₁ moves lead back to it

    // Where the moves of a context begin and end.
    std::pair<std::int64_t, std::int64_t> context(std::int32_t top, std::int32_t below, std::int32_t look) const {
        const std::int32_t row = rows[std::int64_t{top} * labels + below];
        if (row < 0) return {0, 0};
        const std::int64_t place = std::int64_t{row} * looks + look;
        return {offsets[place], offsets[place + 1]};
    }
};

// Terminals as a lattice: openings from a node, with what they lead to. Nodes are in order, the last one is the end.
struct Terminals {
    std::int32_t nodes, openings;
    const std::int32_t *looks;   // [nodes], what is looked ahead to
    const std::int32_t *sources; // [openings], ascending
    const std::int32_t *labels;  // [openings]
    const double *scores;        // [openings], added to the score of the shift
    const std::int64_t *target_offsets;
    const std::int32_t *targets; // higher than their source
    std::int32_t starts;         // how many nodes, from the first on, sentences begin at: one per terminal to look ahead to
};

struct Limits {
    double beam;         // the log of how much less than the best prefix weight an item may have; -inf for any
    std::int64_t edges;  // at most
    std::int64_t bytes;  // of items and edges, at most
    double seconds;      // at most, where that is more than 0
    std::int32_t level;  // the highest; -1 where chains of any length are summed in closed form
    bool partial;        // where there is no parse, whether the best stack that was reached stands for one
};

// Why a search has ended before all was met; ENDLESS where chains of reduce₁ moves have no finite sum.
enum class Stopped : std::int32_t { NOT, EDGES, BYTES, SECONDS, ENDLESS };

// An item that no beam takes out.
struct Kept {
    std::int32_t opening, label, node, below, level;
};

struct Forest {
    // Of each vertex; a closed one has the label that it will be, and -1 for its level. Bottom and root begin nowhere.
    std::vector<std::int32_t> openings, labels, nodes, unders, levels;
    std::vector<std::int32_t> heads, tails, moves;
    std::vector<std::int64_t> tail_offsets;
    std::vector<double> scores, prefixes;
    std::int64_t met = 0;
    Stopped stopped = Stopped::NOT;
    std::int32_t endless = -1; // a label that chains lead back to with no finite sum
};

// Σ exp of numbers that come one by one.
struct LogSum {
    double top = NEVER, rest = 0.0;

    void add(double number) {
        if (number == NEVER) return;
        if (number <= top) {
            rest += std::exp(number - top);
        } else {
            rest = rest * std::exp(top - number) + 1.0;
            top = number;
        }
    }
    double value() const { return top == NEVER ? NEVER : top + std::log(rest); }
};

// What a search keeps of an item, and of an edge.
struct Item {
    std::int32_t opening, label, below, level, node;
    LogSum inside{};
    double total, prefix; // the log of inside, once all of it is there
    std::int32_t last_edge;
    bool kept; // whatever it weighs
};
struct Edge {
    std::int32_t before, first, second, move; // -1 for no tail
    double score;
};

// An item that shifts, what that scores, and the prefix weight that it then has.
struct Under {
    std::int32_t item;
    double score, prefix;
};
// Those that may stand below what an opening begins: by their label.
struct Below {
    std::int32_t label;
    LogSum weight;
    std::vector<Under> items;
};

// From keys to numbers, by open addressing; keys are never all ones.
class Index {
  public:
    Index() { clear(); }

    void clear() {
        slots_.assign(1024, {EMPTY, 0});
        used_ = 0;
    }

    std::int32_t &operator[](std::uint64_t key) { // a new one has -1
        if (2 * used_ >= slots_.size()) grow();
        Slot &slot = find(key);
        if (slot.key == EMPTY) {
            slot = {key, -1};
            ++used_;
        }
        return slot.number;
    }

  private:
    struct Slot {
        std::uint64_t key;
        std::int32_t number;
    };
    static constexpr std::uint64_t EMPTY = ~std::uint64_t{0};

    Slot &find(std::uint64_t key) {
        std::size_t place = (key * 0x9E3779B97F4A7C15ull >> 20) & (slots_.size() - 1);
        while (slots_[place].key != EMPTY && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
        return slots_[place];
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size(), {EMPTY, 0});
        old.swap(slots_);
        for (const Slot &slot : old)
            if (slot.key != EMPTY) find(slot.key) = slot;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

inline constexpr int LABEL_BITS = 14, OPENING_BITS = 24, LEVEL_BITS = 6;
inline constexpr std::int32_t SETTLED = (1 << LEVEL_BITS) - 2; // a level higher than all others

inline std::uint64_t key_of(std::int64_t opening, std::int64_t label, std::int64_t below, std::int64_t level) {
    // A closed vertex has level -1.
    return ((std::uint64_t(opening) << LABEL_BITS | std::uint64_t(below)) << LABEL_BITS | std::uint64_t(label))
               << LEVEL_BITS |
           std::uint64_t(level + 1);
}

} // namespace weft::stack
