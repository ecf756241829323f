// Lower bounds on RPW for many pairs: one team of threads for each pair.
//
// Every row moves to its nearest column, whatever room there is, or every column to its nearest row: profiles below the
// profile of the pair (docs/theory.md, "Search"). Each λ gives a line below them, λα - Σ m (λ - c)⁺ over the atoms with
// mass m and nearest power c, and where that line crosses is a bound. The best λ is found by bisection, which needs no
// order of the atoms: sums are all that threads do together.
#include "costs.cuh"
#include "team.cuh"

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

RPW_INLINE Costs costs_of(const Batch& batch, long long from_a, long long from_b) {
    Costs cost;
#if RPW_COST == 2
    cost.x = cost.y = nullptr;
    cost.x_stride = cost.y_stride = 0;
    cost.place_x = batch.place_a + from_a;
    cost.place_y = batch.place_b + from_b;
#else
    cost.x = batch.points_a + from_a;
    cost.y = batch.points_b + from_b;
    cost.x_stride = batch.atoms_a;
    cost.y_stride = batch.atoms_b;
    cost.place_x = cost.place_y = nullptr;
#endif
    cost.table = batch.table;
    cost.table_columns = batch.table_columns;
    cost.p = batch.p;
    cost.truncation = cost.truncation_p = infinite();
    cost.dimension = batch.dimension;
    cost.metric = batch.metric;
    return cost;
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

#if defined(__CUDACC__)

extern "C" __global__ void __launch_bounds__(RPW_THREADS, RPW_BLOCKS) neighbours(const rpw_cuda::Batch batch) {
    using namespace rpw_cuda;
    extern __shared__ double shared_room[];
    Team team;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared_position = atomicAdd(batch.next, 1ull);
        __syncthreads();
        const long long position = static_cast<long long>(shared_position);
        if (position >= batch.end) return;
        bound_in(team, batch, shared_room, position);
        if (threadIdx.x == 0) atomicAdd(batch.done, 1ull);
    }
}

#else

// The same on the host, for tests.
extern "C" void rpw_cuda_host(const rpw_cuda::Batch* batch, char* workspace, int is_backwards) {
    rpw_cuda::Team team{is_backwards != 0, batch->next};
    for (long long position = batch->begin; position < batch->end; ++position) {
        rpw_cuda::bound_in(team, *batch, reinterpret_cast<double*>(workspace), position);
    }
}

#endif
