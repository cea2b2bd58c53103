// The module weft._native: arrays in, arrays out (texts.hpp alone takes strings). Each file binds one structure.
#include <nanobind/nanobind.h>

#include "compiler.hpp"
#include "parallel.hpp"

#include <exception>
#include <new>

namespace nb = nanobind;

void bind_hypergraph(nb::module_ &module);
void bind_chain(nb::module_ &module);
void bind_chain_local(nb::module_ &module);
void bind_chart(nb::module_ &module);
void bind_chart_data(nb::module_ &module);
void bind_lattice(nb::module_ &module);
void bind_mixture(nb::module_ &module);
void bind_neighbourhoods(nb::module_ &module);
void bind_online(nb::module_ &module);
void bind_rows(nb::module_ &module);
void bind_selection(nb::module_ &module);
void bind_stack(nb::module_ &module);
void bind_stack_canonical(nb::module_ &module);
void bind_stack_scores(nb::module_ &module);
void bind_texts(nb::module_ &module);
void bind_unify(nb::module_ &module);
void bind_lfg(nb::module_ &module);
void bind_vectors(nb::module_ &module);

NB_MODULE(_native, module) {
    // Objects that caches keep until the interpreter ends are no leaks that users could mend.
    nb::set_leak_warnings(false);
    weft::check_limit();
    weft::get_ready();
    module.attr("INSTRUCTIONS") = weft::INSTRUCTION_NAMES[static_cast<int>(weft::instructions)];
    // The same as without, but in words.
    nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc &) {
            PyErr_SetString(PyExc_MemoryError, "there is not enough memory");
        }
    });
    bind_hypergraph(module);
    bind_chain(module);
    bind_chain_local(module);
    bind_chart_data(module);
    bind_chart(module);
    bind_lattice(module);
    bind_mixture(module);
    bind_neighbourhoods(module);
    bind_online(module);
    bind_rows(module);
    bind_selection(module);
    bind_stack(module);
    bind_stack_canonical(module);
    bind_stack_scores(module);
    bind_texts(module);
    bind_unify(module);
    bind_lfg(module);
    bind_vectors(module);
}
