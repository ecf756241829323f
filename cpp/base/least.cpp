// See least.hpp.
#include "base/least.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace rpw {

RPW_SIMD double least_of_many_sums(const double* x, const double* y, Node size) {
    constexpr Node lanes = 32;  // independent chains: with fewer, the loop waits for its own minima
    double best[lanes];
    std::fill(best, best + lanes, unreachable);
    Node j = 0;
    for (; j + lanes <= size; j += lanes) {
        for (Node s = 0; s < lanes; ++s) {
            const double sum = x[j + s] + y[j + s];
            best[s] = sum < best[s] ? sum : best[s];
        }
    }
    for (; j + 8 <= size; j += 8) {
        for (Node s = 0; s < 8; ++s) {
            const double sum = x[j + s] + y[j + s];
            best[s] = sum < best[s] ? sum : best[s];
        }
    }
    for (; j < size; ++j) best[0] = std::min(best[0], x[j] + y[j]);
    for (Node half = lanes / 2; half >= 1; half /= 2) {
        for (Node s = 0; s < half; ++s) best[s] = best[s + half] < best[s] ? best[s + half] : best[s];
    }
    return best[0];
}

RPW_SIMD Node find_sum(const double* x, const double* y, Node size, double bound) {
    constexpr Node lanes = 16;
    Node j = 0;
    for (; j + lanes <= size; j += lanes) {
        int found = 0;
        for (Node s = 0; s < lanes; ++s) found |= static_cast<int>(x[j + s] + y[j + s] <= bound);
        if (found != 0) break;
    }
    for (; j < size; ++j) {
        if (x[j] + y[j] <= bound) return j;
    }
    return -1;
}

}  // namespace rpw
