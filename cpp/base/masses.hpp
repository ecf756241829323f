// Integer masses, and what counts as all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace rpw {

using Mass = std::int64_t;  // masses are integers, so flow conservation is an equality
using Node = std::int32_t;  // rows are 0 … n-1, columns are n … n+m-1

inline constexpr double unreachable = std::numeric_limits<double>::infinity();

// Breakpoints and masses closer than this differ by the rounding of masses only.
inline constexpr double smallest_step = 1e-15;

// How much more than this may be unmoved where this is asked for. All mass is all of it: 0 is a whole number of units.
inline double slack_of(double unmoved) { return unmoved > 0 ? smallest_step : 0.0; }

inline Mass sum_of(std::span<const Mass> masses) { return std::accumulate(masses.begin(), masses.end(), Mass{0}); }

// Σ mass · number, as potentials and costs are summed up.
inline double weighted_sum(std::span<const Mass> masses, std::span<const double> numbers) {
    long double sum = 0;
    for (std::size_t x = 0; x < masses.size(); ++x) sum += static_cast<long double>(numbers[x]) * masses[x];
    return static_cast<double>(sum);
}

inline bool are_equal(std::span<const Mass> masses) {
    return std::adjacent_find(masses.begin(), masses.end(), std::not_equal_to<>()) == masses.end();
}

inline Mass least_of(std::span<const Mass> masses) { return *std::min_element(masses.begin(), masses.end()); }

inline Mass rounding_of(Mass total, std::size_t atoms) { return (total >> 50) + static_cast<Mass>(atoms); }

// Nothing is, beside an atom of which it might be more than half: such an atom may lie far away, and be all of the
// cost.
inline Mass negligible_beside(Mass rounding, Mass lightest) { return lightest < 2 * rounding ? 0 : rounding; }

// The masses of two measures.
struct Masses {
    std::span<const Mass> a;
    std::span<const Mass> b;

    // The mass that counts as 1. The two sums are the same where they were balanced (base/balance.hpp); elsewhere
    // rounding may make them differ in the last units, and the smaller can be moved.
    Mass total() const { return std::min(sum_of(a), sum_of(b)); }

    // One mass for all atoms of both.
    bool are_all_equal() const { return are_equal(a) && are_equal(b) && a[0] == b[0]; }

    // Mass that may be the rounding of weights rather than mass.
    Mass rounding() const { return rounding_of(total(), a.size() + b.size()); }
    // What is left at the end and is no larger counts as moved. Without this, one unit that two roundings left over
    // would be carried across the whole space.
    Mass negligible() const { return negligible_beside(rounding(), std::min(least_of(a), least_of(b))); }
};

inline double share_of(Mass part, Mass total) { return static_cast<double>(part) / static_cast<double>(total); }

}  // namespace rpw
