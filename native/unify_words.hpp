// Values of feature structures as words: atoms, variables, and boxes that hold other values.
#pragma once

#include <cstdint>

namespace weft::unify {

using Word = std::int32_t;

// The two lowest bits of a word say what it is: the number of an atom or of a variable, or where a box lies.
enum Tag : Word { ATOM = 0, VARIABLE = 1, BOX = 2 };
// Of a box: features with values in the order of the features; values in order; a symbol with arguments.
enum Kind : Word { STRUCT = 0, LIST = 1, TERM = 2 };

constexpr Word tagged(Word payload, Tag tag) { return payload * 4 + tag; }
constexpr Tag tag_of(Word word) { return static_cast<Tag>(word & 3); }
constexpr Word payload_of(Word word) { return word >> 2; }

// A word means something only together with the frame that it was written in: where its boxes lie, and which
// variables are its own. So one structure is used many times, each time with new variables, and never copied.
struct Value {
    Word word, frame;
};

struct Frame {
    const Word *base; // boxes are counted from here
    Word first;       // its first variable among all of an attempt
};

// A box: its number of values and its kind; the symbol of a term; the values, each after its feature in a struct.
// Where boxes are made while unifying, in frame 0, each value is followed by its own frame.
struct Box {
    const Word *at;
    Word frame;

    Kind kind() const { return static_cast<Kind>(at[0] & 3); }
    Word count() const { return at[0] >> 2; }
    Word symbol() const { return at[1]; }
    bool computed() const { return at[1] & 1; }
    Word step() const { return 1 + (kind() == STRUCT) + (frame == 0); }
    const Word *item(Word i) const { return at + 1 + (kind() == TERM) + i * step(); }
    Word feature(Word i) const { return item(i)[0]; }
    Value value(Word i) const {
        const Word *word = item(i) + (kind() == STRUCT);
        return {word[0], frame == 0 ? word[1] : frame};
    }
};

} // namespace weft::unify
