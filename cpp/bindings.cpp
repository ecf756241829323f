// The only file that knows Python: NumPy arrays in, NumPy arrays out, the GIL released while the core works.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "blocks.hpp"
#include "crossing.hpp"
#include "powers.hpp"
#include "solve.hpp"

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

rpw::Problem as_problem(const Matrix& cost, const Masses& a, const Masses& b) {
    return {{cost.data(), static_cast<rpw::Node>(cost.shape(0)), static_cast<rpw::Node>(cost.shape(1))},
            {a.data(), a.shape(0)},
            {b.data(), b.shape(0)}};
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
        blocks = rpw::label_zero_blocks(
            {cost.data(), static_cast<rpw::Node>(cost.shape(0)), static_cast<rpw::Node>(cost.shape(1))}, of_row,
            of_column);
    }
    if (!blocks) return nb::none();
    return nb::make_tuple(to_array(std::move(of_row)), to_array(std::move(of_column)));
}

}  // namespace

NB_MODULE(_core, module) {
    using namespace nb::literals;
    module.doc() = "The compiled core of rpw. Internal: inputs are trusted, see rpw.solve for the checked interface.";

    constexpr auto own = nb::rv_policy::automatic;  // arrays carry their owner with them

    nb::enum_<rpw::Status>(module, "Status")
        .value("exact", rpw::Status::exact)
        .value("tolerance", rpw::Status::tolerance)
        .value("time_limit", rpw::Status::time_limit);

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
    module.def("scaled_powers", &scaled_powers, "distances"_a, "scale"_a, "p"_a, "out"_a);
    module.def("match_blocks", &match_blocks, "a"_a, "b"_a, "of_row"_a, "of_column"_a, "labels"_a);
    module.def("label_zero_blocks", &label_zero_blocks, "cost"_a);
    module.def("crossing", &rpw::crossing, "height"_a, "slope"_a, "kappa"_a, "p"_a);
}
