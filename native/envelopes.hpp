// The best derivations of hypergraphs along a line: which of them are right, and where that changes.
//
// With weights w(e) + t s(e) every derivation's score is a line in t, and the best score of a vertex is the
// upper envelope of the lines of its derivations: convex, in pieces. With + for sums of such functions,
//
//     env(e) = w(e) + t s(e) + Σ_t env(t)          over the tails of an edge: pieces are met in order
//     env(v) = max_{e into v} env(e)               lines in the order of their slopes, those below dropped
//
// so that no derivation is listed. A piece has a share: how many of the derivations that it is the line of
// are right, of how many. Lines that differ by rounding only are one.
//
// Reference: W. Macherey, F. J. Och, I. Thayer and J. Uszkoreit (2008), "Lattice-based Minimum Error Rate
// Training for Statistical Machine Translation", EMNLP.
#pragma once

#include "hypergraph.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace weft::envelopes {

constexpr double ROUNDING = 1e-10;

// A piece of an envelope: height + t slope, from t = start on. The number of its derivations is kept as a
// logarithm, since forests have more of them than a number can be.
struct Piece {
    double slope, height, start, log_count, share;
};

using Pieces = std::vector<Piece>;

inline bool close(double a, double b) {
    return std::abs(a - b) <= ROUNDING * (1.0 + std::max(std::abs(a), std::abs(b)));
}

// The same line twice: all derivations of both.
inline void unite(Piece &piece, const Piece &other) {
    const double most = std::max(piece.log_count, other.log_count);
    const double mine = std::exp(piece.log_count - most), theirs = std::exp(other.log_count - most);
    piece.share = (mine * piece.share + theirs * other.share) / (mine + theirs);
    piece.log_count = most + std::log(mine + theirs);
}

// Of two envelopes the one of all sums: a piece ends where either's does.
inline void add(const Pieces &one, const Piece *other, const Piece *end, Pieces &sum) {
    sum.clear();
    auto mine = one.begin();
    double start = mine->start;
    while (true) {
        sum.push_back({mine->slope + other->slope, mine->height + other->height, start,
                       mine->log_count + other->log_count, mine->share * other->share});
        const double next_mine = mine + 1 == one.end() ? INFINITY : mine[1].start;
        const double next_other = other + 1 == end ? INFINITY : other[1].start;
        start = std::min(next_mine, next_other);
        if (start == INFINITY) return;
        if (next_mine <= start) ++mine;
        if (next_other <= start) ++other;
    }
}

// Lines become their envelope from -reach to reach.
inline void envelope(Pieces &lines, double reach) {
    if (lines.size() == 1) {
        lines[0].start = -reach;
        return;
    }
    std::sort(lines.begin(), lines.end(), [](const Piece &a, const Piece &b) {
        return a.slope != b.slope ? a.slope < b.slope : a.height > b.height;
    });
    std::size_t kept = 0;  // lines[0 .. kept) are the envelope of those before
    for (std::size_t first = 0; first < lines.size();) {
        Piece line = lines[first];
        std::size_t next = first + 1;
        for (; next < lines.size() && close(lines[next].slope, lines[first].slope); ++next) {
            if (close(lines[next].height, line.height)) unite(line, lines[next]);
            else if (lines[next].height > line.height) line = lines[next];
        }
        first = next;
        line.start = -reach;
        while (kept) {
            const Piece &last = lines[kept - 1];
            const double meet = (last.height - line.height) / (line.slope - last.slope);
            if (meet > last.start) {
                line.start = meet;
                break;
            }
            --kept;
        }
        if (line.start < reach) lines[kept++] = line;
    }
    lines.resize(kept);
}

// One hypergraph after the other: room for the pieces of all vertices.
class Follower {
  public:
    // The pieces of the root's envelope; none if it has no derivation.
    const Pieces &follow(const hypergraph::Topology &graph, const double *weights, const double *slopes,
                         const bool *right, double reach) {
        offsets_.assign(graph.vertices + 1, 0);
        pieces_.clear();
        std::int64_t vertex = 0;
        for (std::int64_t edge = 0; edge < graph.edges;) {
            const std::int32_t head = graph.heads[edge];
            while (vertex < head) offsets_[++vertex] = static_cast<std::int64_t>(pieces_.size());
            lines_.clear();
            for (; edge < graph.edges && graph.heads[edge] == head; ++edge)
                add_edge(graph, edge, {slopes[edge], weights[edge], -reach, 0.0, right[edge] ? 1.0 : 0.0});
            if (!lines_.empty()) envelope(lines_, reach);
            pieces_.insert(pieces_.end(), lines_.begin(), lines_.end());
            offsets_[++vertex] = static_cast<std::int64_t>(pieces_.size());
        }
        if (vertex < graph.vertices) lines_.clear();  // no edge makes the root
        return lines_;
    }

  private:
    void add_edge(const hypergraph::Topology &graph, std::int64_t edge, const Piece &own) {
        if (own.height == hypergraph::NEG_INF) return;
        sum_.assign(1, own);
        for (std::int64_t i = graph.tail_offsets[edge]; i < graph.tail_offsets[edge + 1]; ++i) {
            const std::int64_t first = offsets_[graph.tails[i]], last = offsets_[graph.tails[i] + 1];
            if (first == last) return;
            add(sum_, pieces_.data() + first, pieces_.data() + last, other_);
            std::swap(sum_, other_);
        }
        lines_.insert(lines_.end(), sum_.begin(), sum_.end());
    }

    std::vector<std::int64_t> offsets_;
    Pieces pieces_, lines_, sum_, other_;
};

} // namespace weft::envelopes
