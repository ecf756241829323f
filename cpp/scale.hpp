// The length by which distances are divided before the p-th power is taken (docs/theory.md, "Rounding").
#pragma once

#include <algorithm>

#include "solve.hpp"

namespace rpw {

// Up to this p, dividing by the largest distance loses nothing that matters to underflow.
inline constexpr double largest_plain_p = 4;

inline double largest_distance(const CostMatrix& distances) {
    const double largest = *std::max_element(distances.data, distances.data + distances.size());
    return largest > 0 ? largest : 1;
}

// For the crossing with (κ ε)^p; beyond p = 4 the answer at p = ∞ tells which lengths decide.
inline double scale_for_crossing(const Problem& problem, double kappa, double p, Pulse& pulse) {
    const double plain = std::min(largest_distance(problem.cost), kappa);
    if (p <= largest_plain_p) return plain;
    const double at_infinity = kappa * cross_thresholds(problem, kappa, 0, pulse).unmoved;
    return at_infinity > 0 ? at_infinity : plain;
}

// For W_{p, 1 - unmoved}.
inline double scale_for_mass(const Problem& problem, double unmoved, double p, Pulse& pulse) {
    const double plain = largest_distance(problem.cost);
    if (p <= largest_plain_p) return plain;
    const double at_infinity = threshold_at(problem, unmoved, pulse).cost;
    return at_infinity > 0 ? at_infinity : plain;
}

}  // namespace rpw
