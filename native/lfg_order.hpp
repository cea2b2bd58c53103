// The order in which constituents of one span are solved: what is part of another one before it.
#pragma once

#include "lfg_chart.hpp"

namespace weft::lfg {

class Order {
  public:
    Order(const Chart &chart, Clock &clock) : chart_(chart), clock_(clock) {}

    // False if a category is over itself with nothing else, or nothing may be repeated without end.
    bool find() {
        if (repeats_nothing()) return false;
        above_.resize(chart_.nodes.size());
        rank_.assign(chart_.nodes.size(), 0);
        std::vector<std::vector<Word>> mothers(chart_.nodes.size());
        std::vector<Word> waits(chart_.nodes.size(), 0), ready;
        for (Word number = 0; number < static_cast<Word>(chart_.nodes.size()); ++number) {
            if (!chart_.nodes[number].kept) continue;
            std::vector<Word> below;
            daughters_alike(number, below);
            waits[number] = static_cast<Word>(below.size());
            for (const Word each : below) mothers[each].push_back(number);
            if (below.empty()) ready.push_back(number);
        }
        Word next = 0;
        std::vector<Word> topological;
        while (!ready.empty()) {
            const Word number = ready.back();
            ready.pop_back();
            rank_[number] = next++;
            topological.push_back(number);
            for (const Word mother : mothers[number])
                if (--waits[mother] == 0) ready.push_back(mother);
        }
        for (Word number = 0; number < static_cast<Word>(chart_.nodes.size()); ++number)
            if (chart_.nodes[number].kept && waits[number] > 0) return false;
        for (auto number = topological.rbegin(); number != topological.rend(); ++number)
            for (const Word mother : mothers[*number]) {
                clock_.look();
                auto &all = above_[*number];
                all.push_back(mother);
                all.insert(all.end(), above_[mother].begin(), above_[mother].end());
                std::sort(all.begin(), all.end());
                all.erase(std::unique(all.begin(), all.end()), all.end());
            }
        return true;
    }

    // The order in which nodes of one span are solved: daughters first.
    Word rank(Word node) const { return rank_[node]; }

    // Whether a node may be part of another one of the same span.
    bool is_above(Word node, Word below) const {
        return std::binary_search(above_[below].begin(), above_[below].end(), node);
    }

  private:
    // Whether a right side can come back to a state without having gone over any word.
    bool repeats_nothing() const {
        std::vector<std::vector<Word>> after(chart_.fronts.size());
        std::vector<Word> waits(chart_.fronts.size(), 0), ready;
        for (Word number = 0; number < static_cast<Word>(chart_.fronts.size()); ++number) {
            if (!chart_.fronts[number].kept) continue;
            for (const Link &link : chart_.fronts[number].links)
                if (chart_.fronts[link.front].end == chart_.fronts[number].end) {
                    after[link.front].push_back(number);
                    ++waits[number];
                }
            if (!waits[number]) ready.push_back(number);
        }
        while (!ready.empty()) {
            const Word number = ready.back();
            ready.pop_back();
            for (const Word next : after[number])
                if (--waits[next] == 0) ready.push_back(next);
        }
        return std::any_of(waits.begin(), waits.end(), [](Word each) { return each > 0; });
    }

    void daughters_alike(Word number, std::vector<Word> &found) const {
        const Node &node = chart_.nodes[number];
        for (const Word front : node.fronts) collect_alike(front, node, found);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }

    void collect_alike(Word front, const Node &node, std::vector<Word> &found) const {
        std::vector<Word> stack{front}, seen{front};
        while (!stack.empty()) {
            clock_.look();
            const Word at = stack.back();
            stack.pop_back();
            for (const Link &link : chart_.fronts[at].links) {
                if (link.node >= 0 && chart_.nodes[link.node].start == node.start && chart_.nodes[link.node].end == node.end)
                    found.push_back(link.node);
                // Only empty daughters may be beside one of the whole span.
                const Front &before = chart_.fronts[link.front];
                const bool empty = before.end == chart_.fronts[at].end || before.end == before.start;
                if (empty && std::find(seen.begin(), seen.end(), link.front) == seen.end()) {
                    seen.push_back(link.front);
                    stack.push_back(link.front);
                }
            }
        }
    }

    const Chart &chart_;
    Clock &clock_;
    std::vector<std::vector<Word>> above_; // of each node, those of its span that it may be part of
    std::vector<Word> rank_;
};

} // namespace weft::lfg
