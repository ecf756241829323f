// See coarse.hpp.
#include "points/coarse.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "points/arc_costs.hpp"
#include "points/c_transform.hpp"
#include "points/cells.hpp"
#include "points/point_search.hpp"
#include "search/own_ways.hpp"
#include "search/read_off.hpp"

namespace rpw {

using namespace tuning;

namespace {

// While bounds are looked for they are those of F or of ε, costs are p-th powers, and nodes are those of the trees.

// Keeps the cheapest entries, as far as they are worth what they cost. Costs are summed from the cheapest on and masses
// that stay from the dearest on, so that neither is a small difference of large numbers.
void keep_cheapest(Outcome& found, const std::vector<double>& costs, const Goal& goal) {
    const std::vector<Node> order = in_order(costs);
    std::vector<double> left(order.size() + 1, found.unmoved);  // by the entries before each one
    for (std::size_t s = order.size(); s-- > 0;) left[s] = left[s + 1] + found.plan[order[s]].mass;
    std::vector<PlanEntry> kept;
    double cost_p = 0;
    found.unmoved = left[0];
    for (std::size_t s = 0; s < order.size(); ++s) {
        PlanEntry entry = found.plan[order[s]];
        const double cost = costs[order[s]], after = cost_p + cost * entry.mass;
        found.unmoved = left[s + 1];
        if (!goal.is_beyond(left[s + 1], after)) {
            found.unmoved = std::clamp(goal.meets(cost_p + cost * left[s], cost), left[s + 1], left[s]);
            entry.mass = left[s] - found.unmoved;
        }
        cost_p += cost * entry.mass;
        if (entry.mass > 0) kept.push_back(entry);
        if (found.unmoved > left[s + 1]) break;
    }
    found.cost = cost_p;
    found.plan = std::move(kept);
}

// Takes the plan where it costs less than the one that is known.
void lower_upper(Outcome& known, std::vector<PlanEntry> plan, double unmoved, const PointProblem& problem,
                 const Goal& goal) {
    Outcome found;
    found.plan = std::move(plan);
    found.unmoved = unmoved;
    ArcCosts arc_costs(problem);
    std::vector<double> costs;
    costs.reserve(found.plan.size());
    long double sum = 0;
    for (const PlanEntry& entry : found.plan) {
        costs.push_back(arc_costs(entry.row, entry.column));
        sum += static_cast<long double>(entry.mass) * costs.back();
    }
    found.cost = static_cast<double>(sum);
    if (goal.is_crossing()) keep_cheapest(found, costs, goal);
    found.upper = goal.is_crossing() ? std::max(found.unmoved, root(found.cost, goal.p) / goal.kappa) : found.cost;
    improve(known, std::move(found));
}

// What it takes to move all points into their cells: RPW of that move, or W.
double into_cells(const PointTree& points, std::span<const Mass> masses, const Cells& cells, const PointCost& costs,
                  const Goal& goal, Pulse& pulse) {
    if (cells.are_points()) return 0;
    const double unit = goal.is_crossing() ? power(goal.kappa, goal.p) : 1;
    const std::vector<double> ways = cells.ways_from(points, pulse, [&](const double* point, const double* mean) {
        return costs.between(point, mean, 1, points.dimension()) / unit;
    });
    return goal.is_crossing() ? own_ways(masses, ways, {1, goal.p}).at_goal
                              : root(weighted_sum(masses, ways) / static_cast<double>(sum_of(masses)), goal.p);
}

// What the answer between cells says about the points (docs/proofs/points.md, "Coarse to fine").
double lower_by_cells(const PointSearch& search, double into_rows, double into_columns, const Goal& goal) {
    const double answer = goal.is_crossing() ? search.unmoved() : root(search.cost_p(), goal.p);
    const double lower = std::max(0.0, answer * (1 - a_little) - into_rows - into_columns);
    return goal.is_crossing() ? lower : power(lower, goal.p);
}

// By the potentials of the cells, which become potentials of all points.
void raise_lower_by_cut(Outcome& known, const PointProblem& problem, const PointProblem& cells,
                        const PointSearch& search, const Goal& goal, Pulse& pulse) {
    const double lambda = search.lambda();
    std::vector<double> v =
        transformed(cells.rows, search.row_potentials_in_tree(), problem.columns, problem.costs, lambda, pulse);
    std::vector<double> u = transformed(problem.columns, v, problem.rows, problem.costs, lambda, pulse);
    const Masses& masses = problem.masses;
    const auto total = static_cast<double>(masses.total());
    const double sum = weighted_sum(masses.a, u) / total + weighted_sum(masses.b, v) / total;
    Outcome found;
    found.upper = unreachable;
    found.lower = goal.bound_by(lambda * (1 - rounding_of_lambda) - sum, lambda);
    found.multiplier = lambda;
    found.u = std::move(u);
    found.v = std::move(v);
    improve(known, std::move(found));
}

double total_mass(const std::vector<PlanEntry>& plan) {
    long double sum = 0;
    for (const PlanEntry& entry : plan) sum += entry.mass;
    return static_cast<double>(sum);
}

void tell(const Outcome& known, Pulse& pulse) {
    pulse.tell_moved(1 - known.unmoved, known.iterations);
    pulse.tell_bounds(known.lower, known.upper);
}

// Each bound is kept as soon as it is known, since TimeUp may be thrown before the next.
void improve_by_level(Outcome& known, const PointProblem& problem, PerCell per_cell, const Goal& goal, Pulse& pulse) {
    pulse.tell_stage("between cells");
    std::optional<Unwatched> unwatched(pulse);
    const CellProblem cells(problem, per_cell, pulse);
    PointSearch search(cells.problem, goal, pulse);
    if (search.run() == Status::time_limit) throw TimeUp();
    unwatched.reset();
    known.iterations += search.pivots();
    const std::vector<PlanEntry> between_cells = search.plan();
    std::vector<PlanEntry> plan = split_plan(between_cells, per_cell, problem.masses);
    // What rounding kept from the points of a cell stays behind.
    const double unmoved = search.unmoved() + std::max(0.0, total_mass(between_cells) - total_mass(plan));
    lower_upper(known, std::move(plan), unmoved, problem, goal);
    const double into_rows = into_cells(problem.rows, problem.masses.a, cells.rows, problem.costs, goal, pulse);
    const double into_columns =
        into_cells(problem.columns, problem.masses.b, cells.columns, problem.costs, goal, pulse);
    raise_lower(known, lower_by_cells(search, into_rows, into_columns, goal));
    tell(known, pulse);
    raise_lower_by_cut(known, problem, cells.problem, search, goal, pulse);
    tell(known, pulse);
}

// All points of a side in one cell: what is known before anything is solved.
Outcome bounds_of_one_cell(const PointProblem& problem, const Goal& goal) {
    Outcome known;
    known.solver = Solver::points;
    known.upper = goal.is_crossing() ? 1 : unreachable;  // nothing moves
    // At λ = 0 these prove the bound 0.
    known.u.resize(problem.rows.size());
    known.v.resize(problem.columns.size());
    const double unmoved = goal.is_crossing() ? 0 : goal.unmoved;
    const PerCell all{problem.rows.size(), problem.columns.size()};
    std::vector<PlanEntry> plan = split_plan({{0, 0, 1 - unmoved}}, all, problem.masses);
    const double moved = total_mass(plan);
    lower_upper(known, std::move(plan), std::max(0.0, 1 - moved), problem, goal);
    return known;
}

// From costs and trees to lengths and the points as they were given.
Outcome as_given(Outcome known, const PointProblem& problem, double scale, const Goal& goal) {
    const auto length = [&](double cost_p) { return scale * root(cost_p, goal.p); };
    if (!goal.is_crossing()) known.lower = length(known.lower), known.upper = length(known.upper);
    known.lower = std::min(known.lower, known.upper);  // two ways of rounding may have crossed
    known.value = known.upper;
    known.cost = length(known.cost);
    known.scale = scale;
    known.plan = as_given(std::move(known.plan), problem);
    if (known.u.empty()) return known;
    known.u = as_given(known.u, problem.rows);
    known.v = as_given(known.v, problem.columns);
    return known;
}

}  // namespace

std::optional<Outcome> bounds_by_cells(const PointProblem& problem, double scale, const Goal& goal, double tol,
                                       Pulse& pulse) {
    const Node rows = problem.rows.size(), columns = problem.columns.size();
    if (!largest_cells(rows, columns).is_merged() || (tol == 0 && !pulse.has_deadline())) return {};
    Outcome known = bounds_of_one_cell(problem, goal);
    const bool in_time = ends_in_time([&] {
        visit_levels(rows, columns, [&](PerCell per_cell) {
            improve_by_level(known, problem, per_cell, goal, pulse);
            return known.upper - known.lower > tol;
        });
    });
    known.status = in_time ? Status::tolerance : Status::time_limit;
    return as_given(std::move(known), problem, scale, goal);
}

}  // namespace rpw
