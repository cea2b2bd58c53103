// The parses of a shift-reduce parser, as a forest whose vertices are what the parser knows.
//
// An item (o, X, r; Y) is a node X on top of the stack with Y below it: it begins with the terminal that the opening
// o shifts, and ends at the node r of the lattice of terminals. What it weighs leaves out that first shift, which
// depends on the label below Y; it is charged when the two are joined:
//
//     open      (o, t, r; Y)  ←                                  t the terminal of o, r where o leads to
//     reduce₁   (o, Z, r; Y)  ←  v = (o, X, r; Y)                s(v, reduce₁ Z)
//     close     [o, Z, r; Y]  ←  v = (o, X, r; Y)                s(v, reduce₂ Z)
//     join      (p, Z, r; W)  ←  u = (p, Y, q; W)  [o, Z, r; Y]  s(u, shift t), o from q with the terminal t
//     end       [o, ⋆, r; ⋆]  ←  v = (o, X, r; ⋆)                s(v, shift ⋆), r the last node
//     root                    ←  bottom            [o, ⋆, r; ⋆]  s(bottom, shift t)
//
// So every edge but an opening one is one move, of the item that is its first tail. Items are met from left to right,
// those that begin later first, and so each is complete before it is used. The weight of all that may stand below an
// item, times that of the item, is its prefix weight:
//
//     F(o, Y) = Σ_u prefix(u) exp s(u, shift t),    prefix(o, X, r; Y) = F(o, Y) · inside(o, X, r; Y)
//
// (a graph-structured stack). An item whose prefix weight is too low beside the best so far of the same prefix has no
// moves, and an edge that brings too little is not made.
//
// Labels that reduce₁ leads back to are cyclic, and have one rank. Of each there is an item of level 0, to which other
// moves lead, and a settled one, which has all moves that leave the rank. Between them are all chains of moves within
// the rank, in closed form (stack_stars.hpp):
//
//     settle    (o, Z, r; Y)  ←  (o, X, r; Y) of level 0         log M*[X, Z]
//
// or, where the weights of moves are free and a sum over all of them need not exist, at most as many moves as there are
// levels; a level is how many moves were made within the rank:
//
//     settle    (o, X, r; Y)  ←  (o, X, r; Y) of any level       0
#pragma once

#include "stack_emit.hpp"
#include "stack_items.hpp"
#include "stack_stars.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::stack {

class Builder {
  public:
    Builder(const Table &table, Stars &stars, const Terminals &given, const Limits &limits, const std::vector<Kept> &kept)
        : table_(table), given_(given), limits_(limits), first_(given.nodes + 1), below_(given.openings), kept_(kept),
          stars_(stars) {
        for (std::int32_t node = 0, opening = 0; node <= given.nodes; ++node) {
            while (opening < given.openings && given.sources[opening] < node) ++opening;
            first_[node] = opening;
        }
        into_.resize(given.nodes);
        for (std::int32_t opening = 0; opening < given.openings; ++opening)
            for (auto at = given.target_offsets[opening]; at < given.target_offsets[opening + 1]; ++at)
                into_[given.targets[at]].push_back(opening);
        std::stable_sort(kept_.begin(), kept_.end(), [](const Kept &a, const Kept &b) { return a.node < b.node; });
    }

    Forest build() {
        forest_.prefixes.assign(given_.nodes, NEVER);
        begin_at(0);
        for (std::int32_t node = 0; node + 1 < given_.nodes; ++node) {
            if (node >= given_.starts)
                meet(node);
            else if (node)
                begin_at(node);
            shift_from(node);
            if (stopped()) break;
        }
        if (!stopped() && given_.nodes > 1) meet(given_.nodes - 1);
        const std::vector<std::int32_t> stack = roots_.empty() && limits_.partial ? best_stack() : std::vector<std::int32_t>();
        Emitter({items_, edges_, roots_, order_, limits_.level < 0, stack}, forest_).emit(given_.nodes - 1);
        return std::move(forest_);
    }

  private:
    struct Place {
        std::int32_t opening, label, below, level, node;
    };
    using Waiting = std::pair<std::uint64_t, std::int32_t>;

    bool stopped() const { return forest_.stopped != Stopped::NOT; }

    // Puts the bottom of the stack where a sentence begins.
    void begin_at(std::int32_t node) {
        ended_.assign(1, static_cast<std::int32_t>(items_.size()));
        order_.push_back(ended_.front());
        items_.push_back({-1, 0, 0, 0, node, {0.0, 1.0}, 0.0, 0.0, -1, !kept_.empty()});
        forest_.prefixes[node] = 0.0;
    }

    // Lets all items that end at a node shift what follows.
    void shift_from(std::int32_t node) {
        for (std::int32_t opening = first_[node]; opening < first_[node + 1]; ++opening) {
            slots_.assign(table_.labels, -1);
            for (const std::int32_t id : ended_) {
                const Item &item = items_[id];
                const double score = shift_score(item, given_.labels[opening]);
                if (score == NEVER || given_.scores[opening] == NEVER) continue;
                std::int32_t &slot = slots_[item.label];
                if (slot < 0) {
                    slot = static_cast<std::int32_t>(below_[opening].size());
                    below_[opening].push_back({item.label, {}, {}});
                }
                Below &mine = below_[opening][slot];
                const double whole = score + given_.scores[opening];
                mine.items.push_back({id, whole, item.prefix + whole});
                mine.weight.add(item.prefix + whole);
            }
            for (Below &below : below_[opening])
                std::stable_sort(below.items.begin(), below.items.end(),
                                 [](const Under &a, const Under &b) { return a.prefix > b.prefix; });
        }
    }

    std::pair<std::int64_t, std::int64_t> context(const Item &item) const {
        return table_.context(item.label, item.below, given_.looks[item.node]);
    }

    double shift_score(const Item &item, std::int32_t label) const {
        const auto [begin, end] = context(item);
        const auto *found = std::lower_bound(table_.moves + begin, table_.moves + end, label);
        return found != table_.moves + end && *found == label ? table_.scores[found - table_.moves] : NEVER;
    }

    // Meets all items that end at a node.
    void meet(std::int32_t node) {
        index_.clear();
        ended_.clear();
        best_ = NEVER;
        mark_kept(node);
        cells_.assign(given_.openings, {});
        LogSum prefix;
        for (const std::int32_t opening : into_[node])
            for (const Below &below : below_[opening]) {
                add({opening, given_.labels[opening], below.label, 0, node}, {-1, -1, -1, -1, 0.0});
                prefix.add(below.weight.value());
            }
        forest_.prefixes[node] = prefix.value();
        for (std::int32_t opening = first_[node] - 1; opening >= 0 && !stopped(); --opening) meet_cell(opening);
        std::erase_if(ended_, [&](std::int32_t id) { return is_low(items_[id].prefix) && !items_[id].kept; });
        if (stopped()) return;
        for (const std::int32_t id : ended_)
            if (top_ < 0 || items_[top_].node < node || items_[top_].prefix < items_[id].prefix) top_ = id;
    }

    std::int32_t item_at(const Place &place) {
        std::int32_t &id = index_[key_of(place.opening, place.label, place.below, place.level)];
        if (id < 0) {
            id = static_cast<std::int32_t>(items_.size());
            items_.push_back({place.opening, place.label, place.below, place.level, place.node, {}, NEVER, NEVER, -1,
                              is_kept(place)});
            if (place.level < 0) {
                closed_.push_back(id);
            } else {
                auto &cell = cells_[place.opening];
                cell.emplace_back(sort_key(place), id);
                std::push_heap(cell.begin(), cell.end(), std::greater<>());
            }
        }
        return id;
    }

    std::uint64_t sort_key(const Place &place) const {
        return ((std::uint64_t(place.below) << LABEL_BITS | std::uint64_t(table_.ranks[place.label])) << LEVEL_BITS |
                std::uint64_t(place.level))
                   << LABEL_BITS |
               std::uint64_t(place.label);
    }

    void add(const Place &head, const Edge &edge) {
        const std::int32_t id = item_at(head);
        link(id, edge);
    }

    void link(std::int32_t id, const Edge &edge) {
        Item &item = items_[id];
        double score = edge.score;
        if (edge.first >= 0) score += items_[edge.first].total;
        if (edge.second >= 0) score += items_[edge.second].total;
        item.inside.add(score);
        edges_.push_back(edge);
        edges_.back().before = item.last_edge;
        item.last_edge = static_cast<std::int32_t>(edges_.size()) - 1;
        check_size();
    }

    // Ends the search where it takes too much: by numbers that no thread and no clock has a part in.
    void check_size() {
        const auto edges = static_cast<std::int64_t>(edges_.size()), items = static_cast<std::int64_t>(items_.size());
        if (edges > limits_.edges) forest_.stopped = Stopped::EDGES;
        if (edges * std::int64_t{sizeof(Edge)} + items * std::int64_t{sizeof(Item)} > limits_.bytes)
            forest_.stopped = Stopped::BYTES;
    }

    void check_time() {
        if (limits_.seconds <= 0.0) return;
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun_;
        if (taken.count() > limits_.seconds) forest_.stopped = Stopped::SECONDS;
    }

    // Meets all items that an opening begins, a group for each label below.
    void meet_cell(std::int32_t opening) {
        auto &cell = cells_[opening];
        while (!cell.empty() && !stopped()) {
            const std::int32_t below = items_[cell.front().second].below;
            const Below *stack = nullptr;
            for (const Below &each : below_[opening])
                if (each.label == below) stack = &each;
            const double weight = stack->weight.value();
            closed_.clear();
            while (!cell.empty() && items_[cell.front().second].below == below && !stopped()) {
                check_time();
                const std::int32_t id = cell.front().second;
                std::pop_heap(cell.begin(), cell.end(), std::greater<>());
                cell.pop_back();
                items_[id].total = items_[id].inside.value();
                items_[id].prefix = weight + items_[id].total;
                if (is_low(items_[id].prefix) && !items_[id].kept) {
                    // Chains may lead on from it all the same.
                    if (limits_.level < 0 && items_[id].level == SETTLED) order_.push_back(id);
                    continue;
                }
                best_ = std::max(best_, items_[id].prefix);
                move_on(id);
            }
            for (std::size_t place = 0; place < closed_.size() && !stopped(); ++place)
                join(closed_[place], *stack, weight);
        }
        std::vector<Waiting>().swap(cell);
    }

    void move_on(std::int32_t id) {
        order_.push_back(id);
        ++forest_.met;
        const Item item = items_[id];
        const bool turning = table_.cyclic[item.label] && item.level != SETTLED;
        if (!turning) ended_.push_back(id);
        if (turning && limits_.level < 0) return settle(id, item);
        const auto [begin, end] = context(item);
        for (std::int64_t place = begin; place < end; ++place) {
            const std::int32_t kind = table_.moves[place] / table_.labels, label = table_.moves[place] % table_.labels;
            Place head{item.opening, label, item.below, -1, item.node};
            const bool round = kind == 1 && table_.ranks[label] == table_.ranks[item.label];
            if (round != turning) continue;
            if (kind == 1) {
                head.level = turning ? item.level + 1 : 0;
                if (turning && head.level > limits_.level) continue;
            } else if (kind == 0 ? label || item.node + 1 < given_.nodes || item.below : !item.below) {
                continue; // what is shifted is charged later; two labels are needed to reduce them
            }
            if (is_low(item.prefix + table_.scores[place]) && !(item.kept && is_kept(head))) continue;
            add(head, {-1, id, -1, table_.moves[place], table_.scores[place]});
        }
        if (turning) add({item.opening, item.label, item.below, SETTLED, item.node}, {-1, id, -1, -1, 0.0});
    }

    // Gives an item of a cyclic label all chains of moves within its rank.
    void settle(std::int32_t id, const Item &item) {
        const std::vector<std::int32_t> &labels = stars_.labels(table_.ranks[item.label]);
        const Star &star = star_at(item);
        if (stopped()) return;
        const auto from = std::lower_bound(labels.begin(), labels.end(), item.label) - labels.begin();
        for (std::size_t to = 0; to < labels.size() && !stopped(); ++to) {
            const double score = star.logs[from * labels.size() + to];
            const Place head{item.opening, labels[to], item.below, SETTLED, item.node};
            if (score == NEVER || (is_low(item.prefix + score) && !(item.kept && is_kept(head)))) continue;
            add(head, {-1, id, -1, -1, score});
        }
    }

    const Star &star_at(const Item &item) {
        const std::int32_t rank = table_.ranks[item.label];
        std::shared_ptr<const Star> &star = met_stars_[key_of(item.node, rank, item.below, 0)];
        if (!star) star = stars_.at(rank, item.below, given_.looks[item.node], [&](auto label) { return is_next(item, label); });
        if (star->endless >= 0) {
            forest_.stopped = Stopped::ENDLESS;
            forest_.endless = stars_.labels(rank)[star->endless];
        }
        return *star;
    }

    // Whether an item may shift a label, as far as the sentence goes.
    bool is_next(const Item &item, std::int32_t label) const {
        if (!label) return item.node + 1 == given_.nodes && !item.below;
        for (std::int32_t opening = first_[item.node]; opening < first_[item.node + 1]; ++opening)
            if (given_.labels[opening] == label) return true;
        return false;
    }

    void join(std::int32_t id, const Below &stack, double weight) {
        items_[id].total = items_[id].inside.value();
        if (is_low(weight + items_[id].total) && !items_[id].kept) return;
        order_.push_back(id);
        const Item closed = items_[id];
        const std::int32_t move = given_.labels[closed.opening];
        if (!closed.label) {
            roots_.push_back({-1, stack.items.front().item, id, move, stack.items.front().score});
            return;
        }
        for (const Under &under : stack.items) { // the heaviest first
            const Item &item = items_[under.item];
            const Place head{item.opening, closed.label, item.below, 0, closed.node};
            if (is_low(under.prefix + closed.total) && !(closed.kept && item.kept && is_kept(head))) {
                if (closed.kept) continue;
                break;
            }
            add(head, {-1, under.item, id, move, under.score});
        }
    }

    void mark_kept(std::int32_t node) {
        mine_.clear();
        const auto low = std::lower_bound(kept_.begin(), kept_.end(), node, [](const Kept &a, int b) { return a.node < b; });
        for (auto at = low; at != kept_.end() && at->node == node; ++at)
            mine_.push_back(key_of(at->opening, at->label, at->below, at->level));
        std::sort(mine_.begin(), mine_.end());
    }

    bool is_kept(const Place &place) const {
        if (mine_.empty()) return false;
        return std::binary_search(mine_.begin(), mine_.end(), key_of(place.opening, place.label, place.below, place.level));
    }

    // Whether what has this prefix weight is too little.
    bool is_low(double prefix) const { return prefix < best_ + limits_.beam; }

    // The best item of the last prefix that has any, with the best that may stand below it, from the bottom upwards.
    std::vector<std::int32_t> best_stack() const {
        std::vector<std::int32_t> stack;
        for (std::int32_t id = top_; id >= 0 && items_[id].opening >= 0;) {
            stack.push_back(id);
            const Item &item = items_[id];
            for (const Below &below : below_[item.opening])
                if (below.label == item.below) id = below.items.front().item;
        }
        std::reverse(stack.begin(), stack.end());
        return stack;
    }

    Table table_;
    Terminals given_;
    Limits limits_;
    std::vector<std::int32_t> first_;             // [nodes + 1], the first opening of each node
    std::vector<std::vector<std::int32_t>> into_; // [nodes], the openings that lead there
    std::vector<std::vector<Below>> below_;       // [openings]
    std::vector<Kept> kept_;
    std::vector<Item> items_;
    std::vector<Edge> edges_, roots_;
    std::vector<std::int32_t> order_, ended_, closed_, slots_;
    std::vector<std::vector<Waiting>> cells_; // [openings]
    std::vector<std::uint64_t> mine_;
    Stars &stars_;
    std::unordered_map<std::uint64_t, std::shared_ptr<const Star>> met_stars_; // by node, rank and label below
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    Index index_;
    double best_ = NEVER;
    std::int32_t top_ = -1;
    Forest forest_;
};

} // namespace weft::stack
