// What must hold of every answer: plans within the marginals, weak duality, primal = dual.
#include "tests/checker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/crossing.hpp"
#include "matrix/strategy.hpp"

namespace rpw::tests {

namespace {

rpw::Question crossing_at(double kappa, double p, double tol) {
    rpw::Question question;
    question.p = p;
    question.kappa = kappa;
    question.tol = tol;
    question.need = rpw::Need::plan;
    return question;
}

}  // namespace

void Checker::start(const Instance& instance) {
    instance_ = &instance;
    powers_ = instance.powers();
    lengths_ = instance.lengths();
    total_ = static_cast<double>(powers_.masses.total());
    ++problems;
}

void Checker::expect(bool holds, const char* what, double left, double right) {
    if (holds) return;
    ++failures;
    std::printf("FAILED %s (%d x %d, %s): %.17g, %.17g\n", what, instance_->rows, instance_->columns,
                instance_->name.c_str(), left, right);
}

// Non-negative entries within the matrix and the marginals; their sum is the mass moved.
double Checker::moved(const std::vector<rpw::PlanEntry>& plan) {
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
        expect(of_column[j] <= static_cast<double>(instance_->b[j]) / total_ + 1e-12, "column marginal", of_column[j]);
    }
    return sum;
}

double Checker::cost_of(const std::vector<rpw::PlanEntry>& plan) const {
    double sum = 0;
    for (const auto& entry : plan) sum += entry.mass * instance_->cost[entry.row * instance_->columns + entry.column];
    return sum;
}

// The plan moves what it says at the cost it says, and the potentials prove that nothing is cheaper.
void Checker::check_profile_outcome(const rpw::Outcome& outcome, double p) {
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

void Checker::check_feasible(const rpw::Outcome& outcome, double unit) {
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
double Checker::height_of(const rpw::Outcome& outcome) const {
    double sum = 0;
    for (Node i = 0; i < instance_->rows; ++i) sum += outcome.u[i] * static_cast<double>(instance_->a[i]) / total_;
    for (Node j = 0; j < instance_->columns; ++j) {
        sum += outcome.v[j] * static_cast<double>(instance_->b[j]) / total_;
    }
    return outcome.multiplier - sum;
}

rpw::Outcome Checker::cross(double kappa, double p, double tol, double seconds, rpw::Solver solver) const {
    rpw::Pulse pulse(nullptr, seconds);
    rpw::Question question = crossing_at(kappa, p, tol);
    question.solver = solver;
    return rpw::solve_powers(powers_, 1.0, question, pulse);
}

rpw::Outcome Checker::move(double unmoved, double seconds, rpw::Solver solver) const {
    rpw::Pulse pulse(nullptr, seconds);
    rpw::Question question;
    question.solver = solver;
    question.quantity = rpw::Quantity::mass;
    question.p = 1;
    question.unmoved = unmoved;
    question.need = rpw::Need::plan;
    return rpw::solve_powers(powers_, 1.0, question, pulse);
}

void Checker::check_interval(const rpw::Outcome& outcome, double exact) {
    const bool is_inside = outcome.lower <= exact + 1e-12 && exact <= outcome.upper + 1e-12;
    expect(is_inside, "interval", outcome.lower, outcome.upper);
    expect(std::abs(moved(outcome.plan) - (1 - outcome.unmoved)) <= 1e-12, "mass of an early plan");
}

void Checker::check_curve(const rpw::Curve& curve) {
    expect(curve.unmoved.size() == curve.cost.size() && !curve.cost.empty(), "sizes");
    expect(curve.unmoved.front() == 1 && curve.cost.front() == 0, "start of the curve");
    expect(curve.unmoved.back() <= 1e-12, "end of the curve", curve.unmoved.back());
    for (std::size_t s = 1; s < curve.cost.size(); ++s) {
        expect(curve.unmoved[s] < curve.unmoved[s - 1], "order of masses", curve.unmoved[s - 1], curve.unmoved[s]);
        expect(curve.cost[s] >= curve.cost[s - 1], "order of costs", curve.cost[s - 1], curve.cost[s]);
    }
}

}  // namespace rpw::tests
