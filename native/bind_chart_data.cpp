// Python's view of what charts are made of: copies and checks grammars, lattices and requirements.
#include "binding.hpp"
#include "chart_grammar.hpp"

using namespace weft::binding;
using namespace weft::chart;

namespace {

template <class T> std::vector<T> copied(const In<T, 1> &array) { return {array.data(), array.data() + array.shape(0)}; }

template <class T> std::int64_t size(const std::vector<T> &values) { return static_cast<std::int64_t>(values.size()); }

bool offsets_of(const std::vector<std::int64_t> &offsets, std::int64_t count, std::int64_t total) {
    return size(offsets) == count + 1 && offsets[0] == 0 && offsets[count] == total &&
           std::is_sorted(offsets.begin(), offsets.end());
}

bool fit(const Edges &edges, std::int64_t lefts, std::int64_t sisters, std::int64_t items) {
    return offsets_of(edges.offsets, lefts, edges.count()) && size(edges.sister) == (sisters < 0 ? 0 : edges.count()) &&
           within(edges.sister, 0, sisters) && within(edges.target, 0, items);
}

bool fit(const Lists &lists, std::int64_t highest) {
    return lists.keys() >= 0 && offsets_of(lists.offsets, lists.keys(), size(lists.values)) && within(lists.values, 0, highest);
}

Topology make_topology(
    std::int32_t start, In<std::int32_t, 1> item_of, In<std::int32_t, 1> row_of, std::int32_t terminals,
    In<std::int64_t, 1> binary_offsets, In<std::int32_t, 1> binary_right, In<std::int32_t, 1> binary_target,
    In<std::int64_t, 1> scan_offsets, In<std::int32_t, 1> scan_terminal, In<std::int32_t, 1> scan_target,
    In<std::int64_t, 1> unary_offsets, In<std::int32_t, 1> unary_target, In<std::int32_t, 1> lexical_target,
    In<std::int64_t, 1> entry_offsets, In<std::int32_t, 1> entry_edges, In<std::int32_t, 1> component,
    In<std::int32_t, 1> component_first, In<std::int32_t, 1> component_last) {
    Topology grammar;
    const std::int64_t items = length(row_of), n = length(item_of), runs = length(component_first);
    grammar.nonterminals = static_cast<std::int32_t>(n);
    grammar.items = static_cast<std::int32_t>(items);
    grammar.terminals = terminals;
    grammar.start = start;
    grammar.item_of = copied(item_of);
    grammar.row_of = copied(row_of);
    grammar.binary = {copied(binary_offsets), copied(binary_right), copied(binary_target), {}, {}};
    grammar.scan = {copied(scan_offsets), copied(scan_terminal), copied(scan_target), {}, {}};
    grammar.unary = {copied(unary_offsets), {}, copied(unary_target), {}, {}};
    grammar.lexical_target = copied(lexical_target);
    grammar.entries = {copied(entry_offsets), copied(entry_edges)};
    grammar.component = copied(component);
    require(0 <= start && start < n && within(grammar.item_of, 0, items) && within(grammar.row_of, -1, n),
            "the items do not fit together");
    require(fit(grammar.binary, items + terminals, n, items), "the binary edges do not fit together");
    require(fit(grammar.scan, items + terminals, terminals, items), "the scans do not fit together");
    require(fit(grammar.unary, items, -1, items), "the unary edges do not fit together");
    require(fit(grammar.entries, size(grammar.lexical_target)) && within(grammar.lexical_target, 0, items),
            "the lexical edges do not fit together");
    require(length(component) == items && within(grammar.component, -1, runs) && length(component_last) == runs,
            "the components do not fit together");
    for (std::int64_t run = 0; run < runs; ++run) {
        const Range range{component_first.data()[run], component_last.data()[run]};
        require(0 <= range.first && range.first < range.last && range.last <= items, "the components do not fit together");
        grammar.components.push_back(range);
    }
    index_edges(grammar);
    return grammar;
}

Members make_members(In<std::int64_t, 1> state_offsets, In<std::int64_t, 1> arc_offsets, In<std::int32_t, 1> arc_terminal,
                     In<std::int32_t, 1> arc_entry, In<std::int32_t, 1> arc_target, In<std::uint8_t, 1> final) {
    Members members{copied(state_offsets), copied(arc_offsets), copied(arc_terminal),
                    copied(arc_entry),     copied(arc_target),  copied(final)};
    require(members.count() >= 0 && offsets_of(members.state_offsets, members.count(), size(members.final)) &&
                offsets_of(members.arc_offsets, size(members.final), size(members.arc_target)) &&
                size(members.arc_terminal) == size(members.arc_target) && size(members.arc_entry) == size(members.arc_target),
            "the lattices do not fit together");
    for (std::int64_t member = 0; member < members.count(); ++member) {
        const Lattice lattice = members[member];
        require(lattice.states > 0, "a lattice has a state");
        for (std::int64_t q = 0; q < lattice.states; ++q)
            for (const std::int64_t a : lattice.arcs(q))
                require(q < lattice.target[a] && lattice.target[a] < lattice.states, "arcs must lead to higher states");
    }
    return members;
}

Requirements make_requirements(In<std::int64_t, 1> offsets, In<std::int32_t, 1> labels) {
    Requirements made{{copied(offsets), copied(labels)}};
    require(fit(made, std::numeric_limits<std::int64_t>::max()), "the requirements do not fit together");
    for (std::int64_t key = 0; key < made.keys(); ++key)
        require(made[key].size() <= 8, "too many labels are required of one span");
    return made;
}

} // namespace

void bind_chart_data(nb::module_ &module) {
    nb::class_<Topology>(module, "ChartTopology", "A grammar laid out for charts, without weights.")
        .def_prop_ro("edges", &Topology::edges);
    nb::class_<Members>(module, "ChartMembers", "Lattices laid out for charts.");
    nb::class_<Requirements>(module, "ChartRequirements", "Labels that are required of spans.");
    module.def("chart_topology", &make_topology, "start"_a, array("item_of"), array("row_of"), "terminals"_a,
               array("binary_offsets"), array("binary_right"), array("binary_target"), array("scan_offsets"),
               array("scan_terminal"), array("scan_target"), array("unary_offsets"), array("unary_target"),
               array("lexical_target"), array("entry_offsets"), array("entry_edges"), array("component"),
               array("component_first"), array("component_last"), "Copy and check a grammar.");
    module.def("chart_members", &make_members, array("state_offsets"), array("arc_offsets"), array("arc_terminal"),
               array("arc_entry"), array("arc_target"), array("final"), "Copy and check lattices.");
    module.def("chart_requirements", &make_requirements, array("offsets"), array("labels"), "Copy and check sets of labels.");
}
