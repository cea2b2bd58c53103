// What may still be done, or asked, from outside of a constituent: the interface that its solutions have.
//
// One sweep over the pruned chart merges all f-structures that are equal in any analysis of the sentence into one
// class (as Steensgaard's analysis of pointers does), without looking at what would clash. A second one notes, for each
// class and attribute, which annotations and entries step there: to define something, or to read it. Whatever no
// annotation or entry outside of a constituent steps to can be forgotten where the constituent is complete.
#pragma once

#include "lfg_chart.hpp"

#include <utility>

namespace weft::lfg {

enum Touch : std::uint8_t { READ = 1, DEFINE = 2 };

// Where something is looked at from: a constituent, or the beginning of one.
struct Outlook {
    Word start, end;
    Word node;       // of the same span, in the chart; -1 for none
    bool begun;      // only the beginning of one
    bool whole;      // nothing is outside
    Word number;     // of its own, for what is remembered
};

class Flow {
  public:
    Flow(const Grammar &grammar, const Sentence &sentence, const Chart &chart)
        : grammar_(grammar), sentence_(sentence), chart_(chart) {}

    // False if a category is over itself with nothing else, or nothing may be repeated without end.
    bool order() {
        if (repeats_nothing()) return false;
        above_.resize(chart_.nodes.size());
        rank_.assign(chart_.nodes.size(), 0);
        std::vector<std::vector<Word>> mothers(chart_.nodes.size());
        std::vector<Word> waits(chart_.nodes.size(), 0), ready;
        for (Word number = 0; number < static_cast<Word>(chart_.nodes.size()); ++number) {
            if (!chart_.nodes[number].kept) continue;
            std::vector<Word> below;
            daughters_alike(number, below);
            waits[number] = static_cast<Word>(below.size());
            for (const Word each : below) mothers[each].push_back(number);
            if (below.empty()) ready.push_back(number);
        }
        Word next = 0;
        std::vector<Word> topological;
        while (!ready.empty()) {
            const Word number = ready.back();
            ready.pop_back();
            rank_[number] = next++;
            topological.push_back(number);
            for (const Word mother : mothers[number])
                if (--waits[mother] == 0) ready.push_back(mother);
        }
        for (Word number = 0; number < static_cast<Word>(chart_.nodes.size()); ++number)
            if (chart_.nodes[number].kept && waits[number] > 0) return false;
        for (auto number = topological.rbegin(); number != topological.rend(); ++number)
            for (const Word mother : mothers[*number]) {
                auto &all = above_[*number];
                all.push_back(mother);
                all.insert(all.end(), above_[mother].begin(), above_[mother].end());
                std::sort(all.begin(), all.end());
                all.erase(std::unique(all.begin(), all.end()), all.end());
            }
        return true;
    }

    // The order in which nodes of one span are solved: daughters first.
    Word rank(Word node) const { return rank_[node]; }

    void run() {
        uses([&](const Use &use) { merge_statements(use); });
        settle();
        uses([&](const Use &use) { note_statements(use); });
    }

    Word class_of(Word category, Word start) { return find(base(category, start)); }
    Word class_of_local(Word category, Word start, Word local) { return find(base_of_local(category, start, local)); }

    // The class of a step; -1 if there is none.
    Word step(Word from, Word attribute) const {
        if (from < 0) return -1;
        for (const auto &[name, value] : classes_[from].attributes)
            if (name == attribute) return value;
        return -1;
    }

    // What is done from outside to a step of a class.
    std::uint8_t touched(const Outlook &outlook, Word from, Word attribute) {
        if (outlook.whole) return 0;
        if (from < 0) return READ | DEFINE;
        const auto notes = notes_.find(key_of(from, static_cast<Word>(attribute - SELF)));
        if (notes == notes_.end()) return 0;
        const auto [found, added] = known_.try_emplace(
            (static_cast<std::uint64_t>(outlook.number) << 32) | static_cast<std::uint32_t>(notes->second), 0);
        if (added) found->second = look(outlook, all_notes_[notes->second]);
        return static_cast<std::uint8_t>(found->second);
    }

  private:
    struct Class {
        Word parent = -1;
        std::vector<std::pair<Word, Word>> attributes{};
        std::vector<Word> elements{};
    };
    // An annotation of a daughter over a span; an entry (node -2); or what a node itself says (node -3 - its number).
    struct Use {
        Word category, start, down_category, down_start, notes, from, to, node;
    };
    struct Note {
        Word from, to, node, mother_start;
        std::uint8_t touch;
        bool is_of(const Note &other) const {
            return from == other.from && to == other.to && node == other.node && mother_start == other.mother_start;
        }
    };

    // Whether a right side can come back to a state without having gone over any word.
    bool repeats_nothing() const {
        std::vector<std::vector<Word>> after(chart_.fronts.size());
        std::vector<Word> waits(chart_.fronts.size(), 0), ready;
        for (Word number = 0; number < static_cast<Word>(chart_.fronts.size()); ++number) {
            if (!chart_.fronts[number].kept) continue;
            for (const Link &link : chart_.fronts[number].links)
                if (chart_.fronts[link.front].end == chart_.fronts[number].end) {
                    after[link.front].push_back(number);
                    ++waits[number];
                }
            if (!waits[number]) ready.push_back(number);
        }
        while (!ready.empty()) {
            const Word number = ready.back();
            ready.pop_back();
            for (const Word next : after[number])
                if (--waits[next] == 0) ready.push_back(next);
        }
        return std::any_of(waits.begin(), waits.end(), [](Word each) { return each > 0; });
    }

    void daughters_alike(Word number, std::vector<Word> &found) const {
        const Node &node = chart_.nodes[number];
        for (const Word front : node.fronts) collect_alike(front, node, found);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }

    void collect_alike(Word front, const Node &node, std::vector<Word> &found) const {
        std::vector<Word> stack{front}, seen{front};
        while (!stack.empty()) {
            const Word at = stack.back();
            stack.pop_back();
            for (const Link &link : chart_.fronts[at].links) {
                if (link.node >= 0 && chart_.nodes[link.node].start == node.start && chart_.nodes[link.node].end == node.end)
                    found.push_back(link.node);
                // Only empty daughters may be beside one of the whole span.
                const Front &before = chart_.fronts[link.front];
                const bool empty = before.end == chart_.fronts[at].end || before.end == before.start;
                if (empty && std::find(seen.begin(), seen.end(), link.front) == seen.end()) {
                    seen.push_back(link.front);
                    stack.push_back(link.front);
                }
            }
        }
    }

    template <class Do> void uses(Do &&take) {
        for (Word number = 0; number < static_cast<Word>(chart_.nodes.size()); ++number) {
            const Node &node = chart_.nodes[number];
            if (!node.kept) continue;
            for (const Word entry : node.entries)
                take({node.category, node.start, node.category, node.start, sentence_.notes[entry], node.start,
                      node.end, -2});
            for (const Word mark : grammar_.marks[node.category])
                take({node.category, node.start, node.category, node.start, -1 - mark, node.start, node.end, -3 - number});
        }
        for (const Front &front : chart_.fronts) {
            if (!front.kept) continue;
            const Word category = grammar_.owners[front.state];
            for (const Link &link : front.links) {
                const Front &before = chart_.fronts[link.front];
                const Word down = link.node < 0 ? -1 : chart_.nodes[link.node].category;
                take({category, front.start, down, before.end, grammar_.arcs[link.arc].notes, before.end, front.end,
                      link.node});
            }
        }
    }

    Word base(Word category, Word start) { return made(key_of(category, start, 0)); }
    Word base_of_local(Word category, Word start, Word local) { return made(key_of(category, start, local + 1)); }
    Word made(std::uint64_t key) {
        const auto [found, added] = bases_.try_emplace(key, static_cast<Word>(classes_.size()));
        if (added) classes_.emplace_back();
        return found->second;
    }

    Word find(Word number) {
        while (classes_[number].parent >= 0) {
            const Word up = classes_[number].parent;
            if (classes_[up].parent >= 0) classes_[number].parent = classes_[up].parent;
            number = up;
        }
        return number;
    }

    Word reach(Word from, Word attribute) {
        from = find(from);
        for (const auto &[name, value] : classes_[from].attributes)
            if (name == attribute) return find(value);
        const auto value = static_cast<Word>(classes_.size());
        classes_.emplace_back();
        classes_[from].attributes.push_back({attribute, value});
        share_with_elements(from);
        return find(value);
    }

    void share_with_elements(Word whole) {
        whole = find(whole);
        for (std::size_t i = 0; i < classes_[whole].elements.size(); ++i)
            for (std::size_t j = 0; j < classes_[find(whole)].attributes.size(); ++j) {
                const Word at = find(whole), element = find(classes_[at].elements[i]);
                const auto [attribute, value] = classes_[at].attributes[j];
                if (element != at && !grammar_.own[attribute]) unite(reach(element, attribute), value);
            }
    }

    void unite(Word one, Word other) {
        std::vector<std::pair<Word, Word>> waiting{{one, other}};
        while (!waiting.empty()) {
            auto [a, b] = waiting.back();
            waiting.pop_back();
            a = find(a), b = find(b);
            if (a == b) continue;
            if (classes_[a].attributes.size() < classes_[b].attributes.size()) std::swap(a, b);
            classes_[b].parent = a;
            for (const auto &[attribute, value] : std::exchange(classes_[b].attributes, {})) {
                const auto &mine = classes_[a].attributes;
                const auto same = std::find_if(mine.begin(), mine.end(), [&](const auto &each) { return each.first == attribute; });
                if (same == mine.end())
                    classes_[a].attributes.push_back({attribute, value});
                else
                    waiting.push_back({same->second, value});
            }
            const auto elements = std::exchange(classes_[b].elements, {});
            classes_[a].elements.insert(classes_[a].elements.end(), elements.begin(), elements.end());
            if (!classes_[a].elements.empty()) changed_ = true;
        }
    }

    Word locate(const Use &use, const Designator &designator) {
        Word at = -1;
        if (designator.value == UP)
            at = base(use.category, use.start);
        else if (designator.value == DOWN)
            at = use.down_category < 0 ? base(use.category, use.start) : base(use.down_category, use.down_start);
        else
            at = base_of_local(use.category, use.start, designator.value - LOCALS);
        return find(at);
    }

    Word walk(const Use &use, const Designator &designator) {
        Word at = locate(use, designator);
        if (designator.path >= 0)
            for (const Word attribute : grammar_.paths[designator.path]) at = reach(at, attribute);
        return at;
    }

    void merge_statements(const Use &use) {
        if (use.notes < 0) {
            reach(base(use.category, use.start), -1 - use.notes);
            return;
        }
        for (const Word number : grammar_.said[use.notes]) {
            const Statement &said = grammar_.statements[number];
            if (said.kind != EQUAL && said.kind != CONTAINS) continue;
            const Designator &left = grammar_.designators[said.left], &right = grammar_.designators[said.right];
            Word one = left.kind == REGISTER ? walk(use, left) : -1;
            const Word other = right.kind == REGISTER ? walk(use, right) : -1;
            if (one < 0 && said.kind == CONTAINS) { // an atom, which clashes with what is said of its set
                one = static_cast<Word>(classes_.size());
                classes_.emplace_back();
            }
            if (one < 0 || other < 0) continue;
            if (said.kind == EQUAL)
                unite(one, other);
            else {
                classes_[find(other)].elements.push_back(one);
                changed_ = true;
            }
        }
    }

    // Elements have what their sets have; the same value until nothing changes.
    void settle() {
        while (changed_) {
            changed_ = false;
            const std::size_t count = classes_.size();
            for (std::size_t i = 0; i < count; ++i) {
                Class &each = classes_[i];
                if (each.parent >= 0 || each.elements.empty()) continue;
                for (Word &element : each.elements) element = find(element);
                std::sort(each.elements.begin(), each.elements.end());
                each.elements.erase(std::unique(each.elements.begin(), each.elements.end()), each.elements.end());
                share_with_elements(static_cast<Word>(i));
            }
            changed_ = changed_ || classes_.size() != count;
        }
        asked_elsewhere_.assign(classes_.size(), 0);
        for (const auto &[key, number] : bases_) asked_elsewhere_[find(number)] = 1;
        for (Word i = 0; i < static_cast<Word>(classes_.size()); ++i) {
            for (auto &[attribute, value] : classes_[i].attributes) {
                value = find(value);
                if (!grammar_.semantic[attribute]) asked_elsewhere_[value] = 1;
                if (attribute == PRED) owners_[key_of(value, 0)].push_back(i);
            }
            for (Word &element : classes_[i].elements) element = find(element);
        }
    }

    void note(const Use &use, Word from, Word attribute, std::uint8_t touch) {
        from = find(from);
        const auto [found, added] =
            notes_.try_emplace(key_of(from, static_cast<Word>(attribute - SELF)), static_cast<Word>(all_notes_.size()));
        if (added) all_notes_.emplace_back();
        auto &notes = all_notes_[found->second];
        const Note made{use.from, use.to, use.node, use.start, touch};
        // Those of one use follow one another.
        for (auto each = notes.rbegin(); each != notes.rend() && each->is_of(made); ++each)
            if (each->touch == touch) return;
        notes.push_back(made);
        if (attribute < 0) return;
        // Arguments and adjuncts are asked for a PRED.
        if (grammar_.bits[attribute] >= 0 || grammar_.semantic[attribute])
            note_pred(use, step(from, attribute), grammar_.bits[attribute] >= 0);
        if (grammar_.own[attribute] || classes_[from].elements.empty()) return;
        note(use, from, ELEMENT, touch);
        for (const Word element : classes_[from].elements) note(use, element, attribute, touch);
    }

    void note_pred(const Use &use, Word at, bool argument) {
        if (at < 0) return;
        // Where all that leads to a set asks its elements for a PRED, it has been asked for where they were added.
        if (!classes_[at].elements.empty() && !argument && !asked_elsewhere_[at]) return;
        note(use, at, PRED, READ); // of elements, too
    }

    // A semantic form asks for its arguments in whatever has it as its PRED.
    void note_form(const Use &use, Word at, Word form) {
        const auto owners = at < 0 ? owners_.end() : owners_.find(key_of(at, 0));
        if (owners == owners_.end()) return;
        for (const Word owner : owners->second)
            for (Word bit = 0; bit < grammar_.function_count; ++bit)
                if ((grammar_.forms[form].all >> bit & 1) && step(owner, grammar_.functions[bit]) >= 0)
                    note(use, owner, grammar_.functions[bit], READ);
    }

    Word note_walk(const Use &use, const Designator &designator) {
        if (designator.kind != REGISTER) return -1;
        Word at = locate(use, designator);
        if (designator.path >= 0)
            for (const Word attribute : grammar_.paths[designator.path]) {
                note(use, at, attribute, DEFINE);
                at = find(step(at, attribute));
            }
        return at;
    }

    void note_statements(const Use &use) {
        if (use.notes < 0) {
            note(use, base(use.category, use.start), -1 - use.notes, DEFINE);
            return;
        }
        for (const Word number : grammar_.said[use.notes]) note_statement(use, number);
    }

    void note_statement(const Use &use, Word number) {
        const Statement &said = grammar_.statements[number];
        if (said.kind == MARK) return;
        if (said.kind == NOT_ALL) {
            for (const Word each : grammar_.groups[number]) note_statement(use, each);
            return;
        }
        const Designator &left = grammar_.designators[said.left];
        if (said.kind > CONTAINS) {
            note_test(use, left, said.kind == TEST_CONTAINS);
            if (said.kind != TEST_EXISTS) note_test(use, grammar_.designators[said.right], said.kind == TEST_CONTAINS);
            return;
        }
        const Designator &right = grammar_.designators[said.right];
        const Word one = note_walk(use, left), other = note_walk(use, right);
        if (said.kind == EQUAL) {
            if (one >= 0) note(use, one, SELF, DEFINE);
            if (other >= 0) note(use, other, SELF, DEFINE);
            if (right.kind == FORM) note_form(use, one, right.value);
            if (left.kind == FORM) note_form(use, other, left.value);
            return;
        }
        if (other < 0) return;
        note(use, other, SELF, READ);
        note(use, other, ANY, DEFINE); // it gets elements
        if (one < 0) return;
        for (std::size_t i = 0; i < classes_[other].attributes.size(); ++i)
            note(use, one, classes_[other].attributes[i].first, DEFINE);
    }

    void note_test(const Use &use, const Designator &designator, bool elements) {
        if (designator.kind != REGISTER) return;
        const Word begin = locate(use, designator);
        std::vector<std::pair<Word, Word>> waiting{{begin, designator.path < 0 ? -1 : grammar_.path_starts[designator.path]}};
        std::vector<std::pair<Word, Word>> seen = waiting;
        const auto go = [&](Word to, Word state) {
            const std::pair<Word, Word> next{find(to), state};
            if (std::find(seen.begin(), seen.end(), next) != seen.end()) return;
            seen.push_back(next);
            waiting.push_back(next);
        };
        while (!waiting.empty()) {
            const auto [at, state] = waiting.back();
            waiting.pop_back();
            if (state < 0 || grammar_.path_finals[state]) {
                note(use, at, SELF, READ);
                if (elements) note(use, at, ELEMENT, READ);
            }
            if (state < 0) continue;
            if (!classes_[at].elements.empty()) note(use, at, ELEMENT, READ);
            for (std::int64_t arc = grammar_.path_offsets[state]; arc < grammar_.path_offsets[state + 1]; ++arc) {
                const Word target = grammar_.path_targets[arc], wanted = grammar_.path_steps[arc];
                for (std::size_t i = 0; i < classes_[at].attributes.size(); ++i) {
                    const auto [attribute, value] = classes_[at].attributes[i];
                    if (wanted != ANY && wanted != attribute) continue;
                    note(use, at, attribute, READ);
                    go(value, target);
                }
                for (std::size_t i = 0; i < classes_[at].elements.size(); ++i)
                    go(classes_[at].elements[i], wanted == ELEMENT ? target : state);
            }
        }
    }

    bool is_outside(const Outlook &outlook, const Note &note) const {
        if (outlook.start == outlook.end) return true;
        // What begins within the span lies in it, or crosses it and is of another c-structure.
        if (note.mother_start > outlook.start && note.mother_start < outlook.end) return false;
        if (note.to <= outlook.start || note.from >= outlook.end) return true;
        if (note.node == -2) return false;
        if (note.from == outlook.start && note.to == outlook.end) {
            if (outlook.node < 0) return false;
            const Word node = note.node < -2 ? -3 - note.node : note.node;
            const auto &above = above_[outlook.node];
            if (node == outlook.node) return note.node >= 0 || outlook.begun;
            return std::binary_search(above.begin(), above.end(), node);
        }
        return note.from <= outlook.start && note.to >= outlook.end;
    }

    std::uint8_t look(const Outlook &outlook, const std::vector<Note> &notes) const {
        std::uint8_t touch = 0;
        for (const Note &each : notes) {
            if ((touch | each.touch) != touch && is_outside(outlook, each)) touch |= each.touch;
            if (touch == (READ | DEFINE)) break;
        }
        return touch;
    }

    const Grammar &grammar_;
    const Sentence &sentence_;
    const Chart &chart_;
    std::vector<std::vector<Word>> above_; // of each node, those of its span that it may be part of
    std::vector<Word> rank_;
    std::vector<Class> classes_;
    Index bases_, notes_, known_;
    std::unordered_map<std::uint64_t, std::vector<Word>, Hash> owners_; // of PREDs, by the class of their value
    std::vector<std::vector<Note>> all_notes_;
    std::vector<std::uint8_t> asked_elsewhere_; // whether a class has a name or an attribute that asks for no PRED
    bool changed_ = false;
};

} // namespace weft::lfg
