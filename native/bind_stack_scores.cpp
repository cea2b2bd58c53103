// Binds the kernel of stack_scores.hpp: checks types and shapes, releases the GIL.
#include "binding.hpp"

#include "parallel.hpp"
#include "stack_scores.hpp"

#include <utility>

using namespace weft::binding;

namespace {

using weft::stack::ATTRIBUTES;

template <class T> std::span<const T> all(const In<T, 1> &values) { return {values.data(), values.shape(0)}; }

bool ascend(std::span<const std::int64_t> offsets, std::int64_t last) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == last &&
           std::is_sorted(offsets.begin(), offsets.end());
}

using Numbers = In<std::int32_t, 1>;
using Offsets = In<std::int64_t, 1>;

class MoveScorer {
  public:
    MoveScorer(Offsets attribute_offsets, Numbers attributes, Offsets radices, Offsets key_offsets, Offsets keys,
               In<std::int32_t, 2> rows, std::int32_t looks, Offsets offsets, Numbers moves) {
        const std::int64_t labels = length(rows), templates = length(attribute_offsets) - 1;
        require(labels > 0 && length(rows, 1) == labels && looks > 0, "rows must be labels by labels");
        require(ascend(all(offsets), length(moves)) && (length(offsets) - 1) % looks == 0, "moves differ in number");
        require(within({rows.data(), rows.size()}, -1, (length(offsets) - 1) / looks), "there are too few rows");
        require(within(all(moves), 0, 3 * labels), "there are three moves per label");
        require(ascend(all(attribute_offsets), length(attributes)) && within(all(attributes), 0, ATTRIBUTES),
                "templates look at attributes");
        require(length(radices) == ATTRIBUTES, "there must be a radix per attribute");
        require(length(key_offsets) == templates + 1 && ascend(all(key_offsets), length(keys)),
                "templates and keys differ in number");
        possible_ = {static_cast<std::int32_t>(labels), looks, {rows.data(), rows.data() + rows.size()},
                     {moves.data(), moves.data() + length(moves)}, {offsets.data(), offsets.data() + length(offsets)}};
        features_.radices.assign(radices.data(), radices.data() + ATTRIBUTES);
        for (std::int64_t each = 0; each < templates; ++each) {
            const std::int64_t *bounds = attribute_offsets.data() + each, *range = key_offsets.data() + each;
            add_template({attributes.data() + bounds[0], attributes.data() + bounds[1]},
                         {keys.data() + range[0], keys.data() + range[1]});
        }
        features_.starts.push_back(length(keys));
    }

    // The moves that edges make, each once per item; and of each edge, which it makes.
    nb::tuple choices(Offsets tail_offsets, Numbers tails, Numbers moves, std::int64_t items) const {
        const std::int64_t edges = length(moves);
        require(ascend(all(tail_offsets), length(tails)) && length(tail_offsets) == edges + 1, "edges differ in number");
        require(within(all(tails), 0, items) && within(all(moves), -1, 3 * std::int64_t{possible_.labels}),
                "edges are moves of items");
        std::vector<std::int64_t> offsets, of_edge(edges, -1);
        std::vector<std::int32_t> found;
        {
            nb::gil_scoped_release release;
            list_choices(tail_offsets, tails, moves, items, offsets, found, of_edge);
        }
        return nb::make_tuple(made(std::move(offsets)), made(std::move(found)), made(std::move(of_edge)));
    }

    void score(In<std::int32_t, 2> items, In<std::int32_t, 2> spans, Numbers looks, Numbers sources, Numbers labels,
               Offsets ids, Offsets offsets, Numbers moves, In<double, 1> theta, bool normalised, Out<double, 1> scores,
               int threads) const {
        const weft::stack::Items given = checked(items, spans, looks, sources, labels, ids, offsets, moves, theta);
        require(length(scores) == length(moves), "there must be a score per move");
        nb::gil_scoped_release release;
        const std::vector<std::int64_t> bounds = split(offsets.data(), given.count, RUNS);
        weft::parallel_for(RUNS, threads, [&](std::size_t run) {
            weft::stack::Scorer(features_, possible_, given, theta.data(), normalised)
                .score(bounds[run], bounds[run + 1], scores.data());
        });
    }

    void add_gradient(In<std::int32_t, 2> items, In<std::int32_t, 2> spans, Numbers looks, Numbers sources,
                      Numbers labels, Offsets ids, Offsets offsets, Numbers moves, In<double, 1> theta,
                      bool normalised, In<double, 1> amounts, Out<double, 1> gradient) const {
        const weft::stack::Items given = checked(items, spans, looks, sources, labels, ids, offsets, moves, theta);
        require(length(amounts) == length(moves), "there must be an amount per move");
        require(length(gradient) == length(theta), "the gradient has a number per weight");
        nb::gil_scoped_release release;
        weft::stack::Scorer(features_, possible_, given, theta.data(), normalised)
            .add_gradient(amounts.data(), gradient.data());
    }

  private:
    static constexpr std::int64_t RUNS = 16; // whose scores do not depend on each other

    void add_template(std::vector<std::int32_t> &&attributes, std::span<const std::int64_t> keys) {
        const std::int64_t moves = 3 * std::int64_t{possible_.labels};
        const bool fixed = std::none_of(attributes.begin(), attributes.end(), weft::stack::looks_at_start);
        weft::stack::Template made{std::move(attributes), fixed, {}};
        for (std::size_t place = 0; place < keys.size(); ++place) {
            require(keys[place] >= 0 && (!place || keys[place - 1] < keys[place]), "keys must ascend");
            if (!place || keys[place] / moves != keys[place - 1] / moves) {
                made.blocks.add(keys[place] / moves, static_cast<std::int32_t>(features_.starts.size()));
                features_.starts.push_back(static_cast<std::int64_t>(features_.moves.size()));
            }
            features_.moves.push_back(static_cast<std::int32_t>(keys[place] % moves));
        }
        features_.templates.push_back(std::move(made));
    }

    static void list_choices(const Offsets &tail_offsets, const Numbers &tails, const Numbers &moves, std::int64_t items,
                             std::vector<std::int64_t> &offsets, std::vector<std::int32_t> &found,
                             std::vector<std::int64_t> &of_edge) {
        const std::int64_t edges = length(moves);
        const auto item_of = [&](std::int64_t edge) {
            const std::int64_t at = tail_offsets.data()[edge];
            return moves.data()[edge] < 0 || at == tail_offsets.data()[edge + 1] ? -1 : tails.data()[at];
        };
        std::vector<std::int64_t> starts(items + 1, 0);
        for (std::int64_t edge = 0; edge < edges; ++edge)
            if (item_of(edge) >= 0) ++starts[item_of(edge) + 1];
        for (std::int64_t item = 0; item < items; ++item) starts[item + 1] += starts[item];
        std::vector<std::int64_t> sorted(starts[items]), ends(starts.begin(), starts.end() - 1);
        for (std::int64_t edge = 0; edge < edges; ++edge)
            if (item_of(edge) >= 0) sorted[ends[item_of(edge)]++] = edge;
        offsets.push_back(0);
        for (std::int64_t item = 0; item < items; ++item) {
            std::sort(sorted.begin() + starts[item], sorted.begin() + starts[item + 1], [&](std::int64_t a, std::int64_t b) {
                return moves.data()[a] < moves.data()[b] || (moves.data()[a] == moves.data()[b] && a < b);
            });
            for (std::int64_t at = starts[item]; at < starts[item + 1]; ++at) {
                const std::int32_t move = moves.data()[sorted[at]];
                if (offsets.back() == static_cast<std::int64_t>(found.size()) || found.back() != move) found.push_back(move);
                of_edge[sorted[at]] = static_cast<std::int64_t>(found.size()) - 1;
            }
            offsets.push_back(static_cast<std::int64_t>(found.size()));
        }
    }

    weft::stack::Items checked(const In<std::int32_t, 2> &items, const In<std::int32_t, 2> &spans, const Numbers &looks,
                               const Numbers &sources, const Numbers &labels, const Offsets &ids, const Offsets &offsets,
                               const Numbers &moves, const In<double, 1> &theta) const {
        const std::int64_t count = length(items), nodes = length(looks), terminals = length(ids);
        require(length(items, 1) == 5 && length(spans) == count && length(spans, 1) == 2, "items differ in number");
        require(within(all(looks), 0, possible_.looks) && length(labels) == length(sources), "openings differ in number");
        require(length(offsets) == count + 1 && ascend(all(offsets), length(moves)), "items and moves differ in number");
        require(length(theta) == static_cast<std::int64_t>(features_.moves.size()), "there must be a weight per feature");
        for (std::int64_t item = 0; item < count; ++item) {
            const std::int32_t *row = items.data() + 5 * item, *span = spans.data() + 2 * item;
            require(0 <= row[1] && row[1] < possible_.labels && 0 <= row[3] && row[3] < possible_.labels, "no such label");
            require(0 <= row[2] && row[2] < nodes, "no such node");
            require(0 <= span[0] && span[0] <= span[1] && span[1] + 1 < terminals, "no such span");
        }
        return {count, items.data(), spans.data(), nodes, length(sources), terminals, looks.data(), sources.data(),
                labels.data(), ids.data(), offsets.data(), moves.data()};
    }

    weft::stack::Possible possible_;
    weft::stack::Features features_;
};

} // namespace

void bind_stack_scores(nb::module_ &module) {
    nb::class_<MoveScorer>(module, "MoveScorer", "Scores of log-linear moves.")
        .def(nb::init<Offsets, Numbers, Offsets, Offsets, Offsets, In<std::int32_t, 2>, std::int32_t, Offsets, Numbers>(),
             array("attribute_offsets"), array("attributes"), array("radices"), array("key_offsets"), array("keys"),
             array("rows"), "looks"_a, array("offsets"), array("moves"))
        .def("choices", &MoveScorer::choices, array("tail_offsets"), array("tails"), array("moves"), "items"_a,
             "Return the moves that edges make, each once per item, and which of them each edge makes.")
        .def("score", &MoveScorer::score, array("items"), array("spans"), array("looks"), array("sources"), array("labels"),
             array("ids"), array("offsets"), array("moves"), array("theta"), "normalised"_a, array("scores"), "threads"_a,
             "Write the scores of moves.")
        .def("add_gradient", &MoveScorer::add_gradient, array("items"), array("spans"), array("looks"), array("sources"),
             array("labels"), array("ids"), array("offsets"), array("moves"), array("theta"), "normalised"_a,
             array("amounts"), array("gradient"), "Add what amounts of moves are in θ.");
}
