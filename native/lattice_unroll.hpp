// Writes lattices out link by link; see lattice_links.hpp.
#pragma once

#include "lattice_links.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft {

constexpr std::int64_t MOST_CELLS = 1 << 16;  // a link has 16 bits for each end
constexpr std::int64_t MOST_LINKS = 1 << 25;  // of all lattices: 256 MiB

class Unroller {
  public:
    // Lattices with more links than this many an arc are left out: vectors over whole sets are faster there.
    Unroller(const Lattices &lattices, std::int64_t links_an_arc)
        : all_(lattices), steps_(lattices.step_count()), links_an_arc_(links_an_arc), of_step_(steps_, -1),
          of_word_(lattices.emission_rows, -1) {}

    void add(std::int64_t lattice) {
        const std::size_t links = made_.links.size();
        if (!unroll(lattice)) made_.links.resize(links);
        made_.offsets.push_back(static_cast<std::int64_t>(made_.links.size()));
        made_.cells.push_back(cells_);
        made_.depths.push_back(depth_);
    }

    // The most frequent weights come first, as they share few cache lines; those of no link are left out.
    Links finish() {
        const std::size_t count = made_.places.size();
        std::vector<std::int64_t> uses(count, 0);
        for (const std::uint64_t packed : made_.links) ++uses[Link(packed).weight()];
        std::vector<std::uint32_t> order(count), rank(count);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return uses[a] > uses[b]; });
        Links sorted;
        for (std::size_t k = 0; k < count && uses[order[k]]; ++k) {
            rank[order[k]] = static_cast<std::uint32_t>(k);
            sorted.places.push_back(made_.places[order[k]]);
            sorted.jumps.push_back(made_.jumps[order[k]]);
        }
        for (std::uint64_t &packed : made_.links) {
            const Link link = packed;
            packed = Link(rank[link.weight()], link.from(), link.to()).bits;
        }
        made_.places = std::move(sorted.places);
        made_.jumps = std::move(sorted.jumps);
        return std::move(made_);
    }

  private:
    struct Emission { // the weights of a word with each of a set of tags
        std::int32_t set, jump, first, next;
    };

    bool unroll(std::int64_t lattice) {
        first_ = all_.state_offsets[lattice];
        states_ = all_.state_offsets[lattice + 1] - first_;
        measure();
        cells_ = 2;
        const std::int64_t room = links_an_arc_ * (all_.arc_offsets[first_ + states_] - all_.arc_offsets[first_]);
        if (states_ == 0 || blocks_[states_] > room) return false; // nearly every element has a link
        nodes_.assign(blocks_[states_], -1);
        nodes_[0] = 0;
        most_ = std::min(MOST_LINKS, static_cast<std::int64_t>(made_.links.size()) + room);
        for (std::int64_t q = 0; q < states_; ++q)
            if (!step_out(q) || !land(q)) return false;
        return true;
    }

    // Where blocks begin, and how long the longest way to each state is.
    void measure() {
        blocks_.assign(states_ + 1, 0);
        depths_.assign(states_, 0);
        depth_ = 0;
        for (std::int64_t q = 0; q < states_; ++q) {
            const std::int64_t state = first_ + q;
            blocks_[q + 1] = blocks_[q] + all_.block(state);
            if (all_.final[state]) depth_ = std::max(depth_, depths_[q]);
            for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a)
                depths_[all_.targets[a]] = std::max(depths_[all_.targets[a]], depths_[q] + 1);
        }
    }

    bool step_out(std::int64_t q) {
        const std::int64_t state = first_ + q, width = all_.width;
        const std::int64_t rows = all_.sets.size(all_.rows[state]), groups = all_.sets.size(all_.groups[state]);
        const std::int32_t *row_tags = all_.sets.begin(all_.rows[state]), *group_tags = all_.sets.begin(all_.groups[state]);
        const std::int32_t *nexts = all_.sets.begin(all_.nexts[state]);
        const std::int64_t count = all_.sets.size(all_.nexts[state]);
        fronts_.assign(groups * width, -1);
        for (std::int64_t k = 0; k < rows; ++k)
            for (std::int64_t g = 0; g < groups; ++g) {
                const std::int32_t from = nodes_[blocks_[q] + k * groups + g];
                if (from < 0) continue;
                const std::int64_t row = all_.row(group_tags[g], row_tags[k]);
                for (std::int64_t i = 0; i < count; ++i) {
                    const bool ends = nexts[i] == all_.boundary;
                    std::int32_t &to = fronts_[g * width + nexts[i]];
                    if (ends) to = 1;
                    const std::uint32_t weight = step(row + nexts[i], ends ? depth_ - depths_[q] : 0);
                    if (!link(weight, from, to)) return false;
                }
            }
        return true;
    }

    bool land(std::int64_t q) {
        const std::int64_t state = first_ + q, groups = all_.sets.size(all_.groups[state]);
        for (std::int64_t a = all_.arc_offsets[state]; a < all_.arc_offsets[state + 1]; ++a) {
            const std::int64_t r = all_.targets[a], count = all_.sets.size(all_.allowed[a]);
            const std::int32_t *tags = all_.sets.begin(all_.allowed[a]);
            const std::int32_t *bases = all_.bases_of(state, a, groups), *places = all_.places + all_.entry_offsets[a];
            const std::int32_t first = emission(a, depths_[r] - depths_[q]);
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t g = 0; g < groups; ++g) {
                    const std::int32_t from = fronts_[g * all_.width + tags[i]];
                    if (from < 0) continue; // no path comes with this group
                    if (!link(first + static_cast<std::uint32_t>(i), from, nodes_[blocks_[r] + bases[g] + places[i]]))
                        return false;
                }
        }
        return true;
    }

    // Numbers the cell if it is new; false if there are too many of anything.
    bool link(std::uint32_t weight, std::int32_t from, std::int32_t &to) {
        if (to < 0) to = cells_++;
        made_.links.push_back(Link(weight, from, to).bits);
        return cells_ < MOST_CELLS && static_cast<std::int64_t>(made_.links.size()) < most_;
    }

    std::int32_t weight(std::int64_t place, std::int32_t jump) {
        made_.places.push_back(place);
        made_.jumps.push_back(jump);
        return static_cast<std::int32_t>(made_.places.size()) - 1;
    }

    std::int32_t step(std::int64_t place, std::int32_t jump) {
        if (jump == 0) {
            if (of_step_[place] < 0) of_step_[place] = weight(place, 0);
            return of_step_[place];
        }
        const std::int64_t key = place << 32 | jump;
        const auto found = of_end_.find(key);
        if (found != of_end_.end()) return found->second;
        return of_end_[key] = weight(place, jump);
    }

    std::int32_t emission(std::int64_t arc, std::int32_t jump) {
        const std::int32_t word = all_.words[arc], set = all_.allowed[arc];
        for (std::int32_t k = of_word_[word]; k >= 0; k = emissions_[k].next)
            if (emissions_[k].set == set && emissions_[k].jump == jump) return emissions_[k].first;
        const auto first = static_cast<std::int32_t>(made_.places.size());
        for (std::int64_t i = 0; i < all_.sets.size(set); ++i)
            weight(steps_ + word * all_.width + all_.sets.begin(set)[i], jump);
        emissions_.push_back({set, jump, first, of_word_[word]});
        of_word_[word] = static_cast<std::int32_t>(emissions_.size()) - 1;
        return first;
    }

    const Lattices &all_;
    std::int64_t steps_, links_an_arc_;
    std::vector<std::int32_t> of_step_, of_word_; // numbers of weights; of lists of emissions
    std::unordered_map<std::int64_t, std::int32_t> of_end_;
    std::vector<Emission> emissions_;
    Links made_;
    std::int64_t first_ = 0, states_ = 0, most_ = 0;
    std::int32_t cells_ = 0, depth_ = 0;
    std::vector<std::int64_t> blocks_;
    std::vector<std::int32_t> depths_, nodes_, fronts_; // nodes_ and fronts_: cells, -1 where there is none
};

} // namespace weft
