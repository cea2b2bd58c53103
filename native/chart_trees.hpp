// Single derivations of a filled chart: the best one, or random ones.
//
// A derivation is a tree of edges, written each before its children: a binary edge has the derivations of
// its left, unless that is a terminal, and of its right; a scan that of its left; a unary edge that of
// its source. No back-pointers are kept. The ways to make an item are listed again when one of them
// is to be chosen: there are few items in a tree, and many in a chart.
#pragma once

#include "chart_sealed.hpp"

#include <stdexcept>
#include <utility>

namespace weft::chart {

// Writes the numbers of the row of a start, from the lists of its cells.
template <class K> void Sweep<K>::lay_out(std::int64_t i) {
    for (std::int32_t item = 0; item < grammar_.items; ++item) rows_[item] = prefixes_.data() + item * stride_;
    std::fill(stamps_.begin(), stamps_.end(), -1);
    for (std::int64_t k = i + 1; k < states_; ++k)
        for (std::int64_t a = cell_first_[i * states_ + k]; a < cell_last_[i * states_ + k]; ++a) {
            const std::int32_t item = active_items_[a];
            std::uint64_t *bits = bits_.data() + item * words_;
            if (stamps_[item] != i) std::fill(bits, bits + words_, std::uint64_t{0});
            stamps_[item] = static_cast<std::int32_t>(i);
            Number &to = rows_[item][k]; // an item may be listed twice
            to = present(item, k) ? K::add(to, active_values_[a]) : active_values_[a];
            bits[k / 64] |= std::uint64_t{1} << (k % 64);
        }
}

// The number of a left that ends in the middle; that of a terminal is its arc's. The row must be laid out.
template <class K>
typename K::Number Sweep<K>::left_at(std::int32_t left, std::int64_t i, std::int64_t middle) {
    const bool sealed = required(i, middle) >= 0;
    if (left < grammar_.items) return sealed && !grammar_.is_late[left] ? K::zero() : laid_out(left, i, middle);
    for (std::int64_t a = arcs_from(i); !sealed && a < arcs_to(i); ++a)
        if (all_.arc_target[a] == middle && all_.arc_terminal[a] == left - grammar_.items) return arc_factor(a);
    return K::zero();
}

// Calls visit(way, number) for the ways to make an item of an arc or of shorter items, until it returns true.
template <class K>
template <class Visit>
void Sweep<K>::base_ways(std::int32_t item, std::int64_t i, std::int64_t k, Number by, Visit &&visit) {
    const std::int64_t n = grammar_.nonterminals;
    const Number *weights = weights_.edges.data();
    const auto offer = [&](std::int64_t edge, std::int64_t middle, Number value) {
        if (!plain_) value = K::mul(value, by);
        return !K::is_zero(value) && visit(Way{edge, middle, -1}, value);
    };
    for (std::int64_t a = arcs_from(i); a < arcs_to(i); ++a) {
        const std::int32_t entry = all_.arc_entry[a];
        if (all_.arc_target[a] != k || entry < 0) continue;
        for (std::int64_t e = grammar_.entry_offsets[entry]; e < grammar_.entry_offsets[entry + 1]; ++e) {
            const std::int64_t edge = grammar_.lexicals() + grammar_.entry_edges[e];
            if (grammar_.lexical_target[grammar_.entry_edges[e]] == item &&
                offer(edge, k, K::mul(arc_factor(a), weights[edge])))
                return;
        }
    }
    if (grammar_.into_scan_offsets[item] < grammar_.into_scan_offsets[item + 1])
        for (std::int64_t m = i + 1; m < k; ++m)
            for (std::int64_t a = arcs_from(m); a < arcs_to(m); ++a) {
                if (all_.arc_target[a] != k || required(m, k) >= 0) continue;
                for (std::int64_t at = grammar_.into_scan_offsets[item]; at < grammar_.into_scan_offsets[item + 1]; ++at) {
                    const std::int32_t edge = grammar_.into_scan[at];
                    if (all_.arc_terminal[a] != grammar_.scan_terminal[edge]) continue;
                    const Number left = left_at(grammar_.scan_left[edge], i, m);
                    if (K::is_zero(left)) continue;
                    const std::int64_t number = grammar_.scans() + edge;
                    if (offer(number, m, K::mul(K::mul(left, arc_factor(a)), weights[number]))) return;
                }
            }
    for (std::int64_t at = grammar_.into_binary_offsets[item]; at < grammar_.into_binary_offsets[item + 1]; ++at) {
        const std::int32_t edge = grammar_.into_binary[at], left = grammar_.binary_left[edge];
        const std::int32_t right = grammar_.binary_right[edge];
        if (left < grammar_.items && stamps_[left] != i) continue;
        for (std::int64_t m = i + 1; m < k; ++m) {
            if (right_last_[m * n + right] < 0 || !(right_bits_[(m * n + right) * words_ + k / 64] >> (k % 64) & 1))
                continue;
            const Number value = left_at(left, i, m);
            if (K::is_zero(value)) continue;
            if (offer(edge, m, K::mul(K::mul(value, weights[edge]), inside_[(m * n + right) * stride_ + k]))) return;
        }
    }
}

template <class K>
template <class Visit>
void Sweep<K>::unary_ways(std::int32_t item, std::int64_t i, std::int64_t k, Number by, Visit &&visit) {
    for (std::int64_t at = grammar_.into_unary_offsets[item]; at < grammar_.into_unary_offsets[item + 1]; ++at) {
        const std::int32_t edge = grammar_.into_unary[at], source = grammar_.unary_source[edge];
        const std::int64_t number = grammar_.unaries() + edge;
        Number value = K::mul(laid_out(source, i, k), weights_.edges[number]);
        if (!plain_) value = K::mul(value, by);
        if (!K::is_zero(value) && visit(Way{number, k, source}, value)) return;
    }
}

// Calls visit(way, number) for all ways to make an item, until it returns true. The row must be laid out.
template <class K>
template <class Visit>
void Sweep<K>::ways(std::int32_t item, std::int64_t i, std::int64_t k, Visit &&visit) {
    if (required(i, k) >= 0 && (item >= grammar_.items || grammar_.is_late[item])) {
        sealed_ways(item, i, k, visit);
        return;
    }
    const Number by = plain_ ? K::one() : factor(i, k, item);
    bool stop = false;
    const auto offer = [&](const Way &way, Number value) { return stop = visit(way, value); };
    base_ways(item, i, k, by, offer);
    if (!stop) unary_ways(item, i, k, by, offer);
}

// Chooses a best way: one whose number is the item's own.
struct ChooseBest {
    using K = Best;

    std::int64_t end(const std::vector<double> &values) const {
        return std::max_element(values.begin(), values.end()) - values.begin();
    }

    Way item(Sweep<Best> &sweep, std::int32_t item, std::int64_t i, std::int64_t k) const {
        const Topology &grammar = sweep.grammar();
        const std::int32_t component = grammar.component[item % grammar.items];
        if (component < 0) return any(sweep, item, i, k, -1);
        // In cycles of weight 0 equal numbers lead anywhere: the nearest item that has another way.
        std::vector<std::pair<std::int32_t, Way>> queue{{item, Way{-1, -1, -1}}};
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const auto [source, step] = queue[at];
            const Way way = any(sweep, source, i, k, component);
            if (way.edge >= 0) return at == 0 ? way : step;
            const double value = sweep.laid_out(source, i, k);
            sweep.ways(source, i, k, [&](const Way &each, double number) {
                if (!within(grammar, each, component) || number != value) return false;
                for (const auto &seen : queue)
                    if (seen.first == each.source) return false;
                queue.push_back({each.source, at == 0 ? each : step});
                return false;
            });
        }
        throw std::logic_error("an item of a chart has no best way");
    }

  private:
    static bool within(const Topology &grammar, const Way &way, std::int32_t component) {
        return component >= 0 && way.edge >= grammar.unaries() && way.edge < grammar.lexicals() &&
               grammar.component[grammar.unary_source[way.edge - grammar.unaries()]] == component;
    }
    static Way any(Sweep<Best> &sweep, std::int32_t item, std::int64_t i, std::int64_t k, std::int32_t component) {
        Way found{-1, -1, -1};
        const double value = sweep.laid_out(item, i, k);
        sweep.ways(item, i, k, [&](const Way &way, double number) {
            if (number != value || within(sweep.grammar(), way, component)) return false;
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
template <class Kind> struct ChooseRandom {
    using K = Kind;
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

    Way item(Sweep<K> &sweep, std::int32_t item, std::int64_t i, std::int64_t k) {
        const auto wanted = K::mul(sweep.laid_out(item, i, k), K::from_double(stream.uniform()));
        auto sum = K::zero();
        Way found{-1, -1, -1}; // the last one, should rounding leave the sum too small
        sweep.ways(item, i, k, [&](const Way &way, auto number) {
            found = way;
            sum = K::add(sum, number);
            return K::less(wanted, sum);
        });
        return found;
    }
};

template <class K>
template <class Choose>
void Sweep<K>::derive(Choose &choose, std::vector<std::int32_t> &edges) {
    struct Node {
        std::int32_t item;
        std::int64_t k, edge;
        std::int32_t children[2];
    };
    if (Wide::is_zero(total_) && !std::is_same_v<K, Best>) return;
    const std::int32_t start = grammar_.item_of[grammar_.start];
    const std::int64_t end = choose_end(choose);
    if (end == 0) {
        edges.push_back(static_cast<std::int32_t>(grammar_.empty()));
        return;
    }
    std::vector<Node> nodes{{start, end, -1, {-1, -1}}};
    std::vector<std::vector<std::int32_t>> waiting(states_); // by start: each row is laid out once
    waiting[0].push_back(0);
    for (std::int64_t i = 0; i < states_; ++i) {
        if (waiting[i].empty()) continue;
        lay_out(i);
        while (!waiting[i].empty()) {
            const std::int32_t number = waiting[i].back();
            waiting[i].pop_back();
            const std::int64_t k = nodes[number].k;
            const Way way = choose.item(*this, nodes[number].item, i, k);
            if (way.edge < 0) throw std::logic_error("an item of a chart cannot be made");
            nodes[number].edge = way.edge;
            int children = 0;
            const auto below = [&](std::int32_t child, std::int64_t from, std::int64_t to) {
                nodes[number].children[children++] = static_cast<std::int32_t>(nodes.size());
                waiting[from].push_back(static_cast<std::int32_t>(nodes.size()));
                nodes.push_back({child, to, -1, {-1, -1}});
            };
            if (way.edge < grammar_.scans()) {
                const std::int32_t left = grammar_.binary_left[way.edge];
                if (left < grammar_.items) below(left, i, way.middle);
                below(grammar_.item_of[grammar_.binary_right[way.edge]], way.middle, k);
            } else if (way.edge < grammar_.unaries()) {
                const std::int32_t left = grammar_.scan_left[way.edge - grammar_.scans()];
                if (left < grammar_.items) below(left, i, way.middle);
            } else if (way.edge < grammar_.lexicals()) {
                below(way.source, i, k);
            }
        }
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

// The state in which the derivation ends; 0 is the empty sentence.
template <class K> template <class Choose> std::int64_t Sweep<K>::choose_end(Choose &choose) const {
    if constexpr (std::is_same_v<K, Best>) {
        return choose.end(ends());
    } else {
        std::vector<WideNumber> values(states_);
        if (final(0)) values[0] = wide(weights_.edges[grammar_.empty()]);
        for (std::int64_t k = 1; k < states_; ++k)
            if (final(k)) values[k] = unscaled(start_at(k), k);
        return choose.end(values);
    }
}

} // namespace weft::chart
