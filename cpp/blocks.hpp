// Total variation (k = 0) when the points at distance 0 form blocks: equal points, or a cost matrix whose zeros do.
// The mass that two measures share is then the sum over blocks of the smaller of their two masses
// (docs/theory.md, "Total variation").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem.hpp"
#include "profile_walk.hpp"

namespace rpw {

struct BlockMatch {
    Mass moved = 0;
    Mass total = 0;
    std::vector<PlanEntry> plan;
};

// Labels the blocks of zero entries; false if the zeros do not form blocks. Rows and columns without a zero get -1.
bool label_zero_blocks(const CostMatrix& cost, std::vector<std::int64_t>& of_row, std::vector<std::int64_t>& of_column);

// Matches equal labels (≥ 0, below `labels`) greedily, in linear time.
BlockMatch match_blocks(std::span<const Mass> a, std::span<const Mass> b, std::span<const std::int64_t> of_row,
                        std::span<const std::int64_t> of_column, std::size_t labels);

// 1 - the mass that equal labels share (any labels; they are sorted), as a share of the total.
double shared_by_labels(std::span<const Mass> a, std::span<const Mass> b, std::span<const std::int64_t> of_row,
                        std::span<const std::int64_t> of_column);

// Total variation from distances alone: by blocks where the zeros form some, else by a maximum flow.
double unshared_mass(const Problem& problem, Pulse& pulse);

}  // namespace rpw
