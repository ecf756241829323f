// See powers.hpp.
#include "powers.hpp"

#include <cmath>

#include "simd.hpp"

namespace rpw {

RPW_SIMD Range range_of(const double* in, std::size_t size) {
    constexpr std::size_t lanes = 16;  // independent chains, so that the loop vectorises
    double least[lanes], largest[lanes];
    for (std::size_t s = 0; s < lanes; ++s) least[s] = largest[s] = in[0];
    std::uint64_t unsound = 0;
    std::size_t e = 0;
    for (; e + lanes <= size; e += lanes) {
        for (std::size_t s = 0; s < lanes; ++s) {
            const double x = in[e + s];
            least[s] = x < least[s] ? x : least[s];
            largest[s] = x > largest[s] ? x : largest[s];
            unsound += !(x >= 0 && x <= 1.7976931348623157e308);
        }
    }
    for (; e < size; ++e) {
        least[0] = std::min(least[0], in[e]);
        largest[0] = std::max(largest[0], in[e]);
        unsound += !(in[e] >= 0 && in[e] <= 1.7976931348623157e308);
    }
    return {*std::min_element(least, least + lanes), *std::max_element(largest, largest + lanes), unsound == 0};
}

RPW_SIMD void scaled_powers(const double* in, std::size_t size, double scale, double p, double* out) {
    if (p == 1) {
        for (std::size_t e = 0; e < size; ++e) out[e] = std::min(in[e] / scale, largest_power);
    } else if (p == 2) {
        for (std::size_t e = 0; e < size; ++e) {
            const double x = in[e] / scale;
            out[e] = std::min(x * x, largest_power);
        }
    } else {
        for (std::size_t e = 0; e < size; ++e) out[e] = std::min(std::pow(in[e] / scale, p), largest_power);
    }
}

}  // namespace rpw
