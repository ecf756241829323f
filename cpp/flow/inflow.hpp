// What flows into a column, in lists that may name a row more than once until they are merged.
#pragma once

#include <cstddef>
#include <vector>

#include "base/masses.hpp"

namespace rpw {

struct Inflow {
    Node row;
    Mass mass;
};

// One entry for each row that sends mass. `place` has room for a number for each row; what is in it does not matter.
inline void merge(std::vector<Inflow>& inflows, std::vector<std::size_t>& place) {
    std::size_t kept = 0;
    for (const Inflow inflow : inflows) {
        if (inflow.mass == 0) continue;
        const std::size_t known = place[inflow.row];
        if (known < kept && inflows[known].row == inflow.row) {
            inflows[known].mass += inflow.mass;
        } else {
            place[inflow.row] = kept;
            inflows[kept++] = inflow;
        }
    }
    inflows.resize(kept);
}

}  // namespace rpw
