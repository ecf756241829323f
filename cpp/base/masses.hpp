// Integer masses, and what counts as all of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace rpw {

using Mass = std::int64_t;  // masses are integers, so flow conservation is an equality
using Node = std::int32_t;  // rows are 0 … n-1, columns are n … n+m-1

inline constexpr double unreachable = std::numeric_limits<double>::infinity();

// Breakpoints and masses closer than this differ by the rounding of masses only.
inline constexpr double smallest_step = 1e-15;

// The masses of two measures.
struct Masses {
    std::span<const Mass> a;
    std::span<const Mass> b;

    // The mass that counts as 1. The two sums are the same where they were balanced (base/balance.hpp); elsewhere
    // rounding may make them differ in the last units, and the smaller can be moved.
    Mass total() const {
        Mass of_a = 0, of_b = 0;
        for (Mass x : a) of_a += x;
        for (Mass x : b) of_b += x;
        return of_a < of_b ? of_a : of_b;
    }

    // Mass that may be the rounding of weights rather than mass: what is left at the end and is no larger counts as
    // moved. Without this, one unit that two roundings left over would be carried across the whole space.
    Mass negligible() const { return (total() >> 50) + static_cast<Mass>(a.size() + b.size()); }
};

inline double share_of(Mass part, Mass total) { return static_cast<double>(part) / static_cast<double>(total); }

}  // namespace rpw
