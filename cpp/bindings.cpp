// The only file that knows Python: NumPy arrays in, NumPy arrays out, the GIL released while the core works.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "blocks.hpp"
#include "collection.hpp"
#include "crossing.hpp"
#include "distances.hpp"
#include "many.hpp"
#include "powers.hpp"
#include "scale.hpp"
#include "solve.hpp"
#include "transport.hpp"

namespace nb = nanobind;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Masses = nb::ndarray<const rpw::Mass, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector over to NumPy without copying.
template <class T>
Array<T> to_array(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

template <class Get>
auto column(const std::vector<rpw::PlanEntry>& plan, Get get) {
    std::vector<decltype(get(plan[0]))> values;
    values.reserve(plan.size());
    for (const auto& entry : plan) values.push_back(get(entry));
    return to_array(std::move(values));
}

nb::tuple plan_arrays(const std::vector<rpw::PlanEntry>& plan) {
    return nb::make_tuple(column(plan, [](const auto& e) { return e.row; }),
                          column(plan, [](const auto& e) { return e.column; }),
                          column(plan, [](const auto& e) { return e.mass; }));
}

rpw::CostMatrix as_cost_matrix(const Matrix& cost) {
    return {cost.data(), static_cast<rpw::Node>(cost.shape(0)), static_cast<rpw::Node>(cost.shape(1))};
}

rpw::Problem as_problem(const Matrix& cost, const Masses& a, const Masses& b) {
    return {as_cost_matrix(cost), {a.data(), a.shape(0)}, {b.data(), b.shape(0)}};
}

// Lets Ctrl-C through: runs pending signal handlers and turns what they raise into an exception.
void poll_signals() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Runs one function of the core with the GIL released.
template <class Function, class... Arguments>
auto run(Function function, const Matrix& cost, const Masses& a, const Masses& b, double seconds,
         Arguments... arguments) {
    const rpw::Problem problem = as_problem(cost, a, b);
    nb::gil_scoped_release release;
    rpw::Pulse pulse(poll_signals, seconds);
    return function(problem, arguments..., pulse);
}

template <class Cost>
using Rounded = nb::ndarray<const Cost, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Cost>
rpw::RoundedProblem<Cost> as_rounded(const Rounded<Cost>& cost, const Masses& a, const Masses& b, Cost cap) {
    return {cost.data(), {a.data(), a.shape(0)}, {b.data(), b.shape(0)}, cap};
}

// The LMR functions for one width of integer costs; Python picks the overload by the type of the array.
template <class Cost>
void bind_lmr(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "cross_lmr",
        [](Rounded<Cost> cost, Masses a, Masses b, Cost cap, double kappa, double p, double tol, double seconds) {
            const auto problem = as_rounded(cost, a, b, cap);
            nb::gil_scoped_release release;
            rpw::Pulse pulse(poll_signals, seconds);
            return rpw::cross_lmr(problem, kappa, p, tol, pulse);
        },
        "cost"_a, "a"_a, "b"_a, "cap"_a, "kappa"_a, "p"_a, "tol"_a, "seconds"_a);
    module.def(
        "rounded_powers",
        [](Matrix distances, double scale, double p, double unit, Cost cap,
           nb::ndarray<Cost, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
            nb::gil_scoped_release release;
            rpw::rounded_powers(distances.data(), distances.size(), scale, p, unit, cap, out.data());
        },
        "distances"_a, "scale"_a, "p"_a, "unit"_a, "cap"_a, "out"_a);
    module.def(
        "lmr_profile",
        [](Rounded<Cost> cost, Masses a, Masses b, Cost cap, double seconds) {
            const auto problem = as_rounded(cost, a, b, cap);
            nb::gil_scoped_release release;
            rpw::Pulse pulse(poll_signals, seconds);
            return rpw::lmr_profile(problem, pulse);
        },
        "cost"_a, "a"_a, "b"_a, "cap"_a, "seconds"_a);
}

using Room = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void scaled_powers(Matrix distances, double scale, double p, Room out) {
    nb::gil_scoped_release release;
    rpw::scaled_powers(distances.data(), distances.size(), scale, p, out.data());
}

using Places = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A collection together with the NumPy arrays that it looks into.
struct OwnedCollection {
    OwnedCollection(Labels start, Masses mass, Matrix points, Places place, Labels label)
        : start_(start), mass_(mass), points_(points), place_(place), label_(label) {
        view.start = {start.data(), start.shape(0)};
        view.mass = {mass.data(), mass.shape(0)};
        if (points.is_valid()) {
            view.points = points.data();
            view.dimension = static_cast<rpw::Node>(points.shape(1));
        }
        if (place.is_valid()) view.place = {place.data(), place.shape(0)};
        if (label.is_valid()) view.label = {label.data(), label.shape(0)};
    }

    rpw::Collection view;

private:
    Labels start_;
    Masses mass_;
    Matrix points_;
    Places place_;
    Labels label_;
};

// A task together with the shared matrix that it looks into.
struct OwnedTask {
    OwnedTask(rpw::Quantity quantity, double p, double kappa, double unmoved, double truncation, rpw::Metric metric,
              Matrix shared)
        : shared_(shared) {
        view = {quantity, p, kappa, unmoved, truncation, metric, {nullptr, 0, 0}};
        if (shared.is_valid()) view.shared = as_cost_matrix(shared);
    }

    rpw::PairTask view;

private:
    Matrix shared_;
};

// Passes progress on to Python, and lets Ctrl-C through.
rpw::Report reporter(nb::object progress) {
    return [progress](std::size_t done) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none()) progress(done);
    };
}

nb::tuple pair_values(const OwnedCollection& a, const OwnedCollection& b, const OwnedTask& task, Labels first,
                      Labels second, int threads, nb::object progress) {
    const rpw::Report report = reporter(progress);
    rpw::PairValues result;
    {
        nb::gil_scoped_release release;
        result = rpw::pair_values(a.view, b.view, task.view, {first.data(), first.shape(0)},
                                  {second.data(), second.shape(0)}, threads, report);
    }
    nb::list failures;
    for (const auto& failure : result.failures) failures.append(nb::make_tuple(failure.pair, failure.reason));
    return nb::make_tuple(to_array(std::move(result.values)), failures);
}

nb::tuple search(const OwnedCollection& queries, const OwnedCollection& items, const OwnedTask& task, std::size_t top,
                 double radius, Matrix to_pivots, Matrix from_pivots, int threads, nb::object progress) {
    const rpw::Report report = reporter(progress);
    rpw::SearchResult result;
    {
        nb::gil_scoped_release release;
        result = rpw::search(queries.view, items.view, task.view, top, radius, {to_pivots.data(), to_pivots.size()},
                             {from_pivots.data(), from_pivots.size()}, threads, report);
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
    return nb::make_tuple(neighbours, nb::make_tuple(counts.bounded, counts.stopped_early, counts.solved));
}

void bind_many(nb::module_& module) {
    using namespace nb::literals;
    nb::enum_<rpw::Metric>(module, "Metric")
        .value("euclidean", rpw::Metric::euclidean)
        .value("cityblock", rpw::Metric::cityblock)
        .value("chebyshev", rpw::Metric::chebyshev);
    nb::enum_<rpw::Quantity>(module, "Quantity")
        .value("crossing", rpw::Quantity::crossing)
        .value("mass", rpw::Quantity::mass)
        .value("shared", rpw::Quantity::shared);
    nb::class_<OwnedCollection>(module, "Collection")
        .def(nb::init<Labels, Masses, Matrix, Places, Labels>(), "start"_a, "mass"_a, "points"_a.none(),
             "place"_a.none(), "label"_a.none());
    nb::class_<OwnedTask>(module, "PairTask")
        .def(nb::init<rpw::Quantity, double, double, double, double, rpw::Metric, Matrix>(), "quantity"_a, "p"_a,
             "kappa"_a, "unmoved"_a, "truncation"_a, "metric"_a, "shared"_a.none());
    module.def("pair_values", &pair_values, "a"_a, "b"_a, "task"_a, "first"_a, "second"_a, "threads"_a,
               "progress"_a.none());
    module.def("search", &search, "queries"_a, "items"_a, "task"_a, "top"_a, "radius"_a, "to_pivots"_a, "from_pivots"_a,
               "threads"_a, "progress"_a.none());
}

rpw::Points as_points(const Matrix& points) {
    return {points.data(), static_cast<rpw::Node>(points.shape(0)), static_cast<rpw::Node>(points.shape(1))};
}

void fill_distances(Matrix x, Matrix y, rpw::Metric metric, double unit, Room out) {
    nb::gil_scoped_release release;
    rpw::fill_distances(as_points(x), as_points(y), metric, unit, out.data());
}

nb::tuple match_blocks(const Masses& a, const Masses& b, const Labels& of_row, const Labels& of_column,
                       std::size_t labels) {
    rpw::BlockMatch match;
    {
        nb::gil_scoped_release release;
        match = rpw::match_blocks({a.data(), a.shape(0)}, {b.data(), b.shape(0)}, {of_row.data(), of_row.shape(0)},
                                  {of_column.data(), of_column.shape(0)}, labels);
    }
    const double unmoved = static_cast<double>(match.total - match.moved) / static_cast<double>(match.total);
    return nb::make_tuple(unmoved, plan_arrays(match.plan));
}

nb::object label_zero_blocks(const Matrix& cost) {
    std::vector<std::int64_t> of_row, of_column;
    bool blocks = false;
    {
        nb::gil_scoped_release release;
        blocks = rpw::label_zero_blocks(as_cost_matrix(cost), of_row, of_column);
    }
    if (!blocks) return nb::none();
    return nb::make_tuple(to_array(std::move(of_row)), to_array(std::move(of_column)));
}

}  // namespace

NB_MODULE(_core, module) {
    using namespace nb::literals;
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const rpw::PairOutOfMemory& e) {
            PyErr_SetString(PyExc_MemoryError, e.what());
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, rpw::PairOutOfMemory::out_of_memory);
        }
    });
    module.doc() = "The compiled core of rpw. Internal: inputs are trusted, see rpw.solve for the checked interface.";

    constexpr auto own = nb::rv_policy::automatic;  // arrays carry their owner with them

    nb::enum_<rpw::Status>(module, "Status")
        .value("exact", rpw::Status::exact)
        .value("tolerance", rpw::Status::tolerance)
        .value("time_limit", rpw::Status::time_limit)
        .value("beyond_cutoff", rpw::Status::beyond_cutoff);

    nb::class_<rpw::Outcome>(module, "Outcome")
        .def_ro("status", &rpw::Outcome::status)
        .def_ro("unmoved", &rpw::Outcome::unmoved)
        .def_ro("cost", &rpw::Outcome::cost)
        .def_ro("multiplier", &rpw::Outcome::multiplier)
        .def_ro("dual_height", &rpw::Outcome::dual_height)
        .def_ro("iterations", &rpw::Outcome::iterations)
        .def_prop_ro(
            "u", [](const rpw::Outcome& o) { return to_array(o.u); }, own)
        .def_prop_ro(
            "v", [](const rpw::Outcome& o) { return to_array(o.v); }, own)
        .def_prop_ro("plan", [](const rpw::Outcome& o) { return plan_arrays(o.plan); }, own);

    nb::class_<rpw::Curve>(module, "Curve")
        .def_prop_ro(
            "unmoved", [](const rpw::Curve& c) { return to_array(c.unmoved); }, own)
        .def_prop_ro(
            "cost", [](const rpw::Curve& c) { return to_array(c.cost); }, own)
        .def_prop_ro(
            "slope", [](const rpw::Curve& c) { return to_array(c.slope); }, own)
        .def_ro("complete", &rpw::Curve::complete);

    module.def(
        "cross_profile",
        [](Matrix cost, Masses a, Masses b, double kappa, double p, double tol, double seconds) {
            return run(rpw::cross_profile, cost, a, b, seconds, kappa, p, tol);
        },
        "cost"_a, "a"_a, "b"_a, "kappa"_a, "p"_a, "tol"_a, "seconds"_a);
    module.def(
        "profile_at",
        [](Matrix cost, Masses a, Masses b, double unmoved, double seconds) {
            return run(rpw::profile_at, cost, a, b, seconds, unmoved);
        },
        "cost"_a, "a"_a, "b"_a, "unmoved"_a, "seconds"_a);
    module.def(
        "whole_profile",
        [](Matrix cost, Masses a, Masses b, double seconds) { return run(rpw::whole_profile, cost, a, b, seconds); },
        "cost"_a, "a"_a, "b"_a, "seconds"_a);
    module.def(
        "cross_thresholds",
        [](Matrix cost, Masses a, Masses b, double kappa, double tol, double seconds) {
            return run(rpw::cross_thresholds, cost, a, b, seconds, kappa, tol);
        },
        "cost"_a, "a"_a, "b"_a, "kappa"_a, "tol"_a, "seconds"_a);
    module.def(
        "threshold_at",
        [](Matrix cost, Masses a, Masses b, double unmoved, double seconds) {
            return run(rpw::threshold_at, cost, a, b, seconds, unmoved);
        },
        "cost"_a, "a"_a, "b"_a, "unmoved"_a, "seconds"_a);
    module.def(
        "whole_thresholds",
        [](Matrix cost, Masses a, Masses b, double seconds) { return run(rpw::whole_thresholds, cost, a, b, seconds); },
        "cost"_a, "a"_a, "b"_a, "seconds"_a);
    module.def(
        "flow_at_zero",
        [](Matrix cost, Masses a, Masses b, double seconds) { return run(rpw::flow_at_zero, cost, a, b, seconds); },
        "cost"_a, "a"_a, "b"_a, "seconds"_a);
    bind_lmr<std::int32_t>(module);
    bind_lmr<std::int64_t>(module);
    bind_many(module);
    module.def(
        "scale_for_crossing",
        [](Matrix distances, Masses a, Masses b, double kappa, double p, double seconds) {
            return run(rpw::scale_for_crossing, distances, a, b, seconds, kappa, p);
        },
        "distances"_a, "a"_a, "b"_a, "kappa"_a, "p"_a, "seconds"_a);
    module.def(
        "scale_for_mass",
        [](Matrix distances, Masses a, Masses b, double unmoved, double p, double seconds) {
            return run(rpw::scale_for_mass, distances, a, b, seconds, unmoved, p);
        },
        "distances"_a, "a"_a, "b"_a, "unmoved"_a, "p"_a, "seconds"_a);
    module.def(
        "scaled_price",
        [](double kappa, double scale) {
            const rpw::Price price = rpw::scaled_price(kappa, scale);
            return std::pair(price.kappa, price.shrink);
        },
        "kappa"_a, "scale"_a);
    module.def(
        "transport_cost",
        [](Matrix cost, Masses a, Masses b, double seconds) { return run(rpw::transport_cost, cost, a, b, seconds); },
        "cost"_a, "a"_a, "b"_a, "seconds"_a);
    module.def(
        "length_unit", [](Matrix x, Matrix y) { return rpw::length_unit(as_points(x), as_points(y)); }, "x"_a, "y"_a);
    module.def(
        "box_diameter",
        [](Matrix x, Matrix y, rpw::Metric metric) {
            nb::gil_scoped_release release;
            return rpw::box_diameter(as_points(x), as_points(y), metric);
        },
        "x"_a, "y"_a, "metric"_a);
    module.def("fill_distances", &fill_distances, "x"_a, "y"_a, "metric"_a, "unit"_a, "out"_a);
    module.def("root", &rpw::root, "x"_a, "p"_a);
    module.def(
        "largest_if_sound",
        [](Matrix cost) -> std::optional<double> {
            nb::gil_scoped_release release;
            const rpw::Range range = rpw::range_of(cost.data(), cost.size());
            return range.is_sound ? std::optional(range.largest) : std::nullopt;
        },
        "cost"_a);
    module.def(
        "cross_profile_value",
        [](Matrix cost, Masses a, Masses b, double kappa, double p, double seconds) {
            return run(rpw::cross_profile_value, cost, a, b, seconds, kappa, p, 1.0).distance;
        },
        "cost"_a, "a"_a, "b"_a, "kappa"_a, "p"_a, "seconds"_a);
    module.def("scaled_powers", &scaled_powers, "distances"_a, "scale"_a, "p"_a, "out"_a);
    module.def("match_blocks", &match_blocks, "a"_a, "b"_a, "of_row"_a, "of_column"_a, "labels"_a);
    module.def("label_zero_blocks", &label_zero_blocks, "cost"_a);
    module.def("crossing", &rpw::crossing, "height"_a, "slope"_a, "kappa"_a, "p"_a);
}
