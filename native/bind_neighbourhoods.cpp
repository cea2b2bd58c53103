// Python's view of neighbourhoods: the numbers of a sentence's words in, the arrays of a lattice out.
#include "binding.hpp"
#include "neighbourhoods.hpp"

using namespace weft::binding;

namespace {

using Numbers = In<std::int32_t, 1>;

nb::tuple arrays(weft::LatticeArrays &&found) {
    return nb::make_tuple(made(std::move(found.arc_offsets)), made(std::move(found.arc_symbols)),
                          made(std::move(found.targets)), made(std::move(found.final)));
}

weft::Words words(const Numbers &numbers) {
    require(numbers.shape(0) > 0, "a sentence with neighbours has words");
    require(numbers.shape(0) < 1 << 28, "a sentence with neighbours has fewer words");
    return weft::Words(numbers.data(), numbers.data() + numbers.shape(0));
}

template <weft::LatticeArrays (*Build)(const weft::Words &)> nb::tuple neighbourhood(const Numbers &numbers) {
    return arrays(Build(words(numbers)));
}

nb::object span_deletions(const Numbers &numbers, std::int64_t limit) {
    const weft::Words sentence = words(numbers);
    auto found = weft::SpanDeletions(sentence, limit).build();
    return found ? nb::object(arrays(std::move(*found))) : nb::none();
}

} // namespace

void bind_neighbourhoods(nb::module_ &module) {
    module.def("deletions", &neighbourhood<weft::deletions>, array("words"),
               "Return offsets, symbols, targets and finality of the lattice: one word is deleted, or none.");
    module.def("transpositions", &neighbourhood<weft::transpositions>, array("words"),
               "The same where two neighbouring words are exchanged.");
    module.def("deletions_and_transpositions", &neighbourhood<weft::deletions_and_transpositions>, array("words"),
               "The same of both.");
    module.def("span_deletions", &span_deletions, array("words"), "limit"_a,
               "The same where a span of words is deleted; None if that takes more than the limit.");
}
