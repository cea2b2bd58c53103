// The rows of a chart: the one that is being filled, those that are done, and the lists of items.
#pragma once

#include "chart_weights.hpp"

#include <bit>

namespace weft::chart {

template <class T> using Numbers = std::vector<T, Aligned<T>>;

// Memory is kept from member to member.
template <class V> void grow(V &buffer, std::int64_t size) {
    if (static_cast<std::int64_t>(buffer.size()) < size) buffer.resize(size);
}

// The row of a start: for each item, numbers by end. Bits say which of them are not 0.
template <class K> struct Row {
    using Number = typename K::Number;
    struct Arrival {
        std::int32_t item;
        Number value;
    };
    std::int64_t stride = 0, words = 0;
    std::int32_t stamp = -1;                            // the start, or -1
    Numbers<Number> store;                              // [items, stride]
    std::vector<Number *> rows;                         // [items]: in the store, or where numbers are to stay
    std::vector<std::uint64_t> bits;                    // [items, words]
    std::vector<std::int32_t> stamps;                   // [items]: the start for which each was begun
    std::vector<std::int32_t> touched;                  // the items that were begun
    std::vector<std::vector<Arrival>> arrivals;         // [states]: early items that scans have made

    // An item is begun once a row, and kernels do not allocate: see vector.hpp.
    explicit Row(std::int64_t items) : rows(items), stamps(items) { touched.reserve(items); }

    void aim(std::int64_t states) {
        const auto items = static_cast<std::int64_t>(rows.size());
        stride = (states + LANES - 1) / LANES * LANES;
        words = (states + 63) / 64;
        grow(store, items * stride);
        grow(bits, items * words);
        grow(arrivals, states);
        for (auto &each : arrivals) each.clear();
        use_store();
    }
    void use_store() {
        for (std::size_t item = 0; item < rows.size(); ++item) rows[item] = store.data() + item * stride;
        stamp = -1;
    }
    void restart(std::int64_t i) {
        stamp = static_cast<std::int32_t>(i);
        std::fill(stamps.begin(), stamps.end(), -1);
        touched.clear();
    }

    WEFT_INLINE void begin(std::int32_t item) {
        if (stamps[item] == stamp) return;
        stamps[item] = stamp;
        touched.push_back(item);
        Number *row = rows[item];
        for (std::int64_t j = 0; j < stride; ++j) row[j] = K::zero();
        for (std::int64_t w = 0; w < words; ++w) bits[item * words + w] = 0;
    }
    bool present(std::int32_t item, std::int64_t k) const { return bits[item * words + k / 64] >> (k % 64) & 1; }
    void mark(std::int32_t item, std::int64_t k) { bits[item * words + k / 64] |= std::uint64_t{1} << (k % 64); }
    void clear(std::int32_t item, std::int64_t k) { bits[item * words + k / 64] &= ~(std::uint64_t{1} << (k % 64)); }
    // Of an item that may not have been begun.
    Number number(std::int32_t item, std::int64_t k) const {
        return stamps[item] == stamp && present(item, k) ? rows[item][k] : K::zero();
    }
    void add(std::int32_t item, std::int64_t k, Number value) {
        if (K::is_zero(value)) return;
        begin(item);
        Number &to = rows[item][k];
        to = K::add(to, value);
        mark(item, k);
    }
    void put(std::int32_t item, std::int64_t k, Number value) {
        rows[item][k] = value;
        if (K::is_zero(value))
            clear(item, k);
        else
            mark(item, k);
    }
};

// The nonterminals' rows of all starts that are done, as right children.
template <class K> struct Rights {
    using Number = typename K::Number;
    std::int64_t nonterminals, stride = 0, words = 0;
    Numbers<Number> inside, outside;                    // [states, nonterminals, stride]
    std::vector<std::uint64_t> bits;                    // [states, nonterminals, words]
    std::vector<std::int32_t> first, last;              // [states, nonterminals], columns; last < 0: none
    std::vector<std::uint64_t> alive;                   // [states]: the nonterminals that begin there, a filter

    explicit Rights(std::int64_t nonterminals) : nonterminals(nonterminals) {}

    void aim(std::int64_t states, const Row<K> &row) {
        stride = row.stride;
        words = row.words;
        grow(inside, states * nonterminals * stride);
        grow(bits, states * nonterminals * words);
        first.assign(states * nonterminals, 0);
        last.assign(states * nonterminals, -1);
        alive.assign(states, 0);
    }
    void clear_outside() {
        grow(outside, static_cast<std::int64_t>(last.size()) * stride);
        for (std::size_t r = 0; r < last.size(); ++r)
            if (last[r] >= 0) std::fill(outside.begin() + r * stride, outside.begin() + (r + 1) * stride, K::zero());
    }
    bool present(std::int64_t i, std::int64_t s, std::int64_t k) const {
        const std::int64_t r = i * nonterminals + s;
        return last[r] >= 0 && (bits[r * words + k / 64] >> (k % 64) & 1);
    }
    std::int64_t at(std::int64_t i, std::int64_t s, std::int64_t k) const { return (i * nonterminals + s) * stride + k; }

    // Notes which numbers of a row are not 0.
    void finish(std::int64_t i, const std::vector<std::int32_t> &item_of, const Row<K> &row) {
        for (std::int64_t s = 0; s < nonterminals; ++s) {
            std::uint64_t *to = bits.data() + (i * nonterminals + s) * words;
            std::int64_t low = -1, high = -1;
            for (std::int64_t w = 0; w < words; ++w) {
                const std::uint64_t word = to[w] = row.bits[item_of[s] * words + w];
                if (word == 0) continue;
                if (low < 0) low = w * 64 + std::countr_zero(word);
                high = w * 64 + 63 - std::countl_zero(word);
            }
            if (high < 0) continue;
            alive[i] |= filter_bit(s);
            first[i * nonterminals + s] = static_cast<std::int32_t>(low / LANES * LANES);
            last[i * nonterminals + s] = static_cast<std::int32_t>((high / LANES + 1) * LANES);
        }
    }
};

// Some items with their numbers, and room for their outsides.
template <class K> struct Lefts {
    const std::int32_t *items;
    const typename K::Number *values;
    std::int64_t count;
    typename K::Number *outside = nullptr;
};

// The items of all cells, those of a cell early ones first, then late ones, ascending.
template <class K> struct Cells {
    using Number = typename K::Number;
    struct Bounds {
        std::int64_t first = 0, open = 0, last = 0;     // from `open` on they may be lefts
    };
    std::int64_t states = 0, most = 0, count = 0;
    std::vector<Bounds> bounds;                         // [states, states]
    std::vector<std::int32_t> items;
    std::vector<Number> values;
    std::vector<std::uint8_t> kept;                     // [all items], when a cell is pruned

    void aim(std::int64_t of, double bytes) { // of which lists that grow by doubling take three times theirs
        states = of;
        most = static_cast<std::int64_t>(bytes / (3 * (sizeof(Number) + sizeof(std::int32_t))));
        count = 0;
        bounds.assign(states * states, {});
    }
    Bounds &at(std::int64_t i, std::int64_t k) { return bounds[i * states + k]; }
    Lefts<K> listed(std::int64_t first, std::int64_t last) const {
        return {items.data() + first, values.data() + first, last - first};
    }
    void make_room(std::size_t more) {
        const std::size_t wanted = count + more;
        if (items.size() >= wanted) return;
        items.resize(2 * wanted);
        values.resize(2 * wanted);
    }
    void list(std::int32_t item, Number value) { // there is room
        items[count] = item;
        values[count++] = value;
    }
};

} // namespace weft::chart
