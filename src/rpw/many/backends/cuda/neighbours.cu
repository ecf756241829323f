// Lower bounds on RPW for many pairs: one team of threads for each pair.
//
// Every row moves to its nearest column, whatever room there is, or every column to its nearest row: profiles below the
// profile of the pair (docs/proofs/search.md, "Search"). Each λ gives a cut below them, λα - Σ m (λ - c)⁺ over the
// atoms with mass m and nearest power c, and where that cut crosses is a bound. The best λ is found by bisection, which
// needs no order of the atoms: sums are all that threads do together.
#include "bounds.cuh"

namespace rpw_cuda {

constexpr int bisections = 40;

// Where the profile crosses on which each atom moves at its nearest power.
RPW_INLINE double bound_of_side(Team& team, const Batch& batch, const double* nearest, const Mass* mass, int count,
                                double total) {
    const auto share = [&](int x) { return static_cast<double>(mass[x]) / total; };
    // Keys are not negative: the least of the reciprocals' order is the largest.
    const Best last = team.least_of_crews([&](const Crew& crew) {
        return Team::least_owned(crew, count, [&](int x) { return 1 / (1e-300 + nearest[x]); });
    });
    team.barrier();
    double low = 0, high = nearest[last.index], best = 0;
    double lambda = high;
    for (int step = 0; step < bisections; ++step) {
        const double spared =
            team.sum(count, [&](int x) { return nearest[x] < lambda ? (lambda - nearest[x]) * share(x) : 0.0; });
        const double moved = team.sum(count, [&](int x) { return nearest[x] < lambda ? share(x) : 0.0; });
        const double found = crossing(lambda - spared, lambda, batch.kappa, batch.p);
        best = found > best ? found : best;
        if (moved < 1 - found) {
            low = lambda;
        } else {
            high = lambda;
        }
        lambda = low + (high - low) / 2;
    }
    return best;
}

RPW_INLINE void bound_in(Team& team, const Batch& batch, double* room, long long position) {
    const long long pair = batch.order[position], s = batch.first[pair], t = batch.second[pair];
    const long long from_a = batch.start_a[s], from_b = batch.start_b[t];
    const int rows = static_cast<int>(batch.start_a[s + 1] - from_a);
    const int columns = static_cast<int>(batch.start_b[t + 1] - from_b);
    const Costs cost = costs_of(batch, from_a, from_b);
    double* of_row = room;
    double* of_column = room + rows;
    team.each(rows, [&](int i) {
        const Place from = cost.row(i);
        double least = infinite();
        for (int j = 0; j < columns; ++j) {
            const double length = cost.between(from, cost.column(j));
            least = length < least ? length : least;
        }
        of_row[i] = least;
    });
    team.each(columns, [&](int j) {
        const Place to = cost.column(j);
        double least = infinite();
        for (int i = 0; i < rows; ++i) {
            const double length = cost.between(cost.row(i), to);
            least = length < least ? length : least;
        }
        of_column[j] = least;
    });
    team.barrier();
    const Mass less = batch.total_a[s] < batch.total_b[t] ? batch.total_a[s] : batch.total_b[t];
    const double total = static_cast<double>(less);
    const double by_rows = bound_of_side(team, batch, of_row, batch.mass_a + from_a, rows, total);
    const double by_columns = bound_of_side(team, batch, of_column, batch.mass_b + from_b, columns, total);
    team.once([&] { batch.value[pair] = by_rows > by_columns ? by_rows : by_columns; });
}

}  // namespace rpw_cuda

RPW_KERNEL_OF_BOUNDS(neighbours)
