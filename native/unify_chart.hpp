// A left-corner chart for a feature grammar: every constituent of a sentence, those that are equal only once.
//
// Constituents and beginnings of constituents are made from left to right by where they end. A constituent begins
// every rule whose first category is its own, where a category is looked for at its beginning that the rule's left
// side may begin; and continues every beginning that ends where it begins and waits for its category. Of a
// beginning, the values of those variables are kept that its left side or what is still to come mentions.
#pragma once

#include "unify_objects.hpp"

#include <chrono>
#include <unordered_map>

namespace weft::unify {

// All arrays are Python's, and are only read. A row of offsets has one more entry than there are things.
struct Grammar {
    const Word *cells;               // the boxes of all rules
    const std::int64_t *cell_starts; // where those of a rule begin
    const Word *variables;           // how many variables a rule has
    const Word *left;                // the word of its left side
    const Word *categories;          // and its category
    const std::int64_t *sides;       // the right side: [rules + 1] into
    const Word *side_words;          // a box, or for a word -1 minus its number
    const Word *side_categories;
    const std::int64_t *shared; // variables that stand for boxes that a rule shares: [rules + 1] into
    const Word *shared_variables, *shared_words;
    const std::int64_t *live; // what is mentioned after so many sides: [sides + rules + 1] into
    const Word *live_variables;
    const std::int64_t *by_category, *by_word; // rules by what their right side begins with
    const Word *category_rules, *word_rules;
    std::span<const Word> empty;   // rules without a right side
    const Word *defaults;          // by feature
    const Word *classes;           // rules of different classes never make the same constituent
    const std::uint8_t *corners;   // whether a category may begin another: [category, beginning]
    const Word *atom_categories;   // the category that an atom names, or -1
    Word rules, category_count, word_count; // the last rule's only side is the start category
    Word type, any; // the feature that names categories, or -1 where only rules do; what may be of any category, or -1

    Word arity(Word rule) const { return static_cast<Word>(sides[rule + 1] - sides[rule]); }
    Word side(Word rule, Word dot) const { return side_words[sides[rule] + dot]; }
    Word wanted(Word rule, Word dot) const { return side_categories[sides[rule] + dot]; }
    std::span<const Word> live_after(Word rule, Word dot) const {
        const std::int64_t row = sides[rule] + rule + dot;
        return {live_variables + live[row], static_cast<std::size_t>(live[row + 1] - live[row])};
    }
    Word start() const { return wanted(rules - 1, 0); }
};

struct Limits {
    std::int64_t items, words;
    double seconds;
};

// One way to have come so far: a beginning, or -1 for none, and the constituent after it, or -1 for a word.
struct Way {
    Word rule, before, child, next;
};

struct Constituent {
    Word start, end, category, object, ways;
};

struct Beginning {
    Word rule, dot, start, end, object, ways;
};

enum Status : Word { COMPLETE = 0, TOO_MANY = 1, TOO_LARGE = 2, TOO_LONG = 3, UNDECIDED = 5, TOO_DEEP = 6 };

class Chart {
  public:
    // Unless everything is wanted, nothing is begun that no beginning before it looks for.
    Chart(const Grammar &grammar, std::span<const Word> tokens, const Limits &limits, bool everything)
        : grammar_(grammar), tokens_(tokens), limits_(limits), everything_(everything), unifier_(grammar.defaults), objects_(limits.words),
          index_(tokens.size() + 1), agenda_(tokens.size() + 1), constituents_at_((tokens.size() + 1) * grammar.category_count),
          waiting_at_((tokens.size() + 1) * grammar.category_count), looked_for_(tokens.size() + 1),
          began_(std::chrono::steady_clock::now()) {}

    Status fill() {
        try {
            for (Word end = 0; end <= length(); ++end) fill_to(end);
        } catch (const LimitReached &) {
            status_ = status_ == COMPLETE ? TOO_LARGE : status_;
        }
        return status_;
    }

    Word length() const { return static_cast<Word>(tokens_.size()); }

    const Grammar &grammar_;
    std::span<const Word> tokens_;
    Limits limits_;
    bool everything_;
    Unifier unifier_;
    Writer writer_;
    Objects objects_;
    std::vector<Constituent> constituents_;
    std::vector<Beginning> beginnings_;
    std::vector<Way> ways_;
    std::int64_t attempts_ = 0, successes_ = 0;
    Status status_ = COMPLETE;

    // Unifies the next side of a rule with a constituent; before, a beginning or -1. The variables are ready then.
    bool attempt(Word rule, Word dot, Word before, Word child) {
        unifier_.begin();
        rule_frame_ = unifier_.add_frame(grammar_.cells + grammar_.cell_starts[rule], grammar_.variables[rule]);
        if (before < 0) {
            bind_shared(rule);
        } else {
            const Object object = objects_[beginnings_[before].object];
            const Word frame = add_object(unifier_, object);
            Word i = 0;
            for (const Word variable : grammar_.live_after(rule, dot))
                unifier_.bind(rule_frame_, variable, {object.root(i++), frame});
        }
        if (child < 0) return true;
        ++attempts_;
        const Object object = objects_[constituents_[child].object];
        const Word frame = add_object(unifier_, object);
        const bool joined = unifier_.unify({grammar_.side(rule, dot), rule_frame_}, {object.root(0), frame});
        successes_ += joined;
        if (unifier_.undecided) stop(UNDECIDED);
        return joined;
    }

    void bind_shared(Word rule) {
        for (std::int64_t i = grammar_.shared[rule]; i < grammar_.shared[rule + 1]; ++i)
            unifier_.bind(rule_frame_, grammar_.shared_variables[i], {grammar_.shared_words[i], rule_frame_});
    }

    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

    Word rule_frame_ = 0;

  private:
    struct Key {
        std::uint64_t one, other;
        bool operator==(const Key &) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key &key) const {
            const std::uint64_t mixed = (key.one ^ (key.other * 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
            return mixed ^ (mixed >> 29);
        }
    };
    static std::uint64_t both(Word high, Word low) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low);
    }

    [[noreturn]] void stop(Status status) {
        status_ = status;
        throw LimitReached();
    }

    std::vector<Word> &at(std::vector<std::vector<Word>> &table, Word place, Word category) {
        return table[static_cast<std::size_t>(place) * grammar_.category_count + category];
    }

    // Everything at a place that may be of a category: what is of any category is of all of them.
    template <class Use> void each_at(std::vector<std::vector<Word>> &table, Word place, Word category, Use use) {
        if (category != grammar_.any) {
            for (const Word each : at(table, place, category)) use(each);
            if (grammar_.any < 0) return;
            for (const Word each : at(table, place, grammar_.any)) use(each);
        } else {
            for (Word other = 0; other < grammar_.category_count; ++other)
                for (const Word each : at(table, place, other)) use(each);
        }
    }

    void fill_to(Word end) {
        if (end > 0) begin_word(end - 1);
        for (const Word rule : grammar_.empty) advance(rule, -1, -1, end, -1, end);
        for (std::vector<Word> &agenda = agenda_[end]; !agenda.empty();) {
            const Word item = agenda.back();
            agenda.pop_back();
            if (++popped_ % 256 == 0 && seconds() > limits_.seconds) stop(TOO_LONG);
            if (item & 1)
                use_beginning(item >> 1);
            else
                use_constituent(item >> 1);
        }
        look_for(end);
    }

    void begin_word(Word place) {
        const Word word = tokens_[place];
        if (word < 0 || word >= grammar_.word_count) return;
        for (std::int64_t i = grammar_.by_word[word]; i < grammar_.by_word[word + 1]; ++i)
            if (may_begin(place, place + 1, grammar_.word_rules[i]))
                advance(grammar_.word_rules[i], 0, -1, place, -1, place + 1);
    }

    // Whether a category is looked for at a place that a rule's left side may begin.
    bool may_begin(Word place, Word end, Word rule) const {
        return everything_ || place == end || looked_for_[place][grammar_.categories[rule]];
    }

    void look_for(Word place) {
        std::vector<std::uint8_t> &found = looked_for_[place];
        found.assign(grammar_.category_count, 0);
        for (Word category = 0; category < grammar_.category_count; ++category) {
            const bool start = place == 0 && category == grammar_.start();
            if (!start && at(waiting_at_, place, category).empty()) continue;
            const std::uint8_t *corners = grammar_.corners + static_cast<std::size_t>(category) * grammar_.category_count;
            for (Word other = 0; other < grammar_.category_count; ++other) found[other] |= corners[other];
        }
    }

    void use_constituent(Word number) {
        const Constituent used = constituents_[number];
        at(constituents_at_, used.start, used.category).push_back(number);
        for (std::int64_t i = grammar_.by_category[used.category]; i < grammar_.by_category[used.category + 1]; ++i) {
            const Word rule = grammar_.category_rules[i];
            if (may_begin(used.start, used.end, rule)) advance(rule, 0, -1, used.start, number, used.end);
        }
        each_at(waiting_at_, used.start, used.category, [&](Word before) {
            const Beginning beginning = beginnings_[before];
            advance(beginning.rule, beginning.dot, before, beginning.start, number, used.end);
        });
    }

    void use_beginning(Word number) {
        const Beginning used = beginnings_[number];
        const Word side = grammar_.side(used.rule, used.dot);
        if (side < 0) {
            if (used.end < length() && tokens_[used.end] == -1 - side)
                advance(used.rule, used.dot, number, used.start, -1, used.end + 1);
            return;
        }
        const Word category = grammar_.wanted(used.rule, used.dot);
        at(waiting_at_, used.end, category).push_back(number);
        each_at(constituents_at_, used.end, category, [&](Word child) {
            advance(used.rule, used.dot, number, used.start, child, constituents_[child].end);
        });
    }

    // Adds what a rule becomes after one more side; dot -1 for a rule without sides.
    void advance(Word rule, Word dot, Word before, Word start, Word child, Word end) {
        if (!attempt(rule, dot, before, child)) return;
        const bool complete = dot + 1 == grammar_.arity(rule);
        roots_.clear();
        if (complete)
            roots_.push_back({grammar_.left[rule], rule_frame_});
        else
            for (const Word variable : grammar_.live_after(rule, dot + 1))
                roots_.push_back({tagged(variable, VARIABLE), rule_frame_});
        if (!writer_.write(unifier_, roots_)) {
            if (writer_.too_deep) stop(TOO_DEEP);
            return;
        }
        const Word object = objects_.add(writer_.words());
        Word &ways = complete ? constituent(rule, start, end, object) : beginning(rule, dot + 1, start, end, object);
        ways_.push_back({rule, before, child, ways});
        ways = static_cast<Word>(ways_.size()) - 1;
        if (static_cast<std::int64_t>(ways_.size()) > limits_.items) stop(TOO_MANY);
    }

    // What a constituent's own structure says, if it says it; else what its rule does.
    Word category_of(Word rule, Word object) const {
        const Word root = objects_[object].root(0);
        if (grammar_.type < 0 || tag_of(root) != BOX) return grammar_.categories[rule];
        const Box box{objects_[object].at + payload_of(root), 1};
        for (Word i = 0; i < box.count(); ++i) {
            const Word word = box.value(i).word;
            if (box.feature(i) == grammar_.type && tag_of(word) == ATOM && grammar_.atom_categories[payload_of(word)] >= 0)
                return grammar_.atom_categories[payload_of(word)];
        }
        return grammar_.categories[rule];
    }

    Word &constituent(Word rule, Word start, Word end, Word object) {
        const Word category = category_of(rule, object);
        const auto [found, added] =
            index_[end].try_emplace({both(start, object), both(-1, category)}, static_cast<Word>(constituents_.size()));
        if (added) {
            constituents_.push_back({start, end, category, object, -1});
            agenda_[end].push_back(found->second * 2);
        }
        return constituents_[found->second].ways;
    }

    Word &beginning(Word rule, Word dot, Word start, Word end, Word object) {
        const auto [found, added] =
            index_[end].try_emplace({both(start, object), both(rule, dot)}, static_cast<Word>(beginnings_.size()));
        if (added) {
            beginnings_.push_back({rule, dot, start, end, object, -1});
            agenda_[end].push_back(found->second * 2 + 1);
        }
        return beginnings_[found->second].ways;
    }

    std::vector<std::unordered_map<Key, Word, Hash>> index_; // by end
    std::vector<std::vector<Word>> agenda_;
    std::vector<std::vector<Word>> constituents_at_, waiting_at_;
    std::vector<std::vector<std::uint8_t>> looked_for_;
    std::vector<Value> roots_;
    std::int64_t popped_ = 0;
    std::chrono::steady_clock::time_point began_;
};

} // namespace weft::unify
