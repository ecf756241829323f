// Points as they come, one after the other, laid out coordinate by coordinate and divided by a power of two.
#if !defined(__CUDACC__)
#define __device__
#endif

namespace rpw_cuda {

// layout.py has the same fields.
struct Spread {
    const double* points;
    double* out;
    long long atoms;
    long long dimension;
    double unit;  // whose reciprocal may be no float64
};

__device__ inline void spread_one(const Spread& what, long long e) {
    what.out[(e % what.dimension) * what.atoms + e / what.dimension] = what.points[e] / what.unit;
}

}  // namespace rpw_cuda

#if defined(__CUDACC__)

extern "C" __global__ void spread(const rpw_cuda::Spread what) {
    const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (long long e = first; e < what.atoms * what.dimension; e += step) rpw_cuda::spread_one(what, e);
}

#else

// The same on the host, for tests.
extern "C" void rpw_cuda_host(const rpw_cuda::Spread* what, char*, int) {
    for (long long e = 0; e < what->atoms * what->dimension; ++e) rpw_cuda::spread_one(*what, e);
}

#endif
