// Total variation: which points are equal is all that counts.
#pragma once

#include "balanced.cuh"
#include "team.cuh"

namespace rpw_cuda {

RPW_INLINE int first_not_below(const int* labels, int count, int label) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (labels[middle] < label) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

RPW_INLINE Mass mass_of_label(const int* labels, const BalancedMasses& masses, int from, int count, int label) {
    Mass sum = 0;
    for (int x = from; x < count && labels[x] == label; ++x) sum += masses[x];
    return sum;
}

// The plan between the atoms of one label, which begin at i and j: each takes what the one before has left. Every step
// leaves an atom behind, so that i + j is an entry of its own, also among the labels.
RPW_INLINE void write_matches(const Batch& batch, const BalancedPair& masses, long long pair, int i, int j) {
    const long long s = batch.first[pair], t = batch.second[pair], begin = batch.plan_start[pair];
    const int *of_row = batch.place_a + batch.start_a[s], *of_column = batch.place_b + batch.start_b[t];
    const int label = of_row[i];
    Mass left_i = masses.a[i], left_j = j < masses.columns ? masses.b[j] : 0;
    while (i < masses.rows && j < masses.columns && of_row[i] == label && of_column[j] == label) {
        const Mass amount = left_i < left_j ? left_i : left_j;
        batch.plan_row[begin + i + j] = i;
        batch.plan_column[begin + i + j] = j;
        batch.plan_mass[begin + i + j] = static_cast<double>(amount) / static_cast<double>(masses.total);
        left_i -= amount;
        left_j -= amount;
        if (left_i == 0 && ++i < masses.rows) left_i = masses.a[i];
        if (left_j == 0 && ++j < masses.columns) left_j = masses.b[j];
    }
}

// Equal points share the smaller of the two masses in them; the labels of each measure are in order.
RPW_INLINE void solve_shared(Team& team, const Batch& batch, Mass* shared, long long pair) {
    const long long s = batch.first[pair], t = batch.second[pair];
    const BalancedPair masses(batch, s, t);
    const int rows = masses.rows, columns = masses.columns;
    const int *of_row = batch.place_a + batch.start_a[s], *of_column = batch.place_b + batch.start_b[t];
    team.barrier();
    if (batch.plan_start != nullptr) {
        team.each(rows + columns, [&](int x) { batch.plan_mass[batch.plan_start[pair] + x] = 0; });
    }
    team.once([&] { *shared = 0; });
    team.each(rows, [&](int i) {
        const int label = of_row[i];
        if (i > 0 && of_row[i - 1] == label) return;
        const int j = first_not_below(of_column, columns, label);
        const Mass here = mass_of_label(of_row, masses.a, i, rows, label);
        const Mass there = mass_of_label(of_column, masses.b, j, columns, label);
        const Mass both = here < there ? here : there;
        if (both > 0) Team::add(shared, both);
        if (batch.plan_start != nullptr) write_matches(batch, masses, pair, i, j);
    });
    team.barrier();
    team.once([&] {
        Mass left = masses.total - *shared;
        if (left <= (masses.total >> 50) + rows + columns) left = 0;
        const double value = static_cast<double>(left) / static_cast<double>(masses.total);
        batch.value[pair] = batch.lower[pair] = batch.upper[pair] = value;
        batch.status[pair] = exact;
    });
}

}  // namespace rpw_cuda
