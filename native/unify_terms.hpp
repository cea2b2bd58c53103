// Unification of values. Nothing is copied and nothing needs to be undone: structures are read only, variables are
// bound in a table that each attempt begins anew, and boxes that two structures become are made on the side.
#pragma once

#include "unify_words.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace weft::unify {

// Some limit of a sentence was reached.
struct LimitReached : std::exception {};

class Unifier {
  public:
    // defaults: the atom of each feature that has one where a structure lacks it, otherwise -1.
    explicit Unifier(const Word *defaults) : defaults_(defaults), scratch_(new Word[ROOM]) {}

    void begin() {
        bound_.clear();
        frames_.assign(1, {scratch_.get(), 0});
        used_ = 0;
        steps_ = 0;
    }

    Word add_frame(const Word *base, Word variables) {
        frames_.push_back({base, static_cast<Word>(bound_.size())});
        bound_.resize(bound_.size() + variables, FREE);
        return static_cast<Word>(frames_.size()) - 1;
    }

    void bind(Word frame, Word variable, Value value) { bound_[frames_[frame].first + variable] = value; }
    std::size_t variable_count() const { return bound_.size(); }

    bool unify(Value one, Value other) {
        Value unused;
        return join(one, other, false, unused);
    }

    // What a value stands for, and the last variable on the way there, or -1.
    Value resolve(Value value, Word &via) const {
        via = -1;
        while (tag_of(value.word) == VARIABLE) {
            via = frames_[value.frame].first + payload_of(value.word);
            if (bound_[via].frame < 0) return variable(via);
            value = bound_[via];
        }
        return value;
    }

    Box box(Value value) const { return {frames_[value.frame].base + payload_of(value.word), value.frame}; }

    // Whether a term that is computed from others met something else: then nobody knows whether they are equal.
    bool undecided = false;

  private:
    static constexpr Value FREE{0, -1};
    static constexpr Word ROOM = 1 << 20, DEEPEST = 1000, MOST_STEPS = 1 << 20;

    // Variables of frame 0 are counted among all.
    static Value variable(Word number) { return {tagged(number, VARIABLE), 0}; }

    bool join(Value one, Value other, bool needed, Value &both) {
        Word via_one, via_other;
        one = resolve(one, via_one);
        other = resolve(other, via_other);
        const bool open = tag_of(one.word) == VARIABLE, other_open = tag_of(other.word) == VARIABLE;
        if (open || other_open) {
            // What a variable is bound to is shared from now on, and so is reached through the variable only.
            const Word kept = open ? via_one : via_other, given = open ? via_other : via_one;
            if (kept != given) bound_[kept] = given >= 0 ? variable(given) : open ? other : one;
            both = variable(kept);
            return true;
        }
        if (tag_of(one.word) == ATOM || tag_of(other.word) == ATOM) {
            if (one.word != other.word) return fail_base(one, other);
            both = one;
            return true;
        }
        if (via_one >= 0 && via_one == via_other) {
            both = variable(via_one);
            return true;
        }
        if (!join_boxes(one, other, needed || via_one >= 0 || via_other >= 0, both)) return false;
        return share(via_one, via_other, both);
    }

    // Both structures are now one, whichever variable they are reached through.
    bool share(Word via_one, Word via_other, Value &both) {
        if (via_one >= 0) bound_[via_one] = both;
        if (via_other >= 0) bound_[via_other] = via_one >= 0 ? variable(via_one) : both;
        if (via_one >= 0 || via_other >= 0) both = variable(via_one >= 0 ? via_one : via_other);
        return true;
    }

    bool fail_base(Value one, Value other) {
        for (const Value each : {one, other})
            if (tag_of(each.word) == BOX && box(each).kind() == TERM && box(each).computed()) undecided = true;
        return false;
    }

    bool join_boxes(Value one, Value other, bool needed, Value &both) {
        if (++steps_ > MOST_STEPS || depth_ > DEEPEST) return false; // only what contains itself goes on for ever
        const Box a = box(one), b = box(other);
        if (a.kind() != b.kind()) return false;
        ++depth_;
        const bool joined = a.kind() == STRUCT ? join_structs(a, b, needed, both) : join_items(a, b, needed, both);
        --depth_;
        return joined;
    }

    bool join_structs(Box a, Box b, bool needed, Value &both) {
        Word *made = needed ? take(1 + 3 * (a.count() + b.count())) : nullptr, count = 0;
        for (Word i = 0, j = 0; i < a.count() || j < b.count(); ++count) {
            const Word left = i < a.count() ? a.feature(i) : LAST, right = j < b.count() ? b.feature(j) : LAST;
            const Word feature = std::min(left, right);
            Value value = left <= right ? a.value(i++) : b.value(j++);
            if (left == right) {
                if (!join(value, b.value(j++), needed, value)) return false;
            } else if (defaults_[feature] >= 0) {
                if (!join(value, {tagged(defaults_[feature], ATOM), 0}, needed, value)) return false;
            }
            if (needed) put(made + 1 + 3 * count, feature, value);
        }
        if (needed) both = finish(made, count, STRUCT);
        return true;
    }

    bool join_items(Box a, Box b, bool needed, Value &both) {
        const bool term = a.kind() == TERM;
        if (a.count() != b.count() || (term && a.symbol() != b.symbol())) {
            undecided = undecided || (term && (a.computed() || b.computed()));
            return false;
        }
        Word *made = needed ? take(2 + 2 * a.count()) : nullptr;
        if (needed && term) made[1] = a.symbol();
        for (Word i = 0; i < a.count(); ++i) {
            Value value;
            if (!join(a.value(i), b.value(i), needed, value)) return false;
            if (!needed) continue;
            Word *item = made + 1 + term + 2 * i;
            item[0] = value.word;
            item[1] = value.frame;
        }
        if (needed) both = finish(made, a.count(), a.kind());
        return true;
    }

    Word *take(Word size) {
        if (used_ + size > ROOM) throw LimitReached();
        Word *room = scratch_.get() + used_;
        used_ += size;
        return room;
    }

    static void put(Word *item, Word feature, Value value) {
        item[0] = feature;
        item[1] = value.word;
        item[2] = value.frame;
    }

    Value finish(Word *made, Word count, Kind kind) {
        made[0] = count * 4 + kind;
        return {tagged(static_cast<Word>(made - scratch_.get()), BOX), 0};
    }

    static constexpr Word LAST = INT32_MAX;
    const Word *defaults_;
    std::unique_ptr<Word[]> scratch_; // not cleared: pages that are never used are never there
    Word used_ = 0, steps_ = 0, depth_ = 0;
    std::vector<Frame> frames_;
    std::vector<Value> bound_;
};

} // namespace weft::unify
