// Proven bounds for two measures on very many points, from a solve between the cells of their trees
// (docs/proofs/points.md, "Coarse to fine").
//
// The plan between cells, split between their points, is a plan: an upper bound. The answer between cells, less what it
// takes to move the points into their cells, is a lower bound, known at once. The potentials of the cells, brought to
// all points by two c-transforms, are potentials: a better one.
#pragma once

#include <optional>

#include "base/outcome.hpp"
#include "points/tree_partners.hpp"
#include "search/goal.hpp"

namespace rpw {

// Level by level, each with cells of an eighth of the points on the sides that have many, until the bounds are within
// tol or time is up. Nothing where no bounds are asked for, or where all is known as soon. At finite p; lengths are
// those of the pair, whose distances were divided by the scale.
std::optional<Outcome> bounds_by_cells(const PointProblem& problem, double scale, const Goal& goal, double tol,
                                       Pulse& pulse);

}  // namespace rpw
