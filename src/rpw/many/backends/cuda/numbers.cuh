// Keys and their order, and one equation in one unknown (cpp/base/crossing.hpp).
#pragma once

#include "batch.cuh"

namespace rpw_cuda {

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

}  // namespace rpw_cuda
