// Single derivations of a filled chart: the best one, or random ones.
//
// A derivation is a tree of edges, written each before its children: a binary edge has the derivations of
// its left, unless that is a terminal, and of its right; a scan that of its left; a unary edge that of
// its source.
#pragma once

#include "chart_ways.hpp"

#include <stdexcept>

namespace weft::chart {

// Chooses a best way: one whose number is the item's own.
template <class K> struct ChooseBest {
    using Number = typename K::Number;

    std::int64_t end(const std::vector<Number> &values) const {
        return std::max_element(values.begin(), values.end()) - values.begin();
    }

    Way way(const Sweep<K> &sweep, const Place &of) const {
        const Topology &grammar = sweep.in.grammar;
        const std::int32_t component = grammar.component[of.item % grammar.items];
        if (component < 0) return any(sweep, of, -1);
        // In cycles of weight 0 equal numbers lead anywhere: the nearest item that has another way.
        std::vector<std::pair<Place, Way>> queue{{of, Way{}}};
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const auto [place, step] = queue[at];
            const Way found = any(sweep, place, component);
            if (found.edge >= 0) return at == 0 ? found : step;
            const Number value = number_of(sweep, place);
            each_way(sweep, place, [&](const Way &each, Number number) {
                if (!within(grammar, each, component) || number != value) return false;
                for (const auto &seen : queue)
                    if (seen.first.item == each.source) return false;
                queue.push_back({{each.source, of.i, of.k}, at == 0 ? each : step});
                return false;
            });
        }
        throw std::logic_error("an item of a chart has no best way");
    }

  private:
    static bool within(const Topology &grammar, const Way &way, std::int32_t component) {
        return component >= 0 && way.edge >= grammar.unaries() && way.edge < grammar.lexicals() &&
               grammar.component[grammar.unary.left[way.edge - grammar.unaries()]] == component;
    }
    static Way any(const Sweep<K> &sweep, const Place &of, std::int32_t component) {
        Way found;
        const Number value = number_of(sweep, of);
        each_way(sweep, of, [&](const Way &way, Number number) {
            if (number != value || within(sweep.in.grammar, way, component)) return false;
            found = way;
            return true;
        });
        return found;
    }
};

// A stream of random numbers that depends on its seed alone (Steele, Lea and Flood 2014, SplitMix).
class Stream {
  public:
    explicit Stream(std::uint64_t seed) : state_(seed) {}
    double uniform() { // in [0, 1)
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t state_;
};

// Chooses a way at random, in proportion to its number.
template <class K> struct ChooseRandom {
    Stream stream;

    std::int64_t end(const std::vector<WideNumber> &values) {
        WideNumber total{};
        for (const WideNumber &value : values) total = Wide::add(total, value);
        const WideNumber wanted = Wide::mul(total, Wide::from_double(stream.uniform()));
        WideNumber sum{};
        std::int64_t last = 0;
        for (std::size_t at = 0; at < values.size(); ++at) {
            if (Wide::is_zero(values[at])) continue;
            last = static_cast<std::int64_t>(at);
            sum = Wide::add(sum, values[at]);
            if (Wide::less(wanted, sum)) break;
        }
        return last;
    }

    Way way(const Sweep<K> &sweep, const Place &of) {
        const auto wanted = K::mul(number_of(sweep, of), K::from_double(stream.uniform()));
        auto sum = K::zero();
        Way found; // the last one, should rounding leave the sum too small
        each_way(sweep, of, [&](const Way &way, auto number) {
            found = way;
            sum = K::add(sum, number);
            return K::less(wanted, sum);
        });
        return found;
    }
};

// Writes the edges of a derivation, if there is one. The choice is of an end and, for each item, of a way.
template <class K, class Choose> void derive(Sweep<K> &sweep, Choose &choose, std::vector<std::int32_t> &edges) {
    struct Node {
        Place place;
        std::int64_t edge;
        std::int32_t children[2];
    };
    const Topology &grammar = sweep.in.grammar;
    if (K::Sum::is_zero(sweep.total)) return;
    const std::int64_t end = choose.end(sums_by_end(sweep));
    if (end == 0) {
        edges.push_back(static_cast<std::int32_t>(grammar.empty()));
        return;
    }
    std::vector<Node> nodes;
    std::vector<std::vector<std::int32_t>> waiting(sweep.lattice.states); // by start: each row is laid out once
    const auto add = [&](const Place &place) {
        const auto number = static_cast<std::int32_t>(nodes.size());
        waiting[place.i].push_back(number);
        nodes.push_back({place, -1, {-1, -1}});
        return number;
    };
    add({grammar.item_of[grammar.start], 0, end});
    for (std::int64_t i = 0; i < sweep.lattice.states; ++i)
        while (!waiting[i].empty()) {
            lay_out(sweep, i);
            const std::int32_t number = waiting[i].back();
            waiting[i].pop_back();
            const Place place = nodes[number].place;
            const Way way = choose.way(sweep, place);
            if (way.edge < 0) throw std::logic_error("an item of a chart cannot be made");
            nodes[number].edge = way.edge;
            const auto [left, right] = children(grammar, place, way);
            const std::int32_t below[2] = {left.item < 0 ? -1 : add(left), right.item < 0 ? -1 : add(right)};
            std::copy(below, below + 2, nodes[number].children);
        }
    std::vector<std::int32_t> open{0};
    while (!open.empty()) {
        const Node &node = nodes[open.back()];
        open.pop_back();
        edges.push_back(static_cast<std::int32_t>(node.edge));
        for (int child = 1; child >= 0; --child)
            if (node.children[child] >= 0) open.push_back(node.children[child]);
    }
}

} // namespace weft::chart
