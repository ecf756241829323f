// Two measures on points, seen from afar: the points of each cell of a tree, merged into their mean; and the way back,
// from a plan between cells to one between their points (docs/proofs/points.md, "Coarse to fine").
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "base/split.hpp"
#include "points/point_tree.hpp"
#include "points/tree_partners.hpp"

namespace rpw {

// How many points make a cell on each side; one, where a side has few and keeps them.
struct PerCell {
    Node rows = 1;
    Node columns = 1;

    bool is_merged() const { return rows > 1 || columns > 1; }
};

// The smallest cells that are worth a solve, and the largest.
PerCell smallest_cells(Node rows, Node columns);
PerCell largest_cells(Node rows, Node columns);

// Calls visit(cells) from the largest to the smallest, as long as it answers true.
template <class Visit>
void visit_levels(Node rows, Node columns, const Visit& visit) {
    const PerCell largest = largest_cells(rows, columns);
    for (Node most = std::max(largest.rows, largest.columns); most > 1; most /= tuning::points_per_cell) {
        if (!visit(PerCell{std::min(largest.rows, most), std::min(largest.columns, most)})) return;
    }
}

// Points that follow each other in the tree, `per_cell` to a cell. A cell's coordinates are in the tree's unit.
class Cells {
public:
    Cells(const PointTree& tree, std::span<const Mass> masses, Node per_cell);

    Points points() const { return {means_.data(), static_cast<Node>(masses_.size()), dimension_}; }
    // distance(point, mean of its cell) for each point of the tree.
    template <class Distance>
    std::vector<double> ways_from(const PointTree& tree, Pulse& pulse, const Distance& distance) const {
        std::vector<double> point(dimension_), ways(tree.size());
        for (Node x = 0; x < tree.size(); ++x) {
            tree.copy_point(x, point.data());
            ways[x] = distance(point.data(), points().at(x / per_cell_));
            pulse.note(dimension_);
        }
        return ways;
    }
    std::span<const Mass> masses() const { return masses_; }
    bool are_points() const { return per_cell_ == 1; }

private:
    Node dimension_;
    Node per_cell_;
    std::vector<double> means_;
    std::vector<Mass> masses_;
};

// The cells of both measures, with trees of their own.
struct CellProblem {
    CellProblem(const PointProblem& points, PerCell per_cell, Pulse& pulse);

    Cells rows, columns;
    PointProblem problem;
};

// The points of each cell, one after the other.
template <class Number>
Groups<Number> points_of_cells(std::vector<Number> rest, Node per_cell) {
    const Node cells = (static_cast<Node>(rest.size()) + per_cell - 1) / per_cell;
    return {std::move(rest), cells, [per_cell](Node x) { return x / per_cell; }};
}

// Splits a plan between cells, sorted by rows and columns: the points of two cells are matched in the order of their
// trees, in which near points lie near to each other. Nodes are those of the trees.
std::vector<PlanEntry> split_plan(const std::vector<PlanEntry>& between_cells, PerCell per_cell, const Masses& masses);

}  // namespace rpw
