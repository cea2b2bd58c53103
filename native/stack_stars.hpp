// Chains of reduce₁ moves in closed form, each set of them solved once for all sentences of a call.
//
// The moves within a rank depend on the label below and on what is looked ahead to. Which labels some move leads out of
// depends on the sentence, too, where that move is a shift: so what is solved is kept by these labels as well. Whoever
// solves first, the numbers are the same.
#pragma once

#include "stack_closure.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::stack {

// The moves of a rank, whatever the sentence.
struct Turns {
    std::vector<double> logs;                       // [labels · labels], log M
    std::vector<char> leaves;                       // [labels], whether some move leads out that is no shift
    std::vector<std::vector<std::int32_t>> shifted; // [labels], where none does: what may be shifted
    std::map<std::vector<char>, std::shared_ptr<const Star>> solved{}; // by which labels some move leads out of
};

class Stars {
  public:
    explicit Stars(const Table &table) : table_(table), alike_(table.labels) {
        for (std::int32_t label = 0; label < table.labels; ++label)
            if (table.cyclic[label]) alike_[table.ranks[label]].push_back(label);
    }

    // The cyclic labels of a rank.
    const std::vector<std::int32_t> &labels(std::int32_t rank) const { return alike_[rank]; }

    // log M*, given whether the sentence has a label next; 0 stands for its end.
    template <class Next>
    std::shared_ptr<const Star> at(std::int32_t rank, std::int32_t below, std::int32_t look, const Next &is_next) {
        const std::uint64_t key = key_of(look, rank, below, 0);
        const std::shared_ptr<Turns> turns = turns_at(key, rank, below, look);
        std::vector<char> leaves = turns->leaves;
        for (std::size_t place = 0; place < leaves.size(); ++place)
            if (!leaves[place])
                leaves[place] = std::any_of(turns->shifted[place].begin(), turns->shifted[place].end(), is_next);
        {
            const std::lock_guard<std::mutex> held(mutex_);
            const auto found = turns->solved.find(leaves);
            if (found != turns->solved.end()) return found->second;
        }
        auto star = std::make_shared<const Star>(star_of({turns->logs, leaves}));
        const std::lock_guard<std::mutex> held(mutex_);
        grow(star->logs.size());
        return turns->solved.try_emplace(std::move(leaves), std::move(star)).first->second;
    }

  private:
    static constexpr std::size_t MOST = 1 << 23; // numbers that are kept, at most: 64 MB

    std::shared_ptr<Turns> turns_at(std::uint64_t key, std::int32_t rank, std::int32_t below, std::int32_t look) {
        {
            const std::lock_guard<std::mutex> held(mutex_);
            const auto found = turns_.find(key);
            if (found != turns_.end()) return found->second;
        }
        auto made = std::make_shared<Turns>(turns_of(rank, below, look));
        const std::lock_guard<std::mutex> held(mutex_);
        grow(made->logs.size());
        return turns_.try_emplace(key, std::move(made)).first->second;
    }

    // What is in use stays with whom it is used by.
    void grow(std::size_t numbers) {
        if ((kept_ += numbers) <= MOST) return;
        turns_.clear();
        kept_ = numbers;
    }

    Turns turns_of(std::int32_t rank, std::int32_t below, std::int32_t look) const {
        const std::vector<std::int32_t> &mine = alike_[rank];
        const std::size_t size = mine.size();
        Turns turns{std::vector<double>(size * size, NEVER), std::vector<char>(size, 0), {}};
        turns.shifted.resize(size);
        for (std::size_t from = 0; from < size; ++from) {
            const auto [begin, end] = table_.context(mine[from], below, look);
            for (std::int64_t place = begin; place < end; ++place) {
                const std::int32_t kind = table_.moves[place] / table_.labels, label = table_.moves[place] % table_.labels;
                if (table_.scores[place] == NEVER) continue;
                if (kind == 1 && table_.ranks[label] == rank) {
                    const auto to = std::lower_bound(mine.begin(), mine.end(), label) - mine.begin();
                    turns.logs[from * size + to] = table_.scores[place];
                } else if (kind == 0) {
                    if (label || !below) turns.shifted[from].push_back(label);
                } else if (kind == 1 || below) {
                    turns.leaves[from] = 1;
                }
            }
        }
        return turns;
    }

    const Table table_;
    std::vector<std::vector<std::int32_t>> alike_; // by rank, the labels of cycles
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::shared_ptr<Turns>> turns_;
    std::size_t kept_ = 0;
};

} // namespace weft::stack
