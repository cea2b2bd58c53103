// Lexical-functional grammars as numbers: right sides as automata, descriptions as lists of statements.
#pragma once

#include "unify_terms.hpp"

#include <chrono>
#include <cstdint>
#include <span>

namespace weft::lfg {

using Word = std::int32_t;
using Mask = std::uint64_t;

// What steps of paths may be besides attributes; SELF stands for the value itself.
enum Step : Word { ANY = -1, ELEMENT = -2, SELF = -3 };
constexpr Word PRED = 0; // the first attribute
enum Register : Word { UP = 0, DOWN = 1, LOCALS = 2 };

// LATE: only a whole f-structure decides it, which others look at; its tests are those beside its paths.
enum StatementKind : Word { EQUAL, CONTAINS, TEST_EQUAL, TEST_CONTAINS, TEST_EXISTS, NOT_ALL, MARK, LATE };
enum LateKind : Word { TESTS, EQUATES, INCLUDES };
// BESIDE: what lies before or after a step of a path that a test is beside. HOLDER: inside out, what a path leads from
// to another designator. BEYOND: what a path leads to from another designator.
enum DesignatorKind : Word { REGISTER, SYMBOL, INSTANCE, FORM, VALUES, BESIDE, HOLDER, BEYOND };
// What a statement waits for: for the whole sentence, and there for what only others decide.
enum Waiting : std::uint8_t { NOT_AT_ALL, FOR_WHOLE, FOR_OTHERS };

// Rows of numbers of different lengths.
struct Rows {
    const std::int64_t *offsets;
    const Word *items;
    std::int64_t count;

    std::span<const Word> operator[](std::int64_t row) const {
        return {items + offsets[row], static_cast<std::size_t>(offsets[row + 1] - offsets[row])};
    }
};

struct Statement {
    Word kind, left, right, positive; // of LATE ones, positive is a LateKind
};

struct Designator {
    Word kind, value, path; // path -1: none

    bool is_literal() const { return SYMBOL <= kind && kind <= VALUES; }
};

struct Arc {
    Word category, notes, target; // category -1: an annotated empty string
};

struct Form {
    Mask thematic, all; // functions, by their numbers
    std::int64_t name, arity; // arity: of thematic and other arguments, as one number
};

struct Grammar {
    Word root;
    const Word *starts;      // the initial state of each category's right side, -1 for none
    const Word *locals;      // names of f-structures in each category's right side
    Rows marks;              // attributes that f-structures of each category's nodes have
    Word categories;
    const Word *owners;      // the category of each state
    const std::uint8_t *finals;
    const std::int64_t *arc_offsets;
    const Arc *arcs;
    Word states;
    Rows options;            // of each description, the numbers of its branches' rows
    Rows branches;           // statements of each branch
    Rows said;               // of each description, all statements of its branches, each once
    const Word *entry_locals; // of each description
    const Statement *statements;
    Rows groups;             // of each statement NOT_ALL, its tests; empty for others
    Rows registers;          // of each statement, those that it mentions
    const std::uint8_t *waits; // what each statement waits for
    bool late, inside_out;   // whether there are statements and designators of these kinds
    const Designator *designators;
    Rows paths;              // attributes of each path that is a single sequence
    const Word *path_starts; // where each path begins among the states below
    const std::int64_t *path_offsets;
    const Word *path_steps, *path_targets;
    const std::uint8_t *path_finals;
    const Word *bits;        // the number of each attribute among the functions, or -1
    const std::uint8_t *semantic; // attributes whose values need a PRED
    const std::uint8_t *own;      // attributes that sets have themselves; 2: those of categories
    const Word *functions;        // the attributes that semantic forms list or that must be listed
    Word function_count;
    Mask governable;              // those of them that must be listed
    Word attributes;
    const Form *forms;
    Rows values;             // closed sets of symbols, ascending

    std::span<const Arc> arcs_of(Word state) const {
        return {arcs + arc_offsets[state], static_cast<std::size_t>(arc_offsets[state + 1] - arc_offsets[state])};
    }
};

// A sentence: tokens between states of a lattice, each as a category with a description.
struct Sentence {
    std::span<const Word> starts, ends, categories, notes; // of each entry of each token
    Word length;
};

struct Limits {
    std::int64_t edges, words;
    double seconds;
};

// The time that a sentence may take. Every loop that may run long looks at it.
class Clock {
  public:
    explicit Clock(double seconds) : seconds_(seconds), began_(std::chrono::steady_clock::now()) {}

    void look() {
        if ((++looks_ & 255) || std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() <= seconds_)
            return;
        is_over = true;
        throw unify::LimitReached();
    }

    bool is_over = false;

  private:
    double seconds_;
    std::chrono::steady_clock::time_point began_;
    std::uint32_t looks_ = 0;
};

enum Status : Word { COMPLETE, TOO_MANY, TOO_LARGE, TOO_LONG, CYCLIC };

} // namespace weft::lfg
