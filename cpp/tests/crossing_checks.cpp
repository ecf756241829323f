// RPW at finite p: the crossing, its bounds, early stops, and the two strategies.
#include <algorithm>
#include <cmath>

#include "base/crossing.hpp"
#include "simplex/fixed_simplex.hpp"
#include "tests/basis_checks.hpp"
#include "tests/checker.hpp"
#include "walk/profile_walk.hpp"

namespace rpw::tests {

void Checker::check_crossing(double kappa, double p) {
    const rpw::Outcome outcome = cross(kappa, p, 0);
    check_profile_outcome(outcome, p);
    const double lower = rpw::crossing(height_of(outcome), outcome.multiplier, kappa, p);
    expect(outcome.lower <= outcome.upper && outcome.upper == outcome.unmoved, "bounds", outcome.lower);
    expect(lower <= outcome.unmoved + slack, "lower <= upper", lower, outcome.unmoved);
    const double gap = slack * std::min(1.0, 1 / kappa) + 1e-12 * outcome.unmoved + 1e-15;
    expect(lower >= outcome.unmoved - gap, "gap", lower, outcome.unmoved);
    const double reached = outcome.cost, line = kappa * outcome.unmoved;
    expect(reached <= line + slack * std::max(kappa, 1e-300), "below the line", reached, line);
    check_early_stops(outcome.unmoved, kappa, p);
}

void Checker::check_early_stops(double exact, double kappa, double p) {
    for (const double tol : {1e-3, 0.3}) {
        const rpw::Outcome outcome = cross(kappa, p, tol);
        check_interval(outcome, exact);
        expect(outcome.unmoved - exact <= tol + 1e-12, "tol", outcome.unmoved, exact);
    }
    check_interval(cross(kappa, p, 0, 0), exact);
}

// Either strategy alone finds what the rule between them finds, and proves it; cut off, it brackets it.
void Checker::check_strategies(double kappa, double p) {
    const double exact = cross(kappa, p, 0).value;
    const rpw::Outcome half = move(0.5, 1e9);
    for (const rpw::Solver solver : {rpw::Solver::walk, rpw::Solver::simplex}) {
        const rpw::Outcome crossed = cross(kappa, p, 0, 1e9, solver);
        check_profile_outcome(crossed, p);
        expect(std::abs(crossed.value - exact) <= 1e-12, "strategies agree", crossed.value, exact);
        check_interval(cross(kappa, p, 0.1, 1e9, solver), exact);
        check_interval(cross(kappa, p, 0, 0, solver), exact);
        const rpw::Outcome moved = move(0.5, 1e9, solver);
        check_profile_outcome(moved, 1);
        const double rounding = 1e-12 * half.value + 4e-14 * std::max(moved.multiplier, half.multiplier);
        expect(std::abs(moved.value - half.value) <= rounding, "strategies agree on a mass", moved.value, half.value);
    }
}

// The simplex keeps a strongly feasible forest from one multiplier to the next, and when it is cut off; a forest
// that it leaves is one that the walk can go on from.
void Checker::check_simplex() {
    rpw::Pulse pulse(nullptr, 1e9);
    rpw::FixedSimplex simplex(powers_, pulse);
    for (const double part : {0.1, 1.0, 0.5, 3.0, 0.7}) {
        simplex.solve(part * instance_->largest());
        expect(broken_rule(*instance_, simplex.basis()) == nullptr, "basis of the simplex");
    }
    rpw::ProfileWalk walk(powers_, pulse, simplex.basis(), simplex.lambda(), rpw::unreachable);
    while (walk.find_edge()) walk.take_edge();
    expect(walk.moved() == walk.total(), "the walk from a basis of the simplex");
    expect(broken_rule(*instance_, walk.forest().basis()) == nullptr, "basis of the walk");
    const double whole = move(0, 1e9).cost, rounding = slack * walk.lambda() + 1e-300;
    expect(std::abs(walk.plan_cost_p() - whole) <= rounding, "cost of that walk", walk.plan_cost_p(), whole);
    check_interrupted_simplex(pulse);
    check_listed_simplex(pulse);
    rpw::Pulse impatient(nullptr, 0);
    rpw::FixedSimplex hurried(powers_, impatient);
    (void)rpw::ends_in_time([&] { hurried.solve(instance_->largest()); });
    expect(broken_rule(*instance_, hurried.basis()) == nullptr, "basis of an early stop");
}

// A solve in pieces, each of which is stopped after a round or so, ends where one in one go does.
void Checker::check_interrupted_simplex(rpw::Pulse& pulse) {
    rpw::FixedSimplex whole(powers_, pulse), pieces(powers_, pulse);
    const double lambda = instance_->largest();
    const Node nodes = instance_->rows + instance_->columns;
    expect(whole.solve(lambda), "a solve without a limit");
    if (whole.pivots() > 0) expect(!pieces.solve(lambda, 0), "no work is allowed");
    for (int piece = 0; !pieces.solve(lambda, pieces.work() + 6.0 * nodes) && piece < 10000; ++piece) {
        expect(broken_rule(*instance_, pieces.basis()) == nullptr, "basis of a solve that was stopped");
    }
    const auto objective = [&](const rpw::FixedSimplex& simplex) {
        return simplex.point().cost_p - lambda * (1 - simplex.point().unmoved);
    };
    expect(std::abs(objective(whole) - objective(pieces)) <= slack * lambda, "a solve in pieces", objective(pieces),
           objective(whole));
}

// Over a list of all arcs, by rows or by columns, the simplex finds what it finds on a matrix.
void Checker::check_listed_simplex(rpw::Pulse& pulse) {
    rpw::FixedSimplex on_matrix(powers_, pulse);
    for (const bool are_columns : {false, true}) {
        const Node strips = are_columns ? instance_->columns : instance_->rows;
        const Node kept = are_columns ? instance_->rows : instance_->columns;
        rpw::ArcList arcs;
        for (Node s = 0; s < strips; ++s) {
            arcs.start.push_back(arcs.cost.size());
            for (Node k = 0; k < kept; ++k) {
                arcs.partner.push_back(k);
                arcs.cost.push_back(are_columns ? powers_.powers.at(k, s) : powers_.powers.at(s, k));
            }
        }
        arcs.start.push_back(arcs.cost.size());
        rpw::FixedSimplexOver<rpw::ListedStrips> on_list({powers_.masses, arcs, are_columns}, pulse);
        for (const double part : {0.3, 2.0, 0.6}) {
            const double lambda = part * instance_->largest();
            on_matrix.solve(lambda);
            on_list.solve(lambda);
            const rpw::ProfilePoint there = on_matrix.point(), here = on_list.point();
            const double apart = std::abs(here.height() - there.height());
            expect(apart <= slack * lambda, "the simplex over a list", here.height(), there.height());
            expect(broken_rule(*instance_, on_list.basis()) == nullptr, "basis of the simplex over a list");
        }
    }
}

}  // namespace rpw::tests
