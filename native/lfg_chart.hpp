// All c-structures of a sentence, pruned to those of whole sentences.
#pragma once

#include "lfg_grammar.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace weft::lfg {

struct Hash {
    std::size_t operator()(std::uint64_t key) const {
        key = (key ^ (key >> 31)) * 0x9e3779b97f4a7c15ULL;
        return key ^ (key >> 29);
    }
};
using Index = std::unordered_map<std::uint64_t, Word, Hash>;

constexpr std::uint64_t key_of(Word a, Word b, Word c = 0) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) ^
           (static_cast<std::uint64_t>(static_cast<std::uint16_t>(b)) << 16) ^ static_cast<std::uint16_t>(c);
}

// A node is a category over a span; a front is a state of a right side that begins at `start` and has come to `end`.
struct Node {
    Word category, start, end;
    bool kept = false;
    std::vector<Word> entries{}; // of the sentence
    std::vector<Word> fronts{};  // with which it may end
};
struct Link {
    Word front, arc, node; // what was before; the arc; the daughter, -1 for an empty string
};
struct Front {
    Word state, start, end;
    bool kept = false;
    std::vector<Link> links{};
};

class Chart {
  public:
    Chart(const Grammar &grammar, const Sentence &sentence, Clock &clock)
        : grammar_(grammar), sentence_(sentence), clock_(clock) {
        const auto places = static_cast<std::size_t>(sentence.length) + 1;
        nodes_at.resize(places * grammar.categories);
        waiting_.resize(places * grammar.categories);
    }

    void fill() {
        for (Word i = 0; i < static_cast<Word>(sentence_.starts.size()); ++i) {
            const Word number = node(sentence_.categories[i], sentence_.starts[i], sentence_.ends[i]);
            nodes[number].entries.push_back(i);
        }
        for (Word start = 0; start <= sentence_.length; ++start)
            for (Word category = 0; category < grammar_.categories; ++category)
                if (grammar_.starts[category] >= 0) front(grammar_.starts[category], start, start);
        while (!agenda_.empty()) {
            clock_.look();
            const Word item = agenda_.back();
            agenda_.pop_back();
            if (item & 1)
                use_front(item >> 1);
            else
                use_node(item >> 1);
        }
        const auto found = node_index_.find(key_of(grammar_.root, 0, sentence_.length));
        if (found != node_index_.end()) root = found->second;
        if (root >= 0) prune();
    }

    Word find_node(Word category, Word start, Word end) const {
        const auto found = node_index_.find(key_of(category, start, end));
        return found == node_index_.end() ? -1 : found->second;
    }

    std::vector<Node> nodes;
    std::vector<Front> fronts;
    std::vector<std::vector<Word>> nodes_at; // by start and category
    Word root = -1;

  private:
    std::size_t at(Word place, Word category) const {
        return static_cast<std::size_t>(place) * grammar_.categories + category;
    }

    Word node(Word category, Word start, Word end) {
        const auto [found, added] = node_index_.try_emplace(key_of(category, start, end), static_cast<Word>(nodes.size()));
        if (added) {
            nodes.push_back({category, start, end});
            agenda_.push_back(found->second * 2);
        }
        return found->second;
    }

    Word front(Word state, Word start, Word end) {
        const auto [found, added] = front_index_.try_emplace(key_of(state, start, end), static_cast<Word>(fronts.size()));
        if (added) {
            fronts.push_back({state, start, end});
            agenda_.push_back(found->second * 2 + 1);
        }
        return found->second;
    }

    void link(Word before, Word arc, Word daughter, Word end) {
        const Word start = fronts[before].start;
        const Word after = front(grammar_.arcs[arc].target, start, end);
        fronts[after].links.push_back({before, arc, daughter});
    }

    void use_front(Word number) {
        const Front used = fronts[number];
        if (grammar_.finals[used.state]) {
            const Word made = node(grammar_.owners[used.state], used.start, used.end);
            nodes[made].fronts.push_back(number);
        }
        for (std::int64_t arc = grammar_.arc_offsets[used.state]; arc < grammar_.arc_offsets[used.state + 1]; ++arc) {
            const Word category = grammar_.arcs[arc].category;
            if (category < 0) {
                link(number, static_cast<Word>(arc), -1, used.end);
                continue;
            }
            waiting_[at(used.end, category)].push_back({number, static_cast<Word>(arc)});
            for (std::size_t i = 0; i < nodes_at[at(used.end, category)].size(); ++i) {
                const Word daughter = nodes_at[at(used.end, category)][i];
                link(number, static_cast<Word>(arc), daughter, nodes[daughter].end);
            }
        }
    }

    void use_node(Word number) {
        const Word start = nodes[number].start, end = nodes[number].end, category = nodes[number].category;
        nodes_at[at(start, category)].push_back(number);
        auto &waiting = waiting_[at(start, category)];
        for (std::size_t i = 0; i < waiting.size(); ++i) link(waiting[i].front, waiting[i].arc, number, end);
    }

    // Keeps what is part of a whole sentence.
    void prune() {
        std::vector<Word> stack{root * 2};
        nodes[root].kept = true;
        while (!stack.empty()) {
            const Word item = stack.back();
            stack.pop_back();
            if (item & 1) {
                for (const Link &link : fronts[item >> 1].links) {
                    keep(fronts[link.front].kept, link.front * 2 + 1, stack);
                    if (link.node >= 0) keep(nodes[link.node].kept, link.node * 2, stack);
                }
            } else {
                for (const Word each : nodes[item >> 1].fronts) keep(fronts[each].kept, each * 2 + 1, stack);
            }
        }
        for (auto &some : nodes_at) std::erase_if(some, [&](Word each) { return !nodes[each].kept; });
    }

    static void keep(bool &kept, Word item, std::vector<Word> &stack) {
        if (kept) return;
        kept = true;
        stack.push_back(item);
    }

    struct Waiting {
        Word front, arc;
    };

    const Grammar &grammar_;
    const Sentence &sentence_;
    Clock &clock_;
    Index node_index_, front_index_;
    std::vector<Word> agenda_;
    std::vector<std::vector<Waiting>> waiting_;
};

} // namespace weft::lfg
