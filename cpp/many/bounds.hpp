// Lower bounds on RPW for long lists of pairs, far cheaper than the distances (docs/theory.md, "Search").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "many/dual_lines.hpp"
#include "many/pair_values.hpp"

namespace rpw {

// Every atom moves to its nearest neighbour. All 0 where the question is another than RPW, and 0 for a pair that fails.
std::vector<double> neighbour_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                     std::span<const std::int64_t> second, const Effort& effort);

// By the lines of its first measure for each pair (first[e], second[e]); since[e] of them have bounded it before. Pairs
// with the same first measure come one after the other. 0 where there is no line, and for a pair that fails.
std::vector<double> line_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                std::span<const std::int64_t> second, std::span<const std::int64_t> since,
                                const DualLines& lines, const Effort& effort);

}  // namespace rpw
