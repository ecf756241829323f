// Many pairs, and search.
#include "bindings/arrays.hpp"
#include "ground/distances.hpp"
#include "many/bounds.hpp"
#include "many/pair_values.hpp"
#include "solve/solve.hpp"

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

// Outcomes of many pairs in a few arrays, those of one pair after those of the other.
struct FlatOutcomes {
    std::vector<double> value, multiplier, scale, u, v, mass;
    std::vector<std::int64_t> plan_start{0};
    std::vector<Node> row, column;

    // Atoms without potentials get 0.
    void add(const Outcome& outcome, const Pair& pair) {
        value.push_back(outcome.value), multiplier.push_back(outcome.multiplier), scale.push_back(outcome.scale);
        u.insert(u.end(), outcome.u.begin(), outcome.u.end());
        u.resize(u.size() + pair.a.size() - outcome.u.size());
        v.insert(v.end(), outcome.v.begin(), outcome.v.end());
        v.resize(v.size() + pair.b.size() - outcome.v.size());
        for (const PlanEntry& entry : outcome.plan) {
            row.push_back(entry.row), column.push_back(entry.column), mass.push_back(entry.mass);
        }
        plan_start.push_back(static_cast<std::int64_t>(mass.size()));
    }
};

// One pair needs no thread of its own, which would cost more than a small pair itself.
Outcome solve_here(const Batch& batch, std::size_t s, std::size_t t, double kappa, double seconds) {
    Question question = batch.question;
    question.kappa = kappa;
    Room room;
    Pulse pulse(poll_signals, seconds);
    try {
        return solve(batch.pair(s, t), question, room, pulse);
    } catch (const TooFarApart&) {  // of one pair, the arguments have names
        throw nb::value_error("x and y are too far apart: their distance is not a float64");
    }
}

nb::tuple flat_outcomes_of(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b,
                           const Question& question, const Numbers<double>& kappas, const Numbers<std::int64_t>& first,
                           const Numbers<std::int64_t>& second, int threads, double seconds,
                           const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    const Batch batch{space.view, a.view, b.view, question};
    PairOutcomes found;
    FlatOutcomes flat;
    {
        nb::gil_scoped_release release;
        if (first.size() == 1) {
            found.outcomes.push_back(solve_here(batch, first.data()[0], second.data()[0], kappas.data()[0], seconds));
        } else {
            found = pair_outcomes(batch, view(first), view(second), effort, view(kappas));
        }
        for (std::size_t e = 0; e < found.outcomes.size(); ++e) {
            flat.add(found.outcomes[e], batch.pair(first.data()[e], second.data()[e]));
        }
    }
    const auto arrays = nb::make_tuple(
        to_array(std::move(flat.value)), to_array(std::move(flat.multiplier)), to_array(std::move(flat.scale)),
        to_array(std::move(flat.u)), to_array(std::move(flat.v)), to_array(std::move(flat.plan_start)),
        to_array(std::move(flat.row)), to_array(std::move(flat.column)), to_array(std::move(flat.mass)));
    return nb::make_tuple(arrays, as_list(found.failures));
}

nb::tuple values_within(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b,
                        const Question& question, const Numbers<std::int64_t>& first,
                        const Numbers<std::int64_t>& second, const Numbers<double>& cutoffs, int threads,
                        double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    PairsWithin result;
    {
        nb::gil_scoped_release release;
        const Batch batch{space.view, a.view, b.view, question};
        result = pair_values_within(batch, view(first), view(second), view(cutoffs), effort);
    }
    nb::list potentials;
    for (auto& u : result.u) potentials.append(to_array(std::move(u)));
    return nb::make_tuple(to_array(std::move(result.found.values)), as_list(result.found.failures),
                          to_array(std::move(result.multiplier)), potentials);
}

auto neighbour_bounds_of(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b,
                         const Question& question, const Numbers<std::int64_t>& first,
                         const Numbers<std::int64_t>& second, int threads, double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    std::vector<double> bounds;
    {
        nb::gil_scoped_release release;
        bounds = neighbour_bounds({space.view, a.view, b.view, question}, view(first), view(second), effort);
    }
    return to_array(std::move(bounds));
}

template <auto Bounds>
auto bounds_by_lines(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
                     const Numbers<std::int64_t>& first, const Numbers<std::int64_t>& second,
                     const Numbers<std::int64_t>& start, const Numbers<double>& multiplier, const Numbers<double>& u,
                     int threads, double seconds, const nb::object& progress) {
    const Effort effort{threads, seconds, reporter(progress)};
    std::vector<double> bounds;
    {
        nb::gil_scoped_release release;
        const Batch batch{space.view, a.view, b.view, question};
        bounds = Bounds(batch, view(first), view(second), {view(start), view(multiplier), view(u)}, effort);
    }
    return to_array(std::move(bounds));
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
    module.def("pair_flat_outcomes", &flat_outcomes_of, "space"_a, "a"_a, "b"_a, "question"_a, "kappas"_a, "first"_a,
               "second"_a, "threads"_a, "seconds"_a, "progress"_a.none());
    module.def("pair_values_within", &values_within, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a, "second"_a,
               "cutoffs"_a, "threads"_a, "seconds"_a, "progress"_a.none());
    module.def("neighbour_bounds", &neighbour_bounds_of, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a, "second"_a,
               "threads"_a, "seconds"_a, "progress"_a.none());
    module.def("line_bounds", &bounds_by_lines<&line_bounds>, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a,
               "second"_a, "start"_a, "multiplier"_a, "u"_a, "threads"_a, "seconds"_a, "progress"_a.none());
    module.def("mixed_bounds", &bounds_by_lines<&mixed_bounds>, "space"_a, "a"_a, "b"_a, "question"_a, "first"_a,
               "second"_a, "start"_a, "multiplier"_a, "u"_a, "threads"_a, "seconds"_a, "progress"_a.none());
}

}  // namespace rpw::python
