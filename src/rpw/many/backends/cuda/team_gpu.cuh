// Teams of CUDA threads: reductions, and loops that their threads share.
#pragma once

namespace rpw_cuda {

__shared__ Best shared_best[2][warps_per_block];
__shared__ double shared_sum[warps_per_block];
__shared__ unsigned long long shared_position;

// The least of a warp, in every lane. Keys are not negative, so their bits are ordered as they are.
RPW_INLINE Best least_of_lanes(Best mine) {
    const unsigned everyone = 0xffffffffu;
    const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(mine.key));
#if __CUDA_ARCH__ >= 800
    const unsigned high = static_cast<unsigned>(bits >> 32), low = static_cast<unsigned>(bits);
    const unsigned least_high = __reduce_min_sync(everyone, high);
    const unsigned least_low = __reduce_min_sync(everyone, high == least_high ? low : 0xffffffffu);
    const bool is_least = high == least_high && low == least_low;
    const unsigned index = __reduce_min_sync(everyone, is_least ? static_cast<unsigned>(mine.index) : 0xffffffffu);
    return {
        __longlong_as_double(static_cast<long long>((static_cast<unsigned long long>(least_high) << 32) | least_low)),
        static_cast<int>(index)};
#else
    for (int step = warp_size / 2; step > 0; step /= 2) {
        const Best other = {__shfl_xor_sync(everyone, mine.key, step), __shfl_xor_sync(everyone, mine.index, step)};
        if (precedes(other, mine)) mine = other;
    }
    return mine;
#endif
}

// The least of a block, in every thread.
RPW_INLINE Best least_of_block(Best mine, int& turn) {
    Best best = least_of_lanes(mine);
    if (warps_per_block == 1) return best;
    Best* slot = shared_best[turn];
    turn ^= 1;
    const int lane = threadIdx.x % warp_size;
    if (lane == 0) slot[threadIdx.x / warp_size] = best;
    __syncthreads();
    return least_of_lanes(lane < warps_per_block ? slot[lane] : Best{infinite(), -1});
}

// Threads that look at one column together: a warp of the block, or a block of the grid.
struct Crew {
    int& turn;

#if RPW_GRID
    static constexpr int size = threads_per_block;
    __device__ __forceinline__ static int rank() { return static_cast<int>(threadIdx.x); }
    __device__ __forceinline__ Best least_of(Best mine) const { return least_of_block(mine, turn); }
    __device__ __forceinline__ void barrier() const { __syncthreads(); }
#else
    static constexpr int size = warp_size;
    __device__ __forceinline__ static int rank() { return static_cast<int>(threadIdx.x % warp_size); }
    __device__ __forceinline__ Best least_of(Best mine) const { return least_of_lanes(mine); }
    __device__ __forceinline__ void barrier() const { __syncwarp(); }
#endif

    template <class Key>
    __device__ __forceinline__ Best least(int count, Key key) const {
        Best mine = {infinite(), -1};
#pragma unroll 4
        for (int x = rank(); x < count; x += size) {
            const double k = key(x);
            if (k < mine.key) mine = {k, x};
        }
        return least_of(mine);
    }
    // The least over the indices that this crew owns in Team::each.
    template <class Key>
    __device__ __forceinline__ Best least_owned(int begin, int step, int count, Key key) const {
        Best mine = {infinite(), -1};
        for (int x = begin; x < count; x += step) {
            const double k = key(x);
            if (k < mine.key) mine = {k, x};
        }
        return least_of(mine);
    }
    template <class Do>
    __device__ __forceinline__ void once(Do act) const {
        barrier();
        if (rank() == 0) act();
        barrier();
    }
};

// The threads of a block, or of all blocks.
struct Team {
    Best* slots;         // RPW_GRID: two for each block
    double* sums;        // RPW_GRID: one for each block
    unsigned* arrivals;  // RPW_GRID
    int* stops;          // RPW_GRID: two
    const volatile unsigned long long* next;
    bool is_stopped = false;  // RPW_GRID: whether the host asked for an end before the last `least_of_crews`
    unsigned generation = 0;
    int turn = 0;
    int grid_turn = 0;

    __device__ __forceinline__ static int thread() {
        return RPW_GRID ? static_cast<int>(blockIdx.x * threads_per_block + threadIdx.x)
                        : static_cast<int>(threadIdx.x);
    }
    __device__ __forceinline__ static int threads() {
        return RPW_GRID ? static_cast<int>(gridDim.x) * threads_per_block : threads_per_block;
    }

    __device__ __forceinline__ void barrier() {
#if RPW_GRID
        __syncthreads();
        ++generation;
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrivals, 1u);
            const unsigned all = generation * gridDim.x;
            while (static_cast<int>(*static_cast<volatile unsigned*>(arrivals) - all) < 0) {
            }
            __threadfence();
        }
        __syncthreads();
#else
        if (warps_per_block == 1) {
            __syncwarp();
        } else {
            __syncthreads();
        }
#endif
    }

    template <class Do>
    __device__ __forceinline__ void each(int count, Do act) const {
#pragma unroll 1
        for (int x = thread(); x < count; x += threads()) act(x);
    }
    // The same, with the loads of two at once where points are far away.
    template <class Do>
    __device__ __forceinline__ void each_soon(int count, Do act) const {
#pragma unroll columns_at_once
        for (int x = thread(); x < count; x += threads()) act(x);
    }
    // Each x with this label. The array may be read up to the next multiple of 8 bytes.
    template <class Do>
    __device__ __forceinline__ void each_labelled(const Link* labels, int count, int label, Do act) const {
#if RPW_GRID
        each(count, [&](int x) {
            if (labels[x] == label) act(x);
        });
#else
        const unsigned both = (static_cast<unsigned>(label) & 0xffffu) * 0x10001u;
#pragma unroll 1
        for (int x = 4 * thread(); x < count; x += 4 * threads()) {
            const uint2 four = *reinterpret_cast<const uint2*>(labels + x);
            const unsigned equal[2] = {__vcmpeq2(four.x, both), __vcmpeq2(four.y, both)};
            if ((equal[0] | equal[1]) == 0) continue;
#pragma unroll 1
            for (int e = 0; e < 4 && x + e < count; ++e) {
                if (labels[x + e] == label) act(x + e);
            }
        }
#endif
    }
    template <class Do>
    __device__ __forceinline__ void once(Do act) {
        if (thread() == 0) act();
        barrier();
    }
    template <class Do>
    __device__ __forceinline__ void each_by_crew(int count, Do act) {
        const Crew crew{turn};
#pragma unroll 1
        for (int x = thread() / Crew::size; x < count; x += threads() / Crew::size) act(crew, x);
    }
    // The least of what the crews found.
    template <class Find>
    __device__ __forceinline__ Best least_of_crews(Find find) {
#if RPW_GRID
        // One thread looks, and all hear the same from it: else some would wait for others that have left.
        const bool is_to_stop = thread() == 0 && *next >= no_more;
        const Best found = find(Crew{turn});
        Best* slot = slots + grid_turn * gridDim.x;
        int* stop = stops + grid_turn;
        grid_turn ^= 1;
        if (threadIdx.x == 0) slot[blockIdx.x] = found;
        if (thread() == 0) *stop = is_to_stop;
        barrier();
        is_stopped = *stop != 0;
        Best mine = {infinite(), -1};
        for (int x = static_cast<int>(threadIdx.x % warp_size); x < static_cast<int>(gridDim.x); x += warp_size) {
            if (precedes(slot[x], mine)) mine = slot[x];
        }
        return least_of_lanes(mine);
#else
        const Best found = find(Crew{turn});
        if (warps_per_block == 1) {
            __syncwarp();
            return found;
        }
        return least_of_block(found, turn);
#endif
    }
    // The least key over the indices that the crew owns in `each`.
    template <class Key>
    __device__ __forceinline__ static Best least_owned(const Crew& crew, int count, Key key) {
        return crew.least_owned(thread(), threads(), count, key);
    }
    template <class Term>
    __device__ __forceinline__ double sum(int count, Term term) {
        double mine = 0;
#pragma unroll 1
        for (int x = thread(); x < count; x += threads()) mine += term(x);
        for (int step = warp_size / 2; step > 0; step /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, step);
        __syncthreads();
        if (threadIdx.x % warp_size == 0) shared_sum[threadIdx.x / warp_size] = mine;
        __syncthreads();
        double total = 0;
        for (int w = 0; w < warps_per_block; ++w) total += shared_sum[w];
#if RPW_GRID
        barrier();
        if (threadIdx.x == 0) sums[blockIdx.x] = total;
        barrier();
        total = 0;
        for (int block = 0; block < static_cast<int>(gridDim.x); ++block) total += sums[block];
#endif
        return total;
    }
    __device__ __forceinline__ static int append(int* size) { return atomicAdd(size, 1); }
    __device__ __forceinline__ static void add(Mass* sum, Mass term) {
        atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(term));
    }
};

}  // namespace rpw_cuda
