// The cost of the plan and the potentials that bound it.
#pragma once

#include "walk.cuh"

namespace rpw_cuda {

RPW_INLINE double Walk::arc_cost(int x) const {
    const int y = at.parent[x];
    const int i = is_row(x) ? x : y, j = (is_row(x) ? y : x) - rows;
    return cost.between(cost.row(i), cost.column(j));
}

RPW_INLINE double Walk::plan_cost() {
    return team.sum(size(), [&](int x) { return is_arc(x) ? share(at.flow[x]) * arc_cost(x) : 0.0; });
}

RPW_INLINE double Walk::column_potential(int j) const {
    const double distance = at.distance[rows + j];
    const double v = at.label[rows + j] < 0 ? distance : lambda - distance;
    return v > 0 ? v : 0;
}

// Large enough for every inequality with these potentials of columns.
template <class V>
RPW_INLINE double Walk::row_potential(int i, V of_column) const {
    const Place from = cost.row(i);
    double least = infinite();
    for (int j = 0; j < columns; ++j) {
        const double sum = cost.between(from, cost.column(j)) + of_column(j);
        least = sum < least ? sum : least;
    }
    const double u = at.label[i] >= 0 ? at.distance[i] : lambda - at.distance[i];
    const double needed = lambda - least;
    const double enough = u > needed ? u : needed;
    return enough > 0 ? enough : 0;
}

// Potentials that satisfy every inequality, checked over all pairs: docs/proofs/profile.md, "The cut and the
// certificate". u replaces the distances of rows, v the keys. Returns Σ a u + Σ b v.
RPW_INLINE double Walk::certificate(const BalancedPair& masses) {
    team.barrier();
    team.each(columns, [&](int j) { at.key[j] = column_potential(j); });
    team.barrier();
    team.each(rows, [&](int i) { at.distance[i] = row_potential(i, [&](int j) { return at.key[j]; }); });
    team.barrier();
    return team.sum(size(), [&](int x) {
        return is_row(x) ? at.distance[x] * share(masses.a[x]) : at.key[x - rows] * share(masses.b[x - rows]);
    });
}

// The same sum, where the walk goes on: nothing is replaced.
RPW_INLINE double Walk::certificate_on_the_way(const BalancedPair& masses) {
    team.barrier();
    return team.sum(size(), [&](int x) {
        return is_row(x) ? row_potential(x, [&](int j) { return column_potential(j); }) * share(masses.a[x])
                         : column_potential(x - rows) * share(masses.b[x - rows]);
    });
}

RPW_INLINE void Walk::write_potentials(long long pair) {
    team.each(rows, [&](int i) { batch.u[batch.u_start[pair] + i] = at.distance[i]; });
    team.each(columns, [&](int j) { batch.v[batch.v_start[pair] + j] = at.key[j]; });
}

}  // namespace rpw_cuda
