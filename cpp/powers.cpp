// See powers.hpp.
#include "powers.hpp"

#include <cmath>

#include "simd.hpp"

namespace rpw {

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
