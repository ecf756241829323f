// The column of a table that makes up nearly all of the distances, because its unit is far smaller than the others'.
#pragma once

#include <optional>

#include "ground/metric.hpp"

namespace rpw {

// The column that leads, if there is one: none between fewer than 20 points on a side.
//
// Some pairs of points vote. Both come from the same cloud, so that a cloud which lies far away from the other says
// nothing about units. A pair votes for the coordinate in which it differs most, if the others together are hardly
// anything beside it; else it votes for none. It abstains if the others do not differ at all, as in a constant column.
// Three quarters of the votes elect a column: far outliers are fewer. Points on a straight line elect none, because
// there every column says the same.
std::optional<Node> leading_column(const Points& x, const Points& y);

}  // namespace rpw
