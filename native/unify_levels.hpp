// Everything that the rules of a grammar make, over no words in particular: for sentences that a grammar allows.
//
// Words are left out of right sides before. Constituents that are equal are one; each has a level, the least depth of
// its trees. They are made level by level, those of one only from those below it: whatever ends the search, all that
// was made is right.
#pragma once

#include "unify_chart.hpp"

#include <array>

namespace weft::unify {

class Levels {
  public:
    // highest: of each rule, the highest level that it may make something of.
    Levels(const Grammar &grammar, const Limits &limits, std::span<const Word> highest, std::int64_t most_attempts)
        : chart_(grammar, {}, limits, true), highest_(highest), most_attempts_(most_attempts), agenda_(1),
          constituents_of_(grammar.category_count), waiting_for_(grammar.category_count) {}

    // How many levels are complete; the status says what ended the search before the deepest one, if something did.
    Word fill() {
        Word complete = 0, deepest = 0;
        for (const Word level : highest_) deepest = std::max(deepest, level);
        try {
            for (const Word rule : chart_.grammar_.empty) advance(rule, -1, -1, -1, 0);
            for (complete = 1; complete < deepest && complete < static_cast<Word>(agenda_.size()); ++complete)
                fill_from(complete);
            if (chart_.status_ == COMPLETE) complete = deepest;
        } catch (const LimitReached &) {
            chart_.status_ = chart_.status_ == COMPLETE ? TOO_LARGE : chart_.status_;
        }
        return complete;
    }

    // Whether each constituent is a sentence.
    std::vector<Word> roots() {
        const Grammar &grammar = chart_.grammar_;
        std::vector<Word> found(chart_.constituents_.size(), 0);
        try {
            for (std::size_t i = 0; i < found.size(); ++i)
                found[i] = chart_.constituents_[i].category == grammar.start() &&
                           chart_.attempt(grammar.rules - 1, 0, -1, static_cast<Word>(i));
        } catch (const LimitReached &) { // its status says why
        }
        return found;
    }

    Chart chart_; // of a constituent, start is its level; of a beginning, the highest level of its parts

  private:
    void fill_from(Word level) {
        for (std::size_t i = 0; i < agenda_[level].size(); ++i) { // in the order of rules; it grows meanwhile
            const Word item = agenda_[level][i];
            if (item & 1)
                use_beginning(item >> 1);
            else
                use_constituent(item >> 1);
        }
    }

    void use_constituent(Word number) {
        const Constituent used = chart_.constituents_[number];
        const Grammar &grammar = chart_.grammar_;
        constituents_of_[used.category].push_back(number);
        for (std::int64_t i = grammar.by_category[used.category]; i < grammar.by_category[used.category + 1]; ++i)
            advance(grammar.category_rules[i], 0, -1, number, used.start);
        for (std::size_t i = 0; i < waiting_for_[used.category].size(); ++i) {
            const Word before = waiting_for_[used.category][i];
            const Beginning beginning = chart_.beginnings_[before];
            advance(beginning.rule, beginning.dot, before, number, std::max(beginning.start, used.start));
        }
    }

    void use_beginning(Word number) {
        const Beginning used = chart_.beginnings_[number];
        const Word category = chart_.grammar_.wanted(used.rule, used.dot);
        waiting_for_[category].push_back(number);
        for (std::size_t i = 0; i < constituents_of_[category].size(); ++i) {
            const Word child = constituents_of_[category][i];
            advance(used.rule, used.dot, number, child, std::max(used.start, chart_.constituents_[child].start));
        }
    }

    // Adds what a rule becomes after one more side, over parts of a level; dot -1 for a rule without sides.
    void advance(Word rule, Word dot, Word before, Word child, Word level) {
        if (level + 1 > highest_[rule]) return;
        if (chart_.attempts_ >= most_attempts_) stop(TOO_MANY);
        if (!chart_.attempt(rule, dot, before, child)) return;
        const Grammar &grammar = chart_.grammar_;
        const bool complete = dot + 1 == grammar.arity(rule);
        roots_.clear();
        if (complete)
            roots_.push_back({grammar.left[rule], chart_.rule_frame_});
        else
            for (const Word variable : grammar.live_after(rule, dot + 1))
                roots_.push_back({tagged(variable, VARIABLE), chart_.rule_frame_});
        if (!chart_.writer_.write(chart_.unifier_, roots_)) {
            if (chart_.writer_.too_deep) stop(TOO_DEEP);
            return;
        }
        const Word object = chart_.objects_.add(chart_.writer_.words());
        Word &ways = complete ? constituent(rule, object, level + 1) : beginning(rule, dot + 1, object, level);
        chart_.ways_.push_back({rule, before, child, ways});
        ways = static_cast<Word>(chart_.ways_.size()) - 1;
        if (static_cast<std::int64_t>(chart_.ways_.size()) > chart_.limits_.items) stop(TOO_MANY);
    }

    Word &constituent(Word rule, Word object, Word level) {
        const Word category = chart_.grammar_.categories[rule];
        const auto [found, added] = index_.try_emplace(key(object, -1, category), static_cast<Word>(chart_.constituents_.size()));
        if (added) {
            chart_.constituents_.push_back({level, 0, category, object, -1});
            wait(found->second * 2, level);
        }
        return chart_.constituents_[found->second].ways;
    }

    Word &beginning(Word rule, Word dot, Word object, Word level) {
        const auto [found, added] = index_.try_emplace(key(object, rule, dot), static_cast<Word>(chart_.beginnings_.size()));
        if (added) {
            chart_.beginnings_.push_back({rule, dot, level, 0, object, -1});
            wait(found->second * 2 + 1, level);
        }
        return chart_.beginnings_[found->second].ways;
    }

    void wait(Word item, Word level) {
        if (level >= static_cast<Word>(agenda_.size())) agenda_.resize(level + 1);
        agenda_[level].push_back(item);
    }

    [[noreturn]] void stop(Status status) {
        chart_.status_ = status;
        throw LimitReached();
    }

    using Key = std::array<Word, 3>;
    struct Hash {
        std::size_t operator()(const Key &key) const {
            std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
            for (const Word word : key) {
                hash = (hash ^ static_cast<std::uint32_t>(word)) * 0xff51afd7ed558ccdULL;
                hash ^= hash >> 29;
            }
            return hash;
        }
    };
    static Key key(Word object, Word one, Word other) { return {object, one, other}; }

    std::span<const Word> highest_;
    std::int64_t most_attempts_;
    std::unordered_map<Key, Word, Hash> index_;
    std::vector<std::vector<Word>> agenda_; // by level
    std::vector<std::vector<Word>> constituents_of_, waiting_for_; // by category
    std::vector<Value> roots_;
};

} // namespace weft::unify
