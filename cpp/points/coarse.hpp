// Proven bounds for two measures on very many points, from a solve between the cells of their trees (docs/theory.md,
// "Coarse to fine").
//
// The plan between cells, split between their points, is a plan: an upper bound. The answer between cells, less what it
// takes to move the points into their cells, is a lower bound, known at once. The potentials of the cells, brought to
// all points by two c-transforms, are potentials: a better one.
#pragma once

#include <optional>
#include <vector>

#include "base/outcome.hpp"
#include "points/tree_partners.hpp"
#include "search/goal.hpp"

namespace rpw {

// Bounds, with the plan and the line that prove them; u and v are empty where no line proves the lower one. Nodes are
// those of the trees.
struct Interval {
    double lower = 0;  // on RPW, or on F at the mass
    double upper = unreachable;
    std::vector<PlanEntry> plan;
    double unmoved = 1;
    double cost_p = 0;
    double lambda = 0;
    std::vector<double> u;
    std::vector<double> v;
    long pivots = 0;
    bool is_cut_off = false;  // time was up

    double width() const { return upper - lower; }
    bool has_cut() const { return !u.empty(); }
};

// Level by level, each with cells of an eighth of the points on the sides that have many, until the bounds are within
// tol or time is up. Nothing where no bounds are asked for, or where all is known as soon.
std::optional<Interval> bounds_by_cells(const PointProblem& problem, const Goal& goal, double tol, Pulse& pulse);

// Those of the coarsest level alone: what is known before a solve that does not begin with cells.
Interval bounds_of_coarsest_level(const PointProblem& problem, const Goal& goal, Pulse& pulse);

}  // namespace rpw
