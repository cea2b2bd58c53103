// Structures in canonical form, each once: equal up to the names of variables if and only if of the same number.
#pragma once

#include "unify_terms.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace weft::unify {

// An object: how many variables it has; how many of them stand for a box that is shared, and each of these with its
// box; the roots; the boxes, each before what it holds. Boxes are counted from the object's beginning, variables in
// the order of first mention: two objects are equal if their words are.
struct Object {
    const Word *at;
    Word length;

    Word variables() const { return at[0]; }
    Word shared() const { return at[1]; }
    Word root(Word i) const { return at[2 + 2 * shared() + i]; }
};

inline Word add_object(Unifier &unifier, Object object) {
    const Word frame = unifier.add_frame(object.at, object.variables());
    for (Word i = 0; i < object.shared(); ++i) unifier.bind(frame, object.at[2 + 2 * i], {object.at[3 + 2 * i], frame});
    return frame;
}

// Writes what values have become.
class Writer {
  public:
    // False if something contains itself, or is too deep. What was written is then of no use.
    bool write(const Unifier &unifier, std::span<const Value> roots) {
        unifier_ = &unifier;
        state_.assign(unifier.variable_count(), UNSEEN);
        shared_ = 0;
        depth_ = 0;
        too_deep = false;
        for (const Value &root : roots)
            if (!look(root)) return false;
        number_.assign(unifier.variable_count(), -1);
        words_.assign(2 + 2 * shared_ + roots.size(), 0);
        words_[1] = shared_;
        next_ = 0;
        defined_ = 0;
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const Word word = emit(roots[i]);
            words_[2 + 2 * shared_ + i] = word;
        }
        words_[0] = next_;
        return true;
    }

    std::span<const Word> words() const { return words_; }

    // Whether values lie in values in values … : a rule that is applied again and again makes such.
    bool too_deep = false;

  private:
    static constexpr Word DEEPEST = 200;

    enum State : std::uint8_t { UNSEEN, OPEN, ONCE, SHARED };

    // Finds the boxes that are reached more than once, all of them through variables.
    bool look(Value value) {
        Word via;
        value = unifier_->resolve(value, via);
        if (tag_of(value.word) != BOX) return true;
        const Box box = unifier_->box(value);
        if (via >= 0) {
            if (state_[via] == OPEN) return false;
            if (state_[via] != UNSEEN) {
                shared_ += state_[via] == ONCE;
                state_[via] = SHARED;
                return true;
            }
            state_[via] = OPEN;
        }
        if (++depth_ > DEEPEST) {
            too_deep = true;
            return false;
        }
        for (Word i = 0; i < box.count(); ++i)
            if (!look(box.value(i))) return false;
        --depth_;
        // Terms are values, which are never shared.
        if (via >= 0) state_[via] = box.kind() == TERM ? UNSEEN : ONCE;
        return true;
    }

    Word emit(Value value) {
        Word via;
        value = unifier_->resolve(value, via);
        if (tag_of(value.word) == ATOM) return value.word;
        if (tag_of(value.word) == VARIABLE) {
            if (number_[via] < 0) number_[via] = next_++;
            return tagged(number_[via], VARIABLE);
        }
        if (via < 0 || state_[via] != SHARED) return emit_box(unifier_->box(value));
        if (number_[via] < 0) {
            const Word place = defined_++, number = number_[via] = next_++;
            const Word box = emit_box(unifier_->box(value));
            words_[2 + 2 * place] = number;
            words_[3 + 2 * place] = box;
        }
        return tagged(number_[via], VARIABLE);
    }

    Word emit_box(Box box) {
        const bool term = box.kind() == TERM, structure = box.kind() == STRUCT;
        const auto at = static_cast<Word>(words_.size());
        words_.resize(at + 1 + term + box.count() * (1 + structure));
        words_[at] = box.count() * 4 + box.kind();
        if (term) words_[at + 1] = box.symbol();
        for (Word i = 0; i < box.count(); ++i) {
            const Word item = at + 1 + term + i * (1 + structure);
            if (structure) words_[item] = box.feature(i);
            const Word word = emit(box.value(i));
            words_[item + structure] = word;
        }
        return tagged(at, BOX);
    }

    const Unifier *unifier_ = nullptr;
    std::vector<std::uint8_t> state_;
    std::vector<Word> number_, words_;
    Word next_ = 0, shared_ = 0, defined_ = 0, depth_ = 0;
};

// A table of objects: all of a sentence's.
class Objects {
  public:
    explicit Objects(std::int64_t most_words) : most_words_(most_words), slots_(1024, -1) {}

    Word add(std::span<const Word> words) {
        const std::uint64_t hash = hash_of(words);
        for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
            const Word found = slots_[slot];
            if (found < 0) return insert(slot, hash, words);
            if (hashes_[found] == hash && objects_[found].length == static_cast<Word>(words.size()) &&
                std::equal(words.begin(), words.end(), objects_[found].at))
                return found;
        }
    }

    Object operator[](Word number) const { return objects_[number]; }

  private:
    static constexpr std::size_t BLOCK = 1 << 16;

    static std::uint64_t hash_of(std::span<const Word> words) {
        std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ words.size();
        for (const Word word : words) {
            hash = (hash ^ static_cast<std::uint32_t>(word)) * 0xff51afd7ed558ccdULL;
            hash ^= hash >> 32;
        }
        return hash;
    }

    Word insert(std::size_t slot, std::uint64_t hash, std::span<const Word> words) {
        const auto number = static_cast<Word>(objects_.size());
        objects_.push_back({store(words), static_cast<Word>(words.size())});
        hashes_.push_back(hash);
        slots_[slot] = number;
        if (objects_.size() * 2 > slots_.size()) grow();
        return number;
    }

    const Word *store(std::span<const Word> words) {
        most_words_ -= static_cast<std::int64_t>(words.size());
        if (most_words_ < 0) throw LimitReached();
        if (blocks_.empty() || used_ + words.size() > size_) {
            size_ = std::max(BLOCK, words.size());
            blocks_.emplace_back(new Word[size_]);
            used_ = 0;
        }
        Word *at = blocks_.back().get() + used_;
        std::copy(words.begin(), words.end(), at);
        used_ += words.size();
        return at;
    }

    void grow() {
        std::vector<Word> slots(slots_.size() * 2, -1);
        for (std::size_t number = 0; number < objects_.size(); ++number) {
            std::size_t slot = hashes_[number] & (slots.size() - 1);
            while (slots[slot] >= 0) slot = (slot + 1) & (slots.size() - 1);
            slots[slot] = static_cast<Word>(number);
        }
        slots_.swap(slots);
    }

    std::int64_t most_words_;
    std::vector<Word> slots_;
    std::vector<Object> objects_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::unique_ptr<Word[]>> blocks_;
    std::size_t used_ = 0, size_ = 0;
};

} // namespace weft::unify
