// The length by which distances are divided before the p-th power is taken (docs/proofs/rounding.md, "Rounding").
#pragma once

#include <stdexcept>

#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

// Distances were checked when they came in, and are no longer sound.
struct CostChanged : std::domain_error {
    CostChanged()
        : std::domain_error(
              "cost has a NaN, infinite or negative entry, which it did not have when it was checked: "
              "do not write to it during a call") {}
};

// The largest distance; 1 if all are 0. Throws CostChanged.
double largest_distance(const Distances& distances);

// W_{∞, 1 - unmoved}; where that is 0, nothing but equal points is free in units of the least distance.
double scale_at_infinity(const LengthProblem& problem, double unmoved, Pulse& pulse);

// For the crossing with (κ ε)^p. Where powers of short distances would be lost, the answer at p = ∞ tells which lengths
// decide.
double scale_for_crossing(const LengthProblem& problem, double kappa, double p, Pulse& pulse);

// For W_{p, 1 - unmoved}, likewise.
double scale_for_mass(const LengthProblem& problem, double unmoved, double p, Pulse& pulse);

}  // namespace rpw
