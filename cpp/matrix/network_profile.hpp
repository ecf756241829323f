// Two curves with the profile of a network between them, from few solves of the simplex (search/sandwich.hpp). Where
// that takes many solves, the walk is given as much work as they took, and may arrive first.
#pragma once

#include <cstddef>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "search/sandwich.hpp"

namespace rpw {

// After the p-th root the curves are nowhere further apart than tol, in units of the costs' scale. There is no lower
// one if the walk has found the profile itself. If `gap` is larger, neither can be had within `max_breakpoints` solves
// or breakpoints. Throws std::length_error if that many solves are not enough.
Sandwich sandwich_profile(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints, Pulse& pulse);

}  // namespace rpw
