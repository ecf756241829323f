// Plans.
#pragma once

#include "walk.cuh"

namespace rpw_cuda {

// The plan at the vertex, plus `partial` along the edge that was found (none if it is 0). Every node has the entry of
// the arc to its parent; the root of the edge has no parent, and its entry is the edge.
RPW_INLINE void Walk::write_plan(long long pair, double partial) {
    const long long begin = batch.plan_start[pair];
    team.each(size(), [&](int x) {
        const bool is_edge = partial > 0 && x == root_row;
        double mass = is_edge ? partial : is_arc(x) ? share(at.flow[x]) : 0;
        if (partial > 0 && at.parent[x] >= 0) mass += along_path(x) * partial;
        const int y = at.parent[x];
        batch.plan_row[begin + x] = is_edge ? row : is_row(x) ? x : y;
        batch.plan_column[begin + x] = is_edge ? column : (is_row(x) ? y : x) - rows;
        batch.plan_mass[begin + x] = mass > 0 ? mass : 0;
    });
    team.barrier();
}

// +1 where the path of the edge adds to the arc above x, -1 where it takes away, 0 elsewhere.
RPW_INLINE double Walk::along_path(int x) const {
    for (int y = row; y != root_row; y = at.parent[y]) {
        if (y == x) return is_row(x) ? -1 : 1;
    }
    for (int y = rows + column; y != top; y = at.parent[y]) {
        if (y == x) return is_row(x) ? 1 : -1;
    }
    return 0;
}

}  // namespace rpw_cuda
