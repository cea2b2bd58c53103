// Python's view of the look-up of texts. The GIL is held throughout: see texts.hpp.
#include "binding.hpp"
#include "texts.hpp"

using namespace weft::binding;

namespace {

void fill(weft::TextTable *table, nb::list texts, In<std::int32_t, 1> numbers) {
    require(texts.size() == numbers.shape(0), "texts and numbers differ in number");
    for (nb::handle text : texts) require(PyUnicode_CheckExact(text.ptr()), "a text is no plain string");
    weft::TextTable filled(texts.size());
    for (std::size_t k = 0; k < texts.size(); ++k) {
        weft::Characters text;
        // What cannot be read is never looked up, either.
        if (text.read(weft::get_item(texts.ptr(), static_cast<Py_ssize_t>(k)))) filled.insert(filled.hash(text), numbers.data()[k]);
    }
    new (table) weft::TextTable(std::move(filled)); // last, for what fails before has no destructor
}

nb::object find(const weft::TextTable &table, nb::list sentences, std::optional<In<double, 1>> values) {
    weft::TextFinder finder(table, values ? values->data() : nullptr, values ? values->shape(0) : 0);
    if (!finder.find(sentences.ptr())) return nb::none();
    weft::Found found = finder.take();
    nb::object kept = values ? nb::cast(made(std::move(found.values))) : nb::none();
    return nb::make_tuple(made(std::move(found.offsets)), made(std::move(found.numbers)), kept);
}

} // namespace

void bind_texts(nb::module_ &module) {
    nb::class_<weft::TextTable>(module, "TextTable", "The numbers of texts, by their hashes.")
        .def("__init__", &fill, "texts"_a, array("numbers"))
        .def("find", &find, "sentences"_a, optional_array("values"),
             "Return where each token's known texts begin, their numbers and their values; None where a sentence or a "
             "token is neither a list nor a tuple, or a text no plain string.");
}
