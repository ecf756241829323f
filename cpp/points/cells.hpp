// Two measures on points, seen from afar: the points of each cell of a tree, merged into their mean; and the way back,
// from a plan between cells to one between their points (docs/theory.md, "Coarse to fine").
#pragma once

#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "points/point_tree.hpp"
#include "points/tree_partners.hpp"

namespace rpw {

// Points that follow each other in the tree, `per_cell` to a cell. A cell's coordinates are in the tree's unit.
class Cells {
public:
    Cells(const PointTree& tree, std::span<const Mass> masses, Node per_cell);

    Points points() const { return {means_.data(), static_cast<Node>(masses_.size()), dimension_}; }
    // The mean of the cell that a point of the tree lies in.
    const double* mean_of(Node x) const { return points().at(x / per_cell_); }
    std::span<const Mass> masses() const { return masses_; }

private:
    Node dimension_;
    Node per_cell_;
    std::vector<double> means_;
    std::vector<Mass> masses_;
};

// Splits a plan between cells, sorted by rows and columns: the points of two cells are matched in the order of their
// trees, in which near points lie near to each other. Nodes are those of the trees.
std::vector<PlanEntry> split_plan(const std::vector<PlanEntry>& between_cells, Node per_cell, const Masses& masses);

}  // namespace rpw
