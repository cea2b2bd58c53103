// Solutions as words, in canonical form: equal up to what nothing outside can see if and only if of the same words.
#pragma once

#include "lfg_tests.hpp"

namespace weft::lfg {

class Writer {
  public:
    Writer(const Grammar &grammar, Graph &graph, Interface &interface)
        : grammar_(grammar), graph_(graph), interface_(interface) {}

    // `kept` are cells that tests still look at.
    std::span<const Word> write(std::span<const Word> roots, std::vector<Pending> &pending, const std::vector<Word> &kept) {
        forced_.assign(graph_.cells.size(), 0);
        for (const Word cell : kept) forced_[cell] = 1;
        tested_ = !kept.empty();
        number_.assign(graph_.values.size(), -1);
        order_.clear();
        next_ = 0;
        narrowed_.assign(graph_.governed.size(), {-1, {}});
        count_owners();
        words_.clear();
        words_.push_back(static_cast<Word>(roots.size()));
        for (const Word root : roots) words_.push_back(number(root));
        discover();
        write_pending(pending);
        if (grammar_.inside_out) discover_held();
        anchor();
        words_.push_back(static_cast<Word>(order_.size()));
        instance_.clear();
        for (std::size_t i = 0; i < order_.size(); ++i) write_value(order_[i]);
        return words_;
    }

    // Adds what was written to the graph; the places of the roots are appended to `roots`.
    void load(const Word *at, std::vector<Word> &roots, std::vector<Pending> &pending) {
        const Word base = static_cast<Word>(graph_.values.size()), forms = static_cast<Word>(graph_.governed.size()),
                   instances = static_cast<Word>(graph_.instances.size());
        const Word count = *at++;
        for (Word i = 0; i < count; ++i) roots.push_back(base + *at++);
        for (Word tests = *at++; tests > 0; --tests) {
            Pending test{*at++, {}};
            for (std::size_t i = grammar_.registers[test.statement].size(); i > 0; --i) test.places.push_back(base + *at++);
            pending.push_back(std::move(test));
        }
        for (Word values = *at++; values > 0; --values) at = load_value(at, base, forms, instances);
    }

  private:
    struct Narrowed {
        Word owner;
        Governed governed;
    };

    Word number(Word at) {
        at = graph_.find(at);
        if (number_[at] < 0) {
            number_[at] = static_cast<Word>(order_.size());
            order_.push_back(at);
        }
        return number_[at];
    }

    void discover() {
        for (; next_ < order_.size(); ++next_) {
            const Word at = order_[next_];
            const Value &value = graph_.values[at];
            if (value.attributes >= 0) narrow(at);
            for (Word cell = value.attributes; cell >= 0; cell = graph_.cells[cell].next) {
                forced_[cell] = forced_[cell] || keeps(at, cell);
                if (forced_[cell]) number(graph_.cells[cell].value);
            }
            const bool elements = interface_.keeps(at, ELEMENT);
            for (Word cell = value.elements; cell >= 0; cell = graph_.cells[cell].next) {
                forced_[cell] = forced_[cell] || elements;
                if (forced_[cell]) number(graph_.cells[cell].value);
            }
        }
    }

    // What nothing leads to may still be found inside out.
    void discover_held() {
        for (Word at = 0; at < static_cast<Word>(graph_.values.size()); ++at)
            if (graph_.values[at].parent < 0 && number_[at] < 0 && interface_.is_held(at)) {
                number(at);
                discover();
            }
    }

    // What a forgotten cell leads to is known to be led to.
    void anchor() {
        graph_.visit_anchored([&](Word at, Word cell) {
            const bool kept = number_[at] >= 0 && forced_[cell];
            if (!kept) graph_.values[graph_.find(graph_.cells[cell].value)].anchored = true;
            return !kept || !graph_.is_given(at, cell);
        });
    }

    bool keeps(Word at, Word cell) {
        const Word name = graph_.cells[cell].name;
        if (interface_.keeps(at, name)) return true;
        if (name == PRED) return governs_;
        if (shares_ && forced_[graph_.values[at].attributes]) return grammar_.bits[name] >= 0;
        return lacks_ && grammar_.bits[name] >= 0;
    }

    // Counts the f-structures that have each semantic form.
    void count_owners() {
        owners_.assign(graph_.governed.size(), 0);
        for (Word at = 0; at < static_cast<Word>(graph_.values.size()); ++at) {
            const Word pred = graph_.values[at].parent < 0 ? graph_.get(at, PRED) : -1;
            if (pred >= 0 && graph_.values[pred].kind == SEMANTIC) ++owners_[graph_.values[pred].content];
        }
    }

    // Finds what is still to be said about completeness and coherence.
    void narrow(Word at) {
        governs_ = lacks_ = shares_ = false;
        if (!interface_.sees(at)) return;
        const Word pred = graph_.get(at, PRED);
        if (pred < 0 || graph_.values[pred].kind != SEMANTIC) {
            lacks_ = !graph_.values[at].is_set && !graph_.values[at].settled;
            return;
        }
        // What several f-structures have cannot forget what one of them has.
        shares_ = owners_[graph_.values[pred].content] > 1;
        Mask open = 0, present = 0;
        for (Word bit = 0; bit < grammar_.function_count; ++bit)
            if (interface_.open(at, grammar_.functions[bit])) open |= Mask{1} << bit;
        governs_ = open != 0;
        for (Word cell = graph_.values[at].attributes; cell >= 0; cell = graph_.cells[cell].next)
            if (const Word bit = grammar_.bits[graph_.cells[cell].name]; bit >= 0) {
                present |= Mask{1} << bit;
                if (interface_.keeps(at, graph_.cells[cell].name) || forced_[cell]) open |= Mask{1} << bit;
            }
        // What a set has is given to its elements again, also where they have forgotten it.
        const Mask known = is_element(at) ? open | present : open;
        const Word index = graph_.values[pred].content;
        const Governed &full = graph_.governed[index];
        Narrowed &made = narrowed_[index];
        if (made.owner >= 0 && made.owner != at)
            made.governed = full;
        else
            made = {at, {full.form, full.thematic & ~present & open, full.required & ~present, full.allowed & known}};
    }

    bool is_element(Word at) const {
        for (Word whole = 0; whole < static_cast<Word>(graph_.values.size()); ++whole)
            if (graph_.values[whole].parent < 0 && graph_.values[whole].elements >= 0 && graph_.has_element(whole, at))
                return true;
        return false;
    }

    void write_pending(std::vector<Pending> &pending) {
        for (Pending &test : pending)
            for (Word &place : test.places) place = graph_.find(place);
        const auto known = [&](Word at) { return number_[at] < 0 ? static_cast<Word>(order_.size()) : number_[at]; };
        // What defines something late does so in the order of the words, and as often as it is said.
        const auto defines = [&](const Pending &test) {
            const Statement &said = grammar_.statements[test.statement];
            return said.kind == LATE && said.positive != TESTS;
        };
        std::stable_sort(pending.begin(), pending.end(), [&](const Pending &one, const Pending &other) {
            if (defines(one) || defines(other)) return !defines(one) && defines(other);
            if (one.statement != other.statement) return one.statement < other.statement;
            return std::lexicographical_compare(one.places.begin(), one.places.end(), other.places.begin(),
                                                other.places.end(), [&](Word a, Word b) { return known(a) < known(b); });
        });
        const std::size_t count = words_.size();
        words_.push_back(0);
        const Pending *last = nullptr;
        for (const Pending &test : pending) {
            if (last && last->statement == test.statement && last->places == test.places && !defines(test)) continue;
            last = &test;
            ++words_[count];
            words_.push_back(test.statement);
            for (const Word place : test.places) {
                const Word named = number(place);
                words_.push_back(named);
            }
            discover();
        }
    }

    // What has a PRED may forget it, and that it needs one.
    bool still_needs_pred(Word at) {
        const Value &value = graph_.values[at];
        return value.needs_pred && (value.is_set ? interface_.grows(at) : !value.settled && graph_.get(at, PRED) < 0);
    }

    bool forgets_pred(Word at) const {
        for (Word cell = graph_.values[at].attributes; cell >= 0; cell = graph_.cells[cell].next)
            if (graph_.cells[cell].name == PRED) return !forced_[cell];
        return graph_.values[at].settled;
    }

    Word instance(Word kind, Word content) {
        const std::pair<Word, Word> key{kind, content};
        for (std::size_t i = 0; i < instance_.size(); ++i)
            if (instance_[i] == key) return static_cast<Word>(i);
        instance_.push_back(key);
        return static_cast<Word>(instance_.size()) - 1;
    }

    void write_mask(Mask mask) {
        words_.push_back(static_cast<Word>(static_cast<std::uint32_t>(mask)));
        words_.push_back(static_cast<Word>(static_cast<std::uint32_t>(mask >> 32)));
    }

    void write_value(Word at) {
        const Value &value = graph_.values[at];
        words_.push_back(value.kind);
        words_.push_back(value.type);
        const bool categories = value.kind != OPEN && value.attributes >= 0;
        const bool structured = value.kind == OPEN && interface_.changes(at) && !graph_.may_be_atom(value);
        words_.push_back(value.is_set + 2 * still_needs_pred(at) + 4 * value.anchored + 8 * forgets_pred(at) +
                         16 * categories + 32 * structured);
        if (categories) write_list(value.attributes, true);
        if (value.kind == SEMANTIC) {
            const Narrowed &narrowed = narrowed_[value.content];
            Governed form = narrowed.owner >= 0 ? narrowed.governed : graph_.governed[value.content];
            if (!tested_ && !interface_.asked(at)) form.form = -1;
            words_.push_back(instance(SEMANTIC, value.content));
            words_.push_back(form.form);
            write_mask(form.thematic);
            write_mask(form.required);
            write_mask(form.allowed);
            return;
        }
        if (value.kind == INSTANTIATED) words_.push_back(instance(INSTANTIATED, value.content));
        if (value.kind != OPEN) {
            words_.push_back(value.kind == INSTANTIATED ? graph_.instances[value.content] : value.content);
            return;
        }
        write_list(value.attributes, true);
        write_list(value.elements, false);
    }

    void write_list(Word list, bool named) {
        const std::size_t count = words_.size();
        words_.push_back(0);
        for (Word cell = list; cell >= 0; cell = graph_.cells[cell].next) {
            if (!forced_[cell]) continue;
            ++words_[count];
            if (named) words_.push_back(graph_.cells[cell].name);
            words_.push_back(number_[graph_.find(graph_.cells[cell].value)]);
        }
    }

    const Word *load_value(const Word *at, Word base, Word forms, Word instances) {
        Value value;
        value.kind = *at++;
        value.type = *at++;
        const Word flags = *at++;
        value.is_set = flags & 1, value.needs_pred = flags & 2, value.anchored = flags & 4, value.settled = flags & 8;
        value.structured = flags & 32;
        if (flags & 16) at = load_list(at, base, true, value.attributes);
        if (value.kind == SEMANTIC) {
            value.content = forms + *at++;
            // Instances are numbered together with those of symbols; gaps do no harm.
            if (static_cast<std::size_t>(value.content) >= graph_.governed.size()) graph_.governed.resize(value.content + 1);
            Governed &form = graph_.governed[value.content];
            form.form = *at++;
            form.thematic = read_mask(at), form.required = read_mask(at + 2), form.allowed = read_mask(at + 4);
            at += 6;
        } else if (value.kind == INSTANTIATED) {
            value.content = instances + *at++;
            if (static_cast<std::size_t>(value.content) >= graph_.instances.size()) graph_.instances.resize(value.content + 1);
            graph_.instances[value.content] = *at++;
        } else if (value.kind != OPEN) {
            value.content = *at++;
        } else {
            at = load_list(at, base, true, value.attributes);
            at = load_list(at, base, false, value.elements);
        }
        graph_.values.push_back(value);
        return at;
    }

    const Word *load_list(const Word *at, Word base, bool named, Word &list) {
        const Word count = *at++;
        list = count ? static_cast<Word>(graph_.cells.size()) : -1;
        for (Word i = 0; i < count; ++i) {
            const Word name = named ? *at++ : static_cast<Word>(ELEMENT);
            graph_.cells.push_back({name, base + *at++, i + 1 < count ? static_cast<Word>(graph_.cells.size()) + 1 : -1});
        }
        return at;
    }

    static Mask read_mask(const Word *at) {
        return static_cast<std::uint32_t>(at[0]) | static_cast<Mask>(static_cast<std::uint32_t>(at[1])) << 32;
    }

    const Grammar &grammar_;
    Graph &graph_;
    Interface &interface_;
    std::vector<Word> number_, order_, words_;
    std::vector<std::uint8_t> forced_;
    std::vector<Narrowed> narrowed_;
    std::vector<Word> owners_;
    std::vector<std::pair<Word, Word>> instance_;
    std::size_t next_ = 0;
    bool governs_ = false, lacks_ = false, shares_ = false, tested_ = false;
};

} // namespace weft::lfg
