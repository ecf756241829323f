// Lower bounds on RPW for long lists of pairs, far cheaper than the distances (docs/theory.md, "Search").
#pragma once

#include <vector>

#include "many/dual_lines.hpp"

namespace rpw {

// Every atom moves to its nearest neighbour, whatever room there is, cheapest mass first; both ways, the better of the
// two. All 0 where the question is another than RPW, and 0 for a pair that fails.
std::vector<double> neighbour_bounds(const Batch& batch, const Pairs& pairs, const Effort& effort);

// The best of the lines of its first measure for each pair of measures at places that they share. 0 where there is no
// line.
std::vector<double> line_bounds(const Batch& batch, const Pairs& pairs, const DualLines& lines, const Effort& effort);

// The mixture of the lines that suit each pair best: sharper, and dearer. 0 where there is no line, and for a pair that
// fails.
std::vector<double> mixed_bounds(const Batch& batch, const Pairs& pairs, const DualLines& lines, const Effort& effort);

}  // namespace rpw
