// The length by which distances are divided before the p-th power is taken (docs/theory.md, "Rounding").
#pragma once

#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

// The largest distance; 1 if all are 0.
double largest_distance(const Distances& distances);

// The smallest positive distance; +inf if all are 0.
double least_positive_distance(const Distances& distances);

// For the crossing with (κ ε)^p. Where powers would be lost, the answer at p = ∞ tells which lengths decide.
double scale_for_crossing(const LengthProblem& problem, double kappa, double p, Pulse& pulse);

// κ in units of the scale. Where that would be no float64, every ε is below 1e-290, and F(1 - ε) is F(1): then ε is
// F(1)^(1/p) / κ, in proportion to any smaller price, and `shrink` is that proportion.
struct Price {
    double kappa;
    double shrink;  // of the answers at `kappa`: 1 unless κ had to be lowered
};
Price scaled_price(double kappa, double scale);

// For W_{p, 1 - unmoved}.
double scale_for_mass(const LengthProblem& problem, double unmoved, double p, Pulse& pulse);

}  // namespace rpw
