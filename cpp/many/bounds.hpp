// Lower bounds on RPW for long lists of pairs, far cheaper than the distances (docs/theory.md, "Search").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "many/pair_values.hpp"

namespace rpw {

// What solved pairs say about all others with the same first measure: their multipliers and row potentials, in units of
// κ^p. The lines of measure s are those from start[s] up to start[s + 1]; each has one potential for each of its atoms.
struct DualLines {
    std::span<const std::int64_t> start;
    std::span<const double> multiplier;
    std::span<const double> u;
};

// Every atom moves to its nearest neighbour. All 0 where the question is another than RPW, and 0 for a pair that fails.
std::vector<double> neighbour_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                     std::span<const std::int64_t> second, const Effort& effort);

// The best of the lines of its first measure, from number since[e] on, for the pair (first[e], second[e]). Pairs with
// the same first measure come one after the other. 0 where there is no line, and for a pair that fails.
std::vector<double> line_bounds(const Batch& batch, std::span<const std::int64_t> first,
                                std::span<const std::int64_t> second, std::span<const std::int64_t> since,
                                const DualLines& lines, const Effort& effort);

}  // namespace rpw
