// Takes out of a forest the parses whose binary trees no binarisation makes.
//
// What a node of the treebank or a made node is, and which nodes may be over which, is decided elsewhere, node by node:
// here are vertices, told apart by the states of their nodes. A closed vertex has the node that will be a right child.
// A vertex becomes as many as it has states, in the order of its edges; what no parse uses any more goes.
#pragma once

#include "stack_items.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace weft::stack {

struct Node {
    std::int32_t label, state;
    bool operator==(const Node &other) const { return label == other.label && state == other.state; }
};

// What is known of labels.
struct Labels {
    std::vector<std::int32_t> sides; // 0 for labels of the treebank, 1 for made ones of a head on the right, 2 on the left
    std::vector<std::int32_t> alike; // [labels], which one stands for all that head rules do not tell apart
    std::int32_t any;                // which one stands for all of the treebank
};

// A forest as arrays, whose vertices are items (five numbers each).
struct Given {
    std::int64_t vertices, edges;
    const std::int32_t *heads;
    const std::int64_t *offsets;
    const std::int32_t *tails, *items;

    std::int32_t label(std::int64_t vertex) const { return items[5 * vertex + 1]; }
    std::int32_t below(std::int64_t vertex) const { return items[5 * vertex + 3]; }
    std::int32_t level(std::int64_t vertex) const { return items[5 * vertex + 4]; }
};

struct KeptParses {
    std::vector<std::int64_t> origins, states, edges, offsets;
    std::vector<std::int32_t> heads, tails;
};

inline constexpr std::int32_t PLAIN_NODE = 0, NO_NODE = -1;

// `over` gives the state of a node over two, or NO_NODE.
template <class Over> class Filter {
  public:
    Filter(const Labels &labels, const Given &given, Over &over) : labels_(labels), given_(given), over_(over) {}

    KeptParses run() {
        first_.push_back(0);
        std::int64_t edge = 0;
        for (std::int64_t vertex = 0; vertex < given_.vertices; ++vertex) {
            ways_.clear();
            for (; edge < given_.edges && given_.heads[edge] == vertex; ++edge) list_ways(vertex, edge);
            if (vertex + 1 == given_.vertices && ways_.empty()) add_variant({0, PLAIN_NODE}, vertex);
            write(vertex);
        }
        return used_part();
    }

  private:
    struct Way {
        Node node;
        std::int64_t edge;
        std::int32_t first, second; // -1 for no tail
    };

    bool made(std::int32_t label) const { return labels_.sides[label] != 0; }

    void list_ways(std::int64_t vertex, std::int64_t edge) {
        const std::int32_t *tails = given_.tails + given_.offsets[edge], label = given_.label(vertex);
        const std::int64_t count = given_.offsets[edge + 1] - given_.offsets[edge];
        if (count == 0) {
            ways_.push_back({{label, PLAIN_NODE}, edge, -1, -1});
        } else if (count == 1) {
            for (auto id = first_[tails[0]]; id < first_[tails[0] + 1]; ++id) {
                Node node;
                if (above(vertex, label, nodes_[id], node)) ways_.push_back({node, edge, static_cast<std::int32_t>(id), -1});
            }
        } else {
            const bool root = vertex + 1 == given_.vertices;
            for (auto left = first_[tails[0]]; left < first_[tails[0] + 1]; ++left)
                for (auto right = first_[tails[1]]; right < first_[tails[1] + 1]; ++right) {
                    const std::int32_t state = root ? PLAIN_NODE : state_over(label, nodes_[left], nodes_[right]);
                    if (state != NO_NODE)
                        ways_.push_back({{label, state}, edge, static_cast<std::int32_t>(left), static_cast<std::int32_t>(right)});
                }
        }
    }

    // What a vertex over one other stands for, if for anything.
    bool above(std::int64_t vertex, std::int32_t label, const Node &below, Node &node) const {
        const std::int32_t level = given_.level(vertex);
        if (level < 0) {
            if (!label) { // the end of the sentence
                node = {0, PLAIN_NODE};
                return !made(below.label);
            }
            node = below;
            if (!made(below.label) && labels_.sides[label] != 1)
                node.label = made(label) || made(given_.below(vertex)) ? labels_.alike[below.label] : labels_.any;
            return true;
        }
        node = {label, PLAIN_NODE};
        if (!made(label) && !made(below.label)) return true;
        node = below;
        return level == SETTLED && label == below.label; // where rounds are bounded
    }

    std::int32_t state_over(std::int32_t label, const Node &left, const Node &right) {
        if (!made(label) && !made(left.label) && !made(right.label)) return PLAIN_NODE;
        return over_(label, left, right);
    }

    void add_variant(const Node &node, std::int64_t vertex) {
        nodes_.push_back(node);
        origins_.push_back(vertex);
    }

    void write(std::int64_t vertex) {
        const std::int64_t begin = first_.back();
        numbers_.clear();
        for (const Way &way : ways_) {
            const auto [found, is_new] = numbers_.try_emplace(
                std::int64_t{way.node.label} << 32 | static_cast<std::uint32_t>(way.node.state), nodes_.size());
            if (is_new) add_variant(way.node, vertex);
            order_.push_back(found->second);
        }
        const std::int64_t end = static_cast<std::int64_t>(nodes_.size());
        std::vector<std::int64_t> at(end - begin + 1, 0);
        for (const std::int64_t id : order_) ++at[id - begin + 1];
        for (std::size_t place = 1; place < at.size(); ++place) at[place] += at[place - 1];
        for (std::int64_t id = begin; id < end; ++id) edge_starts_.push_back(static_cast<std::int64_t>(made_.size()) + at[id - begin]);
        const std::size_t base = made_.size();
        made_.resize(base + ways_.size());
        for (std::size_t place = 0; place < ways_.size(); ++place) made_[base + at[order_[place] - begin]++] = ways_[place];
        order_.clear();
        first_.push_back(end);
    }

    // What the root is made of. Of settled items over a span all are there where one is, as chains lead between them.
    KeptParses used_part() {
        const std::int64_t count = static_cast<std::int64_t>(nodes_.size());
        edge_starts_.push_back(static_cast<std::int64_t>(made_.size()));
        std::vector<char> used(count, 0);
        used[count - 1] = 1;
        const auto settled = [&](std::int64_t id) { return given_.level(origins_[id]) == SETTLED; };
        for (std::int64_t id = count; id-- > 0;) {
            if (settled(id) && (id + 1 == count || !settled(id + 1))) {
                std::int64_t start = id;
                while (start > 0 && settled(start - 1)) --start;
                if (std::any_of(used.begin() + start, used.begin() + id + 1, [](char each) { return each != 0; }))
                    std::fill(used.begin() + start, used.begin() + id + 1, 1);
            }
            if (!used[id]) continue;
            for (std::int64_t edge = edge_starts_[id]; edge < edge_starts_[id + 1]; ++edge) {
                if (made_[edge].first >= 0) used[made_[edge].first] = 1;
                if (made_[edge].second >= 0) used[made_[edge].second] = 1;
            }
        }
        KeptParses kept;
        kept.offsets.push_back(0);
        std::vector<std::int32_t> numbers(count, -1);
        for (std::int64_t id = 0; id < count; ++id) {
            if (!used[id]) continue;
            numbers[id] = static_cast<std::int32_t>(kept.origins.size());
            kept.origins.push_back(origins_[id]);
            kept.states.push_back(nodes_[id].state);
            for (std::int64_t edge = edge_starts_[id]; edge < edge_starts_[id + 1]; ++edge) {
                const Way &way = made_[edge];
                kept.heads.push_back(numbers[id]);
                kept.edges.push_back(way.edge);
                if (way.first >= 0) kept.tails.push_back(numbers[way.first]);
                if (way.second >= 0) kept.tails.push_back(numbers[way.second]);
                kept.offsets.push_back(static_cast<std::int64_t>(kept.tails.size()));
            }
        }
        return kept;
    }

    const Labels &labels_;
    const Given given_;
    Over &over_;
    std::vector<std::int64_t> first_; // [vertices + 1], the first variant of each
    std::vector<Node> nodes_;         // [variants]
    std::vector<std::int64_t> origins_, edge_starts_, order_;
    std::vector<Way> ways_, made_;
    std::unordered_map<std::int64_t, std::int64_t> numbers_;
};

} // namespace weft::stack
