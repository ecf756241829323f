// Many pairs, and search.
#include "bindings/arrays.hpp"
#include "many/pair_values.hpp"
#include "many/search.hpp"

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

nb::list as_list(const std::vector<PairFailure>& failures) {
    nb::list list;
    for (const auto& failure : failures) list.append(nb::make_tuple(failure.first, failure.second, failure.reason));
    return list;
}

nb::tuple values_of(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
                    const Numbers<std::int64_t>& first, const Numbers<std::int64_t>& second, int threads,
                    double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    PairValues result;
    {
        nb::gil_scoped_release release;
        result = pair_values({space.view, a.view, b.view, question}, view(first), view(second), effort);
    }
    return nb::make_tuple(to_array(std::move(result.values)), as_list(result.failures));
}

nb::tuple values_at(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
                    const Numbers<double>& kappas, const Numbers<std::int64_t>& first,
                    const Numbers<std::int64_t>& second, int threads, double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    PairValues result;
    {
        nb::gil_scoped_release release;
        const Batch batch{space.view, a.view, b.view, question};
        result = pair_values_at(batch, view(kappas), view(first), view(second), effort);
    }
    return nb::make_tuple(to_array(std::move(result.values)), as_list(result.failures));
}

nb::tuple outcomes_of(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
                      const Numbers<std::int64_t>& first, const Numbers<std::int64_t>& second, int threads,
                      double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    PairOutcomes result;
    {
        nb::gil_scoped_release release;
        result = pair_outcomes({space.view, a.view, b.view, question}, view(first), view(second), effort);
    }
    nb::list outcomes;
    for (Outcome& outcome : result.outcomes) outcomes.append(nb::cast(std::move(outcome)));
    return nb::make_tuple(outcomes, as_list(result.failures));
}

nb::tuple neighbours_of(const OwnedSpace& space, const OwnedMeasures& queries, const OwnedMeasures& items,
                        const Question& question, std::size_t top, double radius, const Table& to_pivots,
                        const Table& from_pivots, int threads, double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    const Wanted wanted{top, radius, {to_pivots.data(), to_pivots.size()}, {from_pivots.data(), from_pivots.size()}};
    SearchResult result;
    {
        nb::gil_scoped_release release;
        result = search({space.view, queries.view, items.view, question}, wanted, effort);
    }
    nb::list neighbours;
    for (const auto& found : result.neighbours) {
        std::vector<double> distances;
        std::vector<std::int64_t> indices;
        for (const auto& neighbour : found) {
            distances.push_back(neighbour.distance);
            indices.push_back(neighbour.index);
        }
        neighbours.append(nb::make_tuple(to_array(std::move(distances)), to_array(std::move(indices))));
    }
    const auto& counts = result.counts;
    return nb::make_tuple(neighbours, nb::make_tuple(counts.bounded, counts.stopped_early, counts.solved),
                          as_list(result.failures));
}

}  // namespace

void bind_many(nb::module_& module) {
    using namespace nb::literals;
    module.def("pair_values", &values_of, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a, "second"_a, "threads"_a,
               "seconds"_a, "progress"_a.none());
    module.def("pair_values_at", &values_at, "space"_a, "a"_a, "b"_a, "question"_a, "kappas"_a, "first"_a, "second"_a,
               "threads"_a, "seconds"_a, "progress"_a.none());
    module.def("pair_outcomes", &outcomes_of, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a, "second"_a, "threads"_a,
               "seconds"_a, "progress"_a.none());
    module.def("search", &neighbours_of, "space"_a, "queries"_a, "items"_a, "question"_a, "top"_a, "radius"_a,
               "to_pivots"_a, "from_pivots"_a, "threads"_a, "seconds"_a, "progress"_a.none());
}

}  // namespace rpw::python
