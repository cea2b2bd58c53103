// The functions of a sentence, bottom-up over its pruned chart: every constituent with all its solutions.
#pragma once

#include "lfg_write.hpp"
#include "unify_objects.hpp"

namespace weft::lfg {

using unify::LimitReached;

// A solution of a node or of a front, with the ways in which it is made.
struct Vertex {
    Word owner, object, ways;
};
// Of a front: the one before, the daughter's solution or -1, the arc, the branch. Of a node: a front's solution, or an
// entry and its branch.
struct Way {
    Word before, daughter, arc, branch, next;
};

class Solver {
  public:
    Solver(const Grammar &grammar, const Sentence &sentence, const Limits &limits, bool restricted)
        : clock(limits.seconds), chart(grammar, sentence, clock), order_(chart, clock),
          flow_(grammar, sentence, chart, order_, clock), grammar_(grammar), sentence_(sentence), limits_(limits),
          graph_(grammar, restricted ? &flow_ : nullptr, clock), interface_(grammar, graph_, restricted ? &flow_ : nullptr),
          tests_(grammar, graph_, interface_, clock), writer_(grammar, graph_, interface_), objects_(limits.words),
          restricted_(restricted) {}

    void solve() {
        try {
            chart.fill();
            if (chart.root < 0) return;
            if (!order_.find()) {
                status = CYCLIC;
                return;
            }
            if (restricted_) flow_.run();
            of_nodes.resize(chart.nodes.size());
            of_fronts.resize(chart.fronts.size());
            sort_links();
            for (Word start = sentence_.length; start >= 0; --start) solve_from(start);
        } catch (const LimitReached &) {
            if (status == COMPLETE) status = clock.is_over ? TOO_LONG : TOO_LARGE;
        }
    }

    Clock clock;
    Chart chart;
    std::vector<Vertex> node_vertices, front_vertices;
    std::vector<std::vector<Word>> of_nodes, of_fronts;
    std::vector<Way> node_ways, front_ways;
    Status status = COMPLETE;
    bool undecided = false; // some whole sentences wait for others
    std::int64_t attempts = 0, successes = 0;

  private:
    struct Forward {
        Word front, arc, target;
    };
    struct Onward {
        Word node, arc, target;
    };

    // For each front, where it goes; for each node, the empty fronts that go over it.
    void sort_links() {
        onward_.resize(chart.fronts.size());
        over_.resize(chart.nodes.size());
        done_.resize(chart.nodes.size(), 0);
        for (Word number = 0; number < static_cast<Word>(chart.fronts.size()); ++number) {
            if (!chart.fronts[number].kept) continue;
            for (const Link &link : chart.fronts[number].links) {
                const Front &before = chart.fronts[link.front];
                if (link.node >= 0 && before.start == before.end)
                    over_[link.node].push_back({link.front, link.arc, number});
                onward_[link.front].push_back({link.node, link.arc, number});
            }
        }
    }

    void solve_from(Word start) {
        std::vector<Word> nodes;
        for (Word category = 0; category < grammar_.categories; ++category) {
            const auto &some = chart.nodes_at[static_cast<std::size_t>(start) * grammar_.categories + category];
            nodes.insert(nodes.end(), some.begin(), some.end());
        }
        if (nodes.empty()) return;
        std::sort(nodes.begin(), nodes.end(), [&](Word a, Word b) {
            return std::pair(chart.nodes[a].end, order_.rank(a)) < std::pair(chart.nodes[b].end, order_.rank(b));
        });
        for (Word number = 0; number < static_cast<Word>(chart.fronts.size()); ++number) {
            const Front &front = chart.fronts[number];
            if (front.kept && front.start == start && front.end == start &&
                front.state == grammar_.starts[grammar_.owners[front.state]])
                begin(number);
        }
        for (const Word node : nodes) {
            look_up(node);
            // Fronts that are found from now on go over it by themselves.
            std::vector<Forward> found;
            for (const Forward &forward : over_[node])
                for (const Word vertex : of_fronts[forward.front]) found.push_back({vertex, forward.arc, forward.target});
            done_[node] = 1;
            for (const Forward &each : found)
                for (const Word vertex : of_nodes[node]) combine(each.front, vertex, each.arc, each.target);
        }
    }

    void begin(Word front) {
        const Front &at = chart.fronts[front];
        const Word category = grammar_.owners[at.state];
        graph_.clear();
        pending_.clear();
        roots_.assign(1, graph_.add(restricted_ ? flow_.class_of(category, at.start) : -1));
        graph_.values[roots_[0]].anchored = true;
        for (Word local = 0; local < grammar_.locals[category]; ++local)
            roots_.push_back(graph_.add(restricted_ ? flow_.class_of_local(category, at.start, local) : -1));
        add_front(front, {-1, -1, -1, -1, -1});
    }

    void look_up(Word number) {
        const Node &node = chart.nodes[number];
        for (const Word entry : node.entries) {
            const Word notes = sentence_.notes[entry];
            const auto options = grammar_.options[notes];
            for (std::size_t i = 0; i < options.size(); ++i) {
                graph_.clear();
                pending_.clear();
                const Word top = graph_.add(restricted_ ? flow_.class_of(node.category, node.start) : -1);
                graph_.values[top].anchored = true;
                registers_.assign(2, top);
                for (Word local = 0; local < grammar_.entry_locals[notes]; ++local)
                    registers_.push_back(
                        graph_.add(restricted_ ? flow_.class_of_local(node.category, node.start, local) : -1));
                clock.look();
                ++attempts;
                if (!state(options[i])) continue;
                roots_.assign(1, top);
                add_node(number, {-1, entry, -1, static_cast<Word>(i), -1});
            }
        }
    }

    void combine(Word before, Word daughter, Word arc, Word target) {
        const auto options = grammar_.options[grammar_.arcs[arc].notes];
        for (std::size_t i = 0; i < options.size(); ++i) {
            graph_.clear();
            pending_.clear();
            roots_.clear();
            writer_.load(objects_[front_vertices[before].object].at, roots_, pending_);
            registers_.assign(1, roots_[0]);
            below_.assign(1, roots_[0]);
            if (daughter >= 0) {
                below_.clear();
                writer_.load(objects_[node_vertices[daughter].object].at, below_, pending_);
            }
            registers_.push_back(below_[0]);
            registers_.insert(registers_.end(), roots_.begin() + 1, roots_.end());
            clock.look();
            ++attempts;
            if (state(options[i])) add_front(target, {before, daughter, arc, static_cast<Word>(i), -1});
        }
    }

    // Makes the statements of a branch true, or keeps them as tests; false where they cannot be.
    bool state(Word branch) {
        for (const Word number : grammar_.branches[branch]) {
            const Statement &said = grammar_.statements[number];
            if (said.kind == MARK) continue;
            if (said.kind > CONTAINS) {
                Pending test{number, {}};
                for (const Word each : grammar_.registers[number]) test.places.push_back(registers_[each]);
                pending_.push_back(std::move(test));
                continue;
            }
            if (!(said.kind == EQUAL ? equate(said) : contain(said))) return false;
        }
        return graph_.distribute();
    }

    Word place(const Designator &designator) {
        Word at = registers_[designator.value];
        if (designator.path >= 0)
            for (const Word attribute : grammar_.paths[designator.path])
                if ((at = graph_.step(at, attribute)) < 0) return -1;
        return at;
    }

    bool equate(const Statement &said) {
        const Designator *left = &grammar_.designators[said.left], *right = &grammar_.designators[said.right];
        if (left->kind != REGISTER) std::swap(left, right);
        const Word at = left->kind == REGISTER ? place(*left) : graph_.add(-1);
        if (at < 0 || (left->kind != REGISTER && !give(at, *left))) return false;
        if (right->kind != REGISTER) return give(at, *right);
        const Word other = place(*right);
        return other >= 0 && graph_.unify(at, other);
    }

    bool give(Word at, const Designator &literal) {
        if (literal.kind == FORM) return graph_.set_form(at, literal.value);
        if (literal.kind == INSTANCE) return graph_.set_instance(at, literal.value);
        if (literal.kind == SYMBOL) return graph_.set_value(at, ATOM, literal.value);
        const auto symbols = grammar_.values[literal.value];
        return symbols.size() == 1 ? graph_.set_value(at, ATOM, symbols[0])
                                   : graph_.set_value(at, CLOSED_SET, literal.value);
    }

    bool contain(const Statement &said) {
        const Designator &element = grammar_.designators[said.left], &whole = grammar_.designators[said.right];
        if (whole.kind != REGISTER) return false;
        Word inside = -1;
        if (element.kind == REGISTER) {
            inside = place(element);
        } else {
            inside = graph_.add(-1);
            if (!give(inside, element)) return false;
        }
        const Word at = inside < 0 ? -1 : place(whole);
        return at >= 0 && graph_.include(inside, at);
    }

    void add_front(Word number, Way way) {
        const Front &front = chart.fronts[number];
        const Word category = grammar_.owners[front.state];
        const Outlook outlook{front.start, front.end, chart.find_node(category, front.start, front.end), true, false,
                              find_seeds(false), outlook_number(category, front.start, front.end, 1)};
        const Word object = finish(outlook);
        if (object < 0) return;
        const auto [found, added] = front_index_.try_emplace(key_of(number, 0) ^ static_cast<std::uint32_t>(object),
                                                             static_cast<Word>(front_vertices.size()));
        if (added) {
            front_vertices.push_back({number, object, -1});
            of_fronts[number].push_back(found->second);
        }
        push(front_ways, front_vertices[found->second].ways, way);
        if (!added) return;
        const Word made = found->second;
        if (grammar_.finals[front.state]) complete(made);
        for (const Onward &onward : onward_[number]) {
            if (onward.node < 0)
                combine(made, -1, onward.arc, onward.target);
            else if (done_[onward.node])
                for (std::size_t i = 0; i < of_nodes[onward.node].size(); ++i)
                    combine(made, of_nodes[onward.node][i], onward.arc, onward.target);
        }
    }

    void complete(Word vertex) {
        const Front &front = chart.fronts[front_vertices[vertex].owner];
        const Word category = grammar_.owners[front.state];
        const Word node = chart.find_node(category, front.start, front.end);
        if (node < 0 || !chart.nodes[node].kept) return;
        graph_.clear();
        pending_.clear();
        roots_.clear();
        writer_.load(objects_[front_vertices[vertex].object].at, roots_, pending_);
        roots_.resize(1);
        if (!graph_.distribute()) return;
        add_node(node, {vertex, -1, -1, -1, -1});
    }

    void add_node(Word number, Way way) {
        const Node &node = chart.nodes[number];
        for (const Word mark : grammar_.marks[node.category])
            if (graph_.step(roots_[0], mark) < 0) return;
        const bool whole = number == chart.root;
        const Outlook outlook{node.start, node.end, number, false, whole, find_seeds(whole),
                              outlook_number(node.category, node.start, node.end, 0)};
        const Word object = finish(outlook);
        if (object < 0) return;
        const auto [found, added] = node_index_.try_emplace(key_of(number, 0) ^ static_cast<std::uint32_t>(object),
                                                            static_cast<Word>(node_vertices.size()));
        if (added) {
            node_vertices.push_back({number, object, -1});
            of_nodes[number].push_back(found->second);
            undecided = undecided || (whole && outlook.waits);
        }
        push(node_ways, node_vertices[found->second].ways, way);
    }

    void push(std::vector<Way> &ways, Word &list, Way way) {
        way.next = list;
        list = static_cast<Word>(ways.size());
        ways.push_back(way);
        if (static_cast<std::int64_t>(node_ways.size() + front_ways.size()) > limits_.edges) stop(TOO_MANY);
        ++successes;
    }

    [[noreturn]] void stop(Status why) {
        status = why;
        throw LimitReached();
    }

    Word outlook_number(Word category, Word start, Word end, Word front) {
        const std::uint64_t key = key_of(category * 2 + front, start, end);
        return outlooks_.try_emplace(key, static_cast<Word>(outlooks_.size())).first->second;
    }

    // Collects what can be named from outside, or by what waits here; says whether something does. Whole sentences wait
    // for others only.
    bool find_seeds(bool whole) {
        seeds_.clear();
        if (!whole) seeds_ = roots_;
        const auto wait = [&](const Pending &test) { return Waiting{grammar_.waits[test.statement]}; };
        const bool others = std::any_of(pending_.begin(), pending_.end(), [&](const Pending &test) { return wait(test) == FOR_OTHERS; });
        bool waits = others;
        for (const Pending &test : pending_) {
            const bool waiting = !whole && wait(test) == FOR_WHOLE;
            // What waits for others may change what any test looks at.
            if (others || waiting) seeds_.insert(seeds_.end(), test.places.begin(), test.places.end());
            waits = waits || waiting;
        }
        return waits;
    }

    // The number of the canonical form; -1 if something cannot be any more.
    Word finish(Outlook outlook) {
        const Word place = outlook.number;
        const auto look = [&] {
            undecided_.clear();
            for (const Pending &test : pending_) undecided_.push_back(test.statement);
            std::sort(undecided_.begin(), undecided_.end());
            undecided_.erase(std::unique(undecided_.begin(), undecided_.end()), undecided_.end());
            const Word some = test_sets_.try_emplace(undecided_, static_cast<Word>(test_sets_.size())).first->second;
            outlook.number = outlooks_with_tests_.try_emplace({place, some}, static_cast<Word>(outlooks_with_tests_.size())).first->second;
            outlook.tests = undecided_;
            interface_.look(outlook, seeds_);
        };
        // What was decided looks at nothing more, so that less is seen, and more may be decided.
        for (bool decided = true; decided;) {
            look();
            if (!tests_.well_formed()) return -1;
            kept_.clear();
            std::size_t waiting = 0;
            for (std::size_t i = 0; i < pending_.size(); ++i) {
                const Truth truth = tests_.decide(pending_[i], kept_);
                if (truth == NO) return -1;
                if (truth == WAIT) {
                    if (waiting != i) pending_[waiting] = std::move(pending_[i]);
                    ++waiting;
                }
            }
            decided = waiting < pending_.size();
            pending_.resize(waiting);
            if (decided) outlook.waits = find_seeds(outlook.whole);
        }
        if (outlook.whole) roots_.clear(); // all whole sentences are one
        return objects_.add(writer_.write(roots_, pending_, kept_));
    }

    Order order_;
    Flow flow_;
    const Grammar &grammar_;
    const Sentence &sentence_;
    const Limits &limits_;
    Graph graph_;
    Interface interface_;
    Tests tests_;
    Writer writer_;
    unify::Objects objects_;
    bool restricted_;
    std::vector<std::vector<Onward>> onward_;
    std::vector<std::vector<Forward>> over_;
    std::vector<std::uint8_t> done_;
    Index node_index_, front_index_, outlooks_;
    std::vector<Word> roots_, seeds_, below_, registers_, kept_;
    std::vector<Pending> pending_;
    std::vector<Word> undecided_;
    std::map<std::vector<Word>, Word> test_sets_;
    std::map<std::pair<Word, Word>, Word> outlooks_with_tests_;
};

} // namespace weft::lfg
