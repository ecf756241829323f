// Lower bounds on RPW for long lists of pairs, far cheaper than the distances (docs/proofs/search.md, "Search").
#pragma once

#include <vector>

#include "many/cuts.hpp"

namespace rpw {

// Every atom moves to its nearest neighbour, whatever room there is, cheapest mass first; both ways, the better of the
// two. All 0 where the question is another than RPW, and 0 for a pair that fails.
std::vector<double> neighbour_bounds(const Batch& batch, const Pairs& pairs, const Effort& effort);

// The best of the cuts of its first measure s, from since[s] on, for each pair of measures at places that they share. 0
// where there is no cut.
std::vector<double> cut_bounds(const Batch& batch, const Pairs& pairs, const Cuts& cuts,
                               std::span<const std::int64_t> since, const Effort& effort);

// The mixture of the cuts that suit each pair best, among the last `most` of its first measure: sharper, and dearer. 0
// where there is no cut, and for a pair that fails.
std::vector<double> mixed_bounds(const Batch& batch, const Pairs& pairs, const Cuts& cuts, std::size_t most,
                                 const Effort& effort);

}  // namespace rpw
