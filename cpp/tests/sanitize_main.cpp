// The core without Python, over random and degenerate problems; meant for -fsanitize=address,undefined.
// Every answer is checked by what must hold of it: plans within the marginals, weak duality, primal = dual.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/crossing.hpp"
#include "flow/blocks.hpp"
#include "flow/threshold_walk.hpp"
#include "flow/thresholds.hpp"
#include "ground/powers.hpp"
#include "lmr/lmr.hpp"
#include "many/pair_values.hpp"
#include "many/search.hpp"
#include "simplex/fixed_simplex.hpp"
#include "solve/profile.hpp"
#include "solve/sandwich.hpp"
#include "solve/solve.hpp"
#include "solve/strategy.hpp"
#include "solve/transport.hpp"
#include "tests/basis_checks.hpp"
#include "tests/instances.hpp"
#include "walk/profile_walk.hpp"

namespace {

using namespace rpw::tests;
using rpw::Mass;
using rpw::Node;

constexpr double slack = 1e-9;
constexpr std::size_t no_limit = 1'000'000'000;

class Checker {
public:
    int problems = 0, failures = 0;

    void start(const Instance& instance) {
        instance_ = &instance;
        powers_ = instance.powers();
        lengths_ = instance.lengths();
        total_ = static_cast<double>(powers_.masses.total());
        ++problems;
    }

    void expect(bool holds, const char* what, double left = 0, double right = 0) {
        if (holds) return;
        ++failures;
        std::printf("FAILED %s (%d x %d, %s): %.17g, %.17g\n", what, instance_->rows, instance_->columns,
                    instance_->name.c_str(), left, right);
    }

    // Non-negative entries within the matrix and the marginals; their sum is the mass moved.
    double moved(const std::vector<rpw::PlanEntry>& plan) {
        std::vector<double> of_row(instance_->rows), of_column(instance_->columns);
        double sum = 0;
        for (const auto& entry : plan) {
            const bool inside = entry.row >= 0 && entry.row < instance_->rows && entry.column >= 0 &&
                                entry.column < instance_->columns && entry.mass > 0;
            expect(inside, "plan entry", entry.row, entry.column);
            if (!inside) continue;
            of_row[entry.row] += entry.mass;
            of_column[entry.column] += entry.mass;
            sum += entry.mass;
        }
        for (Node i = 0; i < instance_->rows; ++i) {
            expect(of_row[i] <= static_cast<double>(instance_->a[i]) / total_ + 1e-12, "row marginal", of_row[i]);
        }
        for (Node j = 0; j < instance_->columns; ++j) {
            expect(of_column[j] <= static_cast<double>(instance_->b[j]) / total_ + 1e-12, "column marginal",
                   of_column[j]);
        }
        return sum;
    }

    double cost_of(const std::vector<rpw::PlanEntry>& plan) const {
        double sum = 0;
        for (const auto& entry : plan)
            sum += entry.mass * instance_->cost[entry.row * instance_->columns + entry.column];
        return sum;
    }

    // The plan moves what it says at the cost it says, and the potentials prove that nothing is cheaper.
    void check_profile_outcome(const rpw::Outcome& outcome, double p) {
        const double cost_p = rpw::power(outcome.cost, p);
        expect(outcome.status == rpw::Status::exact, "status");
        expect(outcome.unmoved >= 0 && outcome.unmoved <= 1, "unmoved", outcome.unmoved);
        const double mass = moved(outcome.plan), cost = cost_of(outcome.plan);
        const double unit = std::max({outcome.multiplier, cost, 1e-300});
        expect(std::abs(mass - (1 - outcome.unmoved)) <= 1e-12, "mass of the plan", mass, 1 - outcome.unmoved);
        expect(std::abs(cost - cost_p) <= slack * unit, "cost of the plan", cost, cost_p);
        check_feasible(outcome, unit);
        const double bound = height_of(outcome) - outcome.multiplier * outcome.unmoved;
        expect(bound <= cost_p + slack * unit, "weak duality", bound, cost_p);
        expect(bound >= cost_p - slack * unit, "primal = dual", bound, cost_p);
    }

    void check_feasible(const rpw::Outcome& outcome, double unit) {
        for (Node i = 0; i < instance_->rows; ++i) {
            expect(outcome.u[i] >= 0, "u", outcome.u[i]);
            for (Node j = 0; j < instance_->columns; ++j) {
                const double left = outcome.u[i] + outcome.v[j] + powers_.powers.at(i, j);
                expect(left >= outcome.multiplier - 1e-12 * unit, "dual feasibility", left, outcome.multiplier);
            }
        }
        for (Node j = 0; j < instance_->columns; ++j) expect(outcome.v[j] >= 0, "v", outcome.v[j]);
    }

    // F(1 - ε) ≥ height - λ ε, from the potentials alone.
    double height_of(const rpw::Outcome& outcome) const {
        double sum = 0;
        for (Node i = 0; i < instance_->rows; ++i) sum += outcome.u[i] * static_cast<double>(instance_->a[i]) / total_;
        for (Node j = 0; j < instance_->columns; ++j) {
            sum += outcome.v[j] * static_cast<double>(instance_->b[j]) / total_;
        }
        return outcome.multiplier - sum;
    }

    static rpw::Question crossing_at(double kappa, double p, double tol) {
        rpw::Question question;
        question.p = p;
        question.kappa = kappa;
        question.tol = tol;
        question.need = rpw::Need::plan;
        return question;
    }

    rpw::Outcome cross(double kappa, double p, double tol, double seconds = 1e9,
                       rpw::Solver solver = rpw::Solver::exact) const {
        rpw::Pulse pulse(nullptr, seconds);
        rpw::Question question = crossing_at(kappa, p, tol);
        question.solver = solver;
        return rpw::solve_powers(powers_, 1.0, question, pulse);
    }

    void check_crossing(double kappa, double p) {
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

    void check_early_stops(double exact, double kappa, double p) {
        for (const double tol : {1e-3, 0.3}) {
            const rpw::Outcome outcome = cross(kappa, p, tol);
            check_interval(outcome, exact);
            expect(outcome.unmoved - exact <= tol + 1e-12, "tol", outcome.unmoved, exact);
        }
        check_interval(cross(kappa, p, 0, 0), exact);
    }

    void check_interval(const rpw::Outcome& outcome, double exact) {
        const bool is_inside = outcome.lower <= exact + 1e-12 && exact <= outcome.upper + 1e-12;
        expect(is_inside, "interval", outcome.lower, outcome.upper);
        expect(std::abs(moved(outcome.plan) - (1 - outcome.unmoved)) <= 1e-12, "mass of an early plan");
    }

    // Either strategy alone finds what the rule between them finds, and proves it; cut off, it brackets it.
    void check_strategies(double kappa, double p) {
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
            expect(std::abs(moved.value - half.value) <= rounding, "strategies agree on a mass", moved.value,
                   half.value);
        }
    }

    // The simplex keeps a strongly feasible forest from one multiplier to the next, and when it is cut off; a forest
    // that it leaves is one that the walk can go on from.
    void check_simplex() {
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
        rpw::Pulse impatient(nullptr, 0);
        rpw::FixedSimplex hurried(powers_, impatient);
        (void)rpw::ends_in_time([&] { hurried.solve(instance_->largest()); });
        expect(broken_rule(*instance_, hurried.basis()) == nullptr, "basis of an early stop");
    }

    // At each price, the atoms that are used up carry no more than what has moved, and at the end all are.
    void check_used_up(const rpw::Curve& curve) {
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
    void check_profile() {
        rpw::Pulse pulse(nullptr, 1e9);
        const rpw::Curve curve = rpw::walk_profile(powers_, no_limit, pulse);
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
    void check_sandwich() {
        rpw::Pulse pulse(nullptr, 1e9);
        const rpw::Curve curve = rpw::walk_profile(powers_, no_limit, pulse);
        const rpw::Powers& powers = powers_.powers;
        const double dearest = *std::max_element(powers.data, powers.data + powers.size());
        const double unit = dearest + slope(curve, curve.cost.size() - 1) + 1e-300, tol = 1e-4 * unit;
        const rpw::Band band = rpw::sandwich_profile(powers_, 1.0, tol, no_limit, pulse);
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

    rpw::Outcome move(double unmoved, double seconds, rpw::Solver solver = rpw::Solver::exact) const {
        rpw::Pulse pulse(nullptr, seconds);
        rpw::Question question;
        question.solver = solver;
        question.quantity = rpw::Quantity::mass;
        question.p = 1;
        question.unmoved = unmoved;
        question.need = rpw::Need::plan;
        return rpw::solve_powers(powers_, 1.0, question, pulse);
    }

    static double slope(const rpw::Curve& curve, std::size_t s) {
        return (curve.cost[s] - curve.cost[s - 1]) / (curve.unmoved[s - 1] - curve.unmoved[s]);
    }

    static double interpolate(const rpw::Curve& curve, double unmoved) {
        for (std::size_t s = 1; s < curve.cost.size(); ++s) {
            if (unmoved < curve.unmoved[s]) continue;
            return curve.cost[s] - slope(curve, s) * (unmoved - curve.unmoved[s]);
        }
        return curve.cost.back();
    }

    void check_curve(const rpw::Curve& curve) {
        expect(curve.unmoved.size() == curve.cost.size() && !curve.cost.empty(), "sizes");
        expect(curve.unmoved.front() == 1 && curve.cost.front() == 0, "start of the curve");
        expect(curve.unmoved.back() <= 1e-12, "end of the curve", curve.unmoved.back());
        for (std::size_t s = 1; s < curve.cost.size(); ++s) {
            expect(curve.unmoved[s] < curve.unmoved[s - 1], "order of masses", curve.unmoved[s - 1], curve.unmoved[s]);
            expect(curve.cost[s] >= curve.cost[s - 1], "order of costs", curve.cost[s - 1], curve.cost[s]);
        }
    }

    // p = inf: a flow within the threshold; the steps of the whole curve give the same crossing.
    void check_thresholds(double kappa) {
        rpw::Pulse pulse(nullptr, 1e9);
        const rpw::Curve curve = rpw::whole_thresholds(lengths_, no_limit, pulse);
        check_curve(curve);
        double expected = 1;
        for (std::size_t s = 0; s < curve.cost.size(); ++s) {
            expected = std::min(expected, std::max(curve.cost[s] / kappa, curve.unmoved[s]));
        }
        const rpw::Outcome outcome = rpw::cross_thresholds(lengths_, kappa, 0, rpw::Need::plan, pulse);
        expect(std::abs(outcome.unmoved - expected) <= 1e-12, "crossing at infinity", outcome.unmoved, expected);
        check_flow(outcome, outcome.cost);
        expect(outcome.cost <= kappa * outcome.unmoved * (1 + 1e-12), "threshold", outcome.cost, outcome.unmoved);
        for (const double unmoved : {0.0, 0.25, 1.0}) {
            const rpw::Outcome at = rpw::threshold_at(lengths_, unmoved, rpw::Need::plan, pulse);
            check_flow(at, at.cost);
        }
        rpw::Pulse impatient(nullptr, 0);
        const rpw::Outcome early = rpw::cross_thresholds(lengths_, kappa, 0, rpw::Need::plan, impatient);
        check_interval(early, outcome.value);
        rpw::Pulse as_impatient(nullptr, 0);
        const rpw::Outcome at_once = rpw::threshold_at(lengths_, 0.25, rpw::Need::plan, as_impatient);
        const double exactly = rpw::threshold_at(lengths_, 0.25, rpw::Need::value, pulse).value;
        expect(at_once.lower <= exactly && exactly <= at_once.upper, "early threshold", at_once.lower, at_once.upper);
        check_zeros();
    }

    void check_flow(const rpw::Outcome& outcome, double longest) {
        for (const auto& entry : outcome.plan) {
            const double length = lengths_.distances.at(entry.row, entry.column);
            expect(length <= longest, "length of an arc", length, longest);
        }
        expect(moved(outcome.plan) >= 1 - outcome.unmoved - 1e-12, "mass of the flow", moved(outcome.plan),
               1 - outcome.unmoved);
    }

    // k = 0: the maximum flow over zeros, by blocks where the zeros form blocks.
    void check_zeros() {
        rpw::Pulse pulse(nullptr, 1e9);
        const rpw::Outcome shared = rpw::unshared_mass(lengths_, pulse);
        check_flow(shared, 0);
        expect(std::abs(moved(shared.plan) - (1 - shared.unmoved)) <= 1e-12, "mass of the free flow");
        rpw::ThresholdWalk walk(lengths_, 0.0, pulse);
        while (walk.next()) {
        }
        expect(std::abs(shared.unmoved - walk.unmoved()) <= 1e-12, "blocks = flow", shared.unmoved, walk.unmoved());
    }

private:
    const Instance* instance_ = nullptr;
    rpw::PowerProblem powers_{};
    rpw::LengthProblem lengths_{};
    double total_ = 1;
};

// LMR with 32- and 64-bit costs: a feasible plan, a valid dual line, and the exact answer between the two bounds.
template <class Cost>
void check_lmr(Checker& checker, const Instance& instance) {
    checker.start(instance);
    rpw::Pulse pulse(nullptr, 1e9);
    const double unit = instance.largest() / 50, kappa = instance.largest();
    const Cost cap = 45;
    std::vector<Cost> rounded(instance.cost.size());
    rpw::rounded_powers(instance.cost.data(), instance.cost.size(), 1.0, 1.0, unit, cap, rounded.data());
    const rpw::RoundedProblem<Cost> problem{rounded.data(), {instance.a, instance.b}, cap};
    const double exact = checker.cross(kappa, 1.0, 0).value;
    const auto outcome = rpw::cross_rounded(problem, kappa / unit, 1.0, 0.0, pulse);
    checker.check_interval(outcome, exact);
    rpw::Pulse impatient(nullptr, 0);
    checker.check_interval(rpw::cross_rounded(problem, kappa / unit, 1.0, 0.0, impatient), exact);
    rpw::rounded_profile(
        rpw::RoundedProblem<Cost>{rounded.data(), {instance.a, instance.b}, std::numeric_limits<Cost>::max()}, no_limit,
        pulse);
}

// Full transport by reduced costs against the end of the profile.
void check_transport(Checker& checker, const Instance& instance) {
    checker.start(instance);
    rpw::Pulse pulse(nullptr, 1e9);
    const rpw::TransportBounds reduced = rpw::transport_cost(instance.powers(), pulse);
    const double walked = checker.move(0, 1e9).value, rounding = slack * instance.largest();
    checker.expect(reduced.is_exact && std::abs(reduced.upper_p - walked) <= rounding, "transport", reduced.upper_p,
                   walked);
    rpw::Pulse impatient(nullptr, 0);
    rpw::TransportBounds early{false, 0, rpw::unreachable, rpw::Solver::exact};
    (void)rpw::ends_in_time([&] { early = rpw::transport_cost(instance.powers(), impatient); });
    checker.expect(early.lower_p <= walked + rounding && walked <= early.upper_p + rounding, "early transport",
                   early.lower_p, early.upper_p);
}

// One query on four threads: the same answer, and every pair in some count.
void check_single_query(Checker& checker, const rpw::Batch& batch, const std::vector<rpw::Neighbour>& expected) {
    rpw::Measures first = batch.a;
    first.start = first.start.first(2);
    const auto quiet = [](std::size_t) {};
    const auto found = rpw::search({batch.space, first, batch.b, batch.question}, {4, rpw::unreachable, {}, {}},
                                   {4, rpw::unreachable, quiet});
    const auto& counts = found.counts;
    const std::int64_t counted = counts.bounded + counts.stopped_early + counts.solved;
    checker.expect(counted == static_cast<std::int64_t>(batch.b.size()), "counts", static_cast<double>(counted));
    for (std::size_t place = 0; place < expected.size(); ++place) {
        const auto& neighbour = found.neighbours[0][place];
        checker.expect(neighbour.index == expected[place].index && neighbour.distance == expected[place].distance,
                       "one query");
    }
}

// Several prices at once against one at a time, and answers with plans on threads against one pair at a time.
void check_several(Checker& checker, rpw::Batch batch, std::span<const std::int64_t> first,
                   std::span<const std::int64_t> second) {
    const rpw::Effort effort{3, rpw::unreachable, [](std::size_t) {}};
    const std::vector<double> kappas{1, 0, 10, 1e-9, 0.3, 1};
    const auto stack = rpw::pair_values_at(batch, kappas, first, second, effort);
    for (std::size_t s = 0; s < kappas.size(); ++s) {
        batch.question.kappa = kappas[s];
        batch.question.quantity = kappas[s] == 0 ? rpw::Quantity::shared : rpw::Quantity::crossing;
        const auto alone = rpw::pair_values(batch, first, second, effort);
        for (std::size_t e = 0; e < first.size(); ++e) {
            const double value = stack.values[e * kappas.size() + s];
            checker.expect(std::abs(value - alone.values[e]) <= 1e-12, "one of several", value, alone.values[e]);
        }
    }
    batch.question.quantity = rpw::Quantity::mass;
    batch.question.need = rpw::Need::plan;
    for (const double truncation : {0.3, 1.0, rpw::unreachable}) {
        batch.question.truncation = truncation;
        const auto many = rpw::pair_outcomes(batch, first, second, effort);
        batch.question.need = rpw::Need::value;
        const auto values = rpw::pair_values(batch, first, second, effort);
        batch.question.need = rpw::Need::plan;
        for (std::size_t e = 0; e < first.size(); ++e) {
            const rpw::Outcome& outcome = many.outcomes[e];
            const double value = values.values[e];
            checker.expect(std::abs(outcome.value - value) <= 1e-12, "value of a plan", outcome.value, value);
            checker.expect(outcome.lower >= value * (1 - 1e-9) - 1e-12, "proof of a plan", outcome.lower, value);
        }
    }
}

// Threads over pairs against one pair at a time, and the search against sorting all distances.
void check_many(Checker& checker) {
    const Instance whatever = draw(1, 1, Costs::random, Weights::equal);
    checker.start(whatever);
    const int count = 12, dimension = 2;
    std::vector<std::int64_t> start{0};
    std::vector<double> points;
    std::vector<Mass> masses;
    for (int s = 0; s < count; ++s) {
        const int size = 1 + below(9);
        for (const Mass mass : draw_masses(size, Weights::random)) masses.push_back(mass);
        for (int e = 0; e < size * dimension; ++e) points.push_back(below(5) / 4.0);
        start.push_back(start.back() + size);
    }
    rpw::Measures all;
    all.start = start;
    all.mass = masses;
    all.coordinates = points;
    all.dimension = dimension;
    const rpw::Space plane;
    std::vector<std::int64_t> first, second;
    for (int s = 0; s < count; ++s) {
        for (int t = 0; t < count; ++t) {
            first.push_back(s);
            second.push_back(t);
        }
    }
    const auto quiet = [](std::size_t) {};
    for (const double p : {1.0, 2.0, rpw::unreachable}) {
        rpw::Batch batch{plane, all, all, {}};
        batch.question.p = p;
        const auto one = rpw::pair_values(batch, first, second, {1, rpw::unreachable, quiet});
        const auto three = rpw::pair_values(batch, first, second, {3, rpw::unreachable, quiet});
        checker.expect(one.values == three.values && one.failures.empty(), "threads");
        rpw::Room room;
        rpw::Pulse pulse(nullptr, 1e9);
        for (int e = 0; e < count * count; ++e) {
            const double single = rpw::solve(batch.pair(first[e], second[e]), batch.question, room, pulse).value;
            checker.expect(single == one.values[e], "one of many", single, one.values[e]);
        }
        check_several(checker, batch, first, second);
        const rpw::Wanted wanted{4, rpw::unreachable, {}, {}};
        const auto found = rpw::search(batch, wanted, {3, rpw::unreachable, quiet});
        check_single_query(checker, batch, found.neighbours[0]);
        for (int s = 0; s < count; ++s) {
            std::vector<rpw::Neighbour> row;
            for (int t = 0; t < count; ++t) row.push_back({one.values[s * count + t], t});
            std::sort(row.begin(), row.end());
            for (int place = 0; place < 4; ++place) {
                const auto& neighbour = found.neighbours[s][place];
                checker.expect(neighbour.index == row[place].index && neighbour.distance == row[place].distance,
                               "search");
            }
        }
    }
    bool thrown = false;
    try {
        const auto interrupt = [](std::size_t) { throw std::string("interrupt"); };
        rpw::pair_values({plane, all, all, {}}, first, second, {2, rpw::unreachable, interrupt});
    } catch (const std::string&) {
        thrown = true;
    }
    checker.expect(thrown, "interrupt of threads");
    const bool in_time =
        rpw::ends_in_time([&] { rpw::pair_values({plane, all, all, {}}, first, second, {2, 0, quiet}); });
    checker.expect(!in_time, "deadline of threads");
}

void check_everything(Checker& checker, const Instance& instance) {
    checker.start(instance);
    const double unit = instance.largest();
    checker.check_profile();
    checker.check_sandwich();
    for (const double k : {1e-9, 0.1, 1.0, 10.0, 1e9}) {
        for (const double p : {1.0, 1.5, 2.0}) checker.check_crossing(std::pow(unit, 1 / p) * k, p);
    }
    for (const double k : {0.1, 10.0}) checker.check_strategies(std::sqrt(unit) * k, 2);
    checker.check_strategies(unit, 1);
    checker.check_simplex();
    for (const double k : {0.1, 1.0, 10.0}) checker.check_thresholds(unit * k);
    check_transport(checker, instance);
    check_lmr<std::int32_t>(checker, instance);
    check_lmr<std::int64_t>(checker, instance);
}

// A poll that throws must leave nothing behind: the address sanitizer would report a leak.
void check_interrupt(Checker& checker) {
    const Instance large = draw(400, 300, Costs::line, Weights::random);
    checker.start(large);
    bool thrown = false;
    rpw::Pulse pulse([] { throw std::string("interrupt"); }, 1e9);
    try {
        for (;;) rpw::walk_profile(large.powers(), no_limit, pulse);
    } catch (const std::string&) {
        thrown = true;
    }
    checker.expect(thrown, "interrupt");
}

// The points (3t, 4t) lie five times as far apart as t.
std::vector<double> slanted(const std::vector<double>& places) {
    std::vector<double> points;
    for (const double t : places) points.insert(points.end(), {3 * t, 4 * t});
    return points;
}

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
    }
    rpw::Pulse late(nullptr, 0);
    const auto early = rpw::solve({on_line, first, second}, {}, room, late);
    checker.expect(early.lower <= early.upper, "deadline on the line");
}

}  // namespace

int main() {
    Checker checker;
    const std::vector<std::pair<Node, Node>> shapes = {{1, 1}, {1, 9},  {9, 1},   {2, 2},
                                                       {7, 7}, {8, 13}, {25, 16}, {40, 40}};
    for (const auto& [rows, columns] : shapes) {
        for (int c = 0; c < static_cast<int>(Costs::count); ++c) {
            for (int w = 0; w < static_cast<int>(Weights::count); ++w) {
                check_everything(checker, draw(rows, columns, static_cast<Costs>(c), static_cast<Weights>(w)));
            }
        }
    }
    for (int repeat = 0; repeat < 600; ++repeat) {
        const auto costs = static_cast<Costs>(below(static_cast<int>(Costs::count)));
        const auto weights = static_cast<Weights>(below(static_cast<int>(Weights::count)));
        check_everything(checker, draw(1 + below(12), 1 + below(12), costs, weights));
    }
    check_everything(checker, draw(150, 130, Costs::grid, Weights::random));
    check_everything(checker, draw(3, 200, Costs::line, Weights::random));
    check_everything(checker, draw(200, 3, Costs::ties, Weights::ratios));
    check_everything(checker, draw(130, 150, Costs::random, Weights::equal));
    for (int repeat = 0; repeat < 20; ++repeat) check_many(checker);
    for (int repeat = 0; repeat < 300; ++repeat) check_line(checker, 1 + below(30), 1 + below(30), repeat % 2 == 0);
    for (const bool on_grid : {false, true}) check_line(checker, 450, 400, on_grid);
    check_interrupt(checker);
    std::printf("sanitize: %d problems, %d failures\n", checker.problems, checker.failures);
    return checker.failures == 0 ? 0 : 1;
}
