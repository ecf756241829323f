// What the kernels of bounds share: the costs of a pair, and teams that take one pair after the other.
#pragma once

#include "costs.cuh"
#include "team.cuh"

namespace rpw_cuda {

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

}  // namespace rpw_cuda

// A kernel of this name, in which a team calls `bound_in` for each pair; on the host, for tests, one after the other.
#if defined(__CUDACC__)

#define RPW_KERNEL_OF_BOUNDS(name)                                                                            \
    extern "C" __global__ void __launch_bounds__(RPW_THREADS, RPW_BLOCKS) name(const rpw_cuda::Batch batch) { \
        using namespace rpw_cuda;                                                                             \
        extern __shared__ double shared_room[];                                                               \
        Team team;                                                                                            \
        for (;;) {                                                                                            \
            __syncthreads();                                                                                  \
            if (threadIdx.x == 0) shared_position = atomicAdd(batch.next, 1ull);                              \
            __syncthreads();                                                                                  \
            const long long position = static_cast<long long>(shared_position);                               \
            if (position >= batch.end) return;                                                                \
            bound_in(team, batch, shared_room, position);                                                     \
            if (threadIdx.x == 0) atomicAdd(batch.done, 1ull);                                                \
        }                                                                                                     \
    }

#else

#define RPW_KERNEL_OF_BOUNDS(name)                                                                   \
    extern "C" void rpw_cuda_host(const rpw_cuda::Batch* batch, char* workspace, int is_backwards) { \
        rpw_cuda::Team team{is_backwards != 0, batch->next};                                         \
        for (long long position = batch->begin; position < batch->end; ++position) {                 \
            rpw_cuda::bound_in(team, *batch, reinterpret_cast<double*>(workspace), position);        \
        }                                                                                            \
    }

#endif
