// Exact RPW, W, partial W and ROBOT for many pairs: one team of threads for each pair.
//
// This is the walk of docs/proofs/walk.md, "The exact algorithm", in the form that suits a GPU ("The walk on a GPU").
// Trees that hang from a row with unmoved mass are *reached*; everything else waits in trees whose arcs all carry mass.
// A column that waits keeps a lower bound on the length of the shortest path that ends in it; the smallest is the next
// event. Its tree is either reached now, or has room: then mass moves, and what lost its way from the root waits again.
//
// One source for two compilers. Everything that threads do together is a parallel loop of the Team (`each`, `least`,
// `sum`) with barriers between them: CUDA threads on a GPU, plain loops on the host, where the tests run it. Variables
// outside of those loops have the same value in every thread.
#include "answer.cuh"
#include "total_variation.cuh"

namespace rpw_cuda {

RPW_INLINE void solve_in(Team& team, const Batch& batch, Room room, long long position) {
    const long long pair = batch.order[position], s = batch.first[pair], t = batch.second[pair];
    if (batch.question == question_shared) {
        solve_shared(team, batch, room.take<Mass>(1), pair);
        return;
    }
    const long long from_a = batch.start_a[s], from_b = batch.start_b[t];
    const int rows = static_cast<int>(batch.start_a[s + 1] - from_a);
    const int columns = static_cast<int>(batch.start_b[t + 1] - from_b);
    const Workspace at = lay_out(room, rows, columns);
    Costs cost;
    // A pointer that is either shared or global memory is slow, so each has one source only.
#if RPW_COST == 2
    cost.x = cost.y = nullptr;
    cost.x_stride = cost.y_stride = 0;
    cost.place_x = batch.place_a + from_a;
    cost.place_y = batch.place_b + from_b;
#else
    cost.place_x = cost.place_y = nullptr;
#if RPW_POINTS
    double* x = room.take<double>(static_cast<size_t>(batch.dimension) * static_cast<size_t>(rows));
    bring(team, batch.points_a + from_a, batch.atoms_a, rows, batch.dimension, x);
    cost.x = x;
    cost.x_stride = rows;
#else
    cost.x = batch.points_a + from_a;
    cost.x_stride = batch.atoms_a;
#endif
#if RPW_POINTS == 1
    double* y = room.take<double>(static_cast<size_t>(batch.dimension) * static_cast<size_t>(columns));
    bring(team, batch.points_b + from_b, batch.atoms_b, columns, batch.dimension, y);
    cost.y = y;
    cost.y_stride = columns;
#else
    cost.y = batch.points_b + from_b;
    cost.y_stride = batch.atoms_b;
#endif
#endif
    cost.table = batch.table;
    cost.table_columns = batch.table_columns;
    cost.p = batch.p;
    cost.truncation = batch.truncation;
    cost.truncation_p = batch.truncation < infinite() ? power(batch.truncation, batch.p) : infinite();
    cost.dimension = batch.dimension;
    cost.metric = batch.metric;
    solve_pair(team, batch, cost, at, pair);
}

}  // namespace rpw_cuda

#if defined(__CUDACC__)

extern "C" __global__ void __launch_bounds__(RPW_THREADS, RPW_BLOCKS) walk(const rpw_cuda::Batch batch) {
    using namespace rpw_cuda;
#if RPW_GRID
    Room room{batch.workspace, 0};
    Team team;
    team.arrivals = room.take<unsigned>(2);
    team.slots = room.take<Best>(2 * gridDim.x);
    team.sums = room.take<double>(gridDim.x);
    team.stops = room.take<int>(2);
    team.next = batch.next;
    for (long long position = batch.begin; position < batch.end; ++position) {
        solve_in(team, batch, room, position);
        if (Team::thread() == 0) atomicAdd(batch.done, 1ull);
    }
#else
    extern __shared__ double shared_room[];
    Team team;
    const Room room{reinterpret_cast<char*>(shared_room), 0};
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared_position = atomicAdd(batch.next, 1ull);
        __syncthreads();
        const long long position = static_cast<long long>(shared_position);
        if (position >= batch.end) return;
        solve_in(team, batch, room, position);
        if (threadIdx.x == 0) atomicAdd(batch.done, 1ull);
    }
#endif
}

#else

// The same on the host, for tests.
extern "C" size_t rpw_cuda_room(int rows, int columns) {
    rpw_cuda::Room room{nullptr, 0};
    rpw_cuda::lay_out(room, rows, columns);
    return room.used;
}

extern "C" void rpw_cuda_host(const rpw_cuda::Batch* batch, char* workspace, int is_backwards) {
    rpw_cuda::Team team{is_backwards != 0, batch->next};
    for (long long position = batch->begin; position < batch->end; ++position) {
        rpw_cuda::solve_in(team, *batch, rpw_cuda::Room{workspace, 0}, position);
    }
}

#endif
