// All f-structures that are equal in some analysis of a sentence, merged into one class, as Steensgaard's analysis of
// pointers does, without looking at what would clash; and where paths lead from classes, and from where to them.
#pragma once

#include "lfg_chart.hpp"

#include <utility>

namespace weft::lfg {

// Where attributes that are not there are made: one class for each state of a path, whatever led there.
struct Making {
    Index *index = nullptr;
    Word use = 0;

    std::uint64_t key(Word state) const {
        return (static_cast<std::uint64_t>(use) << 32) | static_cast<std::uint32_t>(state);
    }
};

class Classes {
  public:
    struct Class {
        Word parent = -1;
        std::vector<std::pair<Word, Word>> attributes{};
        std::vector<Word> elements{};
    };

    Classes(const Grammar &grammar, Clock &clock) : grammar_(grammar), clock_(clock) {}

    Word size() const { return static_cast<Word>(all_.size()); }
    const Class &operator[](Word number) const { return all_[number]; }
    bool is_one(Word number) const { return all_[number].parent < 0; }
    // How often anything was added or merged.
    std::size_t version() const { return version_; }

    Word add() {
        all_.emplace_back();
        return size() - 1;
    }

    Word made(Index &index, std::uint64_t key) {
        const auto [found, added] = index.try_emplace(key, size());
        if (added) add();
        return find(found->second);
    }

    Word find(Word number) {
        while (all_[number].parent >= 0) {
            const Word up = all_[number].parent;
            if (all_[up].parent >= 0) all_[number].parent = all_[up].parent;
            number = up;
        }
        return number;
    }

    // The class of a step; -1 if there is none.
    Word step(Word from, Word attribute) const {
        if (from < 0) return -1;
        for (const auto &[name, value] : all_[from].attributes)
            if (name == attribute) return value;
        return -1;
    }

    Word reach(Word from, Word attribute) {
        from = find(from);
        const Word known = step(from, attribute);
        if (known >= 0) return find(known);
        const Word value = add();
        attach(from, attribute, value);
        return find(value);
    }

    void unite(Word one, Word other) {
        std::vector<std::pair<Word, Word>> waiting{{one, other}};
        while (!waiting.empty()) {
            clock_.look();
            auto [a, b] = waiting.back();
            waiting.pop_back();
            a = find(a), b = find(b);
            if (a == b) continue;
            ++version_;
            if (all_[a].attributes.size() < all_[b].attributes.size()) std::swap(a, b);
            all_[b].parent = a;
            for (const auto &[attribute, value] : std::exchange(all_[b].attributes, {})) {
                const Word same = step(a, attribute);
                if (same < 0)
                    all_[a].attributes.push_back({attribute, value});
                else
                    waiting.push_back({same, value});
            }
            const auto elements = std::exchange(all_[b].elements, {});
            all_[a].elements.insert(all_[a].elements.end(), elements.begin(), elements.end());
            if (!all_[a].elements.empty()) changed_ = true;
        }
    }

    void include(Word element, Word whole) {
        element = find(element), whole = find(whole);
        auto &elements = all_[whole].elements;
        if (std::any_of(elements.begin(), elements.end(), [&](Word each) { return find(each) == element; })) return;
        elements.push_back(element);
        changed_ = true;
        ++version_;
    }

    // Elements have what their sets have; the same value until nothing changes.
    void settle() {
        while (changed_) {
            changed_ = false;
            const std::size_t count = all_.size();
            for (std::size_t i = 0; i < count; ++i) {
                clock_.look();
                Class &each = all_[i];
                if (each.parent >= 0 || each.elements.empty()) continue;
                for (Word &element : each.elements) element = find(element);
                std::sort(each.elements.begin(), each.elements.end());
                each.elements.erase(std::unique(each.elements.begin(), each.elements.end()), each.elements.end());
                share_with_elements(static_cast<Word>(i));
            }
            changed_ = changed_ || all_.size() != count;
        }
        for (Class &each : all_) {
            for (auto &[attribute, value] : each.attributes) value = find(value);
            for (Word &element : each.elements) element = find(element);
        }
    }

    // Where a path leads from some classes; `visit` sees each class on the way with each attribute, or ELEMENT.
    template <class Visit>
    std::vector<Word> follow(const std::vector<Word> &from, Word start, Visit &&visit, Making making = {}) {
        Search search;
        for (const Word each : from) search.go(find(each), start);
        while (!search.waiting.empty()) {
            clock_.look();
            const auto [given, state] = search.next();
            if (making.index) make_steps(given, state, making);
            const Word at = find(given);
            if (grammar_.path_finals[state]) search.end(at);
            if (!all_[at].elements.empty()) visit(at, ELEMENT);
            for (std::int64_t arc = grammar_.path_offsets[state]; arc < grammar_.path_offsets[state + 1]; ++arc) {
                const Word target = grammar_.path_targets[arc], wanted = grammar_.path_steps[arc];
                for (std::size_t i = 0; i < all_[at].attributes.size(); ++i) {
                    const auto [attribute, value] = all_[at].attributes[i];
                    if (wanted != ANY && wanted != attribute) continue;
                    visit(at, attribute);
                    search.go(find(value), target);
                }
                for (std::size_t i = 0; i < all_[at].elements.size(); ++i)
                    search.go(find(all_[at].elements[i]), wanted == ELEMENT ? target : state);
            }
        }
        return search.ends;
    }

    // From where a path leads to some classes, inside out; `visit` sees each class that holds one on the way.
    template <class Visit> std::vector<Word> look_up(const std::vector<Word> &targets, Word start, Visit &&visit) {
        list_holders();
        Search search;
        const auto arcs = arcs_of(start);
        for (const Arc &arc : arcs)
            for (const Word each : targets)
                if (arc.final) search.go(find(each), arc.state);
        while (!search.waiting.empty()) {
            clock_.look();
            const auto [at, state] = search.next();
            if (state == start) search.end(at);
            for (const auto &[holder, attribute] : holders_[at]) {
                visit(holder, attribute);
                if (attribute == ELEMENT) search.go(holder, state); // what elements have, their set has
                for (const Arc &arc : arcs)
                    if (arc.target == state && (arc.step == attribute || (arc.step == ANY && attribute >= 0)))
                        search.go(holder, arc.state);
            }
        }
        return search.ends;
    }

  private:
    struct Arc {
        Word state, step, target;
        bool final; // the state is; such a one may have no step
    };
    struct Search {
        std::vector<std::pair<Word, Word>> waiting, seen;
        std::vector<Word> ends;

        void go(Word at, Word state) {
            const std::pair<Word, Word> here{at, state};
            if (std::find(seen.begin(), seen.end(), here) != seen.end()) return;
            seen.push_back(here);
            waiting.push_back(here);
        }
        std::pair<Word, Word> next() {
            const auto here = waiting.back();
            waiting.pop_back();
            return here;
        }
        void end(Word at) {
            if (std::find(ends.begin(), ends.end(), at) == ends.end()) ends.push_back(at);
        }
    };

    void attach(Word from, Word attribute, Word value) {
        ++version_;
        all_[from].attributes.push_back({attribute, value});
        share_with_elements(from);
    }

    void make_steps(Word at, Word state, Making making) {
        for (std::int64_t arc = grammar_.path_offsets[state]; arc < grammar_.path_offsets[state + 1]; ++arc) {
            const Word wanted = grammar_.path_steps[arc];
            if (wanted < 0 || step(find(at), wanted) >= 0) continue;
            const Word value = made(*making.index, making.key(grammar_.path_targets[arc]));
            attach(find(at), wanted, value);
        }
    }

    void share_with_elements(Word whole) {
        whole = find(whole);
        for (std::size_t i = 0; i < all_[whole].elements.size(); ++i)
            for (std::size_t j = 0; j < all_[find(whole)].attributes.size(); ++j) {
                const Word at = find(whole), element = find(all_[at].elements[i]);
                const auto [attribute, value] = all_[at].attributes[j];
                if (element != at && !grammar_.own[attribute]) unite(reach(element, attribute), value);
            }
    }

    std::vector<Arc> arcs_of(Word start) const {
        std::vector<Arc> arcs;
        std::vector<Word> states{start};
        for (std::size_t i = 0; i < states.size(); ++i) {
            const Word state = states[i];
            const bool final = grammar_.path_finals[state];
            if (final) arcs.push_back({state, SELF, -1, true});
            for (std::int64_t arc = grammar_.path_offsets[state]; arc < grammar_.path_offsets[state + 1]; ++arc) {
                const Word target = grammar_.path_targets[arc];
                arcs.push_back({state, grammar_.path_steps[arc], target, false});
                if (std::find(states.begin(), states.end(), target) == states.end()) states.push_back(target);
            }
        }
        return arcs;
    }

    // For each class, those that have it as the value of an attribute, or as an element.
    void list_holders() {
        if (listed_ == version_ && holders_.size() == all_.size()) return;
        holders_.assign(all_.size(), {});
        for (Word number = 0; number < size(); ++number) {
            for (const auto &[attribute, value] : all_[number].attributes) holders_[find(value)].push_back({number, attribute});
            for (const Word element : all_[number].elements) holders_[find(element)].push_back({number, ELEMENT});
        }
        listed_ = version_;
    }

    const Grammar &grammar_;
    Clock &clock_;
    std::vector<Class> all_;
    std::vector<std::vector<std::pair<Word, Word>>> holders_;
    std::size_t version_ = 0, listed_ = 0;
    bool changed_ = false;
};

} // namespace weft::lfg
