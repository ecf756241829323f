// The length by which distances are divided before the p-th power is taken (docs/theory.md, "Rounding").
#pragma once

#include <algorithm>
#include <cmath>

#include "powers.hpp"
#include "solve.hpp"

namespace rpw {

inline double largest_distance(const CostMatrix& distances) {
    const double largest = range_of(distances.data, distances.size()).largest;
    return largest > 0 ? largest : 1;
}

// Whether some positive distance, divided by the scale, would vanish as a p-th power.
inline bool loses_powers(const CostMatrix& distances, double scale, double p) {
    if (p <= 4) return false;  // only distances below 1e-75 of the scale could
    double least = unreachable;
    for (std::size_t e = 0; e < distances.size(); ++e) {
        if (distances.data[e] > 0) least = std::min(least, distances.data[e]);
    }
    return least < scale && p * std::log2(scale / least) > 1000;
}

// κ in units of the scale. Where that would be no float64, every ε is below 1e-290, and F(1 - ε) is F(1): then ε is
// F(1)^(1/p) / κ, in proportion to any smaller price, and `shrink` is that proportion.
struct Price {
    double kappa;
    double shrink;  // of the answers at `kappa`: 1 unless κ had to be lowered
};

inline Price scaled_price(double kappa, double scale) {
    const double plain = kappa / scale;
    if (plain <= largest_power) return {plain, 1};
    return {largest_power, scale * largest_power / kappa};
}

// For the crossing with (κ ε)^p. Where powers would be lost, the answer at p = ∞ tells which lengths decide.
inline double scale_for_crossing(const Problem& problem, double kappa, double p, Pulse& pulse) {
    const double plain = std::min(largest_distance(problem.cost), kappa);
    if (!loses_powers(problem.cost, plain, p)) return plain;
    const double at_infinity = kappa * cross_thresholds(problem, kappa, 0, pulse).unmoved;
    return at_infinity > 0 ? at_infinity : plain;
}

// For W_{p, 1 - unmoved}.
inline double scale_for_mass(const Problem& problem, double unmoved, double p, Pulse& pulse) {
    const double plain = largest_distance(problem.cost);
    if (!loses_powers(problem.cost, plain, p)) return plain;
    const double at_infinity = threshold_at(problem, unmoved, pulse).cost;
    return at_infinity > 0 ? at_infinity : plain;
}

}  // namespace rpw
