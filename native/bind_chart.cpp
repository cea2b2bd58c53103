// Python's view of charts: checks shapes, splits the work, releases the GIL.
#include "binding.hpp"
#include "chart_kbest.hpp"
#include "chart_outside.hpp"
#include "parallel.hpp"

using namespace weft::binding;
using namespace weft::chart;

namespace {

template <class T, int N> using Maybe = std::optional<In<T, N>>;

#define CHART_ARGUMENTS                                                                                                \
    const Topology &grammar, const Members &members, In<double, 1> weights, Maybe<double, 2> span_scores,              \
        Maybe<std::uint8_t, 2> allowed, Maybe<std::uint8_t, 1> prefixes, Maybe<std::int32_t, 1> required,              \
        const Requirements &requirements, double beam, double memory
#define CHART_VALUES grammar, members, weights, span_scores, allowed, prefixes, required, requirements, beam, memory
#define CHART_NAMES                                                                                                    \
    "grammar"_a, "members"_a, array("weights"), optional_array("span_scores"), optional_array("allowed"),              \
        optional_array("prefixes"), optional_array("required"), "requirements"_a, "beam"_a, "memory"_a

// Everything that a sweep over the members needs, but for the kind of numbers.
struct Task {
    const Topology &grammar;
    const Members &members;
    const Requirements &requirements;
    const double *weights;
    double memory;                      // in bytes, of one member
    Extras all;                         // of the first member, and the others after it
    std::vector<std::int64_t> spans{0}; // [members + 1]
    std::vector<std::int64_t> costs{0}; // [members + 1]
    bool scaled = true;                 // whether weights are such that scaling is safe

    Extras extras(std::int64_t member) const {
        Extras made = all;
        if (made.span_scores) made.span_scores += spans[member] * grammar.nonterminals;
        if (made.span_broken) made.span_broken += spans[member] * grammar.nonterminals;
        if (made.allowed) made.allowed += spans[member] * grammar.nonterminals;
        if (made.prefixes) made.prefixes += spans[member];
        if (made.required) made.required += spans[member];
        return made;
    }
    template <class K> Inputs<K> with(const Weights<K> &numbers) const {
        return {grammar, numbers, members, requirements, memory};
    }
    // The number of runs depends on the data alone, and so do the sums; each has this many totals.
    std::int64_t runs(std::int64_t totals = 1) const {
        const std::int64_t most = std::min<std::int64_t>(64, (1 << 28) / (8 * std::max<std::int64_t>(1, totals)));
        return std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, members.count()));
    }
};

template <class Array> auto data_of(const std::optional<Array> &array) { return array ? array->data() : nullptr; }

Task make_task(CHART_ARGUMENTS) {
    const std::int64_t n = grammar.nonterminals;
    require(length(weights) == grammar.edges(), "one weight per edge");
    require(within(members.arc_terminal, -1, grammar.terminals) && within(members.arc_entry, -1, grammar.entries.keys()),
            "the lattices are of another grammar");
    const Extras all{data_of(span_scores), data_of(allowed), data_of(prefixes), data_of(required), beam};
    Task task{grammar, members, requirements, weights.data(), memory, all};
    for (std::int64_t member = 0; member < members.count(); ++member) {
        const std::int64_t states = members.states(member);
        task.spans.push_back(task.spans.back() + members.spans(member));
        task.costs.push_back(task.costs.back() + states * states * (states + 8));
    }
    const std::int64_t spans = task.spans.back();
    require(!span_scores || (length(*span_scores) == spans && length(*span_scores, 1) == n), "one score per span and nonterminal");
    require(!allowed || (length(*allowed) == spans && length(*allowed, 1) == n), "one permission a span and nonterminal");
    require(!prefixes || length(*prefixes) == spans, "one permission a span");
    require(!required || (length(*required) == spans && within(requirements.values, 0, n) &&
                          within({all.required, required->size()}, -1, requirements.keys())),
            "one requirement a span");
    for (std::int64_t e = 0; e < grammar.edges(); ++e) {
        const double weight = task.weights[e];
        if (weight != weft::NEG_INF && !(std::abs(weight) < WIDEST_WEIGHT)) task.scaled = false;
    }
    return task;
}

constexpr double TOO_LARGE = std::numeric_limits<double>::quiet_NaN(); // in the place of a value

// What a chart comes to; +inf where its sum diverges.
template <class K> double value_of(const Sweep<K> &sweep, Outcome outcome) {
    if (outcome == Outcome::done) return log_partition(sweep);
    return outcome == Outcome::too_large ? TOO_LARGE : -weft::NEG_INF;
}

// Calls work(run, first, last) for runs of members.
template <class Work> void over_runs(const Task &task, std::int64_t runs, int threads, Work &&work) {
    const std::vector<std::int64_t> bounds = split(task.costs.data(), task.members.count(), runs);
    weft::parallel_for(runs, threads, [&](std::size_t run) { work(run, bounds[run], bounds[run + 1]); });
}

// Calls visit(sweep, outcome, member) with a chart of every member, and begin() first in every run.
template <class K, class Begin, class Visit>
void over_charts(const Task &task, const Weights<K> &weights, int threads, Begin &&begin, Visit &&visit) {
    over_runs(task, task.runs(), threads, [&](std::size_t, std::int64_t first, std::int64_t last) {
        begin();
        Sweep<K> sweep(task.with(weights));
        for (std::int64_t member = first; member < last; ++member)
            visit(sweep, inside(sweep, member, task.extras(member)), member);
    });
}

// Calls visit(sweep, run, member) with a filled chart of every member; of kind Wide where scaling gave up.
// Writes values [members], +inf where a sum diverges, NaN where there is too little memory. False if the
// unary closure itself diverges.
template <class Visit>
bool over_sums(const Task &task, std::int64_t runs, int threads, double *values, Visit &&visit) {
    bool finite = true, scaled = task.scaled;
    const Weights<Wide> wide = make_weights<Wide>(task.grammar, task.weights, finite);
    if (!finite) return false;
    Weights<Real> real;
    if (scaled) real = make_weights<Real>(task.grammar, task.weights, scaled);
    over_runs(task, runs, threads, [&](std::size_t run, std::int64_t first, std::int64_t last) {
        std::optional<Sweep<Real>> reals;
        std::optional<Sweep<Wide>> wides;
        for (std::int64_t member = first; member < last; ++member) {
            // Whether that is all there is to say of the member.
            const auto sum = [&]<class K>(std::optional<Sweep<K>> &sweep, const Weights<K> &weights) {
                if (!sweep) sweep.emplace(task.with(weights));
                const Outcome outcome = inside(*sweep, member, task.extras(member));
                values[member] = value_of(*sweep, outcome);
                if (outcome == Outcome::done) visit(*sweep, run, member);
                return outcome == Outcome::done || outcome == Outcome::too_large;
            };
            if (!scaled || !sum(reals, real)) sum(wides, wide);
        }
    });
    return true;
}

bool chart_log_partition(CHART_ARGUMENTS, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(length(values) == members.count(), "one value per member");
    nb::gil_scoped_release release;
    return over_sums(task, task.runs(), threads, values.data(), [](auto &, std::size_t, std::int64_t) {});
}

bool chart_sweep(CHART_ARGUMENTS, In<double, 1> coefficients, Out<double, 1> values, Out<double, 1> totals,
                 std::optional<Out<double, 2>> marginals, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(length(values) == members.count() && length(coefficients) == members.count(),
            "one value and one coefficient a member");
    require(length(totals) == grammar.edges(), "one total an edge");
    require(!marginals || (length(*marginals) == task.spans.back() && length(*marginals, 1) == grammar.nonterminals),
            "one marginal a span and nonterminal");
    nb::gil_scoped_release release;
    const std::int64_t runs = task.runs(grammar.edges()), edges = grammar.edges();
    std::vector<double> sums(runs * edges, 0.0);
    const bool finite = over_sums(task, runs, threads, values.data(), [&](auto &sweep, std::size_t run, std::int64_t member) {
        double *mine = marginals ? marginals->data() + task.spans[member] * grammar.nonterminals : nullptr;
        if (coefficients.data()[member] != 0.0 || mine)
            outside(sweep, {coefficients.data()[member], sums.data() + run * edges, mine});
    });
    for (std::int64_t run = 0; run < runs; ++run)
        for (std::int64_t e = 0; e < edges; ++e) totals.data()[e] += sums[run * edges + e];
    return finite;
}

// Expected scores of derivations, [members], where each edge has a score.
bool chart_expected_scores(CHART_ARGUMENTS, In<double, 1> scores, Out<double, 1> values, Out<double, 1> expected, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(length(values) == members.count() && length(expected) == members.count(),
            "one value and one expectation a member");
    require(length(scores) == grammar.edges(), "one score per edge");
    nb::gil_scoped_release release;
    const std::int64_t edges = grammar.edges();
    return over_sums(task, task.runs(), threads, values.data(), [&](auto &sweep, std::size_t, std::int64_t member) {
        std::vector<double> totals(edges, 0.0);
        outside(sweep, {1.0, totals.data(), nullptr});
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

// The same with charts of best scores; false if unary edges gain weight.
template <class Visit> bool over_bests(const Task &task, int threads, Visit &&visit) {
    nb::gil_scoped_release release;
    bool finite = true;
    const Weights<Best> best = make_weights<Best>(task.grammar, task.weights, finite);
    if (finite) over_charts(task, best, threads, [] {}, visit);
    return finite;
}

// The best derivation of a chart of such a kind, if there is one; returns its score.
template <class K> double find_best(Sweep<K> &sweep, Outcome outcome, std::vector<std::int32_t> &edges) {
    ChooseBest<K> choose;
    if (outcome == Outcome::done && !K::is_zero(sweep.total)) derive(sweep, choose, edges);
    return value_of(sweep, outcome);
}

nb::object chart_best(CHART_ARGUMENTS, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(length(values) == members.count(), "one value per member");
    std::vector<std::vector<std::int32_t>> found(members.count());
    const bool finite = over_bests(task, threads, [&](Sweep<Best> &sweep, Outcome outcome, std::int64_t member) {
        values.data()[member] = find_best(sweep, outcome, found[member]);
    });
    return finite ? nb::object(joined(found)) : nb::none();
}

// The same of the derivations that break the fewest rules, where `broken` [edges] and `span_broken` say, as numbers
// up to 0, how many an edge and a label over a span break.
nb::object chart_fewest(CHART_ARGUMENTS, In<double, 1> broken, Maybe<double, 2> span_broken, Out<double, 1> values, int threads) {
    Task task = make_task(CHART_VALUES);
    require(length(values) == members.count(), "one value per member");
    require(length(broken) == grammar.edges(), "one number of rules an edge");
    require(span_scores.has_value() == span_broken.has_value() &&
                (!span_broken || (length(*span_broken) == length(*span_scores) &&
                                  length(*span_broken, 1) == grammar.nonterminals)),
            "one number of rules a score of a span");
    task.all.span_broken = data_of(span_broken);
    std::vector<std::vector<std::int32_t>> found(members.count());
    bool finite = true;
    {
        nb::gil_scoped_release release;
        std::vector<Fewest::Number> edges(grammar.edges());
        for (std::int64_t e = 0; e < grammar.edges(); ++e) edges[e] = Fewest::from_logs(broken.data()[e], task.weights[e]);
        const Weights<Fewest> made = closed_weights<Fewest>(grammar, std::move(edges), finite);
        const auto find = [&](Sweep<Fewest> &sweep, Outcome outcome, std::int64_t member) {
            values.data()[member] = find_best(sweep, outcome, found[member]);
        };
        if (finite) over_charts(task, made, threads, [] {}, find);
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
    const auto list = [&](Sweep<Best> &sweep, Outcome outcome, std::int64_t member) {
        if (outcome == Outcome::done)
            best_lists(sweep, most, found[member], scores[member]);
        else
            scores[member].push_back(TOO_LARGE);
    };
    if (!losing(grammar, task.weights) || !over_bests(task, threads, list)) return nb::none();
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
    require(length(values) == members.count() && length(seeds) == members.count(),
            "one value and one row of seeds per member");
    const auto count = length(seeds, 1);
    std::vector<std::vector<std::int32_t>> found(members.count() * count);
    bool finite = true;
    {
        nb::gil_scoped_release release;
        finite = over_sums(task, task.runs(), threads, values.data(), [&](auto &sweep, std::size_t, std::int64_t member) {
            using K = typename std::decay_t<decltype(sweep)>::Kind;
            for (std::int64_t each = 0; each < count; ++each) {
                ChooseRandom<K> choose{Stream(seeds.data()[member * count + each])};
                derive(sweep, choose, found[member * count + each]);
            }
        });
    }
    return finite ? nb::object(joined(found)) : nb::none();
}

// Says of each member whether it has infinitely many trees: whether a cycle, or a marked edge, is of use.
void chart_endless(CHART_ARGUMENTS, In<std::uint8_t, 1> marks, Out<std::uint8_t, 1> endless, int threads) {
    Task task = make_task(CHART_VALUES);
    require(length(marks) == grammar.edges() && length(endless) == members.count(),
            "one mark per edge and one answer per member");
    task.scaled = false;
    nb::gil_scoped_release release;
    std::vector<double> values(members.count());
    over_sums(task, task.runs(), threads, values.data(), [&](auto &sweep, std::size_t, std::int64_t member) {
        std::vector<double> totals(grammar.edges(), 0.0);
        outside(sweep, {1.0, totals.data(), nullptr});
        bool found = sweep.endless;
        for (std::int64_t e = 0; e < grammar.edges(); ++e) found = found || (marks.data()[e] && totals[e] > 0.0);
        endless.data()[member] = found;
    });
}

// Writes the log of the number of trees of each member, but for those that endless cycles would make.
void chart_sizes(CHART_ARGUMENTS, Out<double, 1> values, int threads) {
    const Task task = make_task(CHART_VALUES);
    require(length(values) == members.count(), "one value per member");
    nb::gil_scoped_release release;
    bool finite = true;
    const Weights<Size> sizes = make_weights<Size>(grammar, task.weights, finite);
    over_charts(task, sizes, threads, [] {}, [&](Sweep<Size> &sweep, Outcome outcome, std::int64_t member) {
        values.data()[member] = outcome == Outcome::done ? log_partition(sweep) : TOO_LARGE;
    });
}

// Writes the number of trees modulo a prime; `counts` has, for each edge, what it is worth modulo that prime.
void chart_residues(CHART_ARGUMENTS, In<std::uint64_t, 1> counts, std::uint64_t prime, Out<std::uint64_t, 1> residues,
                    int threads) {
    const Task task = make_task(CHART_VALUES);
    require(length(residues) == members.count() && length(counts) == grammar.edges(),
            "one residue a member and one count an edge");
    require(prime > 1 && prime < (std::uint64_t{1} << 62), "a prime is below 2^62");
    nb::gil_scoped_release release;
    bool finite = true;
    std::vector<std::uint64_t> edges(counts.data(), counts.data() + grammar.edges());
    const auto begin = [&] { Residue::prime = prime; };
    begin();
    const Weights<Residue> made = closed_weights<Residue>(grammar, std::move(edges), finite);
    over_charts(task, made, threads, begin, [&](Sweep<Residue> &sweep, Outcome outcome, std::int64_t member) {
        residues.data()[member] = outcome == Outcome::done ? sweep.total : 0;
    });
}

} // namespace

void bind_chart(nb::module_ &module) {
    module.def("chart_log_partition", &chart_log_partition, CHART_NAMES, array("values"), "threads"_a,
               "Write log Z of each member; False if unary edges diverge.");
    module.def("chart_sweep", &chart_sweep, CHART_NAMES, array("coefficients"), array("values"), array("totals"),
               optional_array("marginals"), "threads"_a,
               "Write log Z of each member; add its coefficient times its expectations to the totals.");
    module.def("chart_expected_scores", &chart_expected_scores, CHART_NAMES, array("scores"), array("values"),
               array("expected"), "threads"_a, "Write log Z and the expected score of each member.");
    module.def("chart_best", &chart_best, CHART_NAMES, array("values"), "threads"_a,
               "Write the best scores; return the best derivations' edges; None if unary edges gain weight.");
    module.def("chart_fewest", &chart_fewest, CHART_NAMES, array("broken"), optional_array("span_broken"),
               array("values"), "threads"_a,
               "Write the best scores with the fewest rules broken; return edges; None if unary edges gain weight.");
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
