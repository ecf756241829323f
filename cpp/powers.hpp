// p-th powers of scaled distances: as floating-point costs for the exact walk, or rounded up to whole units for LMR.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rpw {

// Stands for powers beyond float64; sums of it stay finite. What an answer could move at such a price per unit of mass
// has no float64 either, so it moves nothing: a path is that dear if it costs more than `dearest_path`.
inline constexpr double largest_power = 1e290;
inline constexpr double dearest_path = 1e280;

// The least and the largest of some numbers, in one pass; `is_sound` if they are finite and none is negative.
struct Range {
    double least;
    double largest;
    bool is_sound;
};
Range range_of(const double* in, std::size_t size);

// out = min((in / scale)^p, largest_power)
void scaled_powers(const double* in, std::size_t size, double scale, double p, double* out);

// out = min(ceil((in / scale)^p / unit), cap).
template <class Cost>
void rounded_powers(const double* in, std::size_t size, double scale, double p, double unit, Cost cap, Cost* out) {
    constexpr std::size_t block = 1024;
    double powers[block];
    for (std::size_t begin = 0; begin < size; begin += block) {
        const std::size_t count = std::min(block, size - begin);
        scaled_powers(in + begin, count, scale, p, powers);
        for (std::size_t e = 0; e < count; ++e) {
            const double units = powers[e] / unit;
            // Compared as numbers of units, not after conversion: a large cap is not a float64.
            if (!(units < static_cast<double>(cap) - 1)) {
                out[begin + e] = cap;
                continue;
            }
            const auto whole = static_cast<Cost>(units);
            out[begin + e] = whole + (static_cast<double>(whole) < units);
        }
    }
}

}  // namespace rpw
