// A solution in the making: a graph, tests that wait, what is still open to the outside, and the canonical form.
#pragma once

#include "lfg_graph.hpp"

namespace weft::lfg {

enum Truth : std::uint8_t { NO, YES, WAIT };

struct Pending {
    Word statement;
    std::vector<Word> places; // of the registers that it mentions
};

// What of a graph can be seen from outside.
class Interface {
  public:
    Interface(const Grammar &grammar, Graph &graph, Flow *flow) : grammar_(grammar), graph_(graph), flow_(flow) {}

    // `seeds` are what names lead to.
    void look(const Outlook &outlook, std::span<const Word> seeds) {
        outlook_ = &outlook;
        const std::size_t count = graph_.values.size();
        seen_.assign(count, 0);
        group_.assign(count, -1);
        groups_.clear();
        waiting_.clear();
        order_.clear();
        for (const Word each : seeds) see(each);
        if (grammar_.inside_out)
            for (Word at = 0; at < static_cast<Word>(count); ++at)
                if (graph_.values[at].parent < 0 && is_held(at)) see(at);
        do spread();
        while (find_groups());
    }

    bool sees(Word at) const { return seen_[at]; }

    // Whether nothing can change any more.
    bool is_final() const { return outlook_->is_final(); }

    // Whether a value may be looked for inside out, from what it has.
    bool is_held(Word at) const {
        const Value &value = graph_.values[at];
        if (value.elements >= 0 && (touched(value.type, ELEMENT) & HOLD)) return true;
        for (Word cell = value.attributes; cell >= 0; cell = graph_.cells[cell].next)
            if (touched(value.type, graph_.cells[cell].name) & HOLD) return true;
        return false;
    }

    // Whether an attribute of a value may still be made, or be made to be equal to something.
    bool open(Word at, Word attribute) {
        if (!seen_[at]) return false;
        const Word type = graph_.values[at].type;
        if ((touched(type, attribute) & DEFINE) || grows(at)) return true;
        if (group_[at] < 0) return false;
        for (const Word other : groups_[group_[at]])
            if (other != at && (graph_.values[other].is_set || graph_.get(other, attribute) >= 0)) return true;
        return false;
    }

    // Whether a value may still get elements, also those of a set that it may become one with.
    bool grows(Word at) {
        if (!seen_[at]) return false;
        if (touched(graph_.values[at].type, ANY) & DEFINE) return true;
        if (group_[at] < 0) return false;
        return std::any_of(groups_[group_[at]].begin(), groups_[group_[at]].end(),
                           [&](Word other) { return other != at && graph_.values[other].is_set; });
    }

    // Whether a value may still become equal to others, an atom among them.
    bool changes(Word at) {
        return seen_[at] && (group_[at] >= 0 || (touched(graph_.values[at].type, SELF) & DEFINE));
    }

    // Whether what is no set may still become one.
    bool may_become_set(Word at) {
        if (graph_.values[at].is_set || graph_.values[at].kind != OPEN) return false;
        const Word type = graph_.values[at].type;
        return (grows(at) || changes(at)) && (!flow_ || type < 0 || flow_->has_elements(type));
    }

    bool asked(Word at) { return seen_[at] && (touched(graph_.values[at].type, SELF) & READ); }

    // Whether anything outside steps over an attribute, or to elements.
    bool keeps(Word at, Word attribute) {
        if (!seen_[at]) return false;
        // New elements get all attributes of a set, but do not look at the other elements.
        if (touched(graph_.values[at].type, attribute) || (attribute >= 0 && grows(at))) return true;
        if (group_[at] < 0) return false;
        for (const Word other : groups_[group_[at]])
            if (graph_.values[other].is_set || (other != at && attribute >= 0 && graph_.get(other, attribute) >= 0)) return true;
        return false;
    }

  private:
    std::uint8_t touched(Word type, Word attribute) const {
        if (outlook_->is_final()) return 0;
        return flow_ ? flow_->touched(*outlook_, type, attribute) : std::uint8_t{READ | DEFINE | HOLD};
    }

    void see(Word at) {
        at = graph_.find(at);
        if (seen_[at]) return;
        seen_[at] = 1;
        order_.push_back(at);
        waiting_.push_back(at);
    }

    void spread() {
        while (!waiting_.empty()) {
            const Word at = waiting_.back();
            waiting_.pop_back();
            for (Word cell = graph_.values[at].attributes; cell >= 0; cell = graph_.cells[cell].next)
                if (keeps(at, graph_.cells[cell].name)) see(graph_.cells[cell].value);
            if (keeps(at, ELEMENT))
                for (Word cell = graph_.values[at].elements; cell >= 0; cell = graph_.cells[cell].next)
                    see(graph_.cells[cell].value);
        }
    }

    // Two values of one class may become one; then what both have matters.
    bool find_groups() {
        if (!flow_ || outlook_->is_final()) return false;
        bool changed = false;
        std::vector<std::pair<Word, Word>> typed;
        for (const Word at : order_)
            if (graph_.values[at].type >= 0 && graph_.values[at].kind == OPEN) typed.push_back({graph_.values[at].type, at});
        std::sort(typed.begin(), typed.end());
        groups_.clear();
        for (std::size_t i = 0; i < typed.size();) {
            std::size_t j = i + 1;
            while (j < typed.size() && typed[j].first == typed[i].first) ++j;
            if (j > i + 1) {
                std::vector<Word> members;
                for (std::size_t k = i; k < j; ++k) members.push_back(typed[k].second);
                for (const Word member : members) {
                    changed = changed || group_[member] < 0;
                    group_[member] = static_cast<Word>(groups_.size());
                }
                groups_.push_back(std::move(members));
            }
            i = j;
        }
        if (changed)
            for (const auto &members : groups_) waiting_.insert(waiting_.end(), members.begin(), members.end());
        return changed;
    }

    const Grammar &grammar_;
    Graph &graph_;
    Flow *flow_;
    const Outlook *outlook_ = nullptr;
    std::vector<std::uint8_t> seen_;
    std::vector<Word> group_, waiting_, order_;
    std::vector<std::vector<Word>> groups_;
};

} // namespace weft::lfg
