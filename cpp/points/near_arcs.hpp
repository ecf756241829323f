// Lists the arcs between points that are cheap enough, row by row, without a matrix.
#pragma once

#include <vector>

#include "base/pulse.hpp"
#include "points/point_tree.hpp"
#include "walk/arc_lists.hpp"

namespace rpw {

// How many arcs may be listed. Of each row those that are the least, cost and weight together, are kept.
struct MostArcs {
    std::size_t of_row = WeightedTree::all;
    std::size_t together = WeightedTree::all;
};

// The arcs whose cost and weight of the column are together less than `beyond` of the row; columns are counted from
// `first_column` on. False if there are more than `together`. `boxes` counts the leaves and blocks that were looked at.
bool list_near_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    const MostArcs& most, Node first_column, ArcList& arcs, std::size_t& boxes, Pulse& pulse);

}  // namespace rpw
