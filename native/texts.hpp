// Look-ups of many texts at once. This is the one place where Python's objects reach the core: a
// token's attributes are given as lists of strings, and a million of them need no second copy.
//
// A dictionary waits for memory several times a text, and does so text by text: for the list, the
// string in it, the slot, the known string there. Here everything is asked for ahead of its use, a
// block of texts at a time, so that the waits overlap.
//
// Strings and lists are read where they lie. In the limited API, which hides that, functions are asked: that takes 3 %
// longer, and twice as long for strings that are not ASCII, whose UTF-8 Python makes first, and keeps.
#pragma once

#include <nanobind/nanobind.h>

#include "compiler.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft {

#ifdef Py_LIMITED_API
inline Py_ssize_t count_items(PyObject *array) { return PyList_CheckExact(array) ? PyList_Size(array) : PyTuple_Size(array); }
inline PyObject *get_item(PyObject *array, Py_ssize_t k) {
    return PyList_CheckExact(array) ? PyList_GetItem(array, k) : PyTuple_GetItem(array, k);
}
inline void prefetch_items(PyObject *) {}
#else
inline Py_ssize_t count_items(PyObject *array) { return PySequence_Fast_GET_SIZE(array); }
inline PyObject *get_item(PyObject *array, Py_ssize_t k) { return PySequence_Fast_ITEMS(array)[k]; }
inline void prefetch_items(PyObject *array) { prefetch(PySequence_Fast_ITEMS(array)); }
#endif

inline bool is_array(PyObject *object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

// What a string holds: its characters, each of so many bytes.
struct Characters {
    const char *begin;
    std::size_t size; // in bytes
    std::size_t width;

    // False for what is no plain string, or cannot be read: half a surrogate pair has no UTF-8. Other errors, as of
    // memory for the UTF-8, are thrown: a known text must not be taken for an unknown one.
    bool read(PyObject *text) {
        if (!PyUnicode_CheckExact(text)) return false;
#ifdef Py_LIMITED_API
        Py_ssize_t length = 0;
        begin = PyUnicode_AsUTF8AndSize(text, &length);
        if (!begin) {
            if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nanobind::python_error();
            PyErr_Clear();
        }
        size = static_cast<std::size_t>(length), width = 1;
        return begin;
#else
        if (!PyUnicode_IS_COMPACT(text)) return false; // made by ways that Python has given up
        width = static_cast<std::size_t>(PyUnicode_KIND(text));
        size = width * static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
        begin = static_cast<const char *>(PyUnicode_DATA(text));
        return true;
#endif
    }
};

// SipHash-1-3, the keyed hash that Python uses too. Aumasson and Bernstein (2012), "SipHash: a fast
// short-input PRF", section 2. The key is drawn for each table: nobody can make texts agree on purpose.
class TextHash {
  public:
    TextHash() {
        std::random_device source;
        for (std::uint64_t &half : key_) half = (std::uint64_t{source()} << 32) | source();
    }

    // Python's own hash takes the bytes alone, so that "aa" and U+6161 agree; the width tells them apart.
    std::uint64_t operator()(const Characters &text) const {
        const auto [begin, size, width] = text;
        const char *at = begin, *end = begin + size;
        std::uint64_t v0 = key_[0] ^ 0x736f6d6570736575, v1 = key_[1] ^ 0x646f72616e646f6d ^ width,
                      v2 = key_[0] ^ 0x6c7967656e657261, v3 = key_[1] ^ 0x7465646279746573;
        const auto round = [&] {
            v0 += v1, v2 += v3, v1 = std::rotl(v1, 13) ^ v0, v3 = std::rotl(v3, 16) ^ v2, v0 = std::rotl(v0, 32);
            v2 += v1, v0 += v3, v1 = std::rotl(v1, 17) ^ v2, v3 = std::rotl(v3, 21) ^ v0, v2 = std::rotl(v2, 32);
        };
        const auto add = [&](std::uint64_t word) { v3 ^= word, round(), v0 ^= word; };
        for (; end - at >= 8; at += 8) add(load(at));
        std::uint64_t rest = 0; // the last 0 to 7 bytes
        if (size >= 8) {
            rest = (load(end - 8) >> (8 * (7 - size % 8))) >> 8;
        } else {
            for (std::size_t i = 0; i < size; ++i) rest |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
        }
        add((std::uint64_t{size} << 56) | rest);
        v2 ^= 0xff;
        round(), round(), round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

  private:
    static std::uint64_t load(const char *from) {
        std::uint64_t word;
        std::memcpy(&word, from, sizeof word);
        return word;
    }

    std::uint64_t key_[2];
};

// An open hash table: a text stands in the first free slot from its hash on. Two texts are taken to be
// the same if their 64 bits of hash are; by chance two of a million are so once in 10^7 tables.
class TextTable {
  public:
    explicit TextTable(std::size_t texts) : slots_(std::bit_ceil(2 * texts + 2)), mask_(slots_.size() - 1) {}

    void insert(std::uint64_t hash, std::int32_t number) {
        std::size_t at = hash & mask_;
        while (slots_[at].number != NONE) at = (at + 1) & mask_;
        slots_[at] = {hash, number};
    }

    std::int32_t find(std::uint64_t hash) const {
        std::size_t at = hash & mask_;
        while (slots_[at].number != NONE && slots_[at].hash != hash) at = (at + 1) & mask_;
        return slots_[at].number;
    }

    void prefetch(std::uint64_t hash) const { weft::prefetch(&slots_[hash & mask_]); }

    static constexpr std::int32_t NONE = -1;
    const TextHash hash;

  private:
    struct Slot {
        std::uint64_t hash = 0;
        std::int32_t number = NONE;
    };

    std::vector<Slot> slots_; // at most half of them taken
    std::size_t mask_;
};

// The known texts of tokens: their numbers, where those of each token begin, and their values.
struct Found {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> numbers;
    std::vector<double> values; // only where values are given
};

// Looks up the texts of sentences of tokens, a block of tokens at a time. All pointers are borrowed, which is
// safe while the GIL is held and no Python code runs; none does: only lists, tuples and strings are touched.
class TextFinder {
  public:
    // values: of this many texts, in their order; null where every value is 1.
    TextFinder(const TextTable &table, const double *values, std::size_t texts)
        : table_(table), values_(values), valued_(texts) {}

    // False where a sentence or token is neither a list nor a tuple, or a text no plain string.
    bool find(PyObject *sentences) {
        std::vector<PyObject *> tokens;
        for (Py_ssize_t i = 0; i < count_items(sentences); ++i) {
            PyObject *sentence = get_item(sentences, i);
            if (!is_array(sentence)) return false;
            for (Py_ssize_t j = 0; j < count_items(sentence); ++j) tokens.push_back(get_item(sentence, j));
        }
        found_.offsets.reserve(tokens.size() + 1);
        for (std::size_t first = 0; first < tokens.size(); first += BLOCK) {
            const std::size_t last = std::min(first + BLOCK, tokens.size()), next = std::min(last + BLOCK, tokens.size());
            for (std::size_t t = last; t < next; ++t) prefetch(tokens[t]);
            if (!collect(tokens.data() + first, tokens.data() + last) || !hash_block()) return false;
            if (values_ && seen_ + texts_.size() > valued_) throw std::invalid_argument("there are too few values");
            keep();
        }
        return true;
    }

    Found take() { return std::move(found_); }

  private:
    static constexpr std::size_t BLOCK = 16; // tokens whose texts fit into the first-level cache

    bool collect(PyObject *const *begin, PyObject *const *end) {
        texts_.clear();
        ends_.clear();
        for (PyObject *const *token = begin; token != end; ++token) {
            if (!is_array(*token)) return false;
            prefetch_items(*token);
        }
        for (PyObject *const *token = begin; token != end; ++token) {
            for (Py_ssize_t k = 0, count = count_items(*token); k < count; ++k) {
                PyObject *text = get_item(*token, k);
                texts_.push_back(text);
                prefetch(text);
                prefetch(reinterpret_cast<const char *>(text) + 64);
            }
            ends_.push_back(texts_.size());
        }
        return true;
    }

    bool hash_block() {
        hashes_.resize(texts_.size());
        for (std::size_t k = 0; k < texts_.size(); ++k) {
            Characters text;
            if (!text.read(texts_[k])) return false;
            hashes_[k] = table_.hash(text);
            table_.prefetch(hashes_[k]);
        }
        return true;
    }

    void keep() {
        std::size_t k = 0;
        for (const std::size_t end : ends_) {
            for (; k < end; ++k)
                if (const std::int32_t number = table_.find(hashes_[k]); number != TextTable::NONE) {
                    found_.numbers.push_back(number);
                    if (values_) found_.values.push_back(values_[seen_ + k]);
                }
            found_.offsets.push_back(static_cast<std::int64_t>(found_.numbers.size()));
        }
        seen_ += k;
    }

    const TextTable &table_;
    const double *values_;
    std::size_t valued_;
    Found found_;
    std::size_t seen_ = 0;
    std::vector<PyObject *> texts_; // of the block
    std::vector<std::size_t> ends_;
    std::vector<std::uint64_t> hashes_;
};

} // namespace weft
