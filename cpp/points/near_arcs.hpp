// Lists the arcs between points that are cheap enough, row by row, without a matrix.
#pragma once

#include <vector>

#include "base/pulse.hpp"
#include "points/point_tree.hpp"
#include "walk/arc_lists.hpp"

namespace rpw {

// All arcs whose cost and weight of the column are together less than `beyond` of the row. False if there are more than
// `most`. `boxes` counts the leaves and blocks that were looked at.
bool list_near_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    std::size_t most, ArcList& arcs, std::size_t& boxes, Pulse& pulse);

// Of those arcs, no more than so many of each row: those that are the least, cost and weight together. Rows may be the
// points of either side; their partners are counted from 0.
void list_nearest_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                       std::size_t most_of_row, ArcList& arcs, std::size_t& boxes, Pulse& pulse);

}  // namespace rpw
