// What is asked and what is answered.
#include "base/question.hpp"

#include <iterator>
#include <tuple>

#include "base/crossing.hpp"
#include "bindings/arrays.hpp"
#include "ground/powers.hpp"
#include "solve/route.hpp"

namespace rpw::python {

namespace {

// A list that an object holds, as an array.
template <class Object>
auto array_of(std::vector<double> Object::* member) {
    return [member](const Object& object) { return to_array(object.*member); };
}

template <class Get>
auto column(const std::vector<PlanEntry>& plan, Get get) {
    std::vector<decltype(get(plan[0]))> values;
    values.reserve(plan.size());
    for (const auto& entry : plan) values.push_back(get(entry));
    return to_array(std::move(values));
}

nb::tuple plan_arrays(const Outcome& outcome) {
    const auto& plan = outcome.plan;
    return nb::make_tuple(column(plan, [](const auto& e) { return e.row; }),
                          column(plan, [](const auto& e) { return e.column; }),
                          column(plan, [](const auto& e) { return e.mass; }));
}

// An answer that was found elsewhere, on a GPU, in the terms of the core.
void make_outcome(Outcome* self, Status status, Solver solver, double value, double lower, double upper, double cost,
                  double multiplier, double scale, long iterations, const Numbers<double>& u, const Numbers<double>& v,
                  const Numbers<Node>& row, const Numbers<Node>& column, const Numbers<double>& mass) {
    const auto copy = [](std::span<const double> numbers) {
        return std::vector<double>(numbers.begin(), numbers.end());
    };
    if (row.shape(0) != column.shape(0) || row.shape(0) != mass.shape(0)) {
        throw std::invalid_argument("row, column and mass must have one length");
    }
    new (self) Outcome;
    self->status = status, self->solver = solver;
    self->value = value, self->lower = lower, self->upper = upper, self->cost = cost;
    self->multiplier = multiplier, self->scale = scale, self->iterations = iterations;
    self->u = copy(view(u)), self->v = copy(view(v));
    self->plan.reserve(row.shape(0));
    for (std::size_t e = 0; e < row.shape(0); ++e) {
        self->plan.push_back({row.data()[e], column.data()[e], mass.data()[e]});
        self->unmoved -= mass.data()[e];
    }
}

nb::list route_in_words(const Outcome& outcome) {
    nb::list route;
    for (const auto& [engine, declined] : outcome.route) {
        const char* said = declined ? name_of(*declined, declined_in_words) : "answered";
        route.append(nb::make_tuple(name_of(engine, engine_names), said));
    }
    return route;
}

void bind_enums(nb::module_& module) {
    nb::enum_<Quantity>(module, "Quantity")
        .value("crossing", Quantity::crossing)
        .value("mass", Quantity::mass)
        .value("shared", Quantity::shared)
        .value("crossings", Quantity::crossings)
        .value("profile", Quantity::profile);
    nb::enum_<Need>(module, "Need").value("value", Need::value).value("bounds", Need::bounds).value("plan", Need::plan);
    nb::enum_<Solver> solvers(module, "Solver");
    for (std::size_t s = 0; s < std::size(solver_names); ++s) solvers.value(solver_names[s], static_cast<Solver>(s));
    nb::enum_<Status>(module, "Status")
        .value("exact", Status::exact)
        .value("tolerance", Status::tolerance)
        .value("time_limit", Status::time_limit)
        .value("beyond_cutoff", Status::beyond_cutoff);
}

}  // namespace

void bind_question(nb::module_& module) {
    using namespace nb::literals;
    bind_enums(module);
    nb::class_<Question>(module, "Question")
        .def(
            "__init__",
            [](Question* self, Quantity quantity, double p, double kappa, double unmoved, double truncation, double tol,
               Solver solver, Need need, std::size_t max_breakpoints) {
                new (self) Question{quantity, p, kappa, unmoved, truncation, 1.0, tol, solver, need, max_breakpoints};
            },
            "quantity"_a, nb::kw_only(), "p"_a, "kappa"_a = 1.0, "unmoved"_a = 0.0, "truncation"_a = unreachable,
            "tol"_a = 0.0, "solver"_a = Solver::exact, "need"_a = Need::value,
            "max_breakpoints"_a = Question{}.max_breakpoints);
    nb::class_<Outcome>(module, "Outcome")
        .def("__init__", &make_outcome, nb::kw_only(), "status"_a, "solver"_a, "value"_a, "lower"_a, "upper"_a,
             "cost"_a, "multiplier"_a, "scale"_a, "iterations"_a, "u"_a, "v"_a, "row"_a, "column"_a, "mass"_a)
        .def_ro("status", &Outcome::status)
        .def_ro("solver", &Outcome::solver)
        .def_ro("value", &Outcome::value)
        .def_ro("lower", &Outcome::lower)
        .def_ro("upper", &Outcome::upper)
        .def_ro("cost", &Outcome::cost)
        .def_ro("multiplier", &Outcome::multiplier)
        .def_ro("scale", &Outcome::scale)
        .def_ro("iterations", &Outcome::iterations)
        .def_prop_ro("has_potentials", [](const Outcome& o) { return !o.v.empty(); })
        .def_prop_ro("u", array_of(&Outcome::u), own)
        .def_prop_ro("v", array_of(&Outcome::v), own)
        .def_prop_ro("plan", &plan_arrays, own)
        .def_prop_ro("route", &route_in_words)
        .def_prop_ro("lengths", array_of(&Outcome::lengths), own);
    nb::class_<Curve>(module, "Curve")
        .def_prop_ro("unmoved", array_of(&Curve::unmoved), own)
        .def_prop_ro("cost", array_of(&Curve::cost), own)
        .def_prop_ro("slope", array_of(&Curve::slope), own)
        .def_prop_ro("used_up_a", array_of(&Curve::used_up_a), own)
        .def_prop_ro("used_up_b", array_of(&Curve::used_up_b), own)
        .def_ro("scale", &Curve::scale)
        .def_ro("solver", &Curve::solver);
    module.def(
        "scaled_price",
        [](double kappa, double scale) {
            const Price price = scaled_price(kappa, scale);
            return std::pair(price.kappa, price.shrink);
        },
        "kappa"_a, "scale"_a);
    module.def(
        "choose",
        [](const Question& question, bool is_on_line, bool has_labels, bool has_matrix, Node rows, Node columns,
           Node dimension) {
            const auto distances = has_matrix ? Layout::Distances::in_matrix : Layout::Distances::from_points;
            const Layout layout{is_on_line, has_labels, rows, columns, dimension, distances};
            const Route route = route_of(question, layout);
            const int bytes = bytes_per_pair(route, question, layout);
            return std::tuple(solver_of(route, question), reason_of(route, question), bytes);
        },
        "question"_a, "is_on_line"_a, "has_labels"_a, "has_matrix"_a, "rows"_a, "columns"_a, "dimension"_a);
    module.def("root", &root, "x"_a, "p"_a);
    module.def("crossing", &crossing, "height"_a, "slope"_a, "kappa"_a, "p"_a);
}

}  // namespace rpw::python
