// F-structures while equations are solved: union and find over values, with sets.
#pragma once

#include "lfg_flow.hpp"

#include <map>

namespace weft::lfg {

enum ValueKind : Word { OPEN, ATOM, INSTANTIATED, SEMANTIC, CLOSED_SET }; // OPEN: a structure, or nothing known

// What a semantic form still has to say.
struct Governed {
    Word form; // -1: forgotten
    Mask thematic, required, allowed;
};

struct Value {
    Word parent = -1, type = -1; // type: its class in the flow
    Word kind = OPEN, content = -1;
    Word attributes = -1, elements = -1; // lists
    bool is_set = false, needs_pred = false;
    bool settled = false; // it has a PRED that is forgotten, for nothing can be said of its functions any more
    bool structured = false; // it has attributes that are forgotten, and so is no atom
    bool anchored = false; // of a node of the c-structure, or what led to it from there is forgotten
    bool shared = false; // by the elements of the set that is looked at: nodes lead to it in other ways, too
};

// Closed sets of symbols, each once.
class SymbolSets {
  public:
    explicit SymbolSets(const Grammar &grammar) : grammar_(grammar) {}
    std::span<const Word> operator[](Word number) const {
        if (number < grammar_.values.count) return grammar_.values[number];
        return *made_[number - grammar_.values.count];
    }
    Word add(const std::vector<Word> &symbols) {
        const auto [found, added] = numbers_.try_emplace(symbols, static_cast<Word>(grammar_.values.count + made_.size()));
        if (added) made_.push_back(&found->first);
        return found->second;
    }

  private:
    const Grammar &grammar_;
    std::map<std::vector<Word>, Word> numbers_;
    std::vector<const std::vector<Word> *> made_;
};

class Graph {
  public:
    struct Cell {
        Word name, value, next;
    };

    Graph(const Grammar &grammar, const Flow *flow, Clock &clock) : grammar_(grammar), flow_(flow), clock_(clock), sets_(grammar) {}

    void clear() {
        values.clear();
        cells.clear();
        governed.clear();
        instances.clear();
    }

    Word add(Word type) {
        values.push_back({.type = type});
        return static_cast<Word>(values.size()) - 1;
    }

    Word find(Word number) const {
        while (values[number].parent >= 0) number = values[number].parent;
        return number;
    }

    // The value of an attribute; -1 for none.
    Word get(Word at, Word attribute) const {
        for (Word cell = values[at].attributes; cell >= 0 && cells[cell].name <= attribute; cell = cells[cell].next)
            if (cells[cell].name == attribute) return find(cells[cell].value);
        return -1;
    }

    // The value of an attribute, made where there is none; -1 where there cannot be one.
    Word step(Word at, Word attribute) {
        at = find(at);
        if (values[at].kind != OPEN && !is_category(attribute)) return -1;
        Word *place = &values[at].attributes;
        while (*place >= 0 && cells[*place].name < attribute) place = &cells[*place].next;
        if (*place >= 0 && cells[*place].name == attribute) return find(cells[*place].value);
        const Word next = *place;
        *place = static_cast<Word>(cells.size());
        cells.push_back({attribute, static_cast<Word>(values.size()), next});
        return add(flow_ ? flow_->step(values[at].type, attribute) : -1);
    }

    bool unify(Word one, Word other) {
        const std::size_t bottom = waiting_.size();
        waiting_.push_back({one, other});
        while (waiting_.size() > bottom) {
            clock_.look();
            const auto [a, b] = waiting_.back();
            waiting_.pop_back();
            if (!join(find(a), find(b))) {
                waiting_.resize(bottom);
                return false;
            }
        }
        return true;
    }

    // Makes a value an atom, or one of a closed set of them.
    bool set_value(Word at, Word kind, Word content) {
        const Word made = add(-1);
        values[made].kind = kind;
        values[made].content = content;
        return unify(at, made);
    }

    bool set_instance(Word at, Word symbol) {
        instances.push_back(symbol);
        return set_value(at, INSTANTIATED, static_cast<Word>(instances.size()) - 1);
    }

    bool set_form(Word at, Word form) {
        const Mask all = grammar_.forms[form].all;
        governed.push_back({form, grammar_.forms[form].thematic, all, all});
        return set_value(at, SEMANTIC, static_cast<Word>(governed.size()) - 1);
    }

    bool include(Word element, Word whole) {
        whole = find(whole), element = find(element);
        if (values[whole].kind != OPEN) return false;
        values[whole].is_set = true;
        if (has_element(whole, element)) return true;
        ++merges_;
        cells.push_back({ELEMENT, element, -1});
        Word *last = &values[whole].elements;
        while (*last >= 0) last = &cells[*last].next;
        *last = static_cast<Word>(cells.size()) - 1;
        return true;
    }

    bool has_element(Word whole, Word element) const {
        for (Word cell = values[whole].elements; cell >= 0; cell = cells[cell].next)
            if (const Word each = find(cells[cell].value); each == element || is_same_atom(each, element)) return true;
        return false;
    }

    // Whether a value may still be an atom; nodes of the c-structure may have atoms, too.
    bool may_be_atom(const Value &value) const {
        if (value.is_set || value.structured) return false;
        for (Word cell = value.attributes; cell >= 0; cell = cells[cell].next)
            if (!is_category(cells[cell].name)) return false;
        return true;
    }

    SymbolSets &symbol_sets() { return sets_; }

    std::vector<Value> values;
    std::vector<Cell> cells;
    std::vector<Governed> governed;
    std::vector<Word> instances; // the symbols of instantiated ones

    // Gives elements what is said of their sets: values that only the set leads to are copied for each.
    bool distribute() {
        if (!sets_are_founded()) return false;
        int passes = 50;
        for (bool again = true; again;) {
            again = false;
            const std::size_t before = cells.size(), merged = merges_;
            for (Word at = 0; at < static_cast<Word>(values.size()); ++at)
                if (values[at].parent < 0 && values[at].elements >= 0 && !hand_down(at)) return false;
            again = cells.size() != before || merges_ != merged;
            if (again && (--passes < 0 || !sets_are_founded())) return false;
        }
        return true;
    }

    // Visits what nodes of the c-structure lead to: `steps` says of each cell whether to go over it.
    template <class Steps> void visit_anchored(Steps &&steps) {
        std::vector<std::uint8_t> seen(values.size(), 0);
        std::vector<Word> waiting;
        const auto see = [&](Word at) {
            if (!std::exchange(seen[at], std::uint8_t{1})) waiting.push_back(at);
        };
        for (Word at = 0; at < static_cast<Word>(values.size()); ++at)
            if (values[at].parent < 0 && values[at].anchored) see(at);
        while (!waiting.empty()) {
            const Word at = waiting.back();
            waiting.pop_back();
            for (const Word list : {values[at].attributes, values[at].elements})
                for (Word cell = list; cell >= 0; cell = cells[cell].next)
                    if (steps(at, cell)) see(find(cells[cell].value));
        }
    }

    // Whether the elements of a set get what this cell of it has.
    bool is_given(Word at, Word cell) const {
        return values[at].elements >= 0 && cells[cell].name >= 0 && !grammar_.own[cells[cell].name];
    }

  private:
    bool is_category(Word attribute) const { return grammar_.own[attribute] == 2; }

    bool is_same_atom(Word one, Word other) const {
        return values[one].kind == values[other].kind && values[one].content == values[other].content &&
               (values[one].kind == ATOM || values[one].kind == INSTANTIATED);
    }

    bool hand_down(Word whole) {
        bool gives = false;
        for (Word cell = values[whole].attributes; cell >= 0; cell = cells[cell].next) gives |= is_given(whole, cell);
        if (!gives || !share(whole)) return true;
        for (Word each = values[whole].elements; each >= 0; each = cells[each].next) {
            copies_.clear();
            for (Word cell = values[whole].attributes; cell >= 0; cell = cells[cell].next) {
                if (!is_given(whole, cell)) continue;
                const Word below = step(cells[each].value, cells[cell].name);
                if (below < 0 || !agree(below, find(cells[cell].value))) return false;
            }
        }
        return true;
    }

    // Finds what the elements of a set share; false if no node leads to the set.
    bool share(Word whole) {
        for (Value &value : values) value.shared = value.anchored;
        visit_anchored([&](Word at, Word cell) {
            values[at].shared = true;
            if (at == whole && is_given(at, cell)) return false;
            return values[find(cells[cell].value)].shared = true;
        });
        return values[whole].shared;
    }

    // Whether no set is an element of itself, or of an element, and so on.
    bool sets_are_founded() const {
        std::vector<Word> sets;
        for (Word at = 0; at < static_cast<Word>(values.size()); ++at)
            if (values[at].parent < 0 && values[at].elements >= 0) sets.push_back(at);
        while (!sets.empty()) {
            const std::size_t before = sets.size();
            const std::vector<Word> all = sets;
            std::erase_if(sets, [&](Word at) {
                for (Word cell = values[at].elements; cell >= 0; cell = cells[cell].next)
                    if (std::binary_search(all.begin(), all.end(), find(cells[cell].value))) return false;
                return true;
            });
            if (sets.size() == before) return false;
        }
        return true;
    }

    // Makes a value have what another has, down to what is shared.
    bool agree(Word copy, Word model) {
        clock_.look();
        copy = find(copy), model = find(model);
        if (copy == model) return true;
        if (values[model].shared) return unify(copy, model);
        for (const auto &[known, made] : copies_)
            if (find(known) == model) return unify(copy, made);
        copies_.push_back({model, copy});
        if (values[model].kind != OPEN) {
            if (values[copy].kind == values[model].kind && values[copy].content == values[model].content) return true;
            if (values[model].kind == CLOSED_SET && is_one_of(values[copy], values[model])) return true;
            const Word made = add(-1);
            values[made].kind = values[model].kind;
            values[made].content = values[model].content;
            return unify(copy, made);
        }
        for (Word cell = values[model].attributes; cell >= 0; cell = cells[cell].next) {
            const Word below = step(copy, cells[cell].name);
            if (below < 0 || !agree(below, cells[cell].value)) return false;
        }
        if (values[model].structured && values[find(copy)].kind != OPEN) return false;
        values[find(copy)].structured |= values[model].structured;
        if (values[model].is_set) values[find(copy)].is_set = true;
        for (Word cell = values[model].elements; cell >= 0; cell = cells[cell].next)
            if (!include(cells[cell].value, copy)) return false;
        return true;
    }

    bool join(Word a, Word b) {
        if (a == b) return true;
        if (values[a].kind == OPEN && values[b].kind != OPEN) std::swap(a, b);
        Value &kept = values[a], &gone = values[b];
        if (kept.kind != OPEN && gone.kind == OPEN && !may_be_atom(gone)) return false;
        if (kept.kind != OPEN && gone.kind != OPEN && !same_value(kept, gone)) return false;
        if (kept.type < 0) kept.type = gone.type;
        kept.anchored |= gone.anchored;
        kept.shared |= gone.shared;
        kept.needs_pred |= gone.needs_pred;
        kept.settled |= gone.settled;
        kept.structured |= gone.structured;
        gone.parent = a;
        ++merges_;
        merge_attributes(kept, gone);
        if (gone.is_set) {
            kept.is_set = true;
            append_elements(a, gone.elements);
        }
        return true;
    }

    void merge_attributes(Value &kept, const Value &gone) {
        Word other = gone.attributes;
        Word *place = &kept.attributes;
        while (other >= 0) {
            while (*place >= 0 && cells[*place].name < cells[other].name) place = &cells[*place].next;
            const Word next = cells[other].next;
            if (*place >= 0 && cells[*place].name == cells[other].name) {
                waiting_.push_back({cells[*place].value, cells[other].value});
            } else {
                cells[other].next = *place;
                *place = other;
                place = &cells[other].next;
            }
            other = next;
        }
    }

    void append_elements(Word whole, Word list) {
        while (list >= 0) {
            const Word next = cells[list].next;
            if (!has_element(whole, find(cells[list].value))) {
                cells[list].next = -1;
                Word *last = &values[whole].elements;
                while (*last >= 0) last = &cells[*last].next;
                *last = list;
            }
            list = next;
        }
    }

    bool same_value(Value &one, const Value &other) {
        if (one.kind == other.kind && one.kind != CLOSED_SET) return one.content == other.content;
        if (one.kind == SEMANTIC || other.kind == SEMANTIC) return false;
        if (one.kind == INSTANTIATED) return other.kind == CLOSED_SET && holds(other, instances[one.content]);
        if (other.kind == INSTANTIATED) {
            if (one.kind != CLOSED_SET || !holds(one, instances[other.content])) return false;
            one.kind = INSTANTIATED;
            one.content = other.content;
            return true;
        }
        const auto mine = symbols(one), theirs = symbols(other);
        std::vector<Word> both;
        std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(both));
        if (both.empty()) return false;
        one.kind = both.size() == 1 ? ATOM : CLOSED_SET;
        one.content = both.size() == 1 ? both[0] : sets_.add(both);
        return true;
    }

    // Whether a value is known to be one of a closed set's.
    bool is_one_of(const Value &value, const Value &set) const {
        if (value.kind == INSTANTIATED) return holds(set, instances[value.content]);
        if (value.kind != ATOM && value.kind != CLOSED_SET) return false;
        const auto mine = symbols(value), theirs = symbols(set);
        return std::includes(theirs.begin(), theirs.end(), mine.begin(), mine.end());
    }

    bool holds(const Value &set, Word symbol) const {
        const auto found = symbols(set);
        return std::binary_search(found.begin(), found.end(), symbol);
    }

    std::span<const Word> symbols(const Value &value) const {
        if (value.kind == ATOM) return {&value.content, 1};
        return sets_[value.content];
    }

    const Grammar &grammar_;
    const Flow *flow_;
    Clock &clock_;
    SymbolSets sets_;
    std::size_t merges_ = 0;
    std::vector<std::pair<Word, Word>> copies_; // of what only a set leads to, for one element
    std::vector<std::pair<Word, Word>> waiting_;
};

} // namespace weft::lfg
