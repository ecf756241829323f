// Total variation (k = 0) where equal points have labels: they form blocks, and the mass that two measures share is the
// sum over blocks of the smaller of their two masses (docs/theory.md, "Total variation").
#pragma once

#include <cstdint>
#include <vector>

#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

// Any numbers ≥ 0, the same for equal points.
struct BlockLabels {
    std::vector<std::int64_t> of_row;
    std::vector<std::int64_t> of_column;
};

struct BlockMatch {
    double unmoved = 1;  // as a share
    std::vector<PlanEntry> plan;
};

// Matches equal labels greedily, in the order of the labels.
BlockMatch match_blocks(const Masses& masses, const BlockLabels& labels);

}  // namespace rpw
