// The k best derivations of a chart of kind Best, lazily.
//
// Every item that is asked for has a list of its best derivations so far and a heap of candidates: a way
// to make it with a rank for each of its children. The next best derivation is the top of the heap; when
// the one after it is asked for, the candidate's neighbours, one rank further, are added. With all ranks
// 0 a candidate's score is known from the chart, and so no item is looked at before it is needed.
//
// Reference: Huang and Chiang (2005), "Better k-best parsing", algorithm 3.
#pragma once

#include "chart_trees.hpp"

#include <set>
#include <tuple>

namespace weft::chart {

class BestLists {
  public:
    explicit BestLists(Sweep<Best> &sweep) : sweep_(sweep), grammar_(sweep.in.grammar) {}

    // Writes the edges of the derivation of a rank that ends in a state; false if there are not this many.
    bool derivation(std::int64_t end, std::size_t rank, std::vector<std::int32_t> &edges) {
        const Place root{grammar_.item_of[grammar_.start], 0, end};
        if (!reach(root, rank)) return false;
        std::vector<std::pair<Place, std::size_t>> open{{root, rank}};
        while (!open.empty()) {
            const auto [key, number] = open.back();
            open.pop_back();
            const Candidate &found = ranked(key, number);
            edges.push_back(static_cast<std::int32_t>(found.way.edge));
            const auto [left, right] = children(grammar_, key, found.way);
            if (right.item >= 0) open.push_back({right, found.ranks[1]});
            if (left.item >= 0) open.push_back({left, found.ranks[0]});
        }
        return true;
    }

    double score(std::int64_t end, std::size_t rank) {
        const Place root{grammar_.item_of[grammar_.start], 0, end};
        return reach(root, rank) ? entries_.at(root).found[rank].score : NEG_INF;
    }

  private:
    struct Candidate {
        double score, base; // of the edge alone
        std::int64_t number; // of the way, to tell equals apart
        Way way;
        std::size_t ranks[2];
        bool operator<(const Candidate &other) const {
            return std::tie(score, other.number, other.ranks[0], other.ranks[1]) <
                   std::tie(other.score, number, ranks[0], ranks[1]);
        }
    };
    struct Entry {
        std::vector<Candidate> found, heap;
        std::set<std::tuple<std::int64_t, std::size_t, std::size_t>> seen;
        bool begun = false, busy = false;
        std::size_t followed = 0; // how many of those found have had their neighbours added
    };

    void begin(const Place &key, Entry &entry) {
        entry.begun = true;
        lay_out(sweep_, key.i);
        std::int64_t number = 0;
        each_way(sweep_, key, [&](const Way &way, double score) {
            entry.heap.push_back({score, own_weight(sweep_, key, way), number++, way, {0, 0}});
            return false;
        });
        std::make_heap(entry.heap.begin(), entry.heap.end());
    }

    // An item whose derivation of a rank is looked for, and what of a found one is being followed.
    struct Search {
        Place key;
        std::size_t rank;
        Candidate from;
        int side = 2; // of the child whose next rank is wanted; 2 where nothing is followed
        bool asked = false;
    };

    // Makes sure that an item's derivation of a rank has been found; false if there are not this many. Items
    // lie below each other as deep as the grammar's unary rules do: what waits is on a list, not on the stack.
    bool reach(const Place &root, std::size_t rank) {
        if (!open(root, rank)) return entries_.at(root).found.size() > rank;
        while (!searches_.empty()) {
            Search &search = searches_.back();
            Entry &entry = entries_.at(search.key); // which stays where it is
            if (search.side < 2) {
                if (!follow(search, entry)) continue; // a child's search was opened, and comes first
            } else if (entry.found.size() > search.rank) {
                close(entry);
            } else if (entry.followed < entry.found.size()) {
                search.from = entry.found[entry.followed++];
                search.side = 0;
            } else if (!next(entry)) {
                close(entry);
            }
        }
        return entries_.at(root).found.size() > rank;
    }

    // Opens a search unless it is done, or would be for what is being searched for.
    bool open(const Place &key, std::size_t rank) {
        Entry &entry = entries_[key];
        if (entry.found.size() > rank || entry.busy) return false;
        if (!entry.begun) begin(key, entry);
        entry.busy = true;
        searches_.push_back({key, rank, {}, 2, false});
        return true;
    }

    void close(Entry &entry) {
        entry.busy = false;
        searches_.pop_back();
    }

    // Takes the best candidate; false if there is none.
    bool next(Entry &entry) {
        if (entry.heap.empty()) return false;
        std::pop_heap(entry.heap.begin(), entry.heap.end());
        entry.found.push_back(entry.heap.back());
        entry.heap.pop_back();
        return true;
    }

    // Adds the neighbours of a found derivation, one child at a time; false if a child has to be searched first,
    // after which `search` may have moved.
    bool follow(Search &search, Entry &entry) {
        const auto [left, right] = children(grammar_, search.key, search.from.way);
        for (; search.side < 2; ++search.side, search.asked = false) {
            const Place child = search.side == 0 ? left : right;
            if (child.item < 0) continue;
            Candidate next = search.from;
            const std::size_t wanted = ++next.ranks[search.side];
            if (!search.asked) {
                search.asked = true;
                if (open(child, wanted)) return false;
            }
            if (entries_.at(child).found.size() <= wanted) continue;
            if (!entry.seen.insert({next.number, next.ranks[0], next.ranks[1]}).second) continue;
            next.score = next.base;
            if (left.item >= 0) next.score += ranked(left, next.ranks[0]).score;
            if (right.item >= 0) next.score += ranked(right, next.ranks[1]).score;
            entry.heap.push_back(next);
            std::push_heap(entry.heap.begin(), entry.heap.end());
        }
        return true;
    }

    // A derivation that is known to be there: the best one, or one that has been found.
    const Candidate &ranked(const Place &key, std::size_t rank) {
        Entry &entry = entries_[key];
        if (!entry.begun) begin(key, entry);
        if (entry.found.empty()) next(entry);
        return entry.found.at(rank);
    }

    Sweep<Best> &sweep_;
    const Topology &grammar_;
    std::map<Place, Entry> entries_;
    std::vector<Search> searches_;
};

// Writes up to `most` best derivations of the member in a chart, and their scores, best ones first.
inline void best_lists(Sweep<Best> &sweep, std::size_t most, std::vector<std::vector<std::int32_t>> &derivations,
                       std::vector<double> &scores) {
    BestLists lists(sweep);
    const std::vector<double> ends = sums_by_end(sweep);
    std::vector<std::size_t> ranks(ends.size(), 0); // of the next one that ends in each state; 0 is the empty one
    while (scores.size() < most) {
        std::int64_t best = -1;
        double score = NEG_INF;
        for (std::size_t end = 0; end < ends.size(); ++end) {
            if (ends[end] == NEG_INF || (end == 0 && ranks[0] > 0)) continue;
            const double next = end == 0 ? ends[0] : lists.score(static_cast<std::int64_t>(end), ranks[end]);
            if (next > score) {
                score = next;
                best = static_cast<std::int64_t>(end);
            }
        }
        if (best < 0) return;
        derivations.emplace_back();
        scores.push_back(score);
        if (best == 0)
            derivations.back().push_back(static_cast<std::int32_t>(sweep.in.grammar.empty()));
        else
            lists.derivation(best, ranks[best], derivations.back());
        ++ranks[best];
    }
}

} // namespace weft::chart
