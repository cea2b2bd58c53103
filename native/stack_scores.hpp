// Scores of log-linear moves at the items of a forest, without a list of the features of each.
//
// A template looks at some attributes of an item; what it sees has a block of features, one per move that was seen
// with it, in the order of moves. So the score of a move is a sum over templates of what its block has for the move.
// Items with the same two labels on top that end at the same node have the same possible moves, and all templates
// that do not look at where an item begins see the same: what these add is made once for all such items of a node,
// and kept until the next node is reached.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace weft::stack {

// What templates look at; the numbers are those of weft.models.stack.templates.ATTRIBUTES.
enum Attribute : std::int32_t { TOP, BELOW, FIRST, LAST, BEFORE, NEXT, AFTER, ATTRIBUTES };

inline bool looks_at_start(std::int32_t attribute) { return attribute == FIRST || attribute == BEFORE; }

// From what a template saw to its block, by open addressing.
class Blocks {
  public:
    void add(std::int64_t seen, std::int32_t block) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        slots_[place_of(seen)] = {seen, block};
        ++used_;
    }
    std::int32_t find(std::int64_t seen) const { return slots_.empty() ? -1 : slots_[place_of(seen)].block; }

  private:
    struct Slot {
        std::int64_t seen = -1;
        std::int32_t block = -1;
    };
    std::size_t place_of(std::int64_t seen) const {
        std::size_t place = (static_cast<std::uint64_t>(seen) * 0x9E3779B97F4A7C15ull >> 20) & (slots_.size() - 1);
        while (slots_[place].seen != -1 && slots_[place].seen != seen) place = (place + 1) & (slots_.size() - 1);
        return place;
    }
    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(16, 2 * slots_.size()));
        old.swap(slots_);
        for (const Slot &slot : old)
            if (slot.seen != -1) slots_[place_of(slot.seen)] = slot;
    }
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

struct Template {
    std::vector<std::int32_t> attributes;
    bool fixed; // whether it does not look at where an item begins
    Blocks blocks;
};

// All features; those of a block are consecutive coordinates of θ.
struct Features {
    std::vector<Template> templates;
    std::vector<std::int64_t> radices; // [ATTRIBUTES]
    std::vector<std::int64_t> starts;  // [blocks + 1]
    std::vector<std::int32_t> moves;   // [θ]
};

// Which moves are possible, as the search has them; see stack.hpp.
struct Possible {
    std::int32_t labels, looks;
    std::vector<std::int32_t> rows, moves;
    std::vector<std::int64_t> offsets;
};

// The items of a sentence, and what is known of it.
struct Items {
    std::int64_t count;
    const std::int32_t *items;      // [count, 5], as a forest has them
    const std::int32_t *spans;      // [count, 2]
    std::int64_t nodes, openings, terminals;
    const std::int32_t *looks;      // [nodes]
    const std::int32_t *sources, *labels; // [openings]
    const std::int64_t *ids;        // [terminals], one before the sentence and two after it
    const std::int64_t *offsets;    // [count + 1], which moves of each item are asked for
    const std::int32_t *moves;

    std::int32_t top(std::int64_t item) const { return items[5 * item + 1]; }
    std::int32_t node(std::int64_t item) const { return items[5 * item + 2]; }
    std::int32_t below(std::int64_t item) const { return items[5 * item + 3]; }
};

class Scorer {
  public:
    Scorer(const Features &features, const Possible &possible, const Items &given, const double *theta, bool normalised)
        : features_(features), possible_(possible), given_(given), theta_(theta), normalised_(normalised) {
        first_.resize(given.nodes + 1);
        for (std::int64_t node = 0, opening = 0; node <= given.nodes; ++node) {
            while (opening < given.openings && given.sources[opening] < node) ++opening;
            first_[node] = opening;
        }
    }

    // Writes the scores of the moves that are asked for of some items.
    void score(std::int64_t first, std::int64_t last, double *out) {
        for (std::int64_t item = first; item < last; ++item) {
            if (given_.offsets[item] == given_.offsets[item + 1]) continue;
            const Shared &shared = shared_of(item);
            score_all(item, shared);
            each_asked(item, shared, [&](std::int64_t asked, std::size_t place) { out[asked] = scores_[place]; });
        }
    }

    // Adds to the gradient in θ, given the amounts of the moves that are asked for.
    void add_gradient(const double *amounts, double *gradient) {
        for (std::int64_t item = 0; item < given_.count; ++item) {
            if (given_.offsets[item] == given_.offsets[item + 1]) continue;
            Shared &shared = shared_of(item, gradient);
            const std::size_t count = shared.moves.size();
            double total = 0.0;
            own_.assign(count, 0.0);
            each_asked(item, shared, [&](std::int64_t asked, std::size_t place) {
                own_[place] += amounts[asked];
                total += amounts[asked];
            });
            if (normalised_ && total != 0.0) {
                score_all(item, shared);
                for (std::size_t place = 0; place < count; ++place) own_[place] -= std::exp(scores_[place]) * total;
            }
            for (std::size_t place = 0; place < count; ++place) shared.amounts[place] += own_[place];
            for (const Template &each : features_.templates)
                if (!each.fixed)
                    merge(shared.moves, block_of(each, item),
                          [&](std::size_t place, std::int64_t feature) { gradient[feature] += own_[place]; });
        }
        flush(gradient);
    }

  private:
    // What items with the same labels on top and the same end have in common.
    struct Shared {
        std::int64_t item; // one of them
        std::vector<std::int32_t> moves;
        std::vector<double> partial, amounts;
    };

    Shared &shared_of(std::int64_t item, double *gradient = nullptr) {
        if (given_.node(item) != node_) {
            if (gradient) flush(gradient);
            shared_.clear();
            node_ = given_.node(item);
        }
        const std::int64_t key = std::int64_t{given_.top(item)} * possible_.labels + given_.below(item);
        const auto [found, is_new] = shared_.try_emplace(key);
        if (is_new) {
            Shared &shared = found->second;
            shared.item = item;
            list_moves(item, shared.moves);
            shared.partial.assign(shared.moves.size(), 0.0);
            if (gradient) shared.amounts.assign(shared.moves.size(), 0.0);
            for (const Template &each : features_.templates)
                if (each.fixed) add(each, item, shared.moves, shared.partial);
        }
        return found->second;
    }

    void flush(double *gradient) {
        for (const auto &[key, shared] : shared_)
            for (const Template &each : features_.templates)
                if (each.fixed)
                    merge(shared.moves, block_of(each, shared.item), [&](std::size_t place, std::int64_t feature) {
                        gradient[feature] += shared.amounts[place];
                    });
        shared_.clear();
    }

    void score_all(std::int64_t item, const Shared &shared) {
        scores_ = shared.partial;
        for (const Template &each : features_.templates)
            if (!each.fixed) add(each, item, shared.moves, scores_);
        if (!normalised_ || scores_.empty()) return;
        // Where all moves weigh nothing, they have no probabilities.
        const double top = *std::max_element(scores_.begin(), scores_.end()), base = std::isfinite(top) ? top : 0.0;
        double sum = 0.0;
        for (const double score : scores_) sum += std::exp(score - base);
        const double whole = sum > 0.0 ? base + std::log(sum) : 0.0;
        for (double &score : scores_) score -= whole;
    }

    template <class Tell> void each_asked(std::int64_t item, const Shared &shared, Tell &&tell) const {
        auto at = shared.moves.begin();
        for (std::int64_t asked = given_.offsets[item]; asked < given_.offsets[item + 1]; ++asked) {
            at = std::lower_bound(at, shared.moves.end(), given_.moves[asked]);
            if (at == shared.moves.end() || *at != given_.moves[asked]) continue; // never of a forest of this table
            tell(asked, static_cast<std::size_t>(at - shared.moves.begin()));
        }
    }

    // The moves that are possible, ascending.
    void list_moves(std::int64_t item, std::vector<std::int32_t> &moves) const {
        const std::int32_t top = given_.top(item), below = given_.below(item), node = given_.node(item);
        const std::int64_t row = possible_.rows[std::int64_t{top} * possible_.labels + below];
        if (row < 0) return;
        const std::int64_t context = row * possible_.looks + given_.looks[node];
        for (std::int64_t at = possible_.offsets[context]; at < possible_.offsets[context + 1]; ++at) {
            const std::int32_t move = possible_.moves[at], kind = move / possible_.labels, label = move % possible_.labels;
            bool able = true;
            if (kind == 0 && !label)
                able = node + 1 == given_.nodes && !below;
            else if (kind == 0)
                able = std::find(given_.labels + first_[node], given_.labels + first_[node + 1], label) !=
                       given_.labels + first_[node + 1];
            else if (kind == 2)
                able = below != 0;
            if (able) moves.push_back(move);
        }
    }

    std::int32_t block_of(const Template &each, std::int64_t item) const {
        const std::int64_t start = given_.spans[2 * item], end = given_.spans[2 * item + 1], past = given_.terminals - 1;
        std::int64_t seen = 0;
        for (const std::int32_t attribute : each.attributes) {
            std::int64_t value = 0;
            switch (attribute) {
            case TOP: value = given_.top(item); break;
            case BELOW: value = given_.below(item); break;
            case FIRST: value = start == end ? 0 : given_.ids[start + 1]; break;
            case LAST: value = start == end ? 0 : given_.ids[end]; break;
            case BEFORE: value = given_.ids[start]; break;
            case NEXT: value = given_.ids[end + 1]; break;
            case AFTER: value = given_.ids[std::min(end + 2, past)]; break;
            }
            seen = seen * features_.radices[attribute] + value;
        }
        return each.blocks.find(seen);
    }

    void add(const Template &each, std::int64_t item, const std::vector<std::int32_t> &moves, std::vector<double> &scores) const {
        merge(moves, block_of(each, item), [&](std::size_t place, std::int64_t feature) { scores[place] += theta_[feature]; });
    }

    // Tells the features of a block that moves have.
    template <class Tell> void merge(const std::vector<std::int32_t> &moves, std::int32_t block, Tell &&tell) const {
        if (block < 0) return;
        const std::int32_t *all = features_.moves.data(), *at = all + features_.starts[block], *end = all + features_.starts[block + 1];
        const bool many = end - at > 8 * static_cast<std::int64_t>(moves.size());
        for (std::size_t place = 0; place < moves.size() && at != end; ++place) {
            if (many)
                at = std::lower_bound(at, end, moves[place]);
            else
                while (at != end && *at < moves[place]) ++at;
            if (at != end && *at == moves[place]) tell(place, at - all);
        }
    }

    const Features &features_;
    const Possible &possible_;
    Items given_;
    const double *theta_;
    bool normalised_;
    std::vector<std::int64_t> first_; // [nodes + 1], the first opening of each node
    std::int32_t node_ = -1;
    std::unordered_map<std::int64_t, Shared> shared_;
    std::vector<double> scores_, own_;
};

} // namespace weft::stack
