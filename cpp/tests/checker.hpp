// The checks of the core, by topic; each file of checks defines those of its topic.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/metric.hpp"
#include "points/cells.hpp"
#include "tests/instances.hpp"

namespace rpw::tests {

inline constexpr double slack = 1e-9;
inline constexpr std::size_t no_limit = 1'000'000'000;

// Counts what does not hold of the answers to one instance after the other.
class Checker {
public:
    int problems = 0, failures = 0;

    void start(const Instance& instance);
    void expect(bool holds, const char* what, double left = 0, double right = 0);

    // RPW or the cost of a mass, with a plan, at finite p.
    Outcome cross(double kappa, double p, double tol, double seconds = 1e9, Solver solver = Solver::exact) const;
    Outcome move(double unmoved, double seconds, Solver solver = Solver::exact) const;

    double moved(const std::vector<PlanEntry>& plan);
    void check_interval(const Outcome& outcome, double exact);

    void check_crossing(double kappa, double p);
    void check_strategies(double kappa, double p);
    void check_simplex();
    void check_profile();
    void check_sandwich();
    void check_thresholds(double kappa);

private:
    double cost_of(const std::vector<PlanEntry>& plan) const;
    double height_of(const Outcome& outcome) const;
    void check_profile_outcome(const Outcome& outcome, double p);
    void check_feasible(const Outcome& outcome, double unit);
    void check_curve(const Curve& curve);
    void check_early_stops(double exact, double kappa, double p);
    void check_used_up(const Curve& curve);
    void check_flow(const Outcome& outcome, double longest);
    void check_zeros();
    void check_interrupted_simplex(Pulse& pulse);
    void check_listed_simplex(Pulse& pulse);

    const Instance* instance_ = nullptr;
    PowerProblem powers_{};
    LengthProblem lengths_{};
    double total_ = 1;
};

void check_transport(Checker& checker, const Instance& instance);
void check_lmr(Checker& checker, const Instance& instance);
void check_many(Checker& checker);
void check_sandwich_of_all_edges(Checker& checker);
void check_work_of_walk(Checker& checker);
void check_search(Checker& checker);
void check_network(Checker& checker);
void check_line(Checker& checker, Node rows, Node columns, bool on_grid);
void check_tree(Checker& checker, Node count, Node dimension, Metric metric, double p);
void check_points(Checker& checker, Node rows, Node columns, Node dimension);
void check_split_basis(Checker& checker, Node rows, Node columns, PerCell per_cell);
void check_point_simplex(Checker& checker, Node count, double p);
void check_labels(Checker& checker, Node rows, Node columns);
void check_first_bounds(Checker& checker, Node rows, Node columns, double p);
void check_written(Checker& checker, int calls);

}  // namespace rpw::tests
