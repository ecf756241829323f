// Two curves with the profile at p = ∞ between them, from few maximum flows (docs/theory.md, "The profile at p = ∞").
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"

namespace rpw {

// Nowhere further apart than tol. All mass moves over pairs no longer than `longest`.
Band rough_thresholds(const LengthProblem& problem, double longest, double tol, Pulse& pulse);

}  // namespace rpw
