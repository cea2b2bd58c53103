// Python's view of charts: checks shapes, splits the work, releases the GIL.
#include "binding.hpp"
#include "chart.hpp"
#include "chart_kbest.hpp"
#include "chart_outside.hpp"
#include "chart_trees.hpp"
#include "parallel.hpp"

#include <memory>

using namespace weft::binding;
using namespace weft::chart;

namespace {

template <class T> std::vector<T> copied(const In<T, 1> &array) { return {array.data(), array.data() + array.shape(0)}; }

template <class T> bool within(const std::vector<T> &values, std::int64_t lowest, std::int64_t highest) {
    return std::all_of(values.begin(), values.end(), [&](T value) { return lowest <= value && value < highest; });
}

bool offsets_of(const std::vector<std::int64_t> &offsets, std::int64_t count, std::int64_t total) {
    return static_cast<std::int64_t>(offsets.size()) == count + 1 && offsets[0] == 0 && offsets[count] == total &&
           std::is_sorted(offsets.begin(), offsets.end());
}

Topology *make_topology(std::int32_t start, In<std::int32_t, 1> item_of, In<std::int32_t, 1> row_of, std::int32_t terminals,
                        In<std::int64_t, 1> binary_offsets, In<std::int32_t, 1> binary_right,
                        In<std::int32_t, 1> binary_target,
                        In<std::int64_t, 1> scan_offsets, In<std::int32_t, 1> scan_terminal,
                        In<std::int32_t, 1> scan_target, In<std::int64_t, 1> unary_offsets,
                        In<std::int32_t, 1> unary_target, In<std::int32_t, 1> lexical_target,
                        In<std::int64_t, 1> entry_offsets, In<std::int32_t, 1> entry_edges,
                        In<std::int32_t, 1> component, In<std::int32_t, 1> component_first,
                        In<std::int32_t, 1> component_last) {
    auto made = std::make_unique<Topology>();
    Topology &grammar = *made;
    grammar.nonterminals = static_cast<std::int32_t>(item_of.shape(0));
    grammar.items = static_cast<std::int32_t>(row_of.shape(0));
    grammar.terminals = terminals;
    grammar.start = start;
    grammar.item_of = copied(item_of);
    grammar.row_of = copied(row_of);
    grammar.binary_offsets = copied(binary_offsets);
    grammar.binary_right = copied(binary_right);
    grammar.binary_target = copied(binary_target);
    grammar.scan_offsets = copied(scan_offsets);
    grammar.scan_terminal = copied(scan_terminal);
    grammar.scan_target = copied(scan_target);
    grammar.unary_offsets = copied(unary_offsets);
    grammar.unary_target = copied(unary_target);
    grammar.lexical_target = copied(lexical_target);
    grammar.entry_offsets = copied(entry_offsets);
    grammar.entry_edges = copied(entry_edges);
    grammar.component = copied(component);
    grammar.component_first = copied(component_first);
    grammar.component_last = copied(component_last);
    const std::int64_t items = grammar.items, lefts = items + terminals, n = grammar.nonterminals;
    const auto size = [](const auto &values) { return static_cast<std::int64_t>(values.size()); };
    require(0 <= start && start < n && within(grammar.item_of, 0, items) && within(grammar.row_of, -1, n),
            "the items do not fit together");
    require(offsets_of(grammar.binary_offsets, lefts, size(grammar.binary_target)) &&
                size(grammar.binary_right) == size(grammar.binary_target) && within(grammar.binary_right, 0, n) &&
                within(grammar.binary_target, 0, items),
            "the binary edges do not fit together");
    require(offsets_of(grammar.scan_offsets, lefts, size(grammar.scan_target)) &&
                size(grammar.scan_terminal) == size(grammar.scan_target) && within(grammar.scan_terminal, 0, terminals) &&
                within(grammar.scan_target, 0, items),
            "the scans do not fit together");
    require(offsets_of(grammar.unary_offsets, items, size(grammar.unary_target)) && within(grammar.unary_target, 0, items),
            "the unary edges do not fit together");
    require(grammar.entry_offsets.size() > 0 &&
                offsets_of(grammar.entry_offsets, size(grammar.entry_offsets) - 1, size(grammar.entry_edges)) &&
                within(grammar.entry_edges, 0, size(grammar.lexical_target)) && within(grammar.lexical_target, 0, items),
            "the lexical edges do not fit together");
    require(size(grammar.component) == items && within(grammar.component, -1, size(grammar.component_first)) &&
                size(grammar.component_first) == size(grammar.component_last) &&
                within(grammar.component_first, 0, items) && within(grammar.component_last, 1, items + 1),
            "the components do not fit together");
    grammar.index_edges();
    return made.release();
}

Members *make_members(In<std::int64_t, 1> state_offsets, In<std::int64_t, 1> arc_offsets, In<std::int32_t, 1> arc_terminal,
                      In<std::int32_t, 1> arc_entry, In<std::int32_t, 1> arc_target, In<std::uint8_t, 1> final) {
    auto made = std::make_unique<Members>();
    Members &members = *made;
    members.state_offsets = copied(state_offsets);
    members.arc_offsets = copied(arc_offsets);
    members.arc_terminal = copied(arc_terminal);
    members.arc_entry = copied(arc_entry);
    members.arc_target = copied(arc_target);
    members.final = copied(final);
    const std::int64_t states = static_cast<std::int64_t>(members.final.size());
    const std::int64_t arcs = static_cast<std::int64_t>(members.arc_target.size());
    require(members.state_offsets.size() > 0 && offsets_of(members.state_offsets, members.count(), states) &&
                offsets_of(members.arc_offsets, states, arcs) &&
                static_cast<std::int64_t>(members.arc_terminal.size()) == arcs &&
                static_cast<std::int64_t>(members.arc_entry.size()) == arcs,
            "the lattices do not fit together");
    for (std::int64_t member = 0; member < members.count(); ++member)
        for (std::int64_t q = 0; q < members.states(member); ++q) {
            const std::int64_t state = members.state_offsets[member] + q;
            for (std::int64_t a = members.arc_offsets[state]; a < members.arc_offsets[state + 1]; ++a)
                require(q < members.arc_target[a] && members.arc_target[a] < members.states(member),
                        "arcs must lead to higher states");
        }
    return made.release();
}

Requirements *make_requirements(In<std::int64_t, 1> offsets, In<std::int32_t, 1> labels) {
    auto made = std::make_unique<Requirements>();
    made->offsets = copied(offsets);
    made->labels = copied(labels);
    const std::int64_t count = static_cast<std::int64_t>(made->offsets.size()) - 1;
    require(count >= 0 && offsets_of(made->offsets, count, static_cast<std::int64_t>(made->labels.size())),
            "the requirements do not fit together");
    for (std::int64_t number = 0; number < count; ++number)
        require(made->offsets[number + 1] - made->offsets[number] <= 8, "too many labels are required of one span");
    return made.release();
}

using OptionalScores = std::optional<In<double, 2>>;
using OptionalMask = std::optional<In<std::uint8_t, 2>>;
using OptionalFlags = std::optional<In<std::uint8_t, 1>>;
using OptionalNumbers = std::optional<In<std::int32_t, 1>>;

#define CHART_ARGUMENTS                                                                                                \
    const Topology &grammar, const Members &members, In<double, 1> weights, OptionalScores span_scores,               \
        OptionalMask allowed, OptionalFlags prefixes, OptionalNumbers required, const Requirements &requirements,             \
        double beam, double memory
#define CHART_VALUES grammar, members, weights, span_scores, allowed, prefixes, required, requirements, beam, memory
#define CHART_NAMES                                                                                                    \
    "grammar"_a, "members"_a, array("weights"), optional_array("span_scores"), optional_array("allowed"),              \
        optional_array("prefixes"), optional_array("required"), "requirements"_a, "beam"_a, "memory"_a

// Everything that a sweep over the members needs, but for the kind of numbers.
struct Task {
    const Topology &grammar;
    const Members &members;
    const double *weights;
    const double *span_scores = nullptr;
    const std::uint8_t *allowed = nullptr, *prefixes = nullptr;
    const std::int32_t *required = nullptr;
    const Requirements &requirements;
    double beam, memory;                // memory in bytes, of one member
    std::vector<std::int64_t> spans;    // [members + 1]
    std::vector<std::int64_t> costs;    // [members + 1]
    bool scaled = true;                 // whether weights are such that scaling is safe

    Extras extras(std::int64_t member) const {
        Extras made;
        if (span_scores) made.span_scores = span_scores + spans[member] * grammar.nonterminals;
        if (allowed) made.allowed = allowed + spans[member] * grammar.nonterminals;
        if (prefixes) made.prefixes = prefixes + spans[member];
        if (required) made.required = required + spans[member];
        made.beam = beam;
        return made;
    }
};

Task make_task(CHART_ARGUMENTS) {
    require(static_cast<std::int64_t>(weights.shape(0)) == grammar.edges(), "one weight an edge");
    require(within(members.arc_terminal, -1, grammar.terminals) &&
                within(members.arc_entry, -1, static_cast<std::int64_t>(grammar.entry_offsets.size()) - 1),
            "the lattices are of another grammar");
    Task task{grammar, members, weights.data(), nullptr, nullptr, nullptr, nullptr, requirements, beam, memory, {0}, {0}, true};
    for (std::int64_t member = 0; member < members.count(); ++member) {
        const std::int64_t states = members.states(member);
        task.spans.push_back(task.spans.back() + members.spans(member));
        task.costs.push_back(task.costs.back() + states * states * (states + 8));
    }
    const auto fits = [&](std::size_t rows, std::size_t columns) {
        return static_cast<std::int64_t>(rows) == task.spans.back() &&
               static_cast<std::int64_t>(columns) == grammar.nonterminals;
    };
    require(!span_scores || fits(span_scores->shape(0), span_scores->shape(1)), "one score a span and nonterminal");
    require(!allowed || fits(allowed->shape(0), allowed->shape(1)), "one permission a span and nonterminal");
    require(!prefixes || static_cast<std::int64_t>(prefixes->shape(0)) == task.spans.back(), "one permission a span");
    if (span_scores) task.span_scores = span_scores->data();
    if (allowed) task.allowed = allowed->data();
    if (prefixes) task.prefixes = prefixes->data();
    if (required) {
        const auto count = static_cast<std::int64_t>(requirements.offsets.size()) - 1;
        require(static_cast<std::int64_t>(required->shape(0)) == task.spans.back() &&
                    std::all_of(required->data(), required->data() + required->shape(0),
                                [&](std::int32_t number) { return -1 <= number && number < count; }) &&
                    within(requirements.labels, 0, grammar.nonterminals),
                "one requirement a span");
        task.required = required->data();
    }
    for (std::int64_t e = 0; e < grammar.edges(); ++e) {
        const double weight = task.weights[e];
        if (weight != weft::NEG_INF && !(std::abs(weight) < WIDEST_WEIGHT)) task.scaled = false;
    }
    return task;
}

constexpr std::int64_t RUNS = 64, TOTALS_BYTES = 1 << 28;

// The number of runs depends on the data alone, and so do the sums.
std::int64_t runs_of(const Task &task, std::int64_t totals) {
    const std::int64_t most = std::min<std::int64_t>(RUNS, TOTALS_BYTES / (8 * std::max<std::int64_t>(1, totals)));
    return std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, task.members.count()));
}

constexpr double TOO_LARGE = std::numeric_limits<double>::quiet_NaN(); // in the place of a value

// Calls visit(sweep, run, member) with a filled chart of every member; of kind Wide where scaling gave up.
// Writes values [members], +inf where a sum diverges, NaN where there is too little memory. False if the unary closure itself diverges.
template <class Visit>
bool over_sums(const Task &task, std::int64_t runs, int threads, double *values, Visit &&visit) {
    bool finite = true, scaled_finite = true;
    const Weights<Wide> wide = make_weights<Wide>(task.grammar, task.weights, finite);
    if (!finite) return false;
    Weights<Real> real;
    if (task.scaled) real = make_weights<Real>(task.grammar, task.weights, scaled_finite);
    const bool scaled = task.scaled && scaled_finite;
    const std::vector<std::int64_t> bounds = split(task.costs.data(), task.members.count(), runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) {
        std::unique_ptr<Sweep<Real>> real_sweep;
        std::unique_ptr<Sweep<Wide>> wide_sweep;
        for (std::int64_t member = bounds[run]; member < bounds[run + 1]; ++member) {
            const Extras extras = task.extras(member);
            if (scaled) {
                if (!real_sweep) real_sweep = std::make_unique<Sweep<Real>>(task.grammar, real, task.members, task.requirements, task.memory);
                const Outcome outcome = real_sweep->inside(member, extras);
                if (outcome == Outcome::done) {
                    values[member] = real_sweep->log_partition();
                    visit(*real_sweep, run, member);
                    continue;
                }
                if (outcome == Outcome::too_large) {
                    values[member] = TOO_LARGE;
                    continue;
                }
            }
            if (!wide_sweep) wide_sweep = std::make_unique<Sweep<Wide>>(task.grammar, wide, task.members, task.requirements, task.memory);
            const Outcome outcome = wide_sweep->inside(member, extras);
            if (outcome != Outcome::done) {
                values[member] = outcome == Outcome::too_large ? TOO_LARGE : -weft::NEG_INF;
                continue;
            }
            values[member] = wide_sweep->log_partition();
            visit(*wide_sweep, run, member);
        }
    });
    return true;
}

bool chart_log_partition(CHART_ARGUMENTS, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(values.shape(0)) == members.count(), "one value a member");
    nb::gil_scoped_release release;
    return over_sums(task, runs_of(task, 1), threads, values.data(), [](auto &, std::size_t, std::int64_t) {});
}

bool chart_sweep(CHART_ARGUMENTS, In<double, 1> coefficients, Out<double, 1> values, Out<double, 1> totals,
                 std::optional<Out<double, 2>> marginals, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(values.shape(0)) == members.count() &&
                static_cast<std::int64_t>(coefficients.shape(0)) == members.count(),
            "one value and one coefficient a member");
    require(static_cast<std::int64_t>(totals.shape(0)) == grammar.edges(), "one total an edge");
    require(!marginals || (static_cast<std::int64_t>(marginals->shape(0)) == task.spans.back() &&
                           static_cast<std::int64_t>(marginals->shape(1)) == grammar.nonterminals),
            "one marginal a span and nonterminal");
    nb::gil_scoped_release release;
    const std::int64_t runs = runs_of(task, grammar.edges()), edges = grammar.edges();
    std::vector<double> sums(runs * edges, 0.0);
    const bool finite = over_sums(task, runs, threads, values.data(), [&](auto &sweep, std::size_t run, std::int64_t member) {
        double *mine = marginals ? marginals->data() + task.spans[member] * grammar.nonterminals : nullptr;
        if (coefficients.data()[member] != 0.0 || mine)
            sweep.outside(coefficients.data()[member], sums.data() + run * edges, mine);
    });
    for (std::int64_t run = 0; run < runs; ++run)
        for (std::int64_t e = 0; e < edges; ++e) totals.data()[e] += sums[run * edges + e];
    return finite;
}

// Expected scores of derivations, [members], where each edge has a score.
bool chart_expected_scores(CHART_ARGUMENTS, In<double, 1> scores, Out<double, 1> values, Out<double, 1> expected, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(values.shape(0)) == members.count() &&
                static_cast<std::int64_t>(expected.shape(0)) == members.count(),
            "one value and one expectation a member");
    require(static_cast<std::int64_t>(scores.shape(0)) == grammar.edges(), "one score an edge");
    nb::gil_scoped_release release;
    const std::int64_t edges = grammar.edges();
    return over_sums(task, runs_of(task, 1), threads, values.data(), [&](auto &sweep, std::size_t, std::int64_t member) {
        std::vector<double> totals(edges, 0.0);
        sweep.outside(1.0, totals.data(), nullptr);
        double sum = 0.0;
        for (std::int64_t e = 0; e < edges; ++e)
            if (totals[e] != 0.0) sum += totals[e] * scores.data()[e];
        expected.data()[member] = sum;
    });
}

nb::tuple joined(const std::vector<std::vector<std::int32_t>> &lists) {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> edges;
    for (const auto &list : lists) {
        edges.insert(edges.end(), list.begin(), list.end());
        offsets.push_back(static_cast<std::int64_t>(edges.size()));
    }
    return nb::make_tuple(made(std::move(offsets)), made(std::move(edges)));
}

nb::object chart_best(CHART_ARGUMENTS, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(values.shape(0)) == members.count(), "one value a member");
    std::vector<std::vector<std::int32_t>> found(members.count());
    bool finite = true;
    {
        nb::gil_scoped_release release;
        const Weights<Best> best = make_weights<Best>(grammar, task.weights, finite);
        const std::int64_t runs = runs_of(task, 1);
        const std::vector<std::int64_t> bounds = split(task.costs.data(), members.count(), runs);
        if (finite)
            weft::parallel_for(runs, threads, [&](std::size_t run) {
                Sweep<Best> sweep(grammar, best, members, task.requirements, task.memory);
                for (std::int64_t member = bounds[run]; member < bounds[run + 1]; ++member) {
                    const Outcome outcome = sweep.inside(member, task.extras(member));
                    if (outcome != Outcome::done) {
                        values.data()[member] = outcome == Outcome::too_large ? TOO_LARGE : -weft::NEG_INF;
                        continue;
                    }
                    values.data()[member] = sweep.log_partition();
                    ChooseBest choose;
                    if (values.data()[member] > weft::NEG_INF) sweep.derive(choose, found[member]);
                }
            });
    }
    return finite ? nb::object(joined(found)) : nb::none();
}

// Whether no cycle of unary edges gains weight or leaves it as it is: then there are k best trees.
bool losing(const Topology &grammar, const double *weights) {
    std::vector<double> raised(weights, weights + grammar.edges());
    for (std::int64_t e = grammar.unaries(); e < grammar.lexicals(); ++e) raised[e] += 1e-12 * (1.0 + std::abs(raised[e]));
    bool finite = true;
    make_weights<Best>(grammar, raised.data(), finite);
    return finite;
}

nb::object chart_kbest(CHART_ARGUMENTS, std::int64_t most, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(most >= 0, "the number of trees is at least 0");
    const std::int64_t count = members.count();
    std::vector<std::vector<std::vector<std::int32_t>>> found(count);
    std::vector<std::vector<double>> scores(count);
    bool finite = true;
    {
        nb::gil_scoped_release release;
        const Weights<Best> best = make_weights<Best>(grammar, task.weights, finite);
        const std::int64_t runs = runs_of(task, 1);
        const std::vector<std::int64_t> bounds = split(task.costs.data(), count, runs);
        finite = finite && losing(grammar, task.weights);
        if (finite)
            weft::parallel_for(runs, threads, [&](std::size_t run) {
                Sweep<Best> sweep(grammar, best, members, task.requirements, task.memory);
                for (std::int64_t member = bounds[run]; member < bounds[run + 1]; ++member) {
                    if (sweep.inside(member, task.extras(member)) == Outcome::done)
                        best_lists(sweep, most, found[member], scores[member]);
                    else
                        scores[member].push_back(TOO_LARGE);
                }
            });
    }
    if (!finite) return nb::none();
    std::vector<std::vector<std::int32_t>> flat;
    std::vector<std::int64_t> member_offsets{0};
    std::vector<double> flat_scores;
    for (std::int64_t member = 0; member < count; ++member) {
        for (auto &each : found[member]) flat.push_back(std::move(each));
        flat_scores.insert(flat_scores.end(), scores[member].begin(), scores[member].end());
        member_offsets.push_back(static_cast<std::int64_t>(flat_scores.size()));
    }
    return nb::make_tuple(made(std::move(member_offsets)), made(std::move(flat_scores)), joined(flat));
}

nb::object chart_sample(CHART_ARGUMENTS, In<std::uint64_t, 2> seeds, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(values.shape(0)) == members.count() &&
                static_cast<std::int64_t>(seeds.shape(0)) == members.count(),
            "one value and one row of seeds a member");
    const auto count = static_cast<std::int64_t>(seeds.shape(1));
    std::vector<std::vector<std::int32_t>> found(members.count() * count);
    bool finite = true;
    {
        nb::gil_scoped_release release;
        finite = over_sums(task, runs_of(task, 1), threads, values.data(), [&](auto &sweep, std::size_t, std::int64_t member) {
            using K = typename std::decay_t<decltype(sweep)>::Kind;
            for (std::int64_t each = 0; each < count; ++each) {
                ChooseRandom<K> choose{Stream(seeds.data()[member * count + each])};
                sweep.derive(choose, found[member * count + each]);
            }
        });
    }
    return finite ? nb::object(joined(found)) : nb::none();
}

// Says of each member whether it has infinitely many trees: whether a cycle, or a marked edge, is of use.
void chart_endless(CHART_ARGUMENTS, In<std::uint8_t, 1> marks, Out<std::uint8_t, 1> endless, int threads) {
    Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(marks.shape(0)) == grammar.edges() &&
                static_cast<std::int64_t>(endless.shape(0)) == members.count(),
            "one mark an edge and one answer a member");
    task.scaled = false;
    nb::gil_scoped_release release;
    std::vector<double> values(members.count());
    over_sums(task, runs_of(task, 1), threads, values.data(), [&](auto &sweep, std::size_t, std::int64_t member) {
        std::vector<double> totals(grammar.edges(), 0.0);
        sweep.outside(1.0, totals.data(), nullptr);
        bool found = sweep.endless();
        for (std::int64_t e = 0; e < grammar.edges(); ++e) found = found || (marks.data()[e] && totals[e] > 0.0);
        endless.data()[member] = found;
    });
}

// Calls visit(sweep, member) with a chart of a kind that counts.
template <class K, class Visit>
void over_counts(const Task &task, const Weights<K> &weights, int threads, Visit &&visit) {
    const std::int64_t runs = runs_of(task, 1);
    const std::vector<std::int64_t> bounds = split(task.costs.data(), task.members.count(), runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) { visit(bounds[run], bounds[run + 1], weights); });
}

// Writes the log of the number of trees of each member, but for those that endless cycles would make.
void chart_sizes(CHART_ARGUMENTS, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(values.shape(0)) == members.count(), "one value a member");
    nb::gil_scoped_release release;
    bool finite = true;
    const Weights<Size> sizes = make_weights<Size>(grammar, task.weights, finite);
    over_counts(task, sizes, threads, [&](std::int64_t first, std::int64_t last, const Weights<Size> &weights) {
        Sweep<Size> sweep(grammar, weights, members, task.requirements, task.memory);
        for (std::int64_t member = first; member < last; ++member) {
            const Outcome outcome = sweep.inside(member, task.extras(member));
            values.data()[member] = outcome == Outcome::done ? sweep.log_partition() : TOO_LARGE;
        }
    });
}

// Writes the number of trees modulo a prime; `counts` has, for each edge, what it is worth modulo that prime.
void chart_residues(CHART_ARGUMENTS, In<std::uint64_t, 1> counts, std::uint64_t prime, Out<std::uint64_t, 1> residues,
                    int threads) {
    const Task task = make_task(CHART_VALUES);
    require(static_cast<std::int64_t>(residues.shape(0)) == members.count() &&
                static_cast<std::int64_t>(counts.shape(0)) == grammar.edges(),
            "one residue a member and one count an edge");
    require(prime > 1 && prime < (std::uint64_t{1} << 62), "a prime is below 2^62");
    nb::gil_scoped_release release;
    bool finite = true;
    std::vector<std::uint64_t> edges(counts.data(), counts.data() + grammar.edges());
    Residue::prime = prime;
    const Weights<Residue> made = closed_weights<Residue>(grammar, std::move(edges), finite);
    over_counts(task, made, threads, [&](std::int64_t first, std::int64_t last, const Weights<Residue> &weights) {
        Residue::prime = prime;
        Sweep<Residue> sweep(grammar, weights, members, task.requirements, task.memory);
        for (std::int64_t member = first; member < last; ++member) {
            const Outcome outcome = sweep.inside(member, task.extras(member));
            residues.data()[member] = outcome == Outcome::done ? sweep.residue() : 0;
        }
    });
}

} // namespace

void bind_chart(nb::module_ &module) {
    nb::class_<Topology>(module, "ChartTopology", "A grammar laid out for charts, without weights.")
        .def_prop_ro("edges", &Topology::edges);
    nb::class_<Members>(module, "ChartMembers", "Lattices laid out for charts.");
    module.def("chart_topology", &make_topology, nb::rv_policy::take_ownership, "start"_a, array("item_of"), array("row_of"),
               "terminals"_a, array("binary_offsets"), array("binary_right"), array("binary_target"),
               array("scan_offsets"), array("scan_terminal"), array("scan_target"), array("unary_offsets"),
               array("unary_target"), array("lexical_target"), array("entry_offsets"), array("entry_edges"),
               array("component"), array("component_first"), array("component_last"), "Copy and check a grammar.");
    nb::class_<Requirements>(module, "ChartRequirements", "Labels that are required of spans.");
    module.def("chart_requirements", &make_requirements, nb::rv_policy::take_ownership, array("offsets"), array("labels"),
               "Copy and check sets of labels.");
    module.def("chart_members", &make_members, nb::rv_policy::take_ownership, array("state_offsets"), array("arc_offsets"),
               array("arc_terminal"), array("arc_entry"), array("arc_target"), array("final"), "Copy and check lattices.");
    module.def("chart_log_partition", &chart_log_partition, CHART_NAMES, array("values"), "threads"_a,
               "Write log Z of each member; False if unary edges diverge.");
    module.def("chart_sweep", &chart_sweep, CHART_NAMES, array("coefficients"), array("values"), array("totals"),
               optional_array("marginals"), "threads"_a,
               "Write log Z of each member; add its coefficient times its expectations to the totals.");
    module.def("chart_expected_scores", &chart_expected_scores, CHART_NAMES, array("scores"), array("values"),
               array("expected"), "threads"_a, "Write log Z and the expected score of each member.");
    module.def("chart_best", &chart_best, CHART_NAMES, array("values"), "threads"_a,
               "Write the best scores; return the best derivations' edges; None if unary edges gain weight.");
    module.def("chart_kbest", &chart_kbest, CHART_NAMES, "most"_a, "threads"_a,
               "Return where each member's trees begin, their scores, and their edges; None if cycles do not lose weight.");
    module.def("chart_endless", &chart_endless, CHART_NAMES, array("marks"), array("endless"), "threads"_a,
               "Say which members have infinitely many trees.");
    module.def("chart_sizes", &chart_sizes, CHART_NAMES, array("values"), "threads"_a,
               "Write the logs of numbers of trees.");
    module.def("chart_residues", &chart_residues, CHART_NAMES, array("counts"), "prime"_a, array("residues"), "threads"_a,
               "Write numbers of trees modulo a prime.");
    module.def("chart_sample", &chart_sample, CHART_NAMES, array("seeds"), array("values"), "threads"_a,
               "Write log Z; return random derivations' edges; None if unary edges diverge.");
}
