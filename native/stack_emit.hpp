// Writes what a search has made as a forest: the vertices that the root is made of, in order, with their edges.
#pragma once

#include "stack_items.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::stack {

// Items and edges as the search has made them.
struct Made {
    const std::vector<Item> &items;
    const std::vector<Edge> &edges, &roots;
    const std::vector<std::int32_t> &order; // the items that have moves, each after what it is made of
    bool endless;                           // whether chains of any length are in closed form
    const std::vector<std::int32_t> &stack; // what stands for a parse where there is none, from the bottom upwards
};

class Emitter {
  public:
    Emitter(const Made &made, Forest &forest) : made_(made), forest_(forest), number_(made.items.size(), -1) {}

    void emit(std::int32_t last_node) {
        const std::vector<char> used = find_used();
        std::vector<std::int32_t> mine;
        forest_.tail_offsets.push_back(0);
        for (const std::int32_t id : made_.order) {
            if (!used[id]) continue;
            const Item &item = made_.items[id];
            number_[id] = vertex(item.opening, item.label, item.node, item.below, item.level);
            mine.clear();
            for (std::int32_t edge = item.last_edge; edge >= 0; edge = made_.edges[edge].before) mine.push_back(edge);
            for (auto at = mine.rbegin(); at != mine.rend(); ++at) write(number_[id], made_.edges[*at]);
            if (mine.empty()) write(number_[id], {-1, -1, -1, -1, 0.0}); // bottom
        }
        const std::int32_t root = vertex(-1, 0, last_node, 0, -1);
        for (const Edge &edge : made_.roots) write(root, edge);
        if (made_.stack.empty()) return;
        for (const std::int32_t id : made_.stack) forest_.tails.push_back(number_[id]);
        finish(root, -1, 0.0);
    }

  private:
    std::vector<char> find_used() const {
        std::vector<char> used(made_.items.size(), 0);
        for (const Edge &edge : made_.roots) used[edge.first] = used[edge.second] = 1;
        for (const std::int32_t id : made_.stack) used[id] = 1;
        for (std::size_t place = made_.order.size(); place-- > 0;) {
            const bool last = place + 1 == made_.order.size() || !is_settled(place + 1);
            if (made_.endless && last && is_settled(place)) spread(used, place);
            if (!used[made_.order[place]]) continue;
            for (std::int32_t edge = made_.items[made_.order[place]].last_edge; edge >= 0; edge = made_.edges[edge].before) {
                if (made_.edges[edge].first >= 0) used[made_.edges[edge].first] = 1;
                if (made_.edges[edge].second >= 0) used[made_.edges[edge].second] = 1;
            }
        }
        return used;
    }

    // Where chains are in closed form, they lead between all settled items of a rank over a span: these come one after
    // the other, after what they are made of, and are all there where one is.
    void spread(std::vector<char> &used, std::size_t last) const {
        std::size_t first = last;
        while (first > 0 && is_settled(first - 1)) --first;
        const auto some = [&](std::int32_t id) { return used[id] != 0; };
        if (!std::any_of(made_.order.begin() + first, made_.order.begin() + last + 1, some)) return;
        for (std::size_t place = first; place <= last; ++place) used[made_.order[place]] = 1;
    }

    bool is_settled(std::size_t place) const { return made_.items[made_.order[place]].level == SETTLED; }

    std::int32_t vertex(std::int32_t opening, std::int32_t label, std::int32_t node, std::int32_t below, std::int32_t level) {
        forest_.openings.push_back(opening);
        forest_.labels.push_back(label);
        forest_.nodes.push_back(node);
        forest_.unders.push_back(below);
        forest_.levels.push_back(level);
        return static_cast<std::int32_t>(forest_.openings.size()) - 1;
    }

    void write(std::int32_t head, const Edge &edge) {
        if (edge.first >= 0) forest_.tails.push_back(number_[edge.first]);
        if (edge.second >= 0) forest_.tails.push_back(number_[edge.second]);
        finish(head, edge.move, edge.score);
    }

    // Writes the rest of an edge, whose tails are there.
    void finish(std::int32_t head, std::int32_t move, double score) {
        forest_.heads.push_back(head);
        forest_.tail_offsets.push_back(static_cast<std::int64_t>(forest_.tails.size()));
        forest_.moves.push_back(move);
        forest_.scores.push_back(score);
    }

    const Made made_;
    Forest &forest_;
    std::vector<std::int32_t> number_; // [items], the vertex of each
};

} // namespace weft::stack
