// What the bindings of chains share: a chain of arrays that fit together, a check, and how work is split at most.
#pragma once

#include "binding.hpp"
#include "chain.hpp"

namespace weft::binding {

inline weft::Chain make_chain(int order, const In<double, 3> &transitions, const In<std::int64_t, 1> &set_offsets,
                              const In<std::int32_t, 1> &set_tags, const In<double, 2> &set_bias, int tags,
                              bool few = false) {
    const auto width = static_cast<std::int64_t>(transitions.shape(1));
    require(order == 1 || order == 2, "order must be 1 or 2");
    require(static_cast<std::int64_t>(transitions.shape(2)) == width && width % weft::LANES == 0 && tags < width,
            "transitions must be [groups, width, width], width a multiple of 8 above the number of tags");
    const std::int64_t groups = order == 1 ? 1 : width;
    require(static_cast<std::int64_t>(transitions.shape(0)) == groups || (few && order == 2),
            "transitions have the wrong number of groups");
    require(set_offsets.shape(0) == set_bias.shape(0) + 1 && static_cast<std::int64_t>(set_bias.shape(1)) == width,
            "the tag sets do not fit together");
    return {order,
            static_cast<std::int32_t>(tags),
            width,
            groups,
            transitions.data(),
            {set_offsets.data(), set_tags.data(), set_bias.data()}};
}

// Whether a table has at least this many rows, of just this many columns.
template <class Table> bool holds(const Table &table, std::int64_t rows, std::int64_t columns) {
    return static_cast<std::int64_t>(table.shape(0)) >= rows && static_cast<std::int64_t>(table.shape(1)) == columns;
}

// How many runs of sentences there are at most, and so how many arrays of totals: see split().
constexpr std::int64_t RUNS = 16, TOTALS_BYTES = 1 << 28;

} // namespace weft::binding
