// See least.hpp.
#include "base/least.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace rpw {

// The loops run over whole vectors: the last one may take entries a second time, which a minimum does not mind.
RPW_SIMD double least_of_many_sums(const double* x, const double* y, Node size) {
    constexpr Node lanes = 32, few = 8;  // independent chains: with fewer, the loop waits for its own minima
    double best[lanes];
    std::fill(best, best + lanes, unreachable);
    Node j = 0;
    for (; j + lanes <= size; j += lanes) {
        for (Node s = 0; s < lanes; ++s) {
            const double sum = x[j + s] + y[j + s];
            best[s] = sum < best[s] ? sum : best[s];
        }
    }
    for (Node s = 0; s < 16; ++s) best[s] = best[s + 16] < best[s] ? best[s + 16] : best[s];
    for (Node s = 0; s < few; ++s) best[s] = best[s + few] < best[s] ? best[s + few] : best[s];
    for (; j < size; j += few) {
        const Node begin = std::min(j, size - few);
        for (Node s = 0; s < few; ++s) {
            const double sum = x[begin + s] + y[begin + s];
            best[s] = sum < best[s] ? sum : best[s];
        }
    }
    for (Node s = 0; s < 4; ++s) best[s] = best[s + 4] < best[s] ? best[s + 4] : best[s];
    for (Node s = 0; s < 2; ++s) best[s] = best[s + 2] < best[s] ? best[s + 2] : best[s];
    return best[1] < best[0] ? best[1] : best[0];
}

RPW_SIMD void lower_to_sums(const double* x, double shift, Node size, double* least) {
    for (Node j = 0; j < size; ++j) least[j] = x[j] + shift < least[j] ? x[j] + shift : least[j];
}

RPW_SIMD double least_of_row(const double* row, Node size, double* of_columns) {
    constexpr Node lanes = 16;
    double best[lanes];
    std::fill(best, best + lanes, unreachable);
    Node j = 0;
    for (; j + lanes <= size; j += lanes) {
        for (Node s = 0; s < lanes; ++s) {
            const double x = row[j + s];
            best[s] = x < best[s] ? x : best[s];
            of_columns[j + s] = x < of_columns[j + s] ? x : of_columns[j + s];
        }
    }
    for (; j < size; ++j) {
        best[0] = std::min(best[0], row[j]);
        of_columns[j] = std::min(of_columns[j], row[j]);
    }
    return *std::min_element(best, best + lanes);
}

RPW_SIMD Node find_sum(const double* x, const double* y, Node size, double bound) {
    constexpr Node lanes = 32;
    Node j = 0;
    for (; j + lanes <= size; j += lanes) {
        double found = 0;  // as wide as the sums, so that no lane has to be converted
        for (Node s = 0; s < lanes; ++s) found = x[j + s] + y[j + s] <= bound ? 1.0 : found;
        if (found != 0) break;
    }
    for (; j < size; ++j) {
        if (x[j] + y[j] <= bound) return j;
    }
    return -1;
}

}  // namespace rpw
