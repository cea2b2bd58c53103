// Sums over listed analyses, each of them a bag of features, sentence by sentence:
//
//     score[a] = base[a] + sum_f value[a, f] theta[f]
//     Z[k]     = sum of exp(score[a] + bias[k, a]) over the analyses of member k
//     E[f]     = sum_k c[k] sum_a p[k, a] value[a, f]
//
// One pass over the features of a sentence scores its analyses, and a second one, while they are still in the
// first-level cache, adds to the expectations. Sentences are divided into runs whose number depends on the
// data alone; every run adds to a row of its own, and rows are added up in order.
#pragma once

#include "parallel.hpp"
#include "vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weft {

struct Bags { // analyses as bags of features
    const std::int64_t *offsets;  // [analyses + 1]
    const std::int32_t *features; // [entries]
    const double *values;         // [entries]; null where every value is 1
    const double *base;           // [analyses]
};

struct Choices { // for each member the analyses that it sums over
    const std::int64_t *offsets;  // [members + 1]
    const std::int32_t *analyses; // [choices]
    const double *bias;           // [choices]; null where there is none
    const std::int32_t *summed;   // [members]: this many of the first are summed; of the others the best is taken
};

struct Weighing { // room for the analyses of one sentence
    Buffer scores, masses, log_weights;

    // For `count` analyses and the members first ... last - 1. Kernels do not allocate: see vector.hpp.
    void make_room(std::int64_t count, const Choices &choices, std::int64_t first, std::int64_t last) {
        scores.resize(count);
        masses.assign(count, 0.0);
        std::int64_t most = 0;
        for (std::int64_t member = first; member < last; ++member)
            most = std::max(most, choices.offsets[member + 1] - choices.offsets[member]);
        const std::size_t padded = (most + LANES - 1) / LANES * LANES;
        if (log_weights.size() < padded) log_weights.resize(padded);
    }
};

WEFT_INLINE double score(const Bags &bags, std::int64_t analysis, const double *theta) {
    const std::int64_t begin = bags.offsets[analysis], end = bags.offsets[analysis + 1];
    // Four sums at a time, so that no addition waits for the one before it.
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    std::int64_t k = begin;
    if (bags.values) {
        for (; k + 4 <= end; k += 4)
            for (int lane = 0; lane < 4; ++lane)
                sums[lane] += bags.values[k + lane] * theta[bags.features[k + lane]];
        for (; k < end; ++k) sums[0] += bags.values[k] * theta[bags.features[k]];
    } else {
        for (; k + 4 <= end; k += 4)
            for (int lane = 0; lane < 4; ++lane) sums[lane] += theta[bags.features[k + lane]];
        for (; k < end; ++k) sums[0] += theta[bags.features[k]];
    }
    return bags.base[analysis] + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

WEFT_INLINE void collect(const Bags &bags, std::int64_t analysis, double mass, double *gradient) {
    const std::int64_t end = bags.offsets[analysis + 1];
    if (bags.values)
        for (std::int64_t k = bags.offsets[analysis]; k < end; ++k)
            gradient[bags.features[k]] += mass * bags.values[k];
    else
        for (std::int64_t k = bags.offsets[analysis]; k < end; ++k) gradient[bags.features[k]] += mass;
}

// Leaves only the best of weights[summed ... count). If several are, each has its share of the one: what is
// chosen then does not depend on the order of the analyses.
WEFT_INLINE void keep_best(double *weights, std::int64_t summed, std::int64_t count) {
    const double best = *std::max_element(weights + summed, weights + count);
    const auto ties = std::count(weights + summed, weights + count, best);
    const double share = best - (ties > 1 ? std::log(static_cast<double>(ties)) : 0.0);
    for (std::int64_t i = summed; i < count; ++i) weights[i] = weights[i] == best ? share : NEG_INF;
}

// Turns log-weights, padded with -inf to whole vectors, into probabilities, and returns the log of their sum.
WEFT_INLINE double normalise(double *weights, std::int64_t padded) {
    Vec highest = splat(NEG_INF);
    for (std::int64_t i = 0; i < padded; i += LANES) highest = max(highest, load(weights + i));
    const double top = max(highest);
    if (!(top > NEG_INF)) {
        std::fill(weights, weights + padded, 0.0);
        return NEG_INF;
    }
    Vec total{};
    for (std::int64_t i = 0; i < padded; i += LANES) {
        const Vec each = exp(load(weights + i) - top);
        store(weights + i, each);
        total += each;
    }
    const double all = sum(total);
    for (std::int64_t i = 0; i < padded; i += LANES) store(weights + i, load(weights + i) / all);
    return top + std::log(all);
}

// The members first ... last - 1, which are of the sentence whose analyses begin at `start`.
WEFT_INLINE void weigh(const Choices &choices, std::int64_t first, std::int64_t last, std::int64_t start,
                       const double *coefficients, Weighing &room, double *log_partition) {
    for (std::int64_t member = first; member < last; ++member) {
        const std::int64_t begin = choices.offsets[member], count = choices.offsets[member + 1] - begin;
        const std::int64_t padded = (count + LANES - 1) / LANES * LANES;
        double *weights = room.log_weights.data();
        for (std::int64_t i = 0; i < count; ++i) {
            weights[i] = room.scores[choices.analyses[begin + i] - start];
            if (choices.bias) weights[i] += choices.bias[begin + i];
        }
        std::fill(weights + count, weights + padded, NEG_INF);
        if (choices.summed[member] < count) keep_best(weights, choices.summed[member], count);
        log_partition[member] = normalise(weights, padded);
        if (!coefficients || coefficients[member] == 0.0) continue;
        for (std::int64_t i = 0; i < count; ++i)
            room.masses[choices.analyses[begin + i] - start] += coefficients[member] * weights[i];
    }
}

// One sentence, whose analyses begin at `start` and whose members are first ... last - 1.
WEFT_KERNEL void sum_sentence(const Bags &bags, std::int64_t start, std::int64_t count, const Choices &choices,
                              std::int64_t first, std::int64_t last, const double *theta, const double *coefficients,
                              Weighing &room, double *log_partition, double *gradient) {
    for (std::int64_t a = 0; a < count; ++a) room.scores[a] = score(bags, start + a, theta);
    weigh(choices, first, last, start, coefficients, room, log_partition);
    if (!gradient) return;
    for (std::int64_t a = 0; a < count; ++a)
        if (room.masses[a] != 0.0) collect(bags, start + a, room.masses[a], gradient);
}

// Sentences first ... last - 1. Members are in the order of their sentences: those of sentence s are
// owners[s] ... owners[s + 1] - 1.
inline void sum_analyses(const Bags &bags, const std::int64_t *sentences, const std::int64_t *owners,
                         const Choices &choices, std::int64_t first, std::int64_t last, const double *theta,
                         const double *coefficients, double *log_partition, double *gradient) {
    Weighing room;
    for (std::int64_t s = first; s < last; ++s) {
        if (owners[s] == owners[s + 1]) continue;
        const std::int64_t start = sentences[s], count = sentences[s + 1] - start;
        room.make_room(count, choices, owners[s], owners[s + 1]);
        dispatch<sum_sentence>(bags, start, count, choices, owners[s], owners[s + 1], theta, coefficients, room, log_partition,
                     gradient);
    }
}

WEFT_KERNEL void score_analyses(const Bags &bags, std::int64_t first, std::int64_t last, const double *theta,
                                double *scores) {
    for (std::int64_t analysis = first; analysis < last; ++analysis)
        scores[analysis] = score(bags, analysis, theta);
}

// out[i] = sum_r rows[r, i] for first <= i < last, in the order of the rows.
WEFT_KERNEL void add_up(const double *rows, std::int64_t count, std::int64_t size, std::int64_t first,
                        std::int64_t last, double *out) {
    std::copy(rows + first, rows + last, out + first);
    for (std::int64_t r = 1; r < count; ++r)
        for (std::int64_t i = first; i < last; ++i) out[i] += rows[r * size + i];
}

constexpr double ROUNDING = 1e-10; // in proportion to a score, as weft.arrays.rounding_of

// How many sentences have a right analysis as their best one, while single weights change: an analysis that is
// right counts 1, or 1/l where it is one of l best ones.
struct Ballot {
    const std::int64_t *offsets;   // [features + 1], by feature
    const std::int32_t *analyses;  // [entries]
    const double *values;          // [entries]; null where every value is 1
    const std::int32_t *owners;    // [analyses], sentences
    const std::int64_t *sentences; // [sentences + 1]
    const bool *right;             // [analyses]
    const double *weights;         // [sentences]
    std::vector<double> scores, shares;
    double total = 0.0;

    struct Saved {
        std::int32_t place;
        double number;
    };
    std::vector<Saved> old_scores, old_shares; // what the last change overwrote
    std::vector<std::int32_t> touched;
    double old_total = 0.0;

    double share(std::int64_t sentence) const {
        double best = NEG_INF;
        std::int64_t ties = 0, hits = 0;
        for (std::int64_t a = sentences[sentence]; a < sentences[sentence + 1]; ++a) best = std::max(best, scores[a]);
        // Equal weights are added in another order: no choice is to hang on rounding.
        const double least = best == NEG_INF ? best : best - ROUNDING * (1.0 + std::abs(best));
        for (std::int64_t a = sentences[sentence]; a < sentences[sentence + 1]; ++a)
            if (scores[a] >= least) ++ties, hits += right[a];
        return ties ? weights[sentence] * static_cast<double>(hits) / static_cast<double>(ties) : 0.0;
    }

    // Also makes room for every change, which can then not fail halfway and leave a wrong total.
    void count(std::int64_t number, std::int64_t features) {
        std::int64_t most = 0;
        for (std::int64_t f = 0; f < features; ++f) most = std::max(most, offsets[f + 1] - offsets[f]);
        old_scores.reserve(most);
        old_shares.reserve(most);
        touched.reserve(most);
        shares.resize(number);
        total = 0.0;
        for (std::int64_t s = 0; s < number; ++s) total += shares[s] = share(s);
    }

    void change(std::int32_t feature, double delta) {
        old_scores.clear();
        old_shares.clear();
        touched.clear();
        old_total = total;
        for (std::int64_t k = offsets[feature]; k < offsets[feature + 1]; ++k) {
            const std::int32_t a = analyses[k];
            old_scores.push_back({a, scores[a]});
            scores[a] += values ? delta * values[k] : delta;
            // The analyses of a feature are in order, and so those of a sentence come together.
            if (touched.empty() || touched.back() != owners[a]) touched.push_back(owners[a]);
        }
        for (const std::int32_t s : touched) {
            old_shares.push_back({s, shares[s]});
            const double now = share(s);
            total += now - shares[s];
            shares[s] = now;
        }
    }

    void undo() {
        for (const Saved &each : old_scores) scores[each.place] = each.number;
        for (const Saved &each : old_shares) shares[each.place] = each.number;
        total = old_total;
    }
};

} // namespace weft
