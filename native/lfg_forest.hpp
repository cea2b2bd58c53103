// The packed forest of a sentence: solutions of constituents, daughters before what they are part of.
#pragma once

#include "lfg_solve.hpp"

namespace weft::lfg {

struct Forest {
    Status status = COMPLETE;
    std::int64_t nodes = 0, vertices = 0, attempts = 0, successes = 0; // of the pruned chart; of all solutions
    std::vector<Word> spans;                // start, end and category of each vertex; the last one is the root
    std::vector<Word> heads, arities, tails; // of each edge
    std::vector<Word> lengths, steps;       // of each edge, its steps: an arc or -1 - entry, and a branch
};

class Packing {
  public:
    explicit Packing(Solver &solver, const Limits &limits) : solver_(solver), limits_(limits) {}

    Forest pack() {
        forest_.status = solver_.status;
        forest_.attempts = solver_.attempts;
        forest_.successes = solver_.successes;
        forest_.vertices = static_cast<std::int64_t>(solver_.node_vertices.size());
        for (const Node &node : solver_.chart.nodes) forest_.nodes += node.kept;
        if (solver_.chart.root < 0 || solver_.of_nodes.empty()) return std::move(forest_);
        number_.assign(solver_.node_vertices.size(), UNSEEN);
        for (const Word root : solver_.of_nodes[solver_.chart.root]) visit(root);
        if (solver_.undecided) join_roots();
        return std::move(forest_);
    }

  private:
    static constexpr Word UNSEEN = -1, OPENED = -2;
    struct Edge {
        std::vector<Word> steps, tails;
        auto operator<=>(const Edge &) const = default;
    };
    struct Visit {
        Word vertex;
        std::vector<Edge> edges;
        std::vector<Word> below{};
        std::size_t next = 0;
    };

    void visit(Word top) {
        enter(top);
        while (!stack_.empty()) {
            Visit &here = stack_.back();
            if (here.next == here.below.size()) {
                leave();
                continue;
            }
            const Word below = here.below[here.next++];
            if (number_[below] == UNSEEN) enter(below);
        }
    }

    // Whole sentences that others decide are below one more vertex, without a category.
    void join_roots() {
        const auto top = static_cast<Word>(forest_.spans.size() / 3);
        const Node &node = solver_.chart.nodes[solver_.chart.root];
        forest_.spans.insert(forest_.spans.end(), {node.start, node.end, -1});
        for (const Word root : solver_.of_nodes[solver_.chart.root]) {
            forest_.heads.push_back(top);
            forest_.arities.push_back(1);
            forest_.tails.push_back(number_[root]);
            forest_.lengths.push_back(0);
        }
    }

    void enter(Word vertex) {
        number_[vertex] = OPENED;
        stack_.push_back({vertex, edges_of(vertex)});
        Visit &here = stack_.back();
        for (const Edge &edge : here.edges) here.below.insert(here.below.end(), edge.tails.begin(), edge.tails.end());
        std::sort(here.below.begin(), here.below.end());
        here.below.erase(std::unique(here.below.begin(), here.below.end()), here.below.end());
    }

    void leave() {
        const Visit &here = stack_.back();
        const Word number = number_[here.vertex] = static_cast<Word>(forest_.spans.size() / 3);
        const Node &node = solver_.chart.nodes[solver_.node_vertices[here.vertex].owner];
        forest_.spans.insert(forest_.spans.end(), {node.start, node.end, node.category});
        for (const Edge &edge : here.edges) {
            forest_.heads.push_back(number);
            forest_.arities.push_back(static_cast<Word>(edge.tails.size()));
            for (const Word tail : edge.tails) forest_.tails.push_back(number_[tail]);
            forest_.lengths.push_back(static_cast<Word>(edge.steps.size() / 2));
            forest_.steps.insert(forest_.steps.end(), edge.steps.begin(), edge.steps.end());
        }
        stack_.pop_back();
    }

    std::vector<Edge> edges_of(Word vertex) {
        std::vector<Edge> edges;
        for (Word way = solver_.node_vertices[vertex].ways; way >= 0; way = solver_.node_ways[way].next) {
            const Way &made = solver_.node_ways[way];
            if (made.before < 0)
                edges.push_back({{-1 - made.daughter, made.branch}, {}});
            else
                follow(made.before, {}, edges);
        }
        std::sort(edges.begin(), edges.end());
        return edges;
    }

    // Adds an edge for each way back from a front's solution to where its right side begins.
    void follow(Word front, Edge after, std::vector<Edge> &edges) {
        if (solver_.status == COMPLETE) solver_.clock.look(); // else it is over, and what was found is packed
        for (Word way = solver_.front_vertices[front].ways; way >= 0; way = solver_.front_ways[way].next) {
            const Way &made = solver_.front_ways[way];
            if (made.before < 0) {
                Edge edge = after;
                for (std::size_t i = 0; i * 2 < edge.steps.size() / 2; ++i) {
                    const std::size_t other = edge.steps.size() / 2 - 1 - i;
                    std::swap(edge.steps[2 * i], edge.steps[2 * other]);
                    std::swap(edge.steps[2 * i + 1], edge.steps[2 * other + 1]);
                }
                std::reverse(edge.tails.begin(), edge.tails.end());
                edges.push_back(std::move(edge));
                if (++count_ > limits_.edges) {
                    solver_.status = TOO_MANY;
                    throw LimitReached();
                }
                continue;
            }
            Edge longer = after;
            longer.steps.insert(longer.steps.end(), {made.arc, made.branch});
            if (made.daughter >= 0) longer.tails.push_back(made.daughter);
            follow(made.before, std::move(longer), edges);
        }
    }

    Solver &solver_;
    const Limits &limits_;
    Forest forest_;
    std::vector<Word> number_;
    std::vector<Visit> stack_;
    std::int64_t count_ = 0;
};

inline Forest parse(const Grammar &grammar, const Sentence &sentence, const Limits &limits, bool restricted) {
    Solver solver(grammar, sentence, limits, restricted);
    solver.solve();
    try {
        return Packing(solver, limits).pack();
    } catch (const LimitReached &) {
        Forest none;
        none.status = solver.status == COMPLETE ? TOO_LONG : solver.status;
        return none;
    }
}

} // namespace weft::lfg
