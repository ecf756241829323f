// See coarse.hpp.
#include "solve/coarse.hpp"

#include <algorithm>

#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "points/arc_costs.hpp"
#include "points/c_transform.hpp"
#include "points/cells.hpp"
#include "solve/point_search.hpp"

namespace rpw {

using namespace tuning;

namespace {

double cost_of_plan(const PointProblem& problem, std::vector<PlanEntry>& plan, std::vector<double>& costs) {
    ArcCosts arc_costs(problem);
    long double sum = 0;
    for (const PlanEntry& entry : plan) {
        costs.push_back(arc_costs(entry.row, entry.column));
        sum += static_cast<long double>(entry.mass) * costs.back();
    }
    return static_cast<double>(sum);
}

// Leaves the dearest entries out until what stays is worth what it costs.
void drop_dearest(Interval& found, const std::vector<double>& costs, const Goal& goal) {
    std::vector<std::size_t> order(costs.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
    std::sort(order.begin(), order.end(), [&](std::size_t e, std::size_t f) { return costs[e] > costs[f]; });
    for (const std::size_t e : order) {
        if (goal.is_beyond(found.unmoved, found.cost_p)) break;
        double& mass = found.plan[e].mass;
        const double all = mass, cost = costs[e];
        const double meeting = goal.on_line(found.cost_p + cost * found.unmoved, cost);
        const double dropped = std::clamp(meeting - found.unmoved, 0.0, all);
        mass -= dropped;
        found.unmoved += dropped;
        found.cost_p = std::max(0.0, found.cost_p - cost * dropped);
        if (dropped < all) break;
    }
    std::erase_if(found.plan, [](const PlanEntry& entry) { return !(entry.mass > 0); });
}

void set_upper(Interval& found, const PointProblem& problem, const Goal& goal) {
    std::vector<double> costs;
    costs.reserve(found.plan.size());
    found.cost_p = cost_of_plan(problem, found.plan, costs);
    if (goal.is_crossing()) {
        drop_dearest(found, costs, goal);
        found.upper = std::max(found.unmoved, root(found.cost_p, goal.p) / goal.kappa);
    } else {
        found.upper = found.cost_p;
    }
}

double weighted_sum(std::span<const Mass> masses, const std::vector<double>& potential) {
    long double sum = 0;
    for (std::size_t x = 0; x < potential.size(); ++x) sum += static_cast<long double>(potential[x]) * masses[x];
    return static_cast<double>(sum);
}

void set_lower(Interval& found, const PointProblem& problem, const PointProblem& cells,
               const std::vector<double>& of_cells, const Goal& goal, Pulse& pulse) {
    found.v = transformed(cells.rows, of_cells, problem.columns, problem.costs, found.lambda, pulse);
    found.u = transformed(problem.columns, found.v, problem.rows, problem.costs, found.lambda, pulse);
    const Masses& masses = problem.masses;
    const auto total = static_cast<double>(masses.total());
    const double sum = weighted_sum(masses.a, found.u) / total + weighted_sum(masses.b, found.v) / total;
    const double height = found.lambda * (1 - rounding_of_price) - sum;
    found.lower = std::max(0.0, goal.bound_by(height, found.lambda));
}

// One: no level is worth a solve.
Node points_per_coarsest_cell(const PointProblem& problem) {
    const Node points = std::min(problem.rows.size(), problem.columns.size());
    Node per_cell = 1;
    while (points / (points_per_cell * per_cell) >= fewest_cells) per_cell *= points_per_cell;
    return per_cell;
}

double total_mass(const std::vector<PlanEntry>& plan) {
    long double sum = 0;
    for (const PlanEntry& entry : plan) sum += entry.mass;
    return static_cast<double>(sum);
}

// Throws TimeUp.
Interval bounds_of_level(const PointProblem& problem, Node per_cell, const Goal& goal, Pulse& pulse) {
    const Unwatched unwatched(pulse);
    const Cells rows(problem.rows, problem.masses.a, per_cell), columns(problem.columns, problem.masses.b, per_cell);
    const PointProblem cells(rows.points(), columns.points(), {rows.masses(), columns.masses()}, problem.costs, 1,
                             pulse);
    PointSearch search(cells, goal, pulse);
    if (search.run() == Status::time_limit) throw TimeUp();
    Interval found;
    found.pivots = search.pivots();
    const std::vector<PlanEntry> between_cells = search.plan();
    found.plan = split_plan(between_cells, per_cell, problem.masses);
    // What rounding kept from the points of a cell stays behind.
    found.unmoved = search.unmoved() + std::max(0.0, total_mass(between_cells) - total_mass(found.plan));
    found.lambda = search.lambda();
    set_upper(found, problem, goal);
    set_lower(found, problem, cells, search.row_potentials_in_tree(), goal, pulse);
    return found;
}

// Takes the better bound of each kind, with what proves it.
void improve(Interval& known, Interval&& found) {
    if (found.upper < known.upper) {
        known.upper = found.upper;
        known.plan = std::move(found.plan);
        known.unmoved = found.unmoved;
        known.cost_p = found.cost_p;
    }
    if (found.lower > known.lower) {
        known.lower = found.lower;
        known.lambda = found.lambda;
        known.u = std::move(found.u);
        known.v = std::move(found.v);
    }
    known.lower = std::min(known.lower, known.upper);
    known.pivots += found.pivots;
}

}  // namespace

std::optional<Interval> bounds_by_cells(const PointProblem& problem, const Goal& goal, double tol, Pulse& pulse) {
    Node per_cell = points_per_coarsest_cell(problem);
    if (per_cell == 1 || (tol == 0 && !pulse.has_deadline())) return {};
    Interval known;
    if (goal.is_crossing()) known.upper = 1;  // nothing moves
    // At λ = 0 these prove the bound 0.
    known.u.resize(problem.rows.size());
    known.v.resize(problem.columns.size());
    known.is_cut_off = !ends_in_time([&] {
        do {
            improve(known, bounds_of_level(problem, per_cell, goal, pulse));
            pulse.tell_moved(1 - known.unmoved);
            pulse.tell_bounds(known.lower, known.upper);
            per_cell /= points_per_cell;
        } while (per_cell > 1 && known.width() > tol);
    });
    return known;
}

}  // namespace rpw
