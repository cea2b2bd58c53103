// The packed forest of a chart: what is part of a whole sentence, children before what they are part of.
//
// Where a constituent may be part of itself, over the same words, its vertices are told apart by the constituents above it
// that it might be part of again: no tree has it twice.
#pragma once

#include "unify_chart.hpp"

#include <map>
#include <set>
#include <utility>

namespace weft::unify {

struct Forest {
    Status status = COMPLETE;
    std::int64_t items = 0, attempts = 0, successes = 0;
    std::vector<Word> spans;         // start, end and category of each vertex; the last vertex is the root
    std::vector<Word> object_lengths; // of each vertex
    std::vector<Word> objects;
    std::vector<Word> heads, rules, arities, tails; // of each edge
};

class Packing {
  public:
    explicit Packing(Chart &chart) : chart_(chart), state_(chart.constituents_.size(), UNSEEN) {}

    Forest pack() {
        std::vector<Word> roots;
        for (Word i = 0; i < static_cast<Word>(state_.size()); ++i)
            if (is_root(i)) roots.push_back(i);
        if (roots.empty()) return finish();
        std::vector<Word> tops;
        if (std::all_of(roots.begin(), roots.end(), [&](Word root) { return visit(root); })) {
            for (const Word root : roots) tops.push_back(number_[root]);
        } else {
            forest_ = Forest();
            for (const Word root : roots) tops.push_back(unfold(root));
        }
        for (const Word top : tops)
            add_edge(static_cast<Word>(forest_.object_lengths.size()), chart_.grammar_.rules - 1, {&top, 1});
        forest_.spans.insert(forest_.spans.end(), {0, chart_.length(), -1});
        forest_.object_lengths.push_back(0);
        return finish();
    }

    // All constituents, without how they are made.
    Forest list() {
        for (Word i = 0; i < static_cast<Word>(state_.size()); ++i) add_vertex(i);
        return finish();
    }

  private:
    enum State : std::uint8_t { UNSEEN, OPEN, DONE };
    struct Edge {
        Word rule;
        std::vector<Word> children;
        auto operator<=>(const Edge &) const = default;
    };

    Forest finish() {
        if (forest_.status == COMPLETE) forest_.status = chart_.status_;
        forest_.items = static_cast<std::int64_t>(chart_.ways_.size());
        forest_.attempts = chart_.attempts_;
        forest_.successes = chart_.successes_;
        return std::move(forest_);
    }

    bool is_root(Word number) {
        const Constituent &found = chart_.constituents_[number];
        const Grammar &grammar = chart_.grammar_;
        const bool start = found.category == grammar.start() || found.category == grammar.any;
        return found.start == 0 && found.end == chart_.length() && start &&
               chart_.attempt(grammar.rules - 1, 0, -1, number);
    }

    // Numbers a constituent and all below it; false if something is part of itself.
    bool visit(Word top) {
        number_.resize(state_.size(), -1);
        if (state_[top] == DONE) return true;
        enter(top);
        while (!stack_.empty()) {
            Step &step = stack_.back();
            if (step.next == step.below.size()) {
                leave();
                continue;
            }
            const Word child = step.below[step.next++];
            if (state_[child] == OPEN) return false;
            if (state_[child] == UNSEEN) enter(child);
        }
        return true;
    }

    struct Step {
        Word constituent;
        std::vector<Edge> edges;
        std::vector<Word> below;
        std::size_t next = 0;
    };

    void enter(Word number) {
        state_[number] = OPEN;
        stack_.push_back({number, edges_of(number), {}});
        Step &step = stack_.back();
        for (const Edge &edge : step.edges) step.below.insert(step.below.end(), edge.children.begin(), edge.children.end());
        std::sort(step.below.begin(), step.below.end());
        step.below.erase(std::unique(step.below.begin(), step.below.end()), step.below.end());
    }

    void leave() {
        const Step &step = stack_.back();
        state_[step.constituent] = DONE;
        const Word number = number_[step.constituent] = static_cast<Word>(forest_.object_lengths.size());
        add_vertex(step.constituent);
        for (const Edge &edge : step.edges) {
            tails_.clear();
            for (const Word child : edge.children) tails_.push_back(number_[child]);
            add_edge(number, edge.rule, tails_);
        }
        stack_.pop_back();
    }

    // A constituent, and those above it that it might be part of again.
    struct Unfolded {
        Word constituent;
        std::vector<Word> above;
        auto operator<=>(const Unfolded &) const = default;
    };
    struct Unfolding {
        Unfolded top;
        std::vector<std::pair<const Edge *, std::vector<Unfolded>>> edges;
        std::vector<Unfolded> below;
        std::size_t next = 0;
    };

    // The vertex of a constituent, after those of all below it; there is a tree without cycles for each.
    Word unfold(Word root) {
        std::vector<Unfolding> stack;
        const auto enter = [&](const Unfolded &top) {
            if (unfolded_.contains(top)) return;
            const std::int64_t count = static_cast<std::int64_t>(unfolded_.size() + stack.size());
            if (count >= chart_.limits_.items) stop(TOO_MANY);
            unfolded_words_ += 16 + 2 * static_cast<std::int64_t>(top.above.size());
            if (unfolded_words_ > chart_.limits_.words) stop(TOO_LARGE);
            if (count % 1024 == 0 && chart_.seconds() > chart_.limits_.seconds) stop(TOO_LONG);
            stack.push_back(unfold_edges(top));
        };
        enter({root, {}});
        while (!stack.empty()) {
            Unfolding &step = stack.back();
            if (step.next < step.below.size()) {
                enter(Unfolded(step.below[step.next++]));
                continue;
            }
            unfolded_[step.top] = finish_unfolding(step);
            stack.pop_back();
        }
        return unfolded_.at({root, {}});
    }

    Unfolding unfold_edges(const Unfolded &top) {
        Unfolding found{top, {}, {}};
        std::vector<Word> line = top.above;
        line.insert(std::upper_bound(line.begin(), line.end(), top.constituent), top.constituent);
        for (const Edge &edge : kept_edges(top.constituent)) {
            std::vector<Unfolded> children;
            for (const Word child : edge.children) {
                if (std::binary_search(line.begin(), line.end(), child)) break;
                const std::vector<Word> &over = cover(child);
                children.push_back({child, {}});
                std::set_intersection(line.begin(), line.end(), over.begin(), over.end(),
                                      std::back_inserter(children.back().above));
            }
            if (children.size() < edge.children.size()) continue;
            found.below.insert(found.below.end(), children.begin(), children.end());
            found.edges.push_back({&edge, std::move(children)});
        }
        return found;
    }

    // -1 for what has no tree but those in which something is part of itself.
    Word finish_unfolding(const Unfolding &step) {
        const Word number = static_cast<Word>(forest_.object_lengths.size());
        bool made = false;
        for (const auto &[edge, children] : step.edges) {
            tails_.clear();
            for (const Unfolded &child : children) tails_.push_back(unfolded_.at(child));
            if (std::find(tails_.begin(), tails_.end(), -1) != tails_.end()) continue;
            if (!std::exchange(made, true)) add_vertex(step.top.constituent);
            add_edge(number, edge->rule, tails_);
        }
        return made ? number : -1;
    }

    const std::vector<Edge> &kept_edges(Word constituent) {
        const auto [found, added] = edges_.try_emplace(constituent);
        if (added) found->second = edges_of(constituent);
        return found->second;
    }

    // All constituents of the same words that a constituent has below it.
    const std::vector<Word> &cover(Word top) {
        const auto [found, added] = covers_.try_emplace(top);
        if (!added) return found->second;
        const Constituent &whole = chart_.constituents_[top];
        std::set<Word> seen;
        std::vector<Word> waiting{top};
        while (!waiting.empty()) {
            const Word at = waiting.back();
            waiting.pop_back();
            for (const Edge &edge : kept_edges(at))
                for (const Word child : edge.children) {
                    const Constituent &part = chart_.constituents_[child];
                    const bool same = part.start == whole.start && part.end == whole.end;
                    if (same && seen.insert(child).second) waiting.push_back(child);
                }
        }
        return found->second = {seen.begin(), seen.end()};
    }

    [[noreturn]] void stop(Status why) {
        chart_.status_ = why;
        throw LimitReached();
    }

    void add_vertex(Word constituent) {
        const Constituent &found = chart_.constituents_[constituent];
        const Object object = chart_.objects_[found.object];
        forest_.spans.insert(forest_.spans.end(), {found.start, found.end, found.category});
        forest_.object_lengths.push_back(object.length);
        forest_.objects.insert(forest_.objects.end(), object.at, object.at + object.length);
    }

    void add_edge(Word head, Word rule, std::span<const Word> tails) {
        if (static_cast<std::int64_t>(forest_.heads.size()) >= chart_.limits_.items) stop(TOO_MANY);
        forest_.heads.push_back(head);
        forest_.rules.push_back(rule);
        forest_.arities.push_back(static_cast<Word>(tails.size()));
        forest_.tails.insert(forest_.tails.end(), tails.begin(), tails.end());
    }

    // The edges of a constituent in the order of rules, those that bind their rule alike once.
    std::vector<Edge> edges_of(Word number) {
        made_.clear();
        for (Word way = chart_.constituents_[number].ways; way >= 0; way = chart_.ways_[way].next) follow(chart_.ways_[way]);
        std::sort(made_.begin(), made_.end());
        std::vector<std::size_t> order(made_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t i, std::size_t j) { return made_[i].children < made_[j].children; });
        std::vector<std::uint8_t> again(made_.size(), 0);
        for (std::size_t i = 0, j; i < order.size(); i = j) {
            for (j = i + 1; j < order.size() && made_[order[i]].children == made_[order[j]].children;) ++j;
            if (j > i + 1) drop_equal({order.data() + i, j - i}, again);
        }
        std::vector<Edge> kept;
        for (std::size_t i = 0; i < made_.size(); ++i)
            if (!again[i]) kept.push_back(std::move(made_[i]));
        return kept;
    }

    // Adds an edge for every way to a way, whose children are met from right to left.
    void follow(const Way &way) {
        if (way.child >= 0) path_.push_back(way.child);
        if (way.before < 0) {
            if (static_cast<std::int64_t>(made_.size()) >= chart_.limits_.items) stop(TOO_MANY);
            made_.push_back({way.rule, {path_.rbegin(), path_.rend()}});
        } else {
            for (Word next = chart_.beginnings_[way.before].ways; next >= 0; next = chart_.ways_[next].next)
                follow(chart_.ways_[next]);
        }
        if (way.child >= 0) path_.pop_back();
    }

    // Of edges with the same children, marks those whose rules say the same once they are bound.
    void drop_equal(std::span<const std::size_t> same, std::vector<std::uint8_t> &again) {
        std::vector<std::pair<Word, std::vector<Word>>> seen;
        for (const std::size_t i : same) {
            std::pair<Word, std::vector<Word>> found{chart_.grammar_.classes[made_[i].rule], bound_rule(made_[i])};
            if (std::find(seen.begin(), seen.end(), found) == seen.end())
                seen.push_back(std::move(found));
            else
                again[i] = 1;
        }
    }

    // All sides of a rule as its children bind them.
    std::vector<Word> bound_rule(const Edge &edge) {
        const Grammar &grammar = chart_.grammar_;
        Unifier &unifier = chart_.unifier_;
        chart_.attempt(edge.rule, 0, -1, -1);
        const Word frame = chart_.rule_frame_;
        std::vector<Value> roots{{grammar.left[edge.rule], frame}};
        std::vector<Word> words;
        std::size_t child = 0;
        for (Word dot = 0; dot < grammar.arity(edge.rule); ++dot) {
            const Word side = grammar.side(edge.rule, dot);
            words.push_back(side < 0 ? side : 0);
            if (side < 0) continue;
            roots.push_back({side, frame});
            const Object object = chart_.objects_[chart_.constituents_[edge.children[child++]].object];
            const Word other = add_object(unifier, object);
            unifier.unify({side, frame}, {object.root(0), other});
        }
        if (chart_.writer_.write(unifier, roots))
            words.insert(words.end(), chart_.writer_.words().begin(), chart_.writer_.words().end());
        return words;
    }

    Chart &chart_;
    Forest forest_;
    std::vector<std::uint8_t> state_;
    std::vector<Word> number_, tails_, path_;
    std::vector<Edge> made_;
    std::vector<Step> stack_;
    std::map<Word, std::vector<Edge>> edges_; // these are of what may be part of itself
    std::map<Word, std::vector<Word>> covers_;
    std::map<Unfolded, Word> unfolded_;
    std::int64_t unfolded_words_ = 0;
};

inline Forest failed(Status status) {
    Forest forest;
    forest.status = status;
    return forest;
}

// The forest of a sentence; or all its constituents, without edges.
inline Forest parse(const Grammar &grammar, std::span<const Word> tokens, const Limits &limits, bool whole) {
    Chart chart(grammar, tokens, limits, whole);
    const Status status = chart.fill();
    if (status == UNDECIDED) return failed(status);
    try {
        Packing packing(chart);
        return whole ? packing.list() : packing.pack();
    } catch (const LimitReached &) {
        return failed(chart.status_ == COMPLETE ? TOO_LARGE : chart.status_);
    }
}

} // namespace weft::unify
