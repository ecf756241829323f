// Total variation: which points are equal is all that counts.
#pragma once

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

RPW_INLINE Mass mass_of_label(const int* labels, const Mass* masses, int from, int count, int label) {
    Mass sum = 0;
    for (int x = from; x < count && labels[x] == label; ++x) sum += masses[x];
    return sum;
}

// The plan between the atoms of one label, which begin at i and j: each takes what the one before has left. Every step
// leaves an atom behind, so that i + j is an entry of its own, also among the labels.
RPW_INLINE void write_matches(const Batch& batch, long long pair, int i, int j, Mass total) {
    const long long s = batch.first[pair], t = batch.second[pair], begin = batch.plan_start[pair];
    const long long end_a = batch.start_a[s + 1], end_b = batch.start_b[t + 1];
    const int label = batch.place_a[batch.start_a[s] + i];
    long long x = batch.start_a[s] + i, y = batch.start_b[t] + j;
    Mass left_x = batch.mass_a[x], left_y = y < end_b ? batch.mass_b[y] : 0;
    while (x < end_a && y < end_b && batch.place_a[x] == label && batch.place_b[y] == label) {
        const Mass amount = left_x < left_y ? left_x : left_y;
        const long long from = x - batch.start_a[s], to = y - batch.start_b[t];
        batch.plan_row[begin + from + to] = static_cast<int>(from);
        batch.plan_column[begin + from + to] = static_cast<int>(to);
        batch.plan_mass[begin + from + to] = static_cast<double>(amount) / static_cast<double>(total);
        left_x -= amount;
        left_y -= amount;
        if (left_x == 0 && ++x < end_a) left_x = batch.mass_a[x];
        if (left_y == 0 && ++y < end_b) left_y = batch.mass_b[y];
    }
}

// Equal points share the smaller of the two masses in them; the labels of each measure are in order.
RPW_INLINE void solve_shared(Team& team, const Batch& batch, Mass* shared, long long pair) {
    const long long s = batch.first[pair], t = batch.second[pair];
    const long long from_a = batch.start_a[s], from_b = batch.start_b[t];
    const int rows = static_cast<int>(batch.start_a[s + 1] - from_a);
    const int columns = static_cast<int>(batch.start_b[t + 1] - from_b);
    const int *of_row = batch.place_a + from_a, *of_column = batch.place_b + from_b;
    const Mass total = batch.total_a[s] < batch.total_b[t] ? batch.total_a[s] : batch.total_b[t];
    team.barrier();
    if (batch.plan_start != nullptr) {
        team.each(rows + columns, [&](int x) { batch.plan_mass[batch.plan_start[pair] + x] = 0; });
    }
    team.once([&] { *shared = 0; });
    team.each(rows, [&](int i) {
        const int label = of_row[i];
        if (i > 0 && of_row[i - 1] == label) return;
        const int j = first_not_below(of_column, columns, label);
        const Mass here = mass_of_label(of_row, batch.mass_a + from_a, i, rows, label);
        const Mass there = mass_of_label(of_column, batch.mass_b + from_b, j, columns, label);
        const Mass both = here < there ? here : there;
        if (both > 0) Team::add(shared, both);
        if (batch.plan_start != nullptr) write_matches(batch, pair, i, j, total);
    });
    team.barrier();
    team.once([&] {
        Mass left = total - *shared;
        if (left <= (total >> 50) + rows + columns) left = 0;
        const double value = static_cast<double>(left) / static_cast<double>(total);
        batch.value[pair] = batch.lower[pair] = batch.upper[pair] = value;
        batch.status[pair] = exact;
    });
}

}  // namespace rpw_cuda
