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

// The best of the lines of its first measure for each pair (first[e], second[e]) of measures at places that they share.
// 0 where there is no line.
std::vector<double> line_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                std::span<const std::int64_t> second, const DualLines& lines, const Effort& effort);

// The mixture of the lines that suit each pair best: sharper, and dearer. 0 where there is no line, and for a pair that
// fails.
std::vector<double> mixed_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                 std::span<const std::int64_t> second, const DualLines& lines, const Effort& effort);

}  // namespace rpw
