// The whole profile at finite p, and the two curves around it.
#include <algorithm>
#include <cmath>

#include "matrix/network_profile.hpp"
#include "solve/solve.hpp"
#include "tests/checker.hpp"
#include "walk/profile_walk.hpp"
#include "walk/walked_profile.hpp"

namespace rpw::tests {

namespace {

double slope(const rpw::Curve& curve, std::size_t s) {
    return (curve.cost[s] - curve.cost[s - 1]) / (curve.unmoved[s - 1] - curve.unmoved[s]);
}

double interpolate(const rpw::Curve& curve, double unmoved) {
    for (std::size_t s = 1; s < curve.cost.size(); ++s) {
        if (unmoved < curve.unmoved[s]) continue;
        return curve.cost[s] - slope(curve, s) * (unmoved - curve.unmoved[s]);
    }
    return curve.cost.back();
}

// Normal points in the plane against as many and a far clump of 3 %, costs |x - y|².
Instance draw_clump(Node rows) {
    const Node columns = rows + 3 * rows / 100;
    std::normal_distribution<double> normal;
    std::vector<double> x(2 * rows), y(2 * columns);
    for (double& at : x) at = normal(engine);
    for (Node j = 0; j < columns; ++j) {
        for (Node t = 0; t < 2; ++t) y[2 * j + t] = j < rows ? normal(engine) : 3 + 0.1 * normal(engine);
    }
    Instance made{"clump", rows, columns, {}, draw_masses(rows, Weights::equal), draw_masses(columns, Weights::equal)};
    for (Node i = 0; i < rows; ++i) {
        for (Node j = 0; j < columns; ++j) {
            made.cost.push_back(std::pow(x[2 * i] - y[2 * j], 2) + std::pow(x[2 * i + 1] - y[2 * j + 1], 2));
        }
    }
    return made;
}

}  // namespace

// At each price, the atoms that are used up carry no more than what has moved, and at the end all are.
void Checker::check_used_up(const rpw::Curve& curve) {
    const double last = curve.slope.empty() ? 0 : curve.slope.back();
    for (const auto* side : {&curve.used_up_a, &curve.used_up_b}) {
        const auto masses = side == &curve.used_up_a ? powers_.masses.a : powers_.masses.b;
        expect(side->size() == masses.size(), "one price for each atom");
        for (std::size_t s = 0; s < curve.slope.size(); ++s) {
            double used = 0;
            for (std::size_t x = 0; x < side->size(); ++x) {
                if ((*side)[x] <= curve.slope[s]) used += static_cast<double>(masses[x]) / one;
            }
            expect(used <= 1 - curve.unmoved[s + 1] + 1e-12, "used up", used, 1 - curve.unmoved[s + 1]);
        }
        for (const double price : *side) expect(price <= last * (1 + 1e-9), "last price", price, last);
    }
}

// F at some masses, and the whole of it: convex, from 0 to 1, and the same numbers.
void Checker::check_profile() {
    rpw::Pulse pulse(nullptr, 1e9);
    const rpw::Curve curve = rpw::walk_whole_profile<rpw::ProfileWalk>(powers_, no_limit, pulse);
    check_curve(curve);
    check_used_up(curve);
    for (std::size_t s = 2; s < curve.cost.size(); ++s) {
        const double before = slope(curve, s - 1), after = slope(curve, s);
        const double step =
            std::min(curve.unmoved[s - 2] - curve.unmoved[s - 1], curve.unmoved[s - 1] - curve.unmoved[s]);
        const double rounding = 1e-15 * (curve.cost[s] + after) / step;  // of the differences that make a slope
        expect(after >= before * (1 - slack) - rounding, "convexity", before, after);
    }
    for (int part = 0; part <= 12; ++part) {
        const double unmoved = part / 12.0;
        const rpw::Outcome outcome = move(unmoved, 1e9);
        expect(std::abs(outcome.unmoved - unmoved) <= 1e-12, "mass asked for", outcome.unmoved, unmoved);
        check_profile_outcome(outcome, 1);
        const rpw::Outcome early = move(unmoved, 0);
        const double unit_of_bounds = slack * (outcome.multiplier + outcome.cost) + 1e-300;
        expect(early.lower <= outcome.cost + unit_of_bounds, "early lower bound", early.lower, outcome.cost);
        expect(early.upper >= outcome.cost - unit_of_bounds, "early upper bound", early.upper, outcome.cost);
        const double value = interpolate(curve, unmoved);
        const double unit = std::max(outcome.multiplier, slope(curve, 1)) + outcome.cost;
        expect(std::abs(value - outcome.cost) <= slack * unit + 1e-300, "F", value, outcome.cost);
    }
}

// The profile lies between two curves that are close to each other.
void Checker::check_sandwich() {
    rpw::Pulse pulse(nullptr, 1e9);
    const rpw::Curve curve = rpw::walk_whole_profile<rpw::ProfileWalk>(powers_, no_limit, pulse);
    const rpw::Powers& powers = powers_.powers;
    const double dearest = *std::max_element(powers.data, powers.data + powers.size());
    const double unit = dearest + slope(curve, curve.cost.size() - 1) + 1e-300, tol = 1e-4 * unit;
    const rpw::Band band = rpw::sandwich_profile(powers_, 1.0, tol, no_limit, pulse).band;
    const rpw::Curve& lower = band.lower ? *band.lower : band.upper;
    check_curve(band.upper);
    check_curve(lower);
    for (const rpw::Curve* bends : {&curve, &band.upper, &lower}) {
        for (const double unmoved : bends->unmoved) {
            const double exact = interpolate(curve, unmoved);
            const double above = interpolate(band.upper, unmoved), below = interpolate(lower, unmoved);
            expect(above >= exact - slack * unit, "upper curve", above, exact);
            expect(below <= exact + slack * unit, "lower curve", below, exact);
            expect(above - below <= tol + slack * unit, "distance of two curves", above, below);
        }
    }
}

// So fine a tolerance that the walk overtakes the solves: then there is one curve, the profile itself.
void check_sandwich_of_all_edges(Checker& checker) {
    const Instance instance = draw(60, 50, Costs::random, Weights::random);
    checker.start(instance);
    const rpw::Space space{{}, rpw::PlaceMatrix{instance.cost.data(), 60, 50, 50, 1, nullptr}};
    const rpw::Pair pair{space, {instance.a, {}, {}, {}}, {instance.b, {}, {}, {}}};
    rpw::Room room;
    rpw::Pulse pulse(nullptr, 1e9);
    rpw::Question question;
    const rpw::Band exact = rpw::whole_profile(pair, question, room, pulse);
    question.tol = 1e-12;
    const rpw::Band band = rpw::whole_profile(pair, question, room, pulse);
    checker.expect(!band.lower, "the walk overtakes the solves");
    checker.expect(band.upper.cost == exact.upper.cost, "the same profile");
    checker.expect(band.upper.scale == exact.upper.scale, "the same unit", band.upper.scale, exact.upper.scale);
}

// Nodes look at all their costs only where that is less work than a list. Towards the end of this profile half of all
// nodes change sides in a pivot, and without that rule each pair is looked at 190 times.
void check_work_of_walk(Checker& checker) {
    const Instance instance = draw_clump(800);
    checker.start(instance);
    rpw::Pulse pulse(nullptr, 1e9);
    rpw::ProfileWalk walk(instance.powers(), pulse);
    while (walk.find_edge()) walk.take_edge();
    checker.expect(walk.unmoved() == 0, "all mass is moved", walk.unmoved());
    const double most = 110 * static_cast<double>(instance.cost.size());
    checker.expect(walk.work() < most, "the work of a walk", walk.work(), most);
}

}  // namespace rpw::tests
