// See least.hpp.
#include "base/least.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace rpw {

RPW_SIMD double least_sum(const double* x, const double* y, Node size) {
    double best[8];  // independent chains, so that the loop vectorises
    std::fill(best, best + 8, unreachable);
    Node j = 0;
    for (; j + 8 <= size; j += 8) {
        for (Node s = 0; s < 8; ++s) {
            const double sum = x[j + s] + y[j + s];
            best[s] = sum < best[s] ? sum : best[s];
        }
    }
    for (; j < size; ++j) best[0] = std::min(best[0], x[j] + y[j]);
    return *std::min_element(best, best + 8);
}

}  // namespace rpw
