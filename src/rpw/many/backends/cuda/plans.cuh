// Plans.
#pragma once

#include "walk.cuh"

namespace rpw_cuda {

// The plan at the vertex, plus `partial` along the edge that was found (none if it is 0).
RPW_INLINE void Walk::write_plan(long long pair, double partial) {
    const long long begin = batch.plan_start[pair];
    team.once([&] {
        *at.listed = 0;
        if (partial > 0) {
            *at.listed = 1;
            batch.plan_row[begin] = row;
            batch.plan_column[begin] = column;
            batch.plan_mass[begin] = partial;
        }
    });
    team.each(size(), [&](int x) {
        double mass = is_arc(x) ? share(at.flow[x]) : 0;
        if (partial > 0 && at.parent[x] >= 0) mass += along_path(x) * partial;
        if (!(mass > 0)) return;
        const int y = at.parent[x];
        const long long entry = begin + Team::append(at.listed);
        batch.plan_row[entry] = is_row(x) ? x : y;
        batch.plan_column[entry] = (is_row(x) ? y : x) - rows;
        batch.plan_mass[entry] = mass;
    });
    team.barrier();
    team.once([&] { batch.plan_size[pair] = *at.listed; });
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
