// The profile of a network: all of its breakpoints, by the walk; or two curves with the profile between them, from few
// solves of the simplex (search/sandwich.hpp). Where that takes many solves, the walk is given as much work as they
// took, and may arrive first.
#pragma once

#include <cstddef>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "search/sandwich.hpp"

namespace rpw {

// Throws std::length_error where there are more breakpoints.
Curve walk_profile(const PowerProblem& problem, std::size_t max_breakpoints, Pulse& pulse);

// After the p-th root the curves are nowhere further apart than tol, in units of the costs' scale. There is no lower
// one if the walk has found the profile itself. If `gap` is larger, neither can be had within `max_breakpoints` solves
// or breakpoints. Throws std::length_error if that many solves are not enough.
Sandwich sandwich_profile(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints, Pulse& pulse);

}  // namespace rpw
