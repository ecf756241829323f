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

// For W_{p, 1 - unmoved}.
double scale_for_mass(const LengthProblem& problem, double unmoved, double p, Pulse& pulse);

}  // namespace rpw
