// A basis between cells of points becomes one between the points, from which a simplex and a walk can go on
// (docs/proofs/points.md, "Coarse to fine").
#pragma once

#include "base/basis.hpp"
#include "points/cells.hpp"

namespace rpw {

// The nodes of the basis are those of the trees over cells. As in a split plan, the points of two cells are matched in
// the order of their trees. Arcs without flow keep together what hangs together, so that potentials are near those of
// the cells.
Basis split_basis(const Basis& between_cells, const PointProblem& cells, const PointProblem& points, PerCell per_cell);

}  // namespace rpw
