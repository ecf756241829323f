// The threads that work on one pair: those of a block or of all blocks, and on the host plain loops.
#pragma once

#include "numbers.cuh"

namespace rpw_cuda {

constexpr int warp_size = 32;
constexpr int columns_at_once = RPW_POINTS == 1 ? 1 : 2;
constexpr int threads_per_block = RPW_THREADS;
constexpr int warps_per_block = threads_per_block / warp_size;

}  // namespace rpw_cuda

#if defined(__CUDACC__)
#include "team_gpu.cuh"
#else
#include "team_host.cuh"
#endif
