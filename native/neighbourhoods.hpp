// Neighbourhoods of a sentence as minimal deterministic lattices; weft/automata/direct.py says which futures
// their states stand for, and why these are all.
//
// A builder lists the arcs of each future, under a key; keys are in an order in which arcs lead upwards.
// assemble() numbers those that are reached from the first one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace weft {

struct LatticeArrays {
    std::vector<std::int64_t> arc_offsets{0};
    std::vector<std::int32_t> arc_symbols, targets;
    std::vector<std::uint8_t> final;
};

using Words = std::vector<std::int32_t>; // numbers of a sentence's words

// The first number from which on all words are equal.
inline std::int32_t uniform_from(const Words &x) {
    auto first = static_cast<std::int32_t>(x.size()) - 1;
    while (first > 0 && x[first - 1] == x.back()) --first;
    return first;
}

// Futures that a number and a kind tell apart: keys are small integers, and a row has two arcs at most.
class Rows {
  public:
    explicit Rows(const Words &words) : x(words), size(static_cast<std::int32_t>(words.size())), rows_(4 * (size + 2)) {}

    // States of the same i come one after the other, in an order in which arcs lead upwards.
    static std::int32_t main(std::int32_t i) { return 4 * i; }
    static std::int32_t swapped(std::int32_t i) { return 4 * (i + 1) + 1; }
    static std::int32_t either(std::int32_t i) { return 4 * i + 2; }
    static std::int32_t rest(std::int32_t i) { return 4 * i + 3; }

    void arc(std::int32_t from, std::int32_t symbol, std::int32_t to) {
        Row &row = rows_[from];
        row.arcs[row.count++] = {symbol, to};
        if (row.count == 2 && row.arcs[1] < row.arcs[0]) std::swap(row.arcs[0], row.arcs[1]);
    }
    void end(std::int32_t key) {
        if (key >= 0) rows_[key].final = true;
    }

    // No string ends in the first future.
    LatticeArrays assemble(std::int32_t start) const {
        std::vector<std::int32_t> numbers(rows_.size(), -1);
        numbers[start] = 0; // for now: that it is reached
        std::int32_t count = 0;
        for (std::size_t key = start; key < rows_.size(); ++key) {
            if (numbers[key] < 0) continue;
            numbers[key] = count++;
            for (int k = 0; k < rows_[key].count; ++k) numbers[rows_[key].arcs[k].second] = 0;
        }
        LatticeArrays made;
        for (std::size_t key = start; key < rows_.size(); ++key) {
            if (numbers[key] < 0) continue;
            for (int k = 0; k < rows_[key].count; ++k) {
                made.arc_symbols.push_back(rows_[key].arcs[k].first);
                made.targets.push_back(numbers[rows_[key].arcs[k].second]);
            }
            made.arc_offsets.push_back(static_cast<std::int64_t>(made.targets.size()));
            made.final.push_back(rows_[key].final && static_cast<std::int32_t>(key) != start);
        }
        return made;
    }

    const Words &x;
    const std::int32_t size;

  private:
    struct Row {
        int count = 0;
        bool final = false;
        std::pair<std::int32_t, std::int32_t> arcs[2]; // symbol and target
    };
    std::vector<Row> rows_;
};

inline LatticeArrays deletions(const Words &x) {
    Rows rows(x);
    for (std::int32_t i = rows.size - 1; i >= 0; --i) {
        const bool last = i + 1 == rows.size;
        rows.arc(rows.rest(i), x[i], rows.rest(i + 1));
        rows.arc(rows.main(i), x[i], last ? rows.rest(rows.size) : rows.main(i + 1));
        if (!last && x[i] != x[i + 1]) rows.arc(rows.main(i), x[i + 1], rows.rest(i + 2));
    }
    rows.end(rows.rest(rows.size));
    rows.end(rows.main(rows.size - 1));
    return rows.assemble(rows.main(0));
}

inline LatticeArrays transpositions(const Words &x) {
    Rows rows(x);
    const std::int32_t uniform = uniform_from(x);
    const auto main = [&](std::int32_t i) { return i >= uniform ? rows.rest(i) : rows.main(i); };
    for (std::int32_t i = rows.size - 1; i >= 0; --i) {
        rows.arc(rows.rest(i), x[i], rows.rest(i + 1));
        if (i >= uniform) continue;
        rows.arc(main(i), x[i], main(i + 1));
        if (x[i] == x[i + 1]) continue;
        rows.arc(main(i), x[i + 1], rows.swapped(i));
        rows.arc(rows.swapped(i), x[i], rows.rest(i + 2));
    }
    rows.end(rows.rest(rows.size));
    return rows.assemble(main(0));
}

inline LatticeArrays deletions_and_transpositions(const Words &x) {
    Rows rows(x);
    const std::int32_t size = rows.size, uniform = uniform_from(x);
    const auto main = [&](std::int32_t i) {
        return i < uniform ? rows.main(i) : i < size ? rows.either(i) : rows.rest(size);
    };
    for (std::int32_t i = size - 1; i >= 0; --i) {
        rows.arc(rows.rest(i), x[i], rows.rest(i + 1));
        if (i + 1 < size && x[i] == x[i + 1]) {
            rows.arc(rows.either(i), x[i], rows.either(i + 1));
        } else {
            rows.arc(rows.either(i), x[i], rows.rest(i + 1));
            if (i + 1 < size) rows.arc(rows.either(i), x[i + 1], rows.rest(i + 2));
        }
        if (i >= uniform) continue;
        rows.arc(main(i), x[i], main(i + 1));
        if (x[i] == x[i + 1]) continue;
        // xᵢ₊₁ came where xᵢ was expected: exchanged, or xᵢ was deleted.
        rows.arc(main(i), x[i + 1], rows.swapped(i));
        if (i + 2 < size && x[i] == x[i + 2]) {
            rows.arc(rows.swapped(i), x[i], rows.either(i + 2));
        } else {
            rows.arc(rows.swapped(i), x[i], rows.rest(i + 2));
            if (i + 2 < size) rows.arc(rows.swapped(i), x[i + 2], rows.rest(i + 3));
        }
    }
    rows.end(rows.rest(size));
    rows.end(rows.either(size - 1));
    if (size > 1) rows.end(rows.swapped(size - 2));
    return rows.assemble(main(0));
}

// Futures are sets of places here, at each of which the sentence may go on: their keys are the places. Those
// of `main` are the number and -1, which no set has.
class SpanDeletions {
  public:
    SpanDeletions(const Words &words, std::int64_t limit)
        : x_(words), size_(static_cast<std::int32_t>(words.size())), uniform_(uniform_from(words)), limit_(limit) {}

    // Nothing if the arcs, or the places of the sets, would be more than the limit.
    std::optional<LatticeArrays> build() {
        std::map<std::int32_t, Key> ends; // where each word's occurrences after i end, the first one first
        add(main(uniform_));
        for (std::int32_t i = size_ - 1; i >= 0; --i) {
            if (i < uniform_) {
                std::map<std::int32_t, Key> row{{x_[i], main(i + 1)}};
                for (const auto &[word, after] : ends) {
                    if (word == x_[i]) continue;
                    row[word] = after;
                    add(after);
                    room_ += static_cast<std::int64_t>(after.size());
                }
                rows_[main(i)] = std::move(row);
                if (room_ > limit_) return std::nullopt;
            }
            Key &end = ends[x_[i]];
            end.insert(end.begin(), i + 1);
        }
        while (!waiting_.empty()) {
            const Key state = std::move(waiting_.back());
            waiting_.pop_back();
            std::map<std::int32_t, Key> row;
            for (const std::int32_t place : state)
                if (place < size_) row[x_[place]].push_back(place + 1);
            for (const auto &[word, after] : row) add(after);
            room_ += static_cast<std::int64_t>(state.size());
            rows_[state] = std::move(row);
            if (room_ > limit_) return std::nullopt;
        }
        return assemble();
    }

  private:
    using Key = std::vector<std::int32_t>;

    Key main(std::int32_t i) const {
        if (i < uniform_) return {i, -1};
        Key all;
        for (; i <= size_; ++i) all.push_back(i);
        return all;
    }

    void add(const Key &state) {
        if (seen_.insert(state).second) waiting_.push_back(state);
    }

    LatticeArrays assemble() const {
        std::map<Key, std::int32_t> numbers; // of what is reached, all of it above where it is reached from
        std::set<Key> reached{main(0)};
        for (const auto &[key, row] : rows_) {
            if (!reached.count(key)) continue;
            numbers.emplace(key, static_cast<std::int32_t>(numbers.size()));
            for (const auto &[word, target] : row) reached.insert(target);
        }
        LatticeArrays made;
        for (const auto &[key, number] : numbers) {
            for (const auto &[word, target] : rows_.at(key)) {
                made.arc_symbols.push_back(word);
                made.targets.push_back(numbers.at(target));
            }
            made.arc_offsets.push_back(static_cast<std::int64_t>(made.targets.size()));
            made.final.push_back(number > 0 && (key.back() == size_ || key.back() == -1));
        }
        return made;
    }

    const Words &x_;
    const std::int32_t size_, uniform_;
    const std::int64_t limit_;
    std::int64_t room_ = 0;
    std::map<Key, std::map<std::int32_t, Key>> rows_;
    std::set<Key> seen_;
    std::vector<Key> waiting_;
};

} // namespace weft
