// Tests, completeness and coherence, decided as soon as nothing outside can change the answer.
#pragma once

#include "lfg_state.hpp"

namespace weft::lfg {

class Tests {
  public:
    Tests(const Grammar &grammar, Graph &graph, Interface &interface, Clock &clock)
        : grammar_(grammar), graph_(graph), interface_(interface), clock_(clock) {}

    // Cells that undecided tests look at are added to what is kept.
    Truth decide(const Pending &test, std::vector<Word> &kept) {
        registers_.assign(registers_.size(), -1);
        const auto mentioned = grammar_.registers[test.statement];
        for (std::size_t i = 0; i < mentioned.size(); ++i) {
            if (registers_.size() <= static_cast<std::size_t>(mentioned[i])) registers_.resize(mentioned[i] + 1, -1);
            registers_[mentioned[i]] = graph_.find(test.places[i]);
        }
        looked_.clear();
        const Truth truth = decide(test.statement);
        if (truth == WAIT) kept.insert(kept.end(), looked_.begin(), looked_.end());
        return truth;
    }

    // False if some f-structure can no longer become complete and coherent.
    bool well_formed() {
        for (Word at = 0; at < static_cast<Word>(graph_.values.size()); ++at)
            if (graph_.values[at].parent < 0 && !well_formed(at)) return false;
        return true;
    }

  private:
    // A value, or what a designator writes out: then `place` is -2 and `literal` its designator; -1 for nothing.
    struct Thing {
        Word place, literal;
    };
    struct Reading {
        std::vector<Thing> things;
        bool firm; // no set was passed that may still grow
    };
    struct Readings {
        std::vector<Reading> all;
        bool complete = true; // nothing outside can add one
    };

    Truth decide(Word number) {
        const Statement &said = grammar_.statements[number];
        if (said.kind == LATE) return WAIT;
        if (said.kind == NOT_ALL) {
            bool waits = false;
            for (const Word each : grammar_.groups[number]) {
                const Truth truth = decide(each);
                if (truth == NO) return YES;
                waits = waits || truth == WAIT;
            }
            return waits ? WAIT : NO;
        }
        const Readings left = read(said.left);
        if (said.kind == TEST_EXISTS) {
            Sum sum(said.positive);
            for (const Reading &each : left.all) {
                sum.begin();
                for (const Thing &thing : each.things) sum.add(thing.place == -1 ? NO : YES);
                sum.end(each.firm);
            }
            return sum.total(left.complete);
        }
        const Readings right = read(said.right);
        Sum sum(said.positive);
        for (const Reading &one : left.all)
            for (const Reading &other : right.all) {
                sum.begin();
                for (const Thing &a : one.things)
                    for (const Thing &b : other.things) sum.add(said.kind == TEST_EQUAL ? same(a, b) : within(a, b));
                sum.end(one.firm && other.firm);
            }
        return sum.total(left.complete && right.complete);
    }

    // Some reading all of whose things are so; or, of a negative test, no reading any of whose things is so.
    class Sum {
      public:
        explicit Sum(bool positive) : positive_(positive) {}
        void begin() { one_ = positive_ ? YES : NO; }
        void add(Truth truth) {
            if (positive_)
                one_ = one_ == NO || truth == NO ? NO : std::max(one_, truth); // YES < WAIT
            else
                one_ = one_ == YES || truth == YES ? YES : (one_ == WAIT || truth == WAIT ? WAIT : NO);
        }
        void end(bool firm) {
            if (!firm && one_ == (positive_ ? YES : NO)) one_ = WAIT;
            // A thing that is not so may be left behind by none: missing values are waited for by `complete`.
            if (one_ == YES) found_ = true;
            if (one_ == WAIT) waits_ = true;
        }
        Truth total(bool complete) const {
            if (found_) return positive_ ? YES : NO;
            if (waits_ || !complete) return WAIT;
            return positive_ ? NO : YES;
        }

      private:
        bool positive_, found_ = false, waits_ = false;
        Truth one_ = NO;
    };

    Readings read(Word number) {
        const Designator &designator = grammar_.designators[number];
        Readings found;
        if (designator.is_literal()) {
            found.all.push_back({{{-2, number}}, true});
            return found;
        }
        if (designator.kind == HOLDER) return read_holders(designator);
        if (designator.kind == BEYOND) {
            const Readings base = read(designator.value);
            found.complete = base.complete;
            for (const Reading &each : base.all) walk(each, grammar_.path_starts[designator.path], found);
            return found;
        }
        Reading start{{{registers_[designator.value], -1}}, true};
        if (designator.path < 0)
            found.all.push_back(std::move(start));
        else
            walk(std::move(start), grammar_.path_starts[designator.path], found);
        return found;
    }

    // What is found inside out stays, unless it becomes a set, whose elements have it then; that there is no more, only
    // the end can tell.
    Readings read_holders(const Designator &designator) {
        std::vector<Word> targets;
        for (const Reading &each : read(designator.value).all)
            for (const Thing &thing : each.things) targets.push_back(thing.place);
        Readings found;
        found.complete = interface_.is_final();
        const Word start = grammar_.path_starts[designator.path];
        by_elements_ = true;
        finds_sets_ = true;
        for (std::int64_t arc = grammar_.path_offsets[start]; arc < grammar_.path_offsets[start + 1]; ++arc)
            finds_sets_ = finds_sets_ && grammar_.path_steps[arc] == ELEMENT;
        for (Word at = 0; at < static_cast<Word>(graph_.values.size()); ++at) {
            if (graph_.values[at].parent >= 0) continue;
            Readings ways;
            walk({{{at, -1}}, true}, start, ways);
            for (const Reading &way : ways.all)
                if (std::all_of(way.things.begin(), way.things.end(), [&](const Thing &each) {
                        return std::find(targets.begin(), targets.end(), each.place) != targets.end();
                    }))
                    found.all.push_back({{{at, -1}}, way.firm});
        }
        by_elements_ = false;
        return found;
    }

    struct Way {
        Word state;
        Reading reading;
        std::vector<std::pair<Word, std::vector<Word>>> seen;
    };

    void walk(Reading start, Word state, Readings &found) {
        std::vector<Way> agenda{{state, std::move(start), {}}};
        while (!agenda.empty()) {
            clock_.look();
            Way way = std::move(agenda.back());
            agenda.pop_back();
            std::pair<Word, std::vector<Word>> here{way.state, {}};
            for (const Thing &thing : way.reading.things) here.second.push_back(thing.place);
            if (std::find(way.seen.begin(), way.seen.end(), here) != way.seen.end()) continue;
            if (grammar_.path_finals[way.state]) found.all.push_back(way.reading);
            way.seen.push_back(std::move(here));
            for (std::int64_t arc = grammar_.path_offsets[way.state]; arc < grammar_.path_offsets[way.state + 1]; ++arc)
                move(way, grammar_.path_steps[arc], grammar_.path_targets[arc], agenda, found);
        }
    }

    void move(const Way &way, Word wanted, Word target, std::vector<Way> &agenda, Readings &found) {
        if (wanted == ELEMENT) {
            if (by_elements_ && !finds_sets_ && way.seen.size() == 1) return;
            for (const Thing &thing : way.reading.things) {
                if (thing.place < 0) continue;
                if (interface_.grows(thing.place)) found.complete = false;
                for (Word cell = graph_.values[thing.place].elements; cell >= 0; cell = graph_.cells[cell].next) {
                    looked_.push_back(cell);
                    agenda.push_back({target, {{{graph_.find(graph_.cells[cell].value), -1}}, way.reading.firm}, way.seen});
                }
            }
            return;
        }
        if (wanted == ANY) {
            std::vector<Word> names;
            for (const Thing &thing : way.reading.things) list_attributes(thing.place, names, found);
            std::sort(names.begin(), names.end());
            names.erase(std::unique(names.begin(), names.end()), names.end());
            for (const Word name : names) go(way, name, target, agenda, found);
            return;
        }
        go(way, wanted, target, agenda, found);
    }

    void go(const Way &way, Word attribute, Word target, std::vector<Way> &agenda, Readings &found) {
        const Word from = way.reading.things[0].place;
        if (by_elements_ && from >= 0 && graph_.values[from].is_set && !grammar_.own[attribute]) return;
        Way next = way;
        next.state = target;
        if (by_elements_ && from >= 0 && interface_.may_become_set(from)) next.reading.firm = false;
        next.reading.things.clear();
        for (const Thing &thing : way.reading.things) follow(thing.place, attribute, next.reading, found);
        if (std::all_of(next.reading.things.begin(), next.reading.things.end(), [](const Thing &each) { return each.place == -1; }))
            return;
        if (by_elements_) enter_elements(next, next.reading.things[0].place, agenda);
        agenda.push_back(std::move(next));
    }

    // Inside out, what leads to a set leads to each of its elements.
    void enter_elements(const Way &way, Word whole, std::vector<Way> &agenda) {
        for (Word cell = graph_.values[whole].elements; cell >= 0; cell = graph_.cells[cell].next) {
            looked_.push_back(cell);
            Way next = way;
            next.reading.things = {{graph_.find(graph_.cells[cell].value), -1}};
            enter_elements(next, next.reading.things[0].place, agenda);
            agenda.push_back(std::move(next));
        }
    }

    void follow(Word at, Word attribute, Reading &reading, Readings &found) {
        if (at < 0) {
            reading.things.push_back({-1, -1});
            return;
        }
        if (graph_.values[at].is_set && !grammar_.own[attribute]) {
            if (interface_.grows(at)) reading.firm = false, found.complete = false;
            for (Word cell = graph_.values[at].elements; cell >= 0; cell = graph_.cells[cell].next) {
                looked_.push_back(cell);
                follow(graph_.find(graph_.cells[cell].value), attribute, reading, found);
            }
            return;
        }
        for (Word cell = graph_.values[at].attributes; cell >= 0; cell = graph_.cells[cell].next)
            if (graph_.cells[cell].name == attribute) {
                looked_.push_back(cell);
                reading.things.push_back({graph_.find(graph_.cells[cell].value), -1});
                return;
            }
        if (graph_.values[at].kind == OPEN && interface_.open(at, attribute)) found.complete = false;
        reading.things.push_back({-1, -1});
    }

    void list_attributes(Word at, std::vector<Word> &names, Readings &found) {
        if (at < 0) return;
        if (interface_.sees(at) && graph_.values[at].kind == OPEN) found.complete = false;
        for (Word cell = graph_.values[at].attributes; cell >= 0; cell = graph_.cells[cell].next)
            if (grammar_.own[graph_.cells[cell].name] != 2 &&
                (!graph_.values[at].is_set || grammar_.own[graph_.cells[cell].name]))
                names.push_back(graph_.cells[cell].name);
        for (Word cell = graph_.values[at].elements; cell >= 0; cell = graph_.cells[cell].next) {
            looked_.push_back(cell);
            std::vector<Word> below;
            list_attributes(graph_.find(graph_.cells[cell].value), below, found);
            for (const Word name : below)
                if (!grammar_.own[name]) names.push_back(name);
        }
    }

    Truth same(const Thing &one, const Thing &other) {
        if (one.place == -1 || other.place == -1) return NO;
        if (one.place == -2 && other.place == -2) {
            const Designator &a = grammar_.designators[one.literal], &b = grammar_.designators[other.literal];
            return a.kind == b.kind && a.value == b.value ? YES : NO;
        }
        if (one.place == -2) return same(other, one);
        const Value &value = graph_.values[one.place];
        if (other.place == -2) return is_literal(one.place, value, grammar_.designators[other.literal]);
        if (one.place == other.place) return YES;
        const Value &second = graph_.values[other.place];
        if (value.kind != OPEN && value.kind == second.kind && value.content == second.content) return YES;
        if (value.kind != OPEN && second.kind != OPEN && value.kind != CLOSED_SET && second.kind != CLOSED_SET) return NO;
        const bool fixed = !may_change(one.place, value) && !may_change(other.place, second);
        return fixed ? NO : WAIT;
    }

    bool may_change(Word at, const Value &value) {
        return (value.kind == OPEN || value.kind == CLOSED_SET) && interface_.changes(at);
    }

    Truth is_literal(Word at, const Value &value, const Designator &literal) {
        const bool atomic = value.kind == ATOM || value.kind == INSTANTIATED;
        const Word symbol = value.kind == INSTANTIATED ? graph_.instances[value.content] : value.content;
        switch (literal.kind) {
        case SYMBOL:
        case INSTANCE:
            if (atomic) return symbol == literal.value ? YES : NO;
            break;
        case FORM:
            if (value.kind == SEMANTIC) {
                const Word form = graph_.governed[value.content].form;
                return form >= 0 && matches(grammar_.forms[form], grammar_.forms[literal.value]) ? YES : NO;
            }
            break;
        default: {
            const auto wanted = grammar_.values[literal.value];
            if (atomic) return std::binary_search(wanted.begin(), wanted.end(), symbol) ? YES : NO;
            if (value.kind == CLOSED_SET) {
                const auto mine = graph_.symbol_sets()[value.content];
                if (std::includes(wanted.begin(), wanted.end(), mine.begin(), mine.end())) return YES;
            }
        }
        }
        return may_change(at, value) && graph_.may_be_atom(value) ? WAIT : NO;
    }

    static bool matches(const Form &form, const Form &wanted) {
        return form.name == wanted.name && ((wanted.arity == 0) || form.arity == wanted.arity);
    }

    Truth within(const Thing &element, const Thing &whole) {
        if (whole.place == -1) return NO;
        if (whole.place == -2) return grammar_.designators[whole.literal].kind == VALUES ? same(element, whole) : NO;
        bool waits = interface_.grows(whole.place) || (!graph_.values[whole.place].is_set && interface_.changes(whole.place));
        for (Word cell = graph_.values[whole.place].elements; cell >= 0; cell = graph_.cells[cell].next) {
            looked_.push_back(cell);
            const Truth truth = same(element, {graph_.find(graph_.cells[cell].value), -1});
            if (truth == YES) return YES;
            waits = waits || truth == WAIT;
        }
        return waits ? WAIT : NO;
    }

    bool well_formed(Word at) {
        const Value &value = graph_.values[at];
        if (value.needs_pred && !demand(at)) return false;
        if (value.is_set || value.attributes < 0) return true;
        Mask present = 0;
        const Word pred = graph_.get(at, PRED);
        const Governed *form =
            pred >= 0 && graph_.values[pred].kind == SEMANTIC ? &graph_.governed[graph_.values[pred].content] : nullptr;
        for (Word cell = value.attributes; cell >= 0; cell = graph_.cells[cell].next) {
            const Word name = graph_.cells[cell].name, bit = grammar_.bits[name];
            if (grammar_.semantic[name] && !demand(graph_.cells[cell].value)) return false;
            if (bit < 0 || value.settled) continue;
            present |= Mask{1} << bit;
            if (form && !(form->allowed >> bit & 1) && (grammar_.governable >> bit & 1)) return false;
            if (form && (form->thematic >> bit & 1) && !demand(graph_.cells[cell].value)) return false;
        }
        if (value.settled) return true;
        if (!form) return !(present & grammar_.governable) || interface_.open(at, PRED) || (pred >= 0 && interface_.changes(pred));
        if (const Mask missing = form->required & ~present) {
            for (Word bit = 0; bit < grammar_.function_count; ++bit)
                if ((missing >> bit & 1) && !interface_.open(at, grammar_.functions[bit])) return false;
        }
        return true;
    }

    // A value needs a PRED, a set's elements need one each.
    bool demand(Word at) {
        at = graph_.find(at);
        Value &value = graph_.values[at];
        if (value.kind != OPEN) return false;
        if (value.is_set) {
            value.needs_pred = true;
            for (Word cell = value.elements; cell >= 0; cell = graph_.cells[cell].next)
                if (!demand(graph_.cells[cell].value)) return false;
            return true;
        }
        if (value.settled || graph_.get(at, PRED) >= 0) return true;
        value.needs_pred = true;
        return interface_.open(at, PRED);
    }

    const Grammar &grammar_;
    Graph &graph_;
    Interface &interface_;
    Clock &clock_;
    bool by_elements_ = false, finds_sets_ = false; // of a path that is read inside out
    std::vector<Word> registers_ = std::vector<Word>(8, -1), looked_;
};

} // namespace weft::lfg
