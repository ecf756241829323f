// Exact RPW, W, partial W and ROBOT for many pairs: one team of threads for each pair.
//
// This is the walk of docs/theory.md, "The exact algorithm", in the form that suits a GPU ("The walk on a GPU"). Trees
// that hang from a row with unmoved mass are *reached*; everything else waits in trees whose arcs all carry mass. A
// column that waits keeps a lower bound on the length of the shortest path that ends in it; the smallest is the next
// event. Its tree is either reached now, or has room: then mass moves, and what lost its way from the root waits again.
//
// One source for two compilers. Everything that threads do together is a parallel loop of the Team (`each`, `least`,
// `sum`) with barriers between them: CUDA threads on a GPU, plain loops on the host, where the tests run it. Variables
// outside of those loops have the same value in every thread.
//
// Compile-time settings: RPW_THREADS per block and RPW_BLOCKS beside each other at least, RPW_DIM coordinates (0: any
// number), RPW_COST (0: squared Euclidean, 1: a metric, 2: a table), RPW_P (1 or 2; 0: any p), RPW_POINTS (1: the
// points are copied into the workspace, 2: those of rows), RPW_GRID (1: all blocks together solve one pair, with its
// workspace in global memory). RPW_SPREAD: the kernel `spread` instead of `walk`.
#ifndef RPW_THREADS
#define RPW_THREADS 64
#endif
#ifndef RPW_DIM
#define RPW_DIM 0
#endif
#ifndef RPW_COST
#define RPW_COST 1
#endif
#ifndef RPW_POINTS
#define RPW_POINTS 0
#endif
#ifndef RPW_GRID
#define RPW_GRID 0
#endif
#ifndef RPW_BLOCKS
#define RPW_BLOCKS 1
#endif
#ifndef RPW_P
#define RPW_P 0
#endif

#if defined(__CUDACC__)
#define RPW_INLINE __device__ __forceinline__
#else
#include <cmath>
#include <cstddef>
#include <limits>
#define RPW_INLINE inline
#endif

namespace rpw_cuda {

using Mass = long long;
#if RPW_GRID
using Link = int;
#else
using Link = short;
#endif

enum Question { question_crossing = 0, question_mass = 1, question_shared = 2 };
enum MetricName { euclidean = 0, cityblock = 1, chebyshev = 2 };
enum Status { exact = 0, within_tolerance = 1 };

// What a launch computes; `_layout.py` has the same fields. Lengths are in units of `scale`.
struct Batch {
    const double* points_a;  // coordinate by coordinate: atoms_a numbers each
    const double* points_b;
    const int* place_a;  // or rows and columns of the table; or, in order, labels of equal points (question_shared)
    const int* place_b;
    const double* table;  // p-th powers
    const long long* start_a;
    const long long* start_b;
    const Mass* mass_a;
    const Mass* mass_b;
    const Mass* total_a;  // of each measure
    const Mass* total_b;
    const Mass* unit_a;  // the mass of every atom of a measure, where they are all equal; else 0
    const Mass* unit_b;
    const long long* first;  // the pairs
    const long long* second;
    const long long* order;    // the positions of the pairs to compute, largest first
    unsigned long long* next;  // the first position in `order` that nobody has taken
    unsigned long long* done;  // how many are finished
    char* workspace;           // RPW_GRID only
    double* value;
    double* lower;
    double* upper;
    int* status;
    long long* work;              // reached trees, moved masses, renewed keys of each pair; may be null
    const long long* plan_start;  // where each pair's plan begins; null without plans
    int* plan_size;
    int* plan_row;
    int* plan_column;
    double* plan_mass;
    double* u;  // potentials begin at u_start and v_start
    double* v;
    const long long* u_start;
    const long long* v_start;
    double* multiplier;
    long long atoms_a;
    long long atoms_b;
    long long table_columns;
    long long begin;  // the positions in `order` of this launch
    long long end;
    double p;
    double kappa;
    double unmoved;
    double truncation;
    double scale;
    double tol;
    int question;
    int metric;
    int dimension;
};

struct Best {
    double key;
    int index;
};

RPW_INLINE double infinite() {
#if defined(__CUDACC__)
    return __longlong_as_double(0x7ff0000000000000LL);
#else
    return std::numeric_limits<double>::infinity();
#endif
}

RPW_INLINE bool precedes(const Best& x, const Best& y) {
    return x.key < y.key || (x.key == y.key && static_cast<unsigned>(x.index) < static_cast<unsigned>(y.index));
}

// a * b + c, rounded once where that is fast. Nothing else is contracted (--fmad=false), so that equal lengths are
// equal bits wherever they are computed.
RPW_INLINE double fused(double a, double b, double c) {
#if defined(__CUDACC__)
    return __fma_rn(a, b, c);
#else
    return a * b + c;
#endif
}

constexpr int warp_size = 32;
constexpr int columns_at_once = RPW_POINTS == 1 ? 1 : 2;
constexpr int threads_per_block = RPW_THREADS;
constexpr int warps_per_block = threads_per_block / warp_size;

#if defined(__CUDACC__)

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
        const Best found = find(Crew{turn});
#if RPW_GRID
        Best* slot = slots + grid_turn * gridDim.x;
        grid_turn ^= 1;
        if (threadIdx.x == 0) slot[blockIdx.x] = found;
        barrier();
        Best mine = {infinite(), -1};
        for (int x = static_cast<int>(threadIdx.x % warp_size); x < static_cast<int>(gridDim.x); x += warp_size) {
            if (precedes(slot[x], mine)) mine = slot[x];
        }
        return least_of_lanes(mine);
#else
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

#else  // the host: threads are loops, and `is_backwards` takes them in the other order

struct Crew {
    int number = 0;

    void barrier() const {}

    template <class Key>
    Best least(int count, Key key) const {
        Best best = {infinite(), -1};
        for (int x = 0; x < count; ++x) consider(x, key, best);
        return best;
    }
    template <class Do>
    void once(Do act) const {
        act();
    }
    template <class Key>
    static void consider(int x, Key key, Best& best) {
        const double k = key(x);
        if (k < best.key) best = {k, x};
    }
};

struct Team {
    bool is_backwards = false;

    void barrier() const {}
    template <class Do>
    void each(int count, Do act) const {
        for (int x = 0; x < count; ++x) act(is_backwards ? count - 1 - x : x);
    }
    template <class Do>
    void once(Do act) const {
        act();
    }
    template <class Do>
    void each_soon(int count, Do act) const {
        each(count, act);
    }
    template <class Do>
    void each_labelled(const Link* labels, int count, int label, Do act) const {
        each(count, [&](int x) {
            if (labels[x] == label) act(x);
        });
    }
    template <class Do>
    void each_by_crew(int count, Do act) const {
        each(count, [&](int x) { act(Crew{}, x); });
    }
    template <class Find>
    Best least_of_crews(Find find) const {
        Best best = {infinite(), -1};
        each(warps_per_block, [&](int w) {
            const Best found = find(Crew{w});
            if (precedes(found, best)) best = found;
        });
        return best;
    }
    template <class Key>
    static Best least_owned(const Crew& crew, int count, Key key) {
        Best best = {infinite(), -1};
        for (int x = 0; x < count; ++x) {
            if (x / warp_size % warps_per_block == crew.number) Crew::consider(x, key, best);
        }
        return best;
    }
    template <class Term>
    double sum(int count, Term term) const {
        double total = 0;
        for (int x = 0; x < count; ++x) total += term(x);
        return total;
    }
    static int append(int* size) { return (*size)++; }
    static void add(Mass* sum, Mass term) { *sum += term; }
};

#endif

// ---- one equation in one unknown: cpp/crossing.hpp ----

// p is `RPW_P` where that is known: less code to compile.
#if RPW_P == 1
RPW_INLINE double power(double x, double) { return x; }
RPW_INLINE double root(double x, double) { return x > 0 ? x : 0; }
RPW_INLINE double crossing(double height, double slope, double kappa, double) {
    return height > 0 ? height / (kappa + slope) : 0;
}
#elif RPW_P == 2
RPW_INLINE double power(double x, double) { return x * x; }
RPW_INLINE double root(double x, double) { return x > 0 ? sqrt(x) : 0; }
RPW_INLINE double crossing(double height, double slope, double kappa, double) {
    return height > 0 ? 2 * height / (slope + hypot(slope, 2 * kappa * sqrt(height))) : 0;
}
#else
#if defined(__CUDACC__)
__device__ __noinline__  // inlined everywhere, it would take ten seconds to compile
#else
inline
#endif
    double power(double x, double p) {
    if (p == 1) return x;
    if (p == 2) return x * x;
    return pow(x, p);
}
RPW_INLINE double root(double x, double p) { return x > 0 ? p == 2 ? sqrt(x) : power(x, 1 / p) : 0; }
RPW_INLINE double crossing(double height, double slope, double kappa, double p) {
    if (height <= 0) return 0;
    double low = 0, high = root(height, p) / kappa;
    if (slope > 0 && height / slope < high) high = height / slope;
    for (int step = 0; step < 2000; ++step) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        if (kappa * middle < root(height - slope * middle, p)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}
#endif

// ---- costs ----

#if RPW_COST == 2
using Place = int;  // in the table
#elif RPW_DIM > 0
struct Place {
    double at[RPW_DIM];
};
#else
using Place = int;  // the atom
#endif

// Strides of points that were brought to the workspace are small.
#if RPW_POINTS
using XStride = int;
#else
using XStride = long long;
#endif
#if RPW_POINTS == 1
using YStride = int;
#else
using YStride = long long;
#endif

struct Costs {
    const double* x;  // coordinates of the rows, `x_stride` apart
    const double* y;
    XStride x_stride;
    YStride y_stride;
    const int* place_x;
    const int* place_y;
    const double* table;
    long long table_columns;
    double p;
    double truncation;    // of distances
    double truncation_p;  // of their powers
    int dimension;
    int metric;

    RPW_INLINE Place row(int i) const { return place(i, x, x_stride, place_x); }
    RPW_INLINE Place column(int j) const { return place(j, y, y_stride, place_y); }

    RPW_INLINE double between(const Place& i, const Place& j) const {
#if RPW_COST == 2
        return table[i * table_columns + j];
#else
#if RPW_COST == 0
        double sum = 0;
#if RPW_DIM > 0
#if defined(__CUDACC__)
#pragma unroll
#endif
#endif
        for (int t = 0; t < coordinates(); ++t) {
            const double difference = of_row(i, t) - of_column(j, t);
            sum = fused(difference, difference, sum);
        }
        return sum < truncation_p ? sum : truncation_p;
#else
        return general(i, j);
#endif
#endif
    }

private:
    RPW_INLINE int coordinates() const { return RPW_DIM > 0 ? RPW_DIM : dimension; }

    template <class Stride>
    RPW_INLINE Place place(int atom, const double* points, Stride stride, const int* places) const {
#if RPW_COST == 2
        (void)points, (void)stride;
        return places[atom];
#elif RPW_DIM > 0
        (void)places;
        Place found;
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (int t = 0; t < RPW_DIM; ++t) found.at[t] = points[t * stride + atom];
        return found;
#else
        (void)points, (void)stride, (void)places;
        return atom;
#endif
    }

#if RPW_COST != 2
    RPW_INLINE double of_row(const Place& i, int t) const {
#if RPW_DIM > 0
        return i.at[t];
#else
        return x[t * x_stride + i];
#endif
    }
    RPW_INLINE double of_column(const Place& j, int t) const {
#if RPW_DIM > 0
        return j.at[t];
#else
        return y[t * y_stride + j];
#endif
    }

    RPW_INLINE double general(const Place& i, const Place& j) const {
        double length = 0;
        for (int t = 0; t < coordinates(); ++t) {
            const double difference = of_row(i, t) - of_column(j, t);
            if (metric == euclidean) {
                length = fused(difference, difference, length);
            } else if (metric == cityblock) {
                length += fabs(difference);
            } else {
                length = length > fabs(difference) ? length : fabs(difference);
            }
        }
        if (metric == euclidean) length = sqrt(length);
        if (length > truncation) length = truncation;
        const double cost = power(length, p);
        return cost < 1e290 ? cost : 1e290;
    }
#endif
};

// ---- the walk ----

struct Workspace {
    double* distance;  // of each node: rows, then columns
    Mass* flow;        // on the arc to the parent; at the top of a tree, its unmoved mass or its room
    double* key;       // of each column that waits: no path to it is shorter; infinite where it is reached
    Link* parent;      // where the flow of a top is 0, its parent has no meaning
    Link* label;       // reached: the root; waiting: ~(the top of its tree)
    Link* partner;     // of each column: the row on the path behind its key; -1 where the key is only a bound
    Link* mate;        // of each column, where all masses are equal: the row that sends to it; -1 where it has room
    Link* list;
    int* listed;
};

constexpr int edges_between_gap_checks = 32;
constexpr double rounding_of_keys = 4e-15;

struct Walk {
    Team& team;
    const Batch& batch;
    const Costs& cost;
    const Workspace at;
    const int rows;
    const int columns;
    const Mass total;
    const bool is_paired;  // all masses are equal: every tree that waits is a row and a column, or a column with room

    // The same in every thread.
    Mass moved = 0;
    double walked_cost = 0;  // F at the vertex reached, in two numbers
    double walked_rest = 0;
    double lambda = 0;
    long long reached = 0, edges = 0, renewed = 0;
    bool has_fresh_rows = false;  // the list holds rows that were reached since the keys were computed

    // The edge of F that was found.
    int row = -1, column = -1, root_row = -1, top = -1;
    int low_cut = -1, high_cut = -1;  // rows whose arcs it empties: the nearest to `row`, the nearest to the root
    int sink_cut = -1;                // the column nearest to `column` whose arc it empties
    Mass carried = 0;                 // what the path can take
    Mass amount = 0;                  // with what is negligible

    RPW_INLINE int size() const { return rows + columns; }
    RPW_INLINE bool is_row(int x) const { return x < rows; }
    RPW_INLINE double share(Mass mass) const { return static_cast<double>(mass) / static_cast<double>(total); }
    RPW_INLINE double unmoved() const { return share(total - moved); }
    RPW_INLINE Mass negligible() const { return (total >> 50) + size(); }

    // The length of source ⇝ i → j ⇝ sink; one expression for all, because equal paths must be equal bits.
    RPW_INLINE double length(int i, const Place& from, int j, const Place& to) const {
        const double sum = (at.distance[i] + cost.between(from, to)) + at.distance[rows + j];
        return sum > 0 ? sum : 0;
    }

    RPW_INLINE void start(const Mass* mass_a, const Mass* mass_b) {
        team.each(size(), [&](int x) {
            at.distance[x] = 0;
            at.parent[x] = -1;
            at.flow[x] = is_row(x) ? mass_a[x] : mass_b[x - rows];
            at.label[x] = static_cast<Link>(is_row(x) ? x : ~x);
        });
        team.barrier();
        team.each(columns, [&](int j) {
            const Place to = cost.column(j);
            Best best = {infinite(), -1};
            for (int i = 0; i < rows; ++i) {
                const double k = length(i, cost.row(i), j, to);
                if (k < best.key) best = {k, i};
            }
            at.key[j] = best.key;
            at.partner[j] = static_cast<Link>(best.index);
            at.mate[j] = -1;
        });
        team.barrier();
    }

    // Computes the key of one column afresh.
    RPW_INLINE void renew(const Crew& crew, int j) {
        const Place to = cost.column(j);
        const Best best = crew.least(rows, [&](int i) {
            const double found = length(i, cost.row(i), j, to);  // before the question: loads need not wait for it
            return at.label[i] >= 0 ? found : infinite();
        });
        crew.once([&] {
            at.key[j] = best.key;
            at.partner[j] = static_cast<Link>(best.index);
        });
    }

    // The next tight arc. Every warp checks the best of its own columns, so that several keys are renewed at once.
    RPW_INLINE bool next_event() {
        if (has_fresh_rows) lower_keys();
        for (;;) {
            const Best best = team.least_of_crews([&](const Crew& crew) -> Best {
                for (bool is_second = false;; is_second = true) {
                    const Best mine = Team::least_owned(crew, columns, [&](int j) { return at.key[j]; });
                    if (mine.index < 0) return mine;
                    crew.barrier();
                    const bool is_bound = at.partner[mine.index] < 0;
                    if (!is_bound || is_second) return {mine.key, 2 * mine.index + (is_bound ? 1 : 0)};
                    renew(crew, mine.index);
                }
            });
            if (best.index < 0) return false;
            if (best.index % 2 == 0) {
                lambda = best.key > lambda ? best.key : lambda;
                column = best.index / 2;
                row = at.partner[column];
                root_row = at.label[row];
                top = ~at.label[rows + column];
                return true;
            }
            ++renewed;
            team.barrier();
        }
    }

    // Finds the next edge of F that is cheaper than `limit`, and reaches what has to be reached before.
    RPW_INLINE bool find_edge(double limit) {
        while (moved < total) {
            if (!next_event() || lambda >= limit) return false;
            if (at.flow[top] > 0) {
                test_ratios();
                return true;
            }
            team.once([&] { *at.listed = 0; });
            if (is_paired) {
                reach_pairs();
            } else {
                reach();
            }
        }
        return false;
    }

    // What was lost together is mostly found again together, over arcs that stayed tight: all pairs whose key is λ, up
    // to rounding, are reached at once.
    RPW_INLINE void reach_pairs() {
        ++reached;
        const double last = lambda * (1 + rounding_of_keys);
        team.each(columns, [&](int j) {
            const double key = at.key[j];
            const int from = at.partner[j], i = at.mate[j], node = rows + j;
            if (key > last || from < 0 || i < 0) return;
            at.label[node] = at.label[i] = at.label[from];
            at.distance[node] = key - at.distance[node];
            at.distance[i] = key - at.distance[i];
            at.parent[node] = static_cast<Link>(from);
            at.parent[i] = static_cast<Link>(node);
            at.flow[i] = at.flow[node] > 0 ? at.flow[node] : at.flow[i];
            at.flow[node] = 0;
            at.key[j] = infinite();
            at.list[Team::append(at.listed)] = static_cast<Link>(i);
        });
        team.barrier();
        has_fresh_rows = true;
    }

    // How much the path can take, and what it empties.
    RPW_INLINE void test_ratios() {
        carried = at.flow[root_row];
        for (int x = row; x != root_row; x = at.parent[x]) {
            if (is_row(x) && at.flow[x] < carried) carried = at.flow[x];
        }
        for (int x = rows + column;; x = at.parent[x]) {
            if (!is_row(x) && at.flow[x] < carried) carried = at.flow[x];
            if (x == top) break;
        }
        low_cut = high_cut = sink_cut = -1;
        for (int x = row;; x = at.parent[x]) {
            if (is_row(x) && at.flow[x] == carried) {
                if (low_cut < 0) low_cut = x;
                high_cut = x;
            }
            if (x == root_row) break;
        }
        for (int x = rows + column; sink_cut < 0; x = at.parent[x]) {
            if (!is_row(x) && at.flow[x] == carried) sink_cut = x;
            if (x == top) break;
        }
        const Mass left = total - moved - carried;
        amount = carried + (left <= negligible() ? left : 0);
    }

    // Turns the arcs from x up to `last` around, so that they hang from `above`, whose arc to x carries `mass`.
    RPW_INLINE void rehang(int x, int above, Mass mass, int last) {
        for (;;) {
            const int next = at.parent[x];
            const Mass lost = at.flow[x];
            at.parent[x] = static_cast<Link>(above);
            at.flow[x] = mass;
            if (x == last) return;
            above = x;
            mass = lost;
            x = next;
        }
    }

    RPW_INLINE void reach_node(int x) {
        at.label[x] = static_cast<Link>(root_row);
        at.distance[x] = lambda - at.distance[x];
        if (is_row(x)) {
            at.list[Team::append(at.listed)] = static_cast<Link>(x);
        } else {
            at.key[x - rows] = infinite();
        }
    }

    // The tree of `column`, which has no room, hangs from `row` now.
    RPW_INLINE void reach() {
        ++reached;
        team.once([&] { rehang(rows + column, row, 0, top); });
        team.each_labelled(at.label, size(), ~top, [&](int x) { reach_node(x); });
        team.barrier();
        has_fresh_rows = true;
    }

    // The rows on the list were reached: paths through them may be shorter.
    RPW_INLINE void lower_keys() {
        has_fresh_rows = false;
        const int count = *at.listed;
        team.each_soon(columns, [&](int j) {
#if RPW_POINTS != 1
            const Place to = cost.column(j);  // before the question: loads need not wait for it
#endif
            Best best = {at.key[j], at.partner[j]};
            if (best.key == infinite()) return;  // reached
#if RPW_POINTS == 1
            const Place to = cost.column(j);
#endif
            for (int e = 0; e < count; ++e) {
                const int i = at.list[e];
                const Best candidate = {length(i, cost.row(i), j, to), i};
                if (precedes(candidate, best)) best = candidate;
            }
            at.key[j] = best.key;
            at.partner[j] = static_cast<Link>(best.index);
        });
    }

    RPW_INLINE void take_edge() {
        ++edges;
        add_cost(lambda * share(amount));
        moved += amount;
        team.barrier();
        if (high_cut >= 0) {
            lose_part();
        } else {
            gain_part();
        }
    }

    RPW_INLINE void add_cost(double term) {
        const double sum = walked_cost + term, back = sum - walked_cost;
        walked_rest += (walked_cost - (sum - back)) + (term - back);
        walked_cost = sum;
    }

    // Moves mass along the path, but not yet over its arc (row, column). One thread.
    RPW_INLINE void push() {
        if (is_paired) {
            for (int x = row, to = column;; x = at.parent[rows + to]) {
                at.mate[to] = static_cast<Link>(x);
                if (x == root_row) break;
                to = at.parent[x] - rows;
            }
        }
        for (int x = row;; x = at.parent[x]) {
            at.flow[x] += is_row(x) ? -carried : carried;
            if (x == root_row) break;
        }
        for (int x = rows + column;; x = at.parent[x]) {
            at.flow[x] += is_row(x) ? carried : -carried;
            if (x == top) break;
        }
    }

    RPW_INLINE bool hangs_below(int x, int ancestor) const {
        if (ancestor == root_row) return true;
        while (x != ancestor) {
            if (x == root_row) return false;
            x = at.parent[x];
        }
        return true;
    }

    RPW_INLINE int top_of(int x) const {
        while (at.parent[x] >= 0 && at.flow[x] > 0) x = at.parent[x];
        return x;
    }

    // The path lost an arc between the root and `row`: what hangs below it waits again, `row` in the tree of `column`.
    RPW_INLINE void lose_part() {
        const int lost = ~size();
        team.each(size(), [&](int x) {
            if (at.label[x] != root_row || !hangs_below(x, high_cut)) return;
            at.label[x] = static_cast<Link>(lost);
            at.distance[x] = lambda - at.distance[x];
        });
        team.barrier();
        team.once([&] {
            *at.listed = 0;
            push();
            rehang(row, rows + column, carried, low_cut);
        });
        // Trees that stayed whole keep their label, and climbing is spared where everybody has the same top.
        const bool is_whole = sink_cut < 0 || sink_cut == top;
        const bool is_one = reached == 0 && low_cut == high_cut;
        const int joined = is_whole ? top : top_of(rows + column);
        team.each(size(), [&](int x) {
            const int label = at.label[x];
            if (label != lost && (is_whole || label != ~top)) return;
            at.label[x] = static_cast<Link>(~(label == lost && is_one ? joined : top_of(x)));
            if (label == lost && !is_row(x)) at.list[Team::append(at.listed)] = static_cast<Link>(x - rows);
        });
        team.barrier();
        team.each(columns, [&](int j) {  // paths through what was lost exist no more: keys are bounds only
            const int i = at.partner[j];
            if (i >= 0 && at.label[i] < 0) at.partner[j] = -1;
        });
        team.barrier();
        team.each_by_crew(*at.listed, [&](const Crew& crew, int e) { renew(crew, at.list[e]); });
        team.barrier();
    }

    // The path lost an arc between `column` and the top of its tree only: `column` and what hangs with it are reached.
    RPW_INLINE void gain_part() {
        const int node = rows + column;
        team.once([&] {
            *at.listed = 0;
            push();
            rehang(node, row, carried, sink_cut);
        });
        team.each(size(), [&](int x) {
            if (at.label[x] != ~top) return;
            int y = sink_cut == top ? node : x;
            while (y != node && at.parent[y] >= 0 && at.flow[y] > 0) y = at.parent[y];
            if (y == node) {
                reach_node(x);
            } else {
                at.label[x] = static_cast<Link>(~y);
            }
        });
        team.barrier();
        has_fresh_rows = true;
    }

    // ---- what was found ----

    RPW_INLINE bool is_arc(int x) const { return at.parent[x] >= 0 && at.flow[x] > 0; }

    RPW_INLINE double arc_cost(int x) const {
        const int y = at.parent[x];
        const int i = is_row(x) ? x : y, j = (is_row(x) ? y : x) - rows;
        return cost.between(cost.row(i), cost.column(j));
    }

    RPW_INLINE double plan_cost() {
        return team.sum(size(), [&](int x) { return is_arc(x) ? share(at.flow[x]) * arc_cost(x) : 0.0; });
    }

    // Potentials that satisfy every inequality, checked over all pairs: docs/theory.md, "The dual line and the
    // certificate". u replaces the distances of rows, v the keys. Returns Σ a u + Σ b v.
    RPW_INLINE double certificate(const Mass* mass_a, const Mass* mass_b) {
        team.barrier();
        team.each(columns, [&](int j) {
            const double distance = at.distance[rows + j];
            const double v = at.label[rows + j] < 0 ? distance : lambda - distance;
            at.key[j] = v > 0 ? v : 0;
        });
        team.barrier();
        team.each(rows, [&](int i) {
            const Place from = cost.row(i);
            double least = infinite();
            for (int j = 0; j < columns; ++j) {
                const double sum = cost.between(from, cost.column(j)) + at.key[j];
                least = sum < least ? sum : least;
            }
            const double u = at.label[i] >= 0 ? at.distance[i] : lambda - at.distance[i];
            const double needed = lambda - least;
            const double enough = u > needed ? u : needed;
            at.distance[i] = enough > 0 ? enough : 0;
        });
        team.barrier();
        return team.sum(size(), [&](int x) {
            return is_row(x) ? at.distance[x] * share(mass_a[x]) : at.key[x - rows] * share(mass_b[x - rows]);
        });
    }

    // The plan at the vertex, plus `partial` along the edge that was found (none if it is 0).
    RPW_INLINE void write_plan(long long pair, double partial) {
        const long long begin = batch.plan_start[pair];
        team.once([&] {
            *at.listed = 0;
            if (partial > 0) {
                *at.listed = 1;
                batch.plan_row[begin] = row;
                batch.plan_column[begin] = column;
                batch.plan_mass[begin] = partial;
            }
        });
        team.each(size(), [&](int x) {
            double mass = is_arc(x) ? share(at.flow[x]) : 0;
            if (partial > 0 && at.parent[x] >= 0) mass += along_path(x) * partial;
            if (!(mass > 0)) return;
            const int y = at.parent[x];
            const long long entry = begin + Team::append(at.listed);
            batch.plan_row[entry] = is_row(x) ? x : y;
            batch.plan_column[entry] = (is_row(x) ? y : x) - rows;
            batch.plan_mass[entry] = mass;
        });
        team.barrier();
        team.once([&] { batch.plan_size[pair] = *at.listed; });
    }

    // +1 where the path of the edge adds to the arc above x, -1 where it takes away, 0 elsewhere.
    RPW_INLINE double along_path(int x) const {
        for (int y = row; y != root_row; y = at.parent[y]) {
            if (y == x) return is_row(x) ? -1 : 1;
        }
        for (int y = rows + column; y != top; y = at.parent[y]) {
            if (y == x) return is_row(x) ? 1 : -1;
        }
        return 0;
    }

    RPW_INLINE void write_potentials(long long pair) {
        team.each(rows, [&](int i) { batch.u[batch.u_start[pair] + i] = at.distance[i]; });
        team.each(columns, [&](int j) { batch.v[batch.v_start[pair] + j] = at.key[j]; });
    }
};

// Where the walk stops: at a vertex of F, or on the edge that was found.
struct Stop {
    bool is_on_edge;
    int status;
};

// As walk_to_crossing and walk_to_mass in cpp/solve.cpp. One loop for both: the walk is compiled once.
RPW_INLINE Stop walk_along(Walk& walk, const Batch& batch, double limit) {
    const bool crosses = batch.question == question_crossing;
    const double kappa = batch.kappa, p = batch.p;
    while ((crosses || walk.unmoved() > batch.unmoved) && walk.find_edge(limit)) {
        const double slope = walk.lambda, after = walk.share(walk.total - walk.moved - walk.amount);
        const double so_far = walk.walked_cost + walk.walked_rest;
        const bool is_last =
            crosses ? kappa * after <= root(so_far + slope * walk.share(walk.amount), p) : after < batch.unmoved;
        if (is_last) return {true, exact};
        walk.take_edge();
        if (crosses && batch.tol > 0 && walk.edges % edges_between_gap_checks == 0) {
            const double height = walk.walked_cost + walk.walked_rest + slope * walk.unmoved();
            if (walk.unmoved() - crossing(height, slope, kappa, p) <= batch.tol) return {false, within_tolerance};
        }
    }
    return {false, exact};
}

struct Point {
    double unmoved;
    double partial;  // of the edge that was found
};

RPW_INLINE double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

RPW_INLINE Point point_of(const Walk& walk, const Batch& batch, const Stop& stop, double cost) {
    const double before = walk.unmoved();
    if (!stop.is_on_edge) return {before, 0};
    if (batch.question != question_crossing) return {batch.unmoved, before - batch.unmoved};
    const double slope = walk.lambda, part = walk.share(walk.amount);
    const double after = walk.share(walk.total - walk.moved - walk.amount);
    const double found = crossing(cost + slope * before, slope, batch.kappa, batch.p);
    const double distance = clamped(found, after, before);
    if (slope == 0) return {distance, part};
    return {distance, clamped((power(batch.kappa * distance, batch.p) - cost) / slope, 0, part)};
}

struct Answer {
    double value, lower, upper;
};

RPW_INLINE Answer answer_crossing(const Batch& batch, const Walk& walk, double distance, double dual_sum) {
    double lower = crossing(walk.lambda - dual_sum, walk.lambda, batch.kappa, batch.p);
    if (lower > distance || distance - lower <= 1e-12 * distance) lower = distance;
    return {distance, lower, distance};
}

RPW_INLINE Answer answer_mass(const Batch& batch, const Walk& walk, double cost, double dual_sum) {
    double lower = walk.lambda - dual_sum - walk.lambda * batch.unmoved;
    if (lower > cost || cost - lower <= 1e-12 * cost) lower = cost;
    const double value = batch.scale * root(cost, batch.p);
    return {value, batch.scale * root(lower, batch.p), value};
}

RPW_INLINE void solve_pair(Team& team, const Batch& batch, const Costs& cost, const Workspace& at, long long pair) {
    const long long s = batch.first[pair], t = batch.second[pair];
    const Mass* mass_a = batch.mass_a + batch.start_a[s];
    const Mass* mass_b = batch.mass_b + batch.start_b[t];
    const Mass of_a = batch.total_a[s], of_b = batch.total_b[t];
    Walk walk{team,
              batch,
              cost,
              at,
              static_cast<int>(batch.start_a[s + 1] - batch.start_a[s]),
              static_cast<int>(batch.start_b[t + 1] - batch.start_b[t]),
              of_a < of_b ? of_a : of_b,
              batch.unit_a[s] > 0 && batch.unit_a[s] == batch.unit_b[t]};
    walk.start(mass_a, mass_b);
    const bool crosses = batch.question == question_crossing;
    // Once a unit more costs as much as the dearest pair, the rest may take any way at that price.
    const bool is_truncated = cost.truncation_p < infinite();
    const double limit = is_truncated ? cost.truncation_p * (1 - 1e-12) : infinite();
    const Stop stop = walk_along(walk, batch, crosses ? infinite() : limit);
    const double vertex_cost = walk.plan_cost();
    const Point point = point_of(walk, batch, stop, vertex_cost);
    double cost_p = vertex_cost + walk.lambda * point.partial;
    if (!crosses && is_truncated && walk.lambda >= limit && !stop.is_on_edge) {
        const double left = walk.unmoved() - batch.unmoved;
        if (left > 0) cost_p += cost.truncation_p * left;
        walk.lambda = limit;
    }
    if (batch.plan_start != nullptr) walk.write_plan(pair, point.partial);
    const double dual_sum = walk.certificate(mass_a, mass_b);
    if (batch.u != nullptr) walk.write_potentials(pair);
    const Answer answer =
        crosses ? answer_crossing(batch, walk, point.unmoved, dual_sum) : answer_mass(batch, walk, cost_p, dual_sum);
    team.barrier();
    team.once([&] {
        batch.value[pair] = answer.value;
        batch.lower[pair] = answer.lower;
        batch.upper[pair] = answer.upper;
        batch.status[pair] = stop.status;
        if (batch.multiplier != nullptr) batch.multiplier[pair] = walk.lambda;
        if (batch.work != nullptr) {
            batch.work[3 * pair] = walk.reached;
            batch.work[3 * pair + 1] = walk.edges;
            batch.work[3 * pair + 2] = walk.renewed;
        }
    });
}

// ---- total variation ----

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

// Equal points share the smaller of the two masses in them; the labels of each measure are in order.
RPW_INLINE void solve_shared(Team& team, const Batch& batch, Mass* shared, long long pair) {
    const long long s = batch.first[pair], t = batch.second[pair];
    const long long from_a = batch.start_a[s], from_b = batch.start_b[t];
    const int rows = static_cast<int>(batch.start_a[s + 1] - from_a);
    const int columns = static_cast<int>(batch.start_b[t + 1] - from_b);
    const int *of_row = batch.place_a + from_a, *of_column = batch.place_b + from_b;
    team.barrier();
    team.once([&] { *shared = 0; });
    team.each(rows, [&](int i) {
        const int label = of_row[i];
        if (i > 0 && of_row[i - 1] == label) return;
        const int j = first_not_below(of_column, columns, label);
        const Mass here = mass_of_label(of_row, batch.mass_a + from_a, i, rows, label);
        const Mass there = mass_of_label(of_column, batch.mass_b + from_b, j, columns, label);
        const Mass both = here < there ? here : there;
        if (both > 0) Team::add(shared, both);
    });
    team.barrier();
    team.once([&] {
        const Mass total = batch.total_a[s] < batch.total_b[t] ? batch.total_a[s] : batch.total_b[t];
        Mass left = total - *shared;
        if (left <= (total >> 50) + rows + columns) left = 0;
        const double value = static_cast<double>(left) / static_cast<double>(total);
        batch.value[pair] = batch.lower[pair] = batch.upper[pair] = value;
        batch.status[pair] = exact;
    });
}

// ---- memory ----

// Takes arrays one after the other; from null it only counts.
struct Room {
    char* base;
    size_t used;

    template <class T>
    RPW_INLINE T* take(size_t count) {
        T* found = base == nullptr ? nullptr : reinterpret_cast<T*>(base + used);
        used += (count * sizeof(T) + 7) / 8 * 8;
        return found;
    }
};

RPW_INLINE Workspace lay_out(Room& room, int rows, int columns) {
    const size_t nodes = static_cast<size_t>(rows) + static_cast<size_t>(columns);
    const size_t longer = static_cast<size_t>(rows > columns ? rows : columns);
    Workspace at;
    at.distance = room.take<double>(nodes);
    at.flow = room.take<Mass>(nodes);
    at.key = room.take<double>(static_cast<size_t>(columns));
    at.parent = room.take<Link>(nodes);
    at.label = room.take<Link>(nodes);
    at.partner = room.take<Link>(static_cast<size_t>(columns));
    at.mate = room.take<Link>(static_cast<size_t>(columns));
    at.list = room.take<Link>(longer);
    at.listed = room.take<int>(1);
    return at;
}

// Copies points next to the workspace.
RPW_INLINE void bring(Team& team, const double* from, long long stride, int count, int dimension, double* to) {
    for (int t = 0; t < dimension; ++t) {
        team.each(count, [&](int x) { to[t * count + x] = from[t * stride + x]; });
    }
}

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

#if defined(RPW_SPREAD)

// Points as they come, one after the other, laid out coordinate by coordinate and divided by a power of two.
extern "C" __global__ void spread(const double* points, double* out, long long atoms, int dimension, double factor) {
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long e = first; e < atoms * dimension; e += step) {
        out[(e % dimension) * atoms + e / dimension] = points[e] * factor;
    }
}

#elif defined(__CUDACC__)

extern "C" __global__ void __launch_bounds__(RPW_THREADS, RPW_BLOCKS) walk(const rpw_cuda::Batch batch) {
    using namespace rpw_cuda;
#if RPW_GRID
    Room room{batch.workspace, 0};
    Team team;
    team.arrivals = room.take<unsigned>(2);
    team.slots = room.take<Best>(2 * gridDim.x);
    team.sums = room.take<double>(gridDim.x);
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
    rpw_cuda::Team team{is_backwards != 0};
    for (long long position = batch->begin; position < batch->end; ++position) {
        rpw_cuda::solve_in(team, *batch, rpw_cuda::Room{workspace, 0}, position);
    }
}

#endif
