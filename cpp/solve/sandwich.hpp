// Two curves with the profile between them, from few solves.
//
// A solve at a fixed multiplier gives a plan, which is a point on or above F, and potentials, which are a line below
// F. The chords between the points are the upper curve, the lines together the lower one. Between two points the next
// multiplier is the slope of their chord, until the curves are close enough. Where that takes many solves, the walk is
// given as much work as they took, and may arrive first. docs/theory.md, "A sandwich of the profile", has the proofs.
#pragma once

#include <cstddef>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"

namespace rpw {

// After the p-th root the curves are nowhere further apart than tol, in units of the costs' scale. There is no lower
// one if the walk arrived first. Throws
// std::length_error if that takes more than `max_breakpoints` solves.
Band sandwich_profile(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints, Pulse& pulse);

}  // namespace rpw
