// Python's view of parsing with feature grammars: checks shapes, takes sentences in turn, releases the GIL.
#include "binding.hpp"
#include "parallel.hpp"
#include "unify_forest.hpp"
#include "unify_levels.hpp"

#include <utility>

using namespace weft::binding;
using weft::unify::Word;

namespace {

using Words = In<std::int32_t, 1>;
using Offsets = In<std::int64_t, 1>;

bool rows(const Offsets &offsets, std::int64_t count, std::int64_t items) {
    return length(offsets) == count + 1 && offsets.data()[0] == 0 && offsets.data()[count] == items;
}

template <class T> void append(std::vector<T> &all, const std::vector<T> &more) {
    all.insert(all.end(), more.begin(), more.end());
}

nb::tuple give(std::vector<weft::unify::Forest> &&forests) {
    std::vector<std::int64_t> facts;
    std::vector<Word> spans, lengths, objects, heads, rules, arities, tails;
    for (weft::unify::Forest &forest : forests) {
        const auto vertices = static_cast<std::int64_t>(forest.object_lengths.size());
        const auto edges = static_cast<std::int64_t>(forest.heads.size());
        for (const std::int64_t fact : {static_cast<std::int64_t>(forest.status), vertices, edges, forest.items,
                                        forest.attempts, forest.successes})
            facts.push_back(fact);
        append(spans, forest.spans);
        append(lengths, forest.object_lengths);
        append(objects, forest.objects);
        append(heads, forest.heads);
        append(rules, forest.rules);
        append(arities, forest.arities);
        append(tails, forest.tails);
        forest = {};
    }
    return nb::make_tuple(made(std::move(facts)), made(std::move(spans)), made(std::move(lengths)),
                          made(std::move(objects)), made(std::move(heads)), made(std::move(rules)),
                          made(std::move(arities)), made(std::move(tails)));
}

// The arrays of a grammar, which must live as long as it does.
weft::unify::Grammar grammar_of(Words cells, Offsets cell_starts, Words variables, Words left, Words categories, Offsets sides,
                                Words side_words, Words side_categories, Offsets shared, Words shared_variables,
                                Words shared_words, Offsets live, Words live_variables, Offsets by_category, Words category_rules,
                                Offsets by_word, Words word_rules, Words empty, Words defaults, Words classes,
                                In<std::uint8_t, 2> corners, Words atom_categories, Word type_feature, Word any_category) {
    const std::int64_t count = length(variables), side_count = length(side_words);
    require(count > 0 && rows(cell_starts, count, length(cells)) && length(left) == count &&
                length(categories) == count && length(classes) == count && rows(sides, count, side_count) &&
                length(side_categories) == side_count,
            "the rules do not fit together");
    require(rows(shared, count, length(shared_variables)) && length(shared_words) == length(shared_variables) &&
                rows(live, side_count + count, length(live_variables)),
            "the rules' variables do not fit together");
    const std::int64_t kinds = length(corners), known = length(by_word) - 1;
    require(length(corners, 1) == kinds && rows(by_category, kinds, length(category_rules)) && known >= 0 &&
                rows(by_word, known, length(word_rules)),
            "the rules' categories and words do not fit together");
    require(type_feature < length(defaults) && any_category < kinds, "there is no such feature or category");
    return {
        .cells = cells.data(),
        .cell_starts = cell_starts.data(),
        .variables = variables.data(),
        .left = left.data(),
        .categories = categories.data(),
        .sides = sides.data(),
        .side_words = side_words.data(),
        .side_categories = side_categories.data(),
        .shared = shared.data(),
        .shared_variables = shared_variables.data(),
        .shared_words = shared_words.data(),
        .live = live.data(),
        .live_variables = live_variables.data(),
        .by_category = by_category.data(),
        .by_word = by_word.data(),
        .category_rules = category_rules.data(),
        .word_rules = word_rules.data(),
        .empty = {empty.data(), empty.shape(0)},
        .defaults = defaults.data(),
        .classes = classes.data(),
        .corners = corners.data(),
        .atom_categories = atom_categories.data(),
        .rules = static_cast<Word>(count),
        .category_count = static_cast<Word>(kinds),
        .word_count = static_cast<Word>(known),
        .type = type_feature,
        .any = any_category,
    };
}

nb::tuple unify_parse(Words cells, Offsets cell_starts, Words variables, Words left, Words categories, Offsets sides,
                      Words side_words, Words side_categories, Offsets shared, Words shared_variables,
                      Words shared_words, Offsets live, Words live_variables, Offsets by_category, Words category_rules,
                      Offsets by_word, Words word_rules, Words empty, Words defaults, Words classes,
                      In<std::uint8_t, 2> corners, Words atom_categories, Word type_feature, Word any_category, Words tokens, Offsets sentences, std::int64_t most_items,
                      std::int64_t most_words, double seconds, bool whole, int threads) {
    const weft::unify::Grammar grammar = grammar_of(
        cells, cell_starts, variables, left, categories, sides, side_words, side_categories, shared,
        shared_variables, shared_words, live, live_variables, by_category, category_rules, by_word, word_rules, empty,
        defaults, classes, corners, atom_categories, type_feature, any_category);
    require(length(sentences) > 0 && rows(sentences, length(sentences) - 1, length(tokens)),
            "the sentences do not fit together");
    const weft::unify::Limits limits{most_items, most_words, seconds};
    std::vector<weft::unify::Forest> forests(length(sentences) - 1);
    {
        nb::gil_scoped_release release;
        weft::parallel_for(forests.size(), threads, [&](std::size_t i) {
            const std::int64_t first = sentences.data()[i], last = sentences.data()[i + 1];
            forests[i] = weft::unify::parse(
                grammar, {tokens.data() + first, static_cast<std::size_t>(last - first)}, limits, whole);
        });
    }
    return give(std::move(forests));
}

// The levels of constituents and after them of beginnings, which constituents are sentences, and the ways to each of
// them: the rule, and the beginning and the constituent that it is made of, or -1.
nb::tuple unify_levels(Words cells, Offsets cell_starts, Words variables, Words left, Words categories, Offsets sides,
                       Words side_words, Words side_categories, Offsets shared, Words shared_variables,
                       Words shared_words, Offsets live, Words live_variables, Offsets by_category, Words category_rules,
                       Offsets by_word, Words word_rules, Words empty, Words defaults, Words classes,
                       In<std::uint8_t, 2> corners, Words atom_categories, Word type_feature, Word any_category, Words highest, std::int64_t most_attempts,
                       std::int64_t most_items, std::int64_t most_words) {
    const weft::unify::Grammar grammar = grammar_of(
        cells, cell_starts, variables, left, categories, sides, side_words, side_categories, shared,
        shared_variables, shared_words, live, live_variables, by_category, category_rules, by_word, word_rules, empty,
        defaults, classes, corners, atom_categories, type_feature, any_category);
    require(length(highest) == grammar.rules, "the rules do not fit together");
    std::vector<std::int64_t> facts;
    std::vector<Word> levels, roots, ways;
    {
        nb::gil_scoped_release release;
        weft::unify::Levels found(grammar, {most_items, most_words, 0.0},
                                    {highest.data(), highest.shape(0)}, most_attempts);
        const Word complete = found.fill();
        roots = found.roots();
        const weft::unify::Chart &chart = found.chart_;
        facts = {chart.status_, complete, chart.attempts_};
        const auto count = static_cast<Word>(chart.constituents_.size());
        const auto add = [&](Word made, Word way) {
            for (; way >= 0; way = chart.ways_[way].next)
                for (const Word word : {made, chart.ways_[way].rule, chart.ways_[way].before, chart.ways_[way].child})
                    ways.push_back(word);
        };
        for (Word i = 0; i < count; ++i) {
            levels.push_back(chart.constituents_[i].start);
            add(i, chart.constituents_[i].ways);
        }
        for (Word i = 0; i < static_cast<Word>(chart.beginnings_.size()); ++i) {
            levels.push_back(chart.beginnings_[i].start);
            add(count + i, chart.beginnings_[i].ways);
        }
    }
    return nb::make_tuple(made(std::move(facts)), made(std::move(levels)), made(std::move(roots)), made(std::move(ways)));
}

} // namespace

void bind_unify(nb::module_ &module) {
    module.def("unify_parse", &unify_parse, array("cells"), array("cell_starts"), array("variables"), array("left"),
               array("categories"), array("sides"), array("side_words"), array("side_categories"), array("shared"),
               array("shared_variables"), array("shared_words"), array("live"), array("live_variables"),
               array("by_category"), array("category_rules"), array("by_word"), array("word_rules"), array("empty"),
               array("defaults"), array("classes"), array("corners"), array("atom_categories"), "type_feature"_a, "any_category"_a, array("tokens"), array("sentences"),
               "most_items"_a, "most_words"_a, "seconds"_a, "whole"_a, "threads"_a);
    module.def("unify_levels", &unify_levels, array("cells"), array("cell_starts"), array("variables"), array("left"),
               array("categories"), array("sides"), array("side_words"), array("side_categories"), array("shared"),
               array("shared_variables"), array("shared_words"), array("live"), array("live_variables"),
               array("by_category"), array("category_rules"), array("by_word"), array("word_rules"), array("empty"),
               array("defaults"), array("classes"), array("corners"), array("atom_categories"),
               "type_feature"_a, "any_category"_a, array("highest"), "most_attempts"_a, "most_items"_a,
               "most_words"_a);
}
