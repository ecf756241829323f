// Proven bounds for two measures on very many points, from a solve between the cells of their trees (docs/theory.md,
// "Coarse to fine").
//
// The plan between cells, split between their points, is a plan: an upper bound. The potentials of the cells, brought
// to all points by two c-transforms, are potentials: a lower bound.
#pragma once

#include <vector>

#include "base/outcome.hpp"
#include "points/tree_partners.hpp"
#include "search/goal.hpp"

namespace rpw {

// Bounds, with the plan and the line that prove them. Nodes are those of the trees.
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

    double width() const { return upper - lower; }
};

// How many points make a cell on the coarsest level that is worth a solve, and how many cells of the next level make
// one. One point: no level is.
constexpr Node cells_per_cell = 8;
Node points_per_coarsest_cell(const PointProblem& problem);

// Throws TimeUp.
Interval bounds_by_cells(const PointProblem& problem, Node per_cell, const Goal& goal, Pulse& pulse);

}  // namespace rpw
