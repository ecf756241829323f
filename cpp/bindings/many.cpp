// Many pairs, and search.
#include "bindings/arrays.hpp"
#include "bindings/lock.hpp"
#include "ground/distances.hpp"
#include "many/bounds.hpp"
#include "many/pair_values.hpp"
#include "solve/solve.hpp"

namespace rpw::python {

namespace {

// Passes progress on to Python, and lets Ctrl-C through.
Report reporter(const nb::object& progress) {
    return [progress](std::size_t done) {
        poll_signals();
        if (progress.is_none()) return;
        const Locked locked;
        call(progress, done);
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

nb::tuple to_python(PairProfiles result) {
    nb::list bands;
    for (auto& band : result.bands) {
        if (!band) {
            bands.append(nb::none());
            continue;
        }
        bands.append(nb::make_tuple(std::move(band->upper), std::move(band->lower)));
    }
    return nb::make_tuple(bands, to_python(result.failures));
}

// Outcomes of many pairs in a few arrays, those of one pair after those of the other.
struct FlatOutcomes {
    std::vector<double> value, multiplier, scale, u, v, mass;
    std::vector<std::int64_t> plan_start{0};
    std::vector<Node> row, column;
    std::vector<PairFailure> failures;

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

nb::tuple to_python(FlatOutcomes flat) {
    const auto arrays = nb::make_tuple(
        to_array(std::move(flat.value)), to_array(std::move(flat.multiplier)), to_array(std::move(flat.scale)),
        to_array(std::move(flat.u)), to_array(std::move(flat.v)), to_array(std::move(flat.plan_start)),
        to_array(std::move(flat.row)), to_array(std::move(flat.column)), to_array(std::move(flat.mass)));
    return nb::make_tuple(arrays, to_python(flat.failures));
}

using Ints = const Numbers<std::int64_t>;
using Floats = const Numbers<double>;
using Values = const WritableNumbers;

// What is no array is passed on as it is.
using python::view;
Cuts& view(Cuts& cuts) { return cuts; }
std::size_t view(std::size_t number) { return number; }

// Function(batch, pairs, extra arguments …, effort), called without the GIL.
template <auto Function, class... Extra>
struct Binding {
    static auto call(const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
                     Ints& first, Ints& second, Extra&... extra, int threads, double seconds,
                     const nb::object& progress) {
        const Effort effort{threads, seconds, reporter(progress)};
        const auto compute = [&] {
            const Unlocked unlocked;
            const Batch batch{space.view, a.view, b.view, question};
            return Function(batch, {view(first), view(second)}, view(extra)..., effort);
        };
        return to_python(compute());
    }
};

PairOutcomes outcomes_of(const Batch& batch, const Pairs& pairs, std::span<const double> kept_back,
                         const Effort& effort) {
    Effort shared = effort;
    shared.kept_back = kept_back;
    return pair_outcomes(batch, pairs, {}, shared);
}

// One pair needs no thread of its own, which would cost more than a small pair itself.
Outcome solve_here(const Pair& pair, Question question, double kappa, double seconds) {
    question.kappa = kappa;
    Room room;
    Pulse pulse(poll_signals, seconds);
    try {
        return solve(pair, question, room, pulse);
    } catch (const TooFarApart&) {  // of one pair, the arguments have names
        throw nb::value_error("x and y are too far apart: their distance is not a float64");
    }
}

FlatOutcomes flat_outcomes_of(const Batch& batch, const Pairs& pairs, std::span<const double> kappas,
                              const Effort& effort) {
    PairOutcomes found;
    if (pairs.size() == 1) {
        found.outcomes.push_back(solve_here(pairs.of(batch, 0), batch.question, kappas[0], effort.seconds));
    } else {
        found = pair_outcomes(batch, pairs, kappas, effort);
    }
    FlatOutcomes flat;
    for (std::size_t e = 0; e < pairs.size(); ++e) flat.add(found.outcomes[e], pairs.of(batch, e));
    flat.failures = std::move(found.failures);
    return flat;
}

void add_cut(Cuts& cuts, std::size_t query, double multiplier, Floats& u) {
    cuts.add(query, {multiplier, {u.data(), u.data() + u.size()}});
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
    nb::class_<Cuts>(module, "Cuts")
        .def(nb::init<std::size_t>(), "count"_a)
        .def("add", &add_cut, "query"_a, "multiplier"_a, "u"_a)
        .def("count", &Cuts::count, "query"_a)
        .def("forget", &Cuts::forget, "query"_a);
    const auto values = "values"_a.noconvert();  // a copy would be filled in vain
    define<Binding<&pair_values, Values>>(module, "pair_values", values);
    define<Binding<&pair_values_at, Values, Floats>>(module, "pair_values_at", values, "kappas"_a);
    define<Binding<&outcomes_of, Floats>>(module, "pair_outcomes", "kept_back"_a);
    define<Binding<&flat_outcomes_of, Floats>>(module, "pair_flat_outcomes", "kappas"_a);
    define<Binding<&pair_profiles>>(module, "pair_profiles");
    define<Binding<&pair_values_within, Floats, Cuts>>(module, "pair_values_within", "cutoffs"_a, "cuts"_a);
    define<Binding<&neighbour_bounds>>(module, "neighbour_bounds");
    define<Binding<&cut_bounds, Cuts, Ints>>(module, "cut_bounds", "cuts"_a, "since"_a);
    define<Binding<&mixed_bounds, Cuts, const std::size_t>>(module, "mixed_bounds", "cuts"_a, "most"_a);
}

}  // namespace rpw::python
