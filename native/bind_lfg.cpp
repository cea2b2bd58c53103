// Python's view of parsing with lexical-functional grammars: checks shapes, takes sentences in turn, releases the GIL.
#include "binding.hpp"
#include "lfg_forest.hpp"
#include "parallel.hpp"

using namespace weft::binding;
using weft::lfg::Mask;
using weft::lfg::Word;

namespace {

using Words = In<std::int32_t, 1>;
using Table = In<std::int32_t, 2>;
using Offsets = In<std::int64_t, 1>;
using Bytes = In<std::uint8_t, 1>;

weft::lfg::Rows rows(const Offsets &offsets, const Words &items) {
    const std::int64_t count = length(offsets) - 1;
    require(count >= 0 && offsets.data()[0] == 0 && offsets.data()[count] == length(items), "some rows do not fit together");
    return {offsets.data(), items.data(), count};
}

template <class T> const T *records(const Table &table, std::int64_t width, const char *message) {
    require(length(table, 1) == width, message);
    return reinterpret_cast<const T *>(table.data());
}

template <class T> void append(std::vector<T> &all, const std::vector<T> &more) {
    all.insert(all.end(), more.begin(), more.end());
}

nb::tuple give(std::vector<weft::lfg::Forest> &&forests) {
    std::vector<std::int64_t> facts;
    std::vector<Word> spans, heads, arities, tails, lengths, steps;
    for (weft::lfg::Forest &forest : forests) {
        for (const std::int64_t fact :
             {static_cast<std::int64_t>(forest.status), static_cast<std::int64_t>(forest.spans.size() / 3),
              static_cast<std::int64_t>(forest.heads.size()), forest.nodes, forest.vertices, forest.attempts,
              forest.successes})
            facts.push_back(fact);
        append(spans, forest.spans);
        append(heads, forest.heads);
        append(arities, forest.arities);
        append(tails, forest.tails);
        append(lengths, forest.lengths);
        append(steps, forest.steps);
        forest = {};
    }
    return nb::make_tuple(made(std::move(facts)), made(std::move(spans)), made(std::move(heads)),
                          made(std::move(arities)), made(std::move(tails)), made(std::move(lengths)),
                          made(std::move(steps)));
}

Mask mask(const Bytes &bits) {
    Mask made = 0;
    for (std::int64_t bit = 0; bit < length(bits); ++bit) made |= Mask{bits.data()[bit] != 0} << bit;
    return made;
}

nb::tuple lfg_parse(Words starts, Words locals, Offsets mark_offsets, Words marks, Words owners, Bytes finals,
                    Offsets arc_offsets, Table arcs, Offsets option_offsets, Words options, Offsets branch_offsets,
                    Words branches, Offsets said_offsets, Words said, Words entry_locals, Table statements,
                    Offsets group_offsets, Words groups, Offsets register_offsets, Words registers, Bytes waits,
                    Table designators,
                    Offsets path_offsets, Words paths, Words path_starts, Offsets move_offsets, Words moves,
                    Words targets, Bytes path_finals, Words bits, Bytes semantic, Bytes own, Words functions, Bytes governable,
                    In<std::int64_t, 2> forms, Offsets value_offsets, Words values, Table entries, Offsets sentences,
                    Words lengths, std::int64_t root, std::int64_t most_edges, std::int64_t most_words, double seconds,
                    bool restricted, int threads) {
    const std::int64_t categories = length(starts), states = length(owners), attributes = length(bits);
    require(length(locals) == categories && length(mark_offsets) == categories + 1 && length(finals) == states &&
                length(arc_offsets) == states + 1 && 0 <= root && root < categories,
            "the right sides do not fit together");
    require(length(semantic) == attributes && length(own) == attributes && length(functions) <= 64 &&
                length(governable) == length(functions),
            "the attributes do not fit together");
    require(length(path_starts) == length(path_offsets) - 1 && length(move_offsets) == length(path_finals) + 1 &&
                length(moves) == length(targets),
            "the paths do not fit together");
    require(length(forms, 1) == 4 && length(lengths) == length(sentences) - 1, "the sentences do not fit together");
    require(length(waits) == length(statements) && length(register_offsets) == length(statements) + 1,
            "the statements do not fit together");
    const Word *designator = designators.data();
    bool inside_out = false, late = false;
    for (std::int64_t i = 0; i < length(designators); ++i) inside_out |= designator[3 * i] == weft::lfg::HOLDER;
    for (std::int64_t i = 0; i < length(waits); ++i) late |= waits.data()[i] == weft::lfg::FOR_OTHERS;
    const weft::lfg::Grammar grammar{
        .root = static_cast<Word>(root),
        .starts = starts.data(),
        .locals = locals.data(),
        .marks = rows(mark_offsets, marks),
        .categories = static_cast<Word>(categories),
        .owners = owners.data(),
        .finals = finals.data(),
        .arc_offsets = arc_offsets.data(),
        .arcs = records<weft::lfg::Arc>(arcs, 3, "an arc has three numbers"),
        .states = static_cast<Word>(states),
        .options = rows(option_offsets, options),
        .branches = rows(branch_offsets, branches),
        .said = rows(said_offsets, said),
        .entry_locals = entry_locals.data(),
        .statements = records<weft::lfg::Statement>(statements, 4, "a statement has four numbers"),
        .groups = rows(group_offsets, groups),
        .registers = rows(register_offsets, registers),
        .waits = waits.data(),
        .late = late,
        .inside_out = inside_out,
        .designators = records<weft::lfg::Designator>(designators, 3, "a designator has three numbers"),
        .paths = rows(path_offsets, paths),
        .path_starts = path_starts.data(),
        .path_offsets = move_offsets.data(),
        .path_steps = moves.data(),
        .path_targets = targets.data(),
        .path_finals = path_finals.data(),
        .bits = bits.data(),
        .semantic = semantic.data(),
        .own = own.data(),
        .functions = functions.data(),
        .function_count = static_cast<Word>(length(functions)),
        .governable = mask(governable),
        .attributes = static_cast<Word>(attributes),
        .forms = reinterpret_cast<const weft::lfg::Form *>(forms.data()),
        .values = rows(value_offsets, values),
    };
    const Word *entry = records<Word>(entries, 4, "an entry has four numbers");
    const std::int64_t count = length(entries);
    require(sentences.data()[0] == 0 && sentences.data()[length(lengths)] == count, "the sentences do not fit together");
    std::vector<Word> columns[4];
    for (int column = 0; column < 4; ++column) {
        columns[column].resize(count);
        for (std::int64_t i = 0; i < count; ++i) columns[column][i] = entry[4 * i + column];
    }
    const weft::lfg::Limits limits{most_edges, most_words, seconds};
    std::vector<weft::lfg::Forest> forests(length(lengths));
    {
        nb::gil_scoped_release release;
        weft::parallel_for(forests.size(), threads, [&](std::size_t i) {
            const std::int64_t first = sentences.data()[i];
            const auto size = static_cast<std::size_t>(sentences.data()[i + 1] - first);
            const auto column = [&](int number) { return std::span<const Word>(columns[number].data() + first, size); };
            const weft::lfg::Sentence sentence{column(0), column(1), column(2), column(3), lengths.data()[i]};
            forests[i] = weft::lfg::parse(grammar, sentence, limits, restricted);
        });
    }
    return give(std::move(forests));
}

} // namespace

void bind_lfg(nb::module_ &module) {
    module.def("lfg_parse", &lfg_parse, array("starts"), array("local_counts"), array("mark_offsets"), array("marks"),
               array("owners"), array("finals"), array("arc_offsets"), array("arcs"), array("option_offsets"),
               array("options"), array("branch_offsets"), array("branches"), array("said_offsets"), array("said"),
               array("entry_locals"), array("statements"), array("group_offsets"), array("groups"),
               array("register_offsets"), array("registers"), array("waits"), array("designators"),
               array("path_offsets"), array("paths"), array("path_starts"), array("move_offsets"), array("moves"), array("targets"),
               array("path_finals"), array("bits"), array("semantic"), array("own"), array("functions"), array("governable"),
               array("forms"), array("value_offsets"), array("values"), array("entries"), array("sentences"),
               array("lengths"), "root"_a, "most_edges"_a, "most_words"_a, "seconds"_a, "restricted"_a, "threads"_a);
}
