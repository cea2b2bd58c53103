// Binds the filter of stack_canonical.hpp: checks types and shapes, and asks Python for states that are new.
#include "binding.hpp"

#include "stack_canonical.hpp"

#include <tuple>
#include <unordered_map>
#include <utility>

using namespace weft::binding;

namespace {

using Numbers = In<std::int32_t, 1>;
using weft::stack::Node;

class CanonicalFilter {
  public:
    CanonicalFilter(Numbers sides, Numbers alike, std::int32_t any, nb::callable over) : ask_(std::move(over)) {
        const std::int64_t count = length(sides);
        require(count > 0 && length(alike) == count && 0 <= any && any < count, "labels differ in number");
        require(within({alike.data(), alike.size()}, 0, count), "what stands for labels is a label");
        labels_ = {{sides.data(), sides.data() + count}, {alike.data(), alike.data() + count}, any};
    }

    nb::tuple filter(Numbers heads, In<std::int64_t, 1> offsets, Numbers tails, In<std::int32_t, 2> items) {
        const std::int64_t vertices = length(items), edges = length(heads), labels = static_cast<std::int64_t>(labels_.sides.size());
        require(length(items, 1) == 5 && vertices > 0, "items have five numbers");
        require(length(offsets) == edges + 1 && offsets.data()[0] == 0 && offsets.data()[edges] == length(tails) &&
                    std::is_sorted(offsets.data(), offsets.data() + edges + 1),
                "edges differ in number");
        require(within({heads.data(), heads.size()}, 0, vertices) && std::is_sorted(heads.data(), heads.data() + edges),
                "heads must ascend");
        for (std::int64_t edge = 0; edge < edges; ++edge) {
            const std::int64_t begin = offsets.data()[edge], end = offsets.data()[edge + 1];
            require(end - begin <= 2, "an edge has two tails at most");
            for (std::int64_t at = begin; at < end; ++at)
                require(0 <= tails.data()[at] && tails.data()[at] < heads.data()[edge], "tails come before heads");
        }
        for (std::int64_t vertex = 0; vertex < vertices; ++vertex)
            for (const int column : {1, 3})
                require(0 <= items.data()[5 * vertex + column] && items.data()[5 * vertex + column] < labels, "there are too few labels");
        const auto over = [this](std::int32_t label, const Node &left, const Node &right) { return state(label, left, right); };
        weft::stack::Filter filter(labels_, {vertices, edges, heads.data(), offsets.data(), tails.data(), items.data()}, over);
        weft::stack::KeptParses kept = filter.run();
        return nb::make_tuple(made(std::move(kept.origins)), made(std::move(kept.states)), made(std::move(kept.edges)),
                              made(std::move(kept.heads)), made(std::move(kept.offsets)), made(std::move(kept.tails)));
    }

  private:
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
    struct Hash {
        std::size_t operator()(const Key &key) const {
            std::uint64_t found = 0;
            const auto add = [&](std::int32_t value) {
                found = (found ^ static_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15ull;
                found ^= found >> 29;
            };
            std::apply([&](auto... each) { (add(each), ...); }, key);
            return found;
        }
    };

    std::int32_t state(std::int32_t label, const Node &left, const Node &right) {
        const Key key{label, left.label, left.state, right.label, right.state};
        const auto found = known_.find(key);
        if (found != known_.end()) return found->second;
        const auto answer = nb::cast<std::int32_t>(
            ask_(label, nb::make_tuple(left.label, left.state), nb::make_tuple(right.label, right.state)));
        known_.emplace(key, answer);
        return answer;
    }

    weft::stack::Labels labels_;
    nb::callable ask_;
    std::unordered_map<Key, std::int32_t, Hash> known_;
};

} // namespace

void bind_stack_canonical(nb::module_ &module) {
    nb::class_<CanonicalFilter>(module, "CanonicalFilter")
        .def(nb::init<Numbers, Numbers, std::int32_t, nb::callable>(), array("sides"), array("alike"), "plain"_a, "over"_a)
        .def("filter", &CanonicalFilter::filter, array("heads"), array("offsets"), array("tails"), array("items"));
}
