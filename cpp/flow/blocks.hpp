// Total variation (k = 0) when the points at distance 0 form blocks: equal points, or a cost matrix whose zeros do.
// The mass that two measures share is then the sum over blocks of the smaller of their two masses
// (docs/theory.md, "Total variation").
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"

namespace rpw {

// Labels of rows and of columns; -1 is none.
struct BlockLabels {
    std::vector<std::int64_t> of_row;
    std::vector<std::int64_t> of_column;
};

struct BlockMatch {
    double unmoved = 1;  // as a share
    std::vector<PlanEntry> plan;
};

// Labels the blocks of zero entries; false if the zeros do not form blocks. Rows and columns without a zero get -1.
bool label_zero_blocks(const Distances& distances, BlockLabels& labels);

// Matches equal labels (any numbers ≥ 0; -1 matches nothing) greedily, in the order of the labels.
BlockMatch match_blocks(const Masses& masses, BlockLabels labels);

}  // namespace rpw
