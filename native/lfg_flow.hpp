// What may still be done, or asked, from outside of a constituent: the interface that its solutions have.
//
// For each class of f-structures (lfg_classes.hpp) and each attribute it is noted which annotations and entries step
// there: to define something, or to read it. Whatever no annotation or entry outside of a constituent steps to can be
// forgotten where the constituent is complete. What waits for the whole sentence, inside-out tests and statements that
// only whole f-structures decide, is outside of all that it waits in.
#pragma once

#include "lfg_classes.hpp"
#include "lfg_order.hpp"

namespace weft::lfg {

// HOLD: what has it is looked for from its value, inside out, so that it matters even if nothing leads there.
enum Touch : std::uint8_t { READ = 1, DEFINE = 2, HOLD = 4 };

// Where something is looked at from: a constituent, or the beginning of one.
struct Outlook {
    Word start, end;
    Word node;       // of the same span, in the chart; -1 for none
    bool begun;      // only the beginning of one
    bool whole;      // nothing is outside
    bool waits;      // something in it waits for the whole sentence
    Word number;     // of its own and of these tests, for what is remembered
    std::span<const Word> tests{}; // that are undecided in it, ascending: what they look at, they may look at again

    bool is_final() const { return whole && !waits; }
};

class Flow {
  public:
    Flow(const Grammar &grammar, const Sentence &sentence, const Chart &chart, const Order &order, Clock &clock)
        : grammar_(grammar), sentence_(sentence), chart_(chart), order_(order), clock_(clock), classes_(grammar, clock) {}

    void run() {
        uses([&](const Use &use) { merge_statements(use); });
        classes_.settle();
        if (grammar_.late) merge_late();
        find_owners();
        uses([&](const Use &use) { note_statements(use); });
    }

    Word class_of(Word category, Word start) { return base(category, start); }
    Word class_of_local(Word category, Word start, Word local) { return base_of_local(category, start, local); }
    Word step(Word from, Word attribute) const { return classes_.step(from, attribute); }

    bool has_elements(Word type) const { return !classes_[type].elements.empty(); }

    // What is done from outside to a step of a class.
    std::uint8_t touched(const Outlook &outlook, Word from, Word attribute) {
        if (outlook.is_final()) return 0;
        if (from < 0) return READ | DEFINE | HOLD;
        const auto notes = notes_.find(key_of(from, static_cast<Word>(attribute - SELF)));
        if (notes == notes_.end()) return 0;
        const auto [found, added] = known_.try_emplace(
            (static_cast<std::uint64_t>(outlook.number * 2 + outlook.waits) << 32) | static_cast<std::uint32_t>(notes->second), 0);
        if (added) found->second = look(outlook, all_notes_[notes->second]);
        return static_cast<std::uint8_t>(found->second);
    }

  private:
    // An annotation of a daughter over a span; an entry (node -2); or what a node itself says (node -3 - its number).
    struct Use {
        Word category, start, down_category, down_start, notes, from, to, node;
    };
    struct Note {
        Word from, to, node, mother_start;
        std::uint8_t touch;
        bool waits;
        Word test; // the statement, if it is one
        bool is_of(const Note &other) const {
            return from == other.from && to == other.to && node == other.node && mother_start == other.mother_start;
        }
    };

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

    Word base(Word category, Word start) { return classes_.made(bases_, key_of(category, start, 0)); }
    Word base_of_local(Word category, Word start, Word local) {
        return classes_.made(bases_, key_of(category, start, local + 1));
    }

    Word locate(const Use &use, const Designator &designator) {
        if (designator.kind == BESIDE) return classes_.find(beside_);
        if (designator.value == UP) return base(use.category, use.start);
        if (designator.value != DOWN) return base_of_local(use.category, use.start, designator.value - LOCALS);
        return use.down_category < 0 ? base(use.category, use.start) : base(use.down_category, use.down_start);
    }

    // The classes of all that a designator may be; `visit` sees each class on the way, how it is touched, and why.
    template <class Visit>
    std::vector<Word> find_ends(const Use &use, Word number, Visit &&visit, Making making = {}) {
        const Designator &designator = grammar_.designators[number];
        const auto down = [&](Word at, Word attribute) { visit(at, attribute, std::uint8_t{READ}); };
        switch (designator.kind) {
        case REGISTER:
        case BESIDE: {
            const std::vector<Word> begin{locate(use, designator)};
            return designator.path < 0 ? begin : classes_.follow(begin, grammar_.path_starts[designator.path], down, making);
        }
        case BEYOND:
            return classes_.follow(find_ends(use, designator.value, visit, making),
                                   grammar_.path_starts[designator.path], down, making);
        case HOLDER:
            return classes_.look_up(find_ends(use, designator.value, visit, making), grammar_.path_starts[designator.path],
                                    [&](Word at, Word attribute) { visit(at, attribute, std::uint8_t{READ | HOLD}); });
        default:
            return {};
        }
    }

    // ------------------------------------------------------------------------------- what is equal

    Word walk(const Use &use, const Designator &designator) {
        Word at = locate(use, designator);
        if (designator.path >= 0)
            for (const Word attribute : grammar_.paths[designator.path]) at = classes_.reach(at, attribute);
        return at;
    }

    void merge_statements(const Use &use) {
        if (use.notes < 0) {
            classes_.reach(base(use.category, use.start), -1 - use.notes);
            return;
        }
        for (const Word number : grammar_.said[use.notes]) {
            const Statement &said = grammar_.statements[number];
            if (said.kind != EQUAL && said.kind != CONTAINS) continue;
            const Designator &left = grammar_.designators[said.left], &right = grammar_.designators[said.right];
            Word one = left.kind == REGISTER ? walk(use, left) : -1;
            const Word other = right.kind == REGISTER ? walk(use, right) : -1;
            // An atom clashes with what is said of its set.
            if (one < 0 && said.kind == CONTAINS) one = classes_.add();
            if (one < 0 || other < 0) continue;
            if (said.kind == EQUAL)
                classes_.unite(one, other);
            else
                classes_.include(one, other);
        }
    }

    // Statements whose paths are chosen at the end: all that any of their paths leads to may be equal.
    void merge_late() {
        Index made;
        for (std::size_t version = classes_.version() + 1; version != classes_.version();) {
            version = classes_.version();
            Word count = 0;
            uses([&](const Use &use) {
                if (use.notes < 0) return;
                for (const Word number : grammar_.said[use.notes])
                    if (grammar_.statements[number].kind == LATE) merge_one_late(use, number, {&made, count++});
            });
            classes_.settle();
        }
    }

    void merge_one_late(const Use &use, Word number, Making making) {
        const Statement &said = grammar_.statements[number];
        if (said.positive == TESTS) return;
        const auto nothing = [](Word, Word, std::uint8_t) {};
        std::vector<Word> left = find_ends(use, said.left, nothing, making);
        const std::vector<Word> right = find_ends(use, said.right, nothing, making);
        if (said.positive == INCLUDES) {
            if (grammar_.designators[said.left].is_literal()) left.push_back(classes_.made(*making.index, making.key(-1)));
            for (const Word whole : right)
                for (const Word each : left) classes_.include(each, whole);
        } else if (!left.empty() && !right.empty()) {
            for (const Word each : left) classes_.unite(each, right[0]);
            for (const Word each : right) classes_.unite(each, left[0]);
        }
    }

    void find_owners() {
        asked_elsewhere_.assign(classes_.size(), 0);
        for (const auto &[key, number] : bases_) asked_elsewhere_[classes_.find(number)] = 1;
        for (Word i = 0; i < classes_.size(); ++i)
            for (const auto &[attribute, value] : classes_[i].attributes) {
                if (!grammar_.semantic[attribute]) asked_elsewhere_[value] = 1;
                if (attribute == PRED) owners_[key_of(value, 0)].push_back(i);
            }
    }

    // ------------------------------------------------------------------------------- what is touched

    void note(const Use &use, Word from, Word attribute, std::uint8_t touch) {
        clock_.look();
        from = classes_.find(from);
        const auto [found, added] =
            notes_.try_emplace(key_of(from, static_cast<Word>(attribute - SELF)), static_cast<Word>(all_notes_.size()));
        if (added) all_notes_.emplace_back();
        auto &notes = all_notes_[found->second];
        const Note made{use.from, use.to, use.node, use.start, touch, waits_, test_};
        // Those of one use follow one another.
        for (auto each = notes.rbegin(); each != notes.rend() && each->is_of(made); ++each)
            if (each->touch == touch && each->waits == waits_ && each->test == test_) return;
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
        if (!classes_[at].elements.empty() && !argument && !asked_elsewhere_[at]) {
            // Elements that are sets themselves still need to have theirs there.
            for (const Word element : classes_[at].elements)
                if (!classes_[element].elements.empty()) note(use, element, PRED, READ);
            return;
        }
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
                at = classes_.find(step(at, attribute));
            }
        return at;
    }

    void note_statements(const Use &use) {
        if (use.notes < 0) {
            note(use, base(use.category, use.start), -1 - use.notes, DEFINE);
            return;
        }
        for (const Word number : grammar_.said[use.notes]) {
            const Word kind = grammar_.statements[number].kind;
            waits_ = grammar_.waits[number] != 0;
            test_ = kind > CONTAINS && kind != MARK ? number : -1;
            note_statement(use, number);
        }
        waits_ = false;
        test_ = -1;
    }

    void note_statement(const Use &use, Word number) {
        const Statement &said = grammar_.statements[number];
        if (said.kind == MARK) return;
        if (said.kind == NOT_ALL) {
            for (const Word each : grammar_.groups[number]) note_statement(use, each);
            return;
        }
        if (said.kind == LATE) {
            note_late(use, number);
            return;
        }
        if (said.kind > CONTAINS) {
            note_test(use, said.left, said.kind == TEST_CONTAINS);
            if (said.kind != TEST_EXISTS) note_test(use, said.right, said.kind == TEST_CONTAINS);
            return;
        }
        const Designator &left = grammar_.designators[said.left], &right = grammar_.designators[said.right];
        const Word one = note_walk(use, left), other = note_walk(use, right);
        if (said.kind == CONTAINS) {
            note_membership(use, one, other);
            return;
        }
        if (one >= 0) note(use, one, SELF, DEFINE);
        if (other >= 0) note(use, other, SELF, DEFINE);
        if (right.kind == FORM) note_form(use, one, right.value);
        if (left.kind == FORM) note_form(use, other, left.value);
    }

    void note_membership(const Use &use, Word element, Word whole) {
        if (whole < 0) return;
        note(use, whole, SELF, READ);
        note(use, whole, ANY, DEFINE); // it gets elements
        if (element < 0) return;
        for (std::size_t i = 0; i < classes_[whole].attributes.size(); ++i)
            note(use, element, classes_[whole].attributes[i].first, DEFINE);
    }

    void note_test(const Use &use, Word designator, bool elements) {
        const auto visit = [&](Word at, Word attribute, std::uint8_t touch) { note(use, at, attribute, touch); };
        for (const Word at : find_ends(use, designator, visit)) {
            note(use, at, SELF, READ);
            if (elements) note(use, at, ELEMENT, READ);
        }
    }

    // A statement that waits touches all that any of its paths goes over, and so do the tests beside them.
    void note_late(const Use &use, Word number) {
        const Statement &said = grammar_.statements[number];
        const std::uint8_t defines = said.positive == TESTS ? 0 : DEFINE;
        std::vector<Word> passed;
        const auto visit = [&](Word at, Word attribute, std::uint8_t touch) {
            note(use, at, attribute, touch | defines);
            note(use, at, SELF, READ);
            passed.push_back(at);
        };
        const auto ends = [&](Word designator) {
            return designator < 0 ? std::vector<Word>{} : find_ends(use, designator, visit);
        };
        const std::vector<Word> left = ends(said.left), right = ends(said.right);
        for (const auto *some : {&left, &right})
            for (const Word at : *some) {
                note(use, at, SELF, READ | defines);
                note(use, at, ELEMENT, READ);
                passed.push_back(at);
            }
        if (said.positive == INCLUDES)
            for (const Word whole : right) {
                note_membership(use, -1, whole);
                for (const Word each : left) note_membership(use, each, whole);
            }
        std::sort(passed.begin(), passed.end());
        passed.erase(std::unique(passed.begin(), passed.end()), passed.end());
        for (const Word each : grammar_.groups[number])
            for (const Word at : passed) {
                beside_ = at;
                note_statement(use, each);
            }
    }

    // ------------------------------------------------------------------------------- from where

    bool is_outside(const Outlook &outlook, const Note &note) const {
        if (note.waits && outlook.waits) return true;
        if (note.test >= 0 && std::binary_search(outlook.tests.begin(), outlook.tests.end(), note.test)) return true;
        if (outlook.whole) return false;
        if (outlook.start == outlook.end) return true;
        // What begins within the span lies in it, or crosses it and is of another c-structure.
        if (note.mother_start > outlook.start && note.mother_start < outlook.end) return false;
        if (note.to <= outlook.start || note.from >= outlook.end) return true;
        if (note.node == -2) return false;
        if (note.from == outlook.start && note.to == outlook.end) {
            if (outlook.node < 0) return false;
            const Word node = note.node < -2 ? -3 - note.node : note.node;
            if (node == outlook.node) return note.node >= 0 || outlook.begun;
            return order_.is_above(node, outlook.node);
        }
        return note.from <= outlook.start && note.to >= outlook.end;
    }

    std::uint8_t look(const Outlook &outlook, const std::vector<Note> &notes) const {
        const std::uint8_t everything = READ | DEFINE | (grammar_.inside_out ? HOLD : 0);
        std::uint8_t touch = 0;
        for (const Note &each : notes) {
            if ((touch | each.touch) != touch && is_outside(outlook, each)) touch |= each.touch;
            if (touch == everything) break;
        }
        return touch;
    }

    const Grammar &grammar_;
    const Sentence &sentence_;
    const Chart &chart_;
    const Order &order_;
    Clock &clock_;
    Classes classes_;
    Index bases_, notes_, known_;
    std::unordered_map<std::uint64_t, std::vector<Word>, Hash> owners_; // of PREDs, by the class of their value
    std::vector<std::vector<Note>> all_notes_;
    std::vector<std::uint8_t> asked_elsewhere_; // whether a class has a name or an attribute that asks for no PRED
    bool waits_ = false; // what is noted is of a statement that waits for the whole sentence
    Word test_ = -1;     // the test that is noted
    Word beside_ = -1;   // what lies on the path whose tests beside it are noted
};

} // namespace weft::lfg
