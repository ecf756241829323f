// Where a line below (or on) the profile meets the falling curve:
//     (κ ε)^p = height - slope · ε,      ε ≥ 0,
// the exact equation of RPW on one edge of F (docs/proofs/walk.md, "The crossing"). The unknown is ε itself, not 1 - ε.
#pragma once

#include <cmath>

namespace rpw {

inline double power(double x, double p) {
    if (p == 1) return x;
    if (p == 2) return x * x;
    return std::pow(x, p);
}

inline double root(double x, double p) {
    if (x <= 0) return 0;
    if (p == 1) return x;
    if (p == 2) return std::sqrt(x);
    return std::pow(x, 1 / p);
}

// Bisection in the root domain, where nothing over- or underflows; used for the p without a closed form.
inline double crossing_by_bisection(double height, double slope, double kappa, double p) {
    double low = 0, high = root(height, p) / kappa;
    if (slope > 0 && height / slope < high) high = height / slope;
    for (int step = 0; step < 2000; ++step) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        (kappa * middle < root(height - slope * middle, p) ? low : high) = middle;
    }
    return high;
}

inline double crossing(double height, double slope, double kappa, double p) {
    if (height <= 0) return 0;
    if (p == 1) return height / (kappa + slope);
    if (p == 2) return 2 * height / (slope + std::hypot(slope, 2 * kappa * std::sqrt(height)));
    return crossing_by_bisection(height, slope, kappa, p);
}

// The mass that moves along such a line until `left` stays, from where `from` stays and cost_p is paid. It is a
// difference of masses, which have lost digits where almost nothing moves, or one of costs, which have where almost all
// is paid before.
inline double moved_to_crossing(double from, double cost_p, double left, double slope, double kappa, double p) {
    const double at_crossing = power(kappa * left, p);
    return p * at_crossing < slope * from ? (at_crossing - cost_p) / slope : from - left;
}

}  // namespace rpw
