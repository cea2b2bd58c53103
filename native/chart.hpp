// Sums over all trees of a weighted context-free grammar over a sentence or an acyclic lattice.
//
// *Items* are the nonterminals and the prefixes of right sides (two symbols or more), the latter made
// anew once for all rules that begin so. An item over the states i < k of a lattice is the sum of
//
//     binary    left(i, m) · right(m, k) · w     over m, the right one a nonterminal
//     scan      left(i, m) · w                   over arcs m → k with a terminal
//     lexical   w                                for an arc i → k with a terminal
//     unary     source(i, k) · w                 the same span
//
// Rows are filled from the last start to the first, and each from left to right, so that every row of
// a right child is whole when it is used: a left item is pushed along it in vectors,
//
//     row(target, i)[·] += left(i, m) · w · row(right, m)[·].
//
// Unary edges lead to higher items, but for those within a *cyclic component*, a run of items whose
// edges are summed by a matrix, their closure (I − U)⁻¹. Bits say which numbers of a row are not 0,
// and only what is not 0 is ever looked at. The outward pass goes over the same lists backwards.
//
// Numbers of kind Real are scaled: those that begin at state i and end at state k by 2^(s(k) − s(i)),
// so that products need no care; s(i) is chosen when its row is done. See chart_numbers.hpp.
#pragma once

#include "chart_cells.hpp"

namespace weft::chart {

// Working memory for one member at a time.
template <class K> class Sweep {
  public:
    using Kind = K;
    using Number = typename K::Number;

    // A member that needs more than so many bytes is given up.
    Sweep(const Topology &grammar, const Weights<K> &weights, const Members &members, const Requirements &requirements,
          double memory)
        : grammar_(grammar), weights_(weights), all_(members), requirements_(requirements), unaries_(grammar.unaries()),
          memory_(memory) {
        rows_.resize(grammar.items);
        stamps_.assign(grammar.items, -1);
        touched_.reserve(grammar.items); // an item is begun once a row; kernels do not allocate: see vector.hpp
    }

    // The inward pass; afterwards log_partition() is known.
    Outcome inside(std::int64_t member, const Extras &extras) {
        if (!aim(member, extras)) return Outcome::too_large;
        for (std::int64_t i = states_ - 2; i >= 0; --i) {
            const Outcome outcome = inside_row(i);
            if (outcome != Outcome::done) return outcome;
        }
        if constexpr (std::is_same_v<K, Residue>) {
            residue_ = final(0) ? weights_.edges[grammar_.empty()] : 0;
            for (std::int64_t k = 1; k < states_; ++k)
                if (final(k)) residue_ = K::add(residue_, start_at(k));
        } else if constexpr (std::is_same_v<K, Best>) {
            best_ = final(0) ? weights_.edges[grammar_.empty()] : NEG_INF;
            for (std::int64_t k = 1; k < states_; ++k)
                if (final(k)) best_ = std::max(best_, start_at(k));
        } else {
            total_ = final(0) ? wide(weights_.edges[grammar_.empty()]) : WideNumber{};
            for (std::int64_t k = 1; k < states_; ++k)
                if (final(k)) total_ = Wide::add(total_, unscaled(start_at(k), k));
        }
        return Outcome::done;
    }

    // log Z, or the best score.
    std::uint64_t residue() const { return residue_; }
    // Whether infinitely many trees were met; known after an outward pass.
    bool endless() const { return endless_; }
    double log_partition() const { return std::is_same_v<K, Best> ? best_ : Wide::to_log(total_); }

    // The outward pass. Adds coefficient × the expected number of each edge to totals [edges]; writes the
    // marginals of nonterminals over spans, where asked for, [spans, nonterminals].
    void outside(double coefficient, double *totals, double *marginals);

    // Writes the edges of a derivation, each before those of its children: see chart_trees.hpp.
    template <class Choose> void derive(Choose &choose, std::vector<std::int32_t> &edges);
    template <class Visit> void ways(std::int32_t item, std::int64_t i, std::int64_t k, Visit &&visit);
    Number laid_out(std::int32_t item, std::int64_t i, std::int64_t k) const {
        if (item >= grammar_.items) return sealed_.at(i * states_ + k).values[item - grammar_.items];
        return stamps_[item] == i && present(item, k) ? rows_[item][k] : K::zero();
    }
    const Topology &grammar() const { return grammar_; }
    // Lays out the row of a start, unless it is.
    void ready(std::int64_t i) {
        if (laid_out_row_ != i) lay_out(i);
        laid_out_row_ = i;
    }
    // [states]: the best score of what ends in each final state; the first is that of the empty sentence.
    std::vector<double> ends() const {
        std::vector<double> values(states_, NEG_INF);
        if (final(0)) values[0] = weights_.edges[grammar_.empty()];
        for (std::int64_t k = 1; k < states_; ++k)
            if (final(k)) values[k] = start_at(k);
        return values;
    }
    // What a way adds to the scores of an item's children.
    Number step(std::int32_t item, std::int64_t i, std::int64_t k, const Way &way) const {
        const Number weight = weights_.edges[way.edge];
        // A nonterminal that leaves a sealed cell is that of its last layer; a prefix has no factor there.
        const bool leaves = required(i, k) >= 0 && item < grammar_.items && grammar_.row_of[item] < 0;
        return plain_ || leaves ? weight : K::mul(weight, factor(i, k, item % grammar_.items));
    }

  private:
    struct Arrival {
        std::int32_t item;
        Number value;
    };
    // A cell over which constituents are required: see chart_sealed.hpp.
    struct Sealed {
        std::vector<Number> values, outside;            // [layers, items]
        std::int64_t layers;
        std::vector<std::int32_t> labels;               // items
    };

    bool aim(std::int64_t member, const Extras &extras);
    template <class V> static void grow(V &buffer, std::int64_t size) {
        if (static_cast<std::int64_t>(buffer.size()) < size) buffer.resize(size);
    }

    bool final(std::int64_t state) const { return all_.final[first_state_ + state]; }
    std::int64_t arcs_from(std::int64_t state) const { return all_.arc_offsets[first_state_ + state]; }
    std::int64_t arcs_to(std::int64_t state) const { return all_.arc_offsets[first_state_ + state + 1]; }
    Number &arc_factor(std::int64_t arc) { return arc_factors_[arc - all_.arc_offsets[first_state_]]; }

    static WideNumber wide(Number value) {
        if constexpr (std::is_same_v<Number, WideNumber>)
            return value;
        else
            return Wide::from_double(static_cast<double>(value));
    }
    // What begins at state 0 and ends at k, without its scale.
    WideNumber unscaled(Number value, std::int64_t k) const {
        WideNumber made = wide(value);
        if (!Wide::is_zero(made)) made.exponent += scale_[0] - scale_[k];
        return made;
    }
    // The start symbol from state 0 to k.
    Number start_at(std::int64_t k) const {
        if (right_last_[grammar_.start] < 0) return K::zero();
        return inside_[grammar_.start * stride_ + k];
    }

    void begin(std::int64_t i);
    Cell<Number> cell_at(std::int64_t i, std::int64_t k);

    // Adds to one number of a row.
    void add(Cell<Number> &cell, std::int32_t item, std::int64_t k, Number value) {
        if (K::is_zero(value)) return;
        begin_row<K>(cell, item);
        Number &to = rows_[item][k];
        to = K::add(to, value);
        bits_[item * words_ + k / 64] |= std::uint64_t{1} << (k % 64);
    }
    bool present(std::int32_t item, std::int64_t k) const {
        return bits_[item * words_ + k / 64] >> (k % 64) & 1;
    }

    Outcome inside_row(std::int64_t i);
    void read_arcs(std::int64_t i, Cell<Number> &cell);
    void close_cell(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void close_early(std::int32_t item, Number value, std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void close_component(std::int64_t i, std::int64_t k, std::int32_t component, Cell<Number> &cell);
    void prune(std::int64_t i, std::int64_t k);
    static double log_of(Number value) {
        if constexpr (std::is_same_v<K, Residue>)
            return static_cast<double>(value);
        else
            return K::to_log(value);
    }
    void push_arc_lefts(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void scan(std::int64_t k, std::int32_t left, Number value, Cell<Number> &cell);
    std::int32_t required(std::int64_t i, std::int64_t k) const {
        return extras_.required ? extras_.required[span_number(states_, i, k)] : -1;
    }
    void close_sealed(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    void close_layer(std::int64_t i, std::int64_t k, Sealed &sealed, std::int64_t layer);
    void open_sealed(std::int64_t i, std::int64_t k, Cell<Number> &cell, double *marginals);
    template <class Visit>
    void sealed_ways(std::int32_t item, std::int64_t i, std::int64_t k, Visit &&visit);
    template <class Visit>
    void base_ways(std::int32_t item, std::int64_t i, std::int64_t k, Number by, Visit &&visit);
    template <class Visit>
    void unary_ways(std::int32_t item, std::int64_t i, std::int64_t k, Number by, Visit &&visit);
    Number left_at(std::int32_t left, std::int64_t i, std::int64_t middle);
    // Parts of the outward pass.
    Number above(std::int32_t item, std::int64_t i, std::int64_t k) const {
        return stamps_[item] == i && present(item, k) ? rows_[item][k] : K::zero();
    }
    Number scanned(std::int64_t i, std::int64_t k, std::int32_t left, Number value, Cell<Number> &cell);
    void pull_arc_lefts(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    Number gather(std::int64_t i, std::int64_t k, std::int64_t place, Cell<Number> &cell);
    void put(std::int64_t i, std::int64_t k, std::int64_t place, Number outer, Cell<Number> &cell, double *marginals);
    void open_cell(std::int64_t i, std::int64_t k, Cell<Number> &cell, double *marginals);
    void count_unaries(std::int64_t i, std::int64_t k, std::int64_t first, std::int64_t last, Cell<Number> &cell);
    void count_lexical(std::int64_t i, std::int64_t k, Cell<Number> &cell);
    Number share(WideNumber value) const {
        const WideNumber made = Wide::mul(value, Wide::inverse(total_));
        if constexpr (std::is_same_v<Number, WideNumber>)
            return made;
        else
            return Wide::to_double(made);
    }
    bool rescale(std::int64_t i);
    void end_row(std::int64_t i);
    // Room for all that a cell may list: rows that are begun, what scans have made, and late items.
    void make_room(std::int64_t k) {
        const std::size_t most = active_count_ + touched_.size() + arrivals_[k].size() + grammar_.late.size();
        if (active_items_.size() >= most) return;
        active_items_.resize(2 * most);
        active_values_.resize(2 * most);
    }
    bool record(std::int32_t item, Number value);
    void check_range(Number value) {
        if constexpr (K::scaled)
            if (value != 0.0 && !(value > power(-K::WIDEST) && value < power(K::WIDEST))) outcome_ = Outcome::out_of_range;
    }
    void send_up(std::int32_t item, Number value, std::int64_t k, Cell<Number> &cell);

    // What a completed item is multiplied by.
    Number factor(std::int64_t i, std::int64_t k, std::int32_t item) const {
        if (!blocked_.empty() && blocked_[item]) return K::zero();
        const std::int32_t s = grammar_.row_of[item];
        const std::int64_t span = span_number(states_, i, k);
        if (s < 0) return extras_.prefixes && !extras_.prefixes[span] ? K::zero() : K::one();
        const std::int64_t at = span * grammar_.nonterminals + s;
        if (extras_.allowed && !extras_.allowed[at]) return K::zero();
        if constexpr (!std::is_same_v<K, Residue>)
            if (extras_.span_scores) return K::from_log(extras_.span_scores[at]);
        return K::one();
    }
    bool on_cycle(std::int64_t i, std::int64_t k, std::int32_t item) const;
    // The closure of a component in a cell; where something depends on the cell, in closure_.
    const Number *closure_in(std::int64_t i, std::int64_t k, std::int32_t component);
    void close_values(std::int64_t i, std::int64_t k, std::int32_t component);
    void relax(std::int64_t i, std::int64_t k, std::int32_t component);
    template <class Choose> std::int64_t choose_end(Choose &choose) const;
    void lay_out(std::int64_t i);

    const Topology &grammar_;
    const Weights<K> &weights_;
    const Members &all_;
    const Requirements &requirements_;
    std::int64_t unaries_;                              // the number of the first unary edge
    double memory_;
    std::int64_t most_ = 0;                             // how long the lists of items may become
    Extras extras_;
    bool plain_ = true;                                 // whether a cell's items depend on the grammar alone
    Outcome outcome_ = Outcome::done;
    std::int64_t first_state_ = 0, states_ = 0, stride_ = 0, words_ = 0;
    WideNumber total_;
    double best_ = NEG_INF;
    std::uint64_t residue_ = 0;
    bool endless_ = false;
    std::int64_t laid_out_row_ = -1;
    Numbers<Number> inside_, outside_;                  // [states, nonterminals, stride]
    Numbers<Number> prefixes_;                          // [items, stride], of the current row
    std::vector<Number *> rows_;                        // [items]
    std::vector<std::uint64_t> bits_, right_bits_;      // [items, words], [states, nonterminals, words]
    std::vector<std::int32_t> right_first_, right_last_;    // [states, nonterminals]
    std::vector<std::uint64_t> alive_, arc_filter_;     // [states]: rights and terminals that begin there
    std::vector<std::int32_t> stamps_, touched_;        // [items]; the early items whose rows are begun
    std::vector<std::vector<Arrival>> arrivals_;        // [states]: early items that scans have made
    std::vector<std::int64_t> cell_first_, cell_last_;  // [states, states], of the lists below
    std::vector<std::int64_t> cell_open_;               // [states, states]: the first that may be a left
    std::map<std::int64_t, Sealed> sealed_;             // by cell
    std::vector<std::uint8_t> kept_;                    // [items], when a cell is pruned
    std::vector<std::uint8_t> blocked_;                 // [items], where a layer of a sealed cell is closed
    std::vector<std::int32_t> active_items_;            // early ones first, then late ones, ascending
    std::vector<Number> active_values_;
    std::int64_t active_count_ = 0;
    std::vector<std::int64_t> scale_;                   // [states]
    std::vector<Number> arc_factors_;                   // [arcs]
    std::vector<Number> closure_, before_, after_, left_outside_;
};

} // namespace weft::chart

#include "chart_inside.hpp"
