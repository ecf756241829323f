// Many pairs, and search.
#include "bindings/arrays.hpp"
#include "many/bounds.hpp"
#include "many/pair_values.hpp"

namespace rpw::python {

namespace {

// Passes progress on to Python, and lets Ctrl-C through.
Report reporter(const nb::object& progress) {
    return [progress](std::size_t done) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none()) progress(done);
    };
}

auto to_python(std::vector<double> bounds) { return to_array(std::move(bounds)); }

nb::list to_python(const std::vector<PairFailure>& failures) {
    nb::list list;
    for (const auto& failure : failures) list.append(nb::make_tuple(failure.first, failure.second, failure.reason));
    return list;
}

nb::tuple to_python(PairValues result) {
    return nb::make_tuple(to_array(std::move(result.values)), to_python(result.failures));
}

nb::tuple to_python(PairOutcomes result) {
    nb::list outcomes;
    for (Outcome& outcome : result.outcomes) outcomes.append(nb::cast(std::move(outcome)));
    return nb::make_tuple(outcomes, to_python(result.failures));
}

nb::tuple to_python(PairsWithin result) {
    nb::list potentials;
    for (auto& u : result.u) potentials.append(to_array(std::move(u)));
    return nb::make_tuple(to_array(std::move(result.found.values)), to_python(result.found.failures),
                          to_array(std::move(result.multiplier)), potentials);
}

using Ints = Numbers<std::int64_t>;
using Floats = Numbers<double>;

// Function(batch, pairs, extra arrays …, effort), called without the GIL.
template <auto Function, class... Extra>
struct Binding {
    static auto call(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
                     const Ints& first, const Ints& second, const Extra&... extra, int threads, double seconds,
                     const nb::object& progress) {
        const Effort effort{threads, seconds, reporter(progress)};
        const auto compute = [&] {
            nb::gil_scoped_release release;
            const Batch batch{space.view, a.view, b.view, question};
            return Function(batch, {view(first), view(second)}, view(extra)..., effort);
        };
        return to_python(compute());
    }
};

template <auto Bounds>
std::vector<double> by_lines(const Batch& batch, const Pairs& pairs, std::span<const std::int64_t> start,
                             std::span<const double> multiplier, std::span<const double> u, const Effort& effort) {
    return Bounds(batch, pairs, {start, multiplier, u}, effort);
}

template <class Bound, class... Names>
void define(nb::module_& module, const char* name, const Names&... extra) {
    using namespace nb::literals;
    module.def(name, &Bound::call, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a, "second"_a, extra..., "threads"_a,
               "seconds"_a, "progress"_a.none());
}

}  // namespace

void bind_many(nb::module_& module) {
    using namespace nb::literals;
    define<Binding<&pair_values>>(module, "pair_values");
    define<Binding<&pair_values_at, Floats>>(module, "pair_values_at", "kappas"_a);
    define<Binding<&pair_outcomes>>(module, "pair_outcomes");
    define<Binding<&pair_values_within, Floats>>(module, "pair_values_within", "cutoffs"_a);
    define<Binding<&neighbour_bounds>>(module, "neighbour_bounds");
    define<Binding<&by_lines<&line_bounds>, Ints, Floats, Floats>>(module, "line_bounds", "start"_a, "multiplier"_a,
                                                                   "u"_a);
    define<Binding<&by_lines<&mixed_bounds>, Ints, Floats, Floats>>(module, "mixed_bounds", "start"_a, "multiplier"_a,
                                                                    "u"_a);
}

}  // namespace rpw::python
