// A plan that is put together from several: one entry for each pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/outcome.hpp"

namespace rpw {

// Sorts the entries, and sums the masses of equal pairs.
inline void merge_pairs(std::vector<PlanEntry>& plan) {
    const auto pair_of = [](const PlanEntry& entry) { return std::pair(entry.row, entry.column); };
    std::sort(plan.begin(), plan.end(),
              [&](const PlanEntry& a, const PlanEntry& b) { return pair_of(a) < pair_of(b); });
    std::size_t kept = 0;
    for (const PlanEntry& entry : plan) {
        if (kept > 0 && pair_of(plan[kept - 1]) == pair_of(entry)) {
            plan[kept - 1].mass += entry.mass;
        } else {
            plan[kept++] = entry;
        }
    }
    plan.resize(kept);
}

}  // namespace rpw
