// p = ∞ and k = 0 on a matrix, which maximum flows over short pairs decide (docs/proofs/infinity.md, "p = ∞" and "Total
// variation"): what threshold_answers.hpp does not do for all kinds of lengths.
#pragma once

#include <cstddef>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "flow/threshold_answers.hpp"

namespace rpw {

// All steps of W_{∞, α}, or those of two curves nowhere further apart than tol; throws std::length_error if there are
// more than that.
Band whole_thresholds(const LengthProblem& problem, double tol, std::size_t max_breakpoints, Pulse& pulse);

// Total variation: by a maximum flow over the zeros.
Outcome unshared_mass(const LengthProblem& problem, Pulse& pulse);

}  // namespace rpw
