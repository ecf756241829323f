// Lower bounds on RPW for many pairs, by the row potentials of other pairs: one team of threads for each pair.
//
// A cut has a multiplier λ and potentials u ≥ 0 of the rows. With v_j = max(0, max_i λ - C_ij - u_i) it lies below the
// profile of every pair with these rows, and where it crosses is a bound (docs/proofs/search.md, "Search").
#include "bounds.cuh"

namespace rpw_cuda {

constexpr int cuts_at_once = 4;  // the costs of a pair are computed once for so many; bounds.py has the same number

RPW_INLINE void bound_in(Team& team, const Batch& batch, double* room, long long position) {
    const long long pair = batch.order[position], s = batch.first[pair], t = batch.second[pair];
    const long long from_a = batch.start_a[s], from_b = batch.start_b[t];
    const int rows = static_cast<int>(batch.start_a[s + 1] - from_a);
    const int columns = static_cast<int>(batch.start_b[t + 1] - from_b);
    const Costs cost = costs_of(batch, from_a, from_b);
    const Mass less = batch.total_a[s] < batch.total_b[t] ? batch.total_a[s] : batch.total_b[t];
    const double total = static_cast<double>(less);
    // No term of the sums is larger than λ, so neither is what rounding takes from them, times their number.
    const double rounding = 2.220446049250313e-16 * (rows + columns + batch.dimension + 8);
    double best = 0;
    for (long long begin = batch.cut_start[s]; begin < batch.cut_start[s + 1]; begin += cuts_at_once) {
        const long long left = batch.cut_start[s + 1] - begin;
        const int count = left < cuts_at_once ? static_cast<int>(left) : cuts_at_once;
        const double* u[cuts_at_once];
        for (int cut = 0; cut < cuts_at_once; ++cut) {
            u[cut] = batch.u + batch.u_start[begin + (cut < count ? cut : 0)];
        }
        team.each(columns, [&](int j) {
            const Place to = cost.column(j);
            double least[cuts_at_once];
            for (int cut = 0; cut < cuts_at_once; ++cut) least[cut] = infinite();
            for (int i = 0; i < rows; ++i) {
                const double length = cost.between(cost.row(i), to);
                for (int cut = 0; cut < cuts_at_once; ++cut) {
                    const double sum = length + u[cut][i];
                    least[cut] = sum < least[cut] ? sum : least[cut];
                }
            }
            for (int cut = 0; cut < count; ++cut) {
                const double v = batch.multiplier[begin + cut] - least[cut];
                room[cut * columns + j] = v > 0 ? v : 0;
            }
        });
        team.barrier();
        for (int cut = 0; cut < count; ++cut) {
            const double lambda = batch.multiplier[begin + cut];
            const double of_rows =
                team.sum(rows, [&](int i) { return u[cut][i] * static_cast<double>(batch.mass_a[from_a + i]); });
            const double of_columns = team.sum(columns, [&](int j) {
                return room[cut * columns + j] * static_cast<double>(batch.mass_b[from_b + j]);
            });
            const double height = lambda - (of_rows + of_columns) / total - rounding * lambda;
            const double found = crossing(height, lambda, batch.kappa, batch.p);
            best = found > best ? found : best;
        }
        team.barrier();
    }
    team.once([&] { batch.value[pair] = best; });
}

}  // namespace rpw_cuda

RPW_KERNEL_OF_BOUNDS(cuts)
