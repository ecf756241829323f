// Two curves with the profile of a network between them (search/sandwich.hpp), from solves of the simplex. Where that
// takes many solves, the walk is given as much work as they took, and may arrive first.
#pragma once

#include <cstddef>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"

namespace rpw {

// After the p-th root the curves are nowhere further apart than tol, in units of the costs' scale. There is no lower
// one if the walk has found the profile itself. Throws std::length_error if that takes more than `max_breakpoints`
// solves or breakpoints.
Band sandwich_profile(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints, Pulse& pulse);

}  // namespace rpw
