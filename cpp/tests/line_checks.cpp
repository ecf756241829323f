// Measures on the line, which need no matrix.
#include <cmath>
#include <vector>

#include "solve/solve.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

// The points (3t, 4t) lie five times as far apart as t.
std::vector<double> slanted(const std::vector<double>& places) {
    std::vector<double> points;
    for (const double t : places) points.insert(points.end(), {3 * t, 4 * t});
    return points;
}

}  // namespace

// Points on the line, many of them equal: primal = dual for every question, and the same numbers as with a matrix.
void check_line(Checker& checker, Node rows, Node columns, bool on_grid) {
    std::vector<double> x(rows), y(columns), cost;
    for (double& at : x) at = on_grid ? below(7) : uniform();
    for (double& at : y) at = on_grid ? below(7) : uniform();
    for (const double from : x) {
        for (const double to : y) cost.push_back(std::abs(from - to));
    }
    const auto a = draw_masses(rows, static_cast<Weights>(below(static_cast<int>(Weights::count))));
    const auto b = draw_masses(columns, static_cast<Weights>(below(static_cast<int>(Weights::count))));
    const Instance instance{"line", rows, columns, cost, a, b};
    checker.start(instance);
    const rpw::Space on_line, with_matrix{{}, rpw::PlaceMatrix{cost.data(), rows, columns, columns, 1, nullptr}};
    const rpw::Measure first{a, {x.data(), rows, 1}, {}, {}}, second{b, {y.data(), columns, 1}, {}, {}};
    const std::vector<double> slanted_x = slanted(x), slanted_y = slanted(y);
    const rpw::Measure third{a, {slanted_x.data(), rows, 2}, {}, {}}, fourth{b, {slanted_y.data(), columns, 2}, {}, {}};
    rpw::Room room;
    rpw::Pulse pulse(nullptr, 1e9);
    for (const double p : {1.0, 1.5, 2.0, rpw::unreachable}) {
        rpw::Question question;
        question.p = p;
        question.unmoved = 0.3;
        question.kappa = 2.5;
        const double along = rpw::solve({on_line, third, fourth}, question, room, pulse).value;
        question.kappa = 0.5;
        const double plain = rpw::solve({on_line, first, second}, question, room, pulse).value;
        checker.expect(std::abs(along - plain) <= slack, "slanted line = line", along, plain);
        question.need = rpw::Need::plan;
        for (const auto quantity : {rpw::Quantity::crossing, rpw::Quantity::mass}) {
            question.quantity = quantity;
            const auto found = rpw::solve({on_line, first, second}, question, room, pulse);
            const auto dense = rpw::solve({with_matrix, first, second}, question, room, pulse);
            checker.expect(found.solver == rpw::Solver::line, "the line answers");
            checker.expect(std::abs(found.value - dense.value) <= slack, "line = matrix", found.value, dense.value);
            checker.expect(found.upper - found.lower <= slack, "bounds meet", found.lower, found.upper);
            checker.expect(checker.moved(found.plan) >= 1 - found.unmoved - slack, "mass of the plan");
        }
        question.tol = p == 1 ? 0 : 0.05;
        const auto curve = rpw::whole_profile({on_line, first, second}, question, room, pulse).upper;
        checker.expect(curve.unmoved.back() == 0, "profile ends at mass 1", curve.unmoved.back());
        if (!std::isinf(p)) continue;
        question.tol = 0;
        const auto steps = rpw::whole_profile({on_line, first, second}, question, room, pulse).upper;
        const auto dense = rpw::whole_profile({with_matrix, first, second}, question, room, pulse).upper;
        checker.expect(steps.cost == dense.cost, "steps of line = steps of matrix");
    }
    rpw::Pulse late(nullptr, 0);
    const auto early = rpw::solve({on_line, first, second}, {}, room, late);
    checker.expect(early.lower <= early.upper, "deadline on the line");
}

}  // namespace rpw::tests
