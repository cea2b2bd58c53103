// Binds the kernel of stack.hpp: checks types and shapes, shares sentences among threads, releases the GIL.
#include "binding.hpp"

#include "parallel.hpp"
#include "stack.hpp"

using namespace weft::binding;

namespace {

using weft::stack::Forest;

bool ascend(std::span<const std::int64_t> offsets, std::int64_t last) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == last &&
           std::is_sorted(offsets.begin(), offsets.end());
}

template <class T> std::span<const T> all(const In<T, 1> &values) { return {values.data(), values.shape(0)}; }

weft::stack::Table table_of(const In<std::int32_t, 2> &rows, const In<std::int64_t, 1> &offsets,
                            const In<std::int32_t, 1> &moves, const In<double, 1> &scores, const In<std::int32_t, 1> &ranks,
                            const In<std::int32_t, 1> &cyclic, std::int32_t looks) {
    const std::int64_t labels = length(rows), contexts = length(offsets) - 1;
    require(labels > 0 && length(rows, 1) == labels && labels < 1 << weft::stack::LABEL_BITS,
            "rows must be labels by labels, and not too many");
    require(length(ranks) == labels && within(all(ranks), 0, labels), "ranks must be one per label, and lower than labels");
    require(length(cyclic) == labels, "there must be one mark of cycles per label");
    require(looks > 0 && contexts >= 0 && contexts % looks == 0, "there must be as many contexts per row as looks");
    require(within({rows.data(), rows.size()}, -1, contexts / looks), "there are too few rows");
    require(ascend(all(offsets), length(moves)) && length(scores) == length(moves), "moves and scores differ in number");
    require(within(all(moves), 0, 3 * labels), "there are three moves per label");
    return {static_cast<std::int32_t>(labels), looks, rows.data(), offsets.data(), moves.data(), scores.data(), ranks.data(),
            cyclic.data()};
}

// Of each sentence, where its nodes and its openings begin; what is told of them is numbered from 0 in each.
struct Sentences {
    In<std::int64_t, 1> nodes, openings;
    In<std::int32_t, 1> looks, sources, labels;
    In<double, 1> scores;
    In<std::int64_t, 1> target_offsets;
    In<std::int32_t, 1> targets, starts;

    std::int64_t count() const { return length(nodes) - 1; }

    void check(const weft::stack::Table &table) const {
        require(length(openings) == length(nodes) && ascend(all(nodes), length(looks)), "nodes and looks differ in number");
        require(length(starts) == count(), "there must be a number of starts per sentence");
        require(ascend(all(openings), length(sources)), "sentences and openings differ in number");
        require(labels.shape(0) == sources.shape(0) && scores.shape(0) == sources.shape(0), "openings differ in number");
        require(length(target_offsets) == length(sources) + 1 && ascend(all(target_offsets), length(targets)),
                "openings and targets differ in number");
        require(within(all(looks), 0, table.looks) && within(all(labels), 1, table.labels),
                "looks and labels must be the table's");
        for (std::int64_t each = 0; each < count(); ++each) check_sentence(at(each));
    }

    static void check_sentence(const weft::stack::Terminals &given) {
        require(given.nodes > 0 && given.openings < 1 << weft::stack::OPENING_BITS,
                "a sentence needs a node, and not too many openings");
        require(given.starts > 0 && given.starts <= given.nodes, "there must be a start, and no more than nodes");
        for (std::int32_t opening = 0; opening < given.openings; ++opening) {
            const std::int32_t source = given.sources[opening];
            require(source >= 0 && (!opening || given.sources[opening - 1] <= source), "sources must ascend");
            for (auto at = given.target_offsets[opening]; at < given.target_offsets[opening + 1]; ++at)
                require(source < given.targets[at] && given.targets[at] < given.nodes, "targets must be later nodes");
        }
    }

    weft::stack::Terminals at(std::int64_t each) const {
        const std::int64_t node = nodes.data()[each], first = openings.data()[each];
        return {static_cast<std::int32_t>(nodes.data()[each + 1] - node),
                static_cast<std::int32_t>(openings.data()[each + 1] - first),
                looks.data() + node,
                sources.data() + first,
                labels.data() + first,
                scores.data() + first,
                target_offsets.data() + first,
                targets.data(),
                starts.data()[each]};
    }
};

nb::tuple shown(Forest &&forest) {
    return nb::make_tuple(made(std::move(forest.heads)), made(std::move(forest.tail_offsets)),
                          made(std::move(forest.tails)), made(std::move(forest.moves)), made(std::move(forest.scores)),
                          made(std::move(forest.openings)), made(std::move(forest.labels)),
                          made(std::move(forest.nodes)), made(std::move(forest.unders)), made(std::move(forest.levels)),
                          made(std::move(forest.prefixes)), forest.met,
                          static_cast<std::int32_t>(forest.stopped), forest.endless);
}

nb::list stack_forests(In<std::int32_t, 2> rows, In<std::int64_t, 1> offsets, In<std::int32_t, 1> moves,
                       In<double, 1> move_scores, In<std::int32_t, 1> ranks, In<std::int32_t, 1> cyclic, std::int32_t looks, In<std::int64_t, 1> nodes,
                       In<std::int64_t, 1> openings, In<std::int32_t, 1> node_looks, In<std::int32_t, 1> sources,
                       In<std::int32_t, 1> labels, In<double, 1> scores, In<std::int64_t, 1> target_offsets,
                       In<std::int32_t, 1> targets, In<std::int32_t, 1> starts, In<std::int64_t, 1> kept_offsets, In<std::int32_t, 2> kept,
                       double beam, std::int64_t most_edges, std::int64_t most_bytes, double seconds, std::int32_t most_levels, bool partial, int threads) {
    const weft::stack::Table table = table_of(rows, offsets, moves, move_scores, ranks, cyclic, looks);
    const Sentences given{nodes, openings, node_looks, sources, labels, scores, target_offsets, targets, starts};
    given.check(table);
    require(length(kept_offsets) == given.count() + 1 && ascend(all(kept_offsets), length(kept)) && length(kept, 1) == 5,
            "sentences and what is kept differ in number");
    require(most_levels >= -1 && most_levels < weft::stack::SETTLED, "there are too many levels");
    require(!(beam > 0.0), "a beam must be a fraction");
    require(most_edges > 0 && most_edges < std::numeric_limits<std::int32_t>::max() / 2, "there are too many edges");
    require(most_bytes > 0, "there must be some memory");
    const weft::stack::Limits limits{beam, most_edges, most_bytes, seconds, most_levels, partial};
    weft::stack::Stars stars(table);
    std::vector<Forest> found(given.count());
    {
        nb::gil_scoped_release release;
        weft::parallel_for(found.size(), threads, [&](std::size_t each) {
            std::vector<weft::stack::Kept> mine;
            for (auto at = kept_offsets.data()[each]; at < kept_offsets.data()[each + 1]; ++at) {
                const std::int32_t *row = kept.data() + 5 * at;
                mine.push_back({row[0], row[1], row[2], row[3], row[4]});
            }
            found[each] = weft::stack::Builder(table, stars, given.at(static_cast<std::int64_t>(each)), limits, mine).build();
        });
    }
    nb::list shown_forests;
    for (Forest &forest : found) shown_forests.append(shown(std::move(forest)));
    return shown_forests;
}

} // namespace

void bind_stack(nb::module_ &module) {
    module.def("stack_forests", &stack_forests, array("rows"), array("offsets"), array("moves"), array("move_scores"),
               array("ranks"), array("cyclic"), "looks"_a, array("nodes"), array("openings"), array("node_looks"), array("sources"),
               array("labels"), array("scores"), array("target_offsets"), array("targets"), array("starts"), array("kept_offsets"),
               array("kept"), "beam"_a, "most_edges"_a, "most_bytes"_a, "seconds"_a, "most_levels"_a, "partial"_a, "threads"_a,
               "Return the forest of the parses of each sentence.");
}
