// A member that allows a single tag sequence, such as the numerator of a labelled sentence.
#pragma once

#include "chain.hpp"

namespace weft {

struct Path {
    explicit Path(const Chain &chain) : member{chain} {}

    Member member;

    bool single() const {
        for (std::int64_t j = 0; j < member.sentence.length; ++j)
            if (member.tags_at(j).size() != 1) return false;
        return true;
    }

    // Calls visit(position, group, row, column) for each step, the last one to the boundary.
    template <class Visit> void walk(Visit &&visit) const {
        for (std::int64_t j = 0; j <= member.sentence.length; ++j)
            visit(j, *member.groups_at(j).begin(), *member.rows_at(j).begin(), *member.tags_at(j).begin());
    }

    double score() const {
        double total = 0.0;
        walk([&](std::int64_t j, std::int32_t g, std::int32_t k, std::int32_t y) { total += member.step(j, g, k, y); });
        return total;
    }

    void collect(double coefficient, const Sink &sink) const {
        walk([&](std::int64_t j, std::int32_t g, std::int32_t k, std::int32_t y) {
            add_step(member, j, g, k, y, coefficient, sink);
        });
    }
};

} // namespace weft
