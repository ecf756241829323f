// p = ∞ and k = 0, which maximum flows over short pairs decide (docs/theory.md, "p = ∞" and "Total variation").
#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"

namespace rpw {

// RPW at p = ∞: the smallest ε with a flow of 1 - ε over pairs no longer than κ ε, to within tol (0: exact).
Outcome cross_thresholds(const LengthProblem& problem, double kappa, double tol, Need need, Pulse& pulse);

// The exact RPW at each κ > 0, in ascending order: one search that goes on from each to the next. Throws TimeUp.
std::vector<double> cross_thresholds_in_turn(const LengthProblem& problem, std::span<const double> kappas,
                                             Pulse& pulse);

// W_{∞, 1 - unmoved}: the least threshold with a flow of 1 - unmoved.
Outcome threshold_at(const LengthProblem& problem, double unmoved, Need need, Pulse& pulse);

// All steps of W_{∞, α}, or those of two curves nowhere further apart than tol; throws std::length_error if there are
// more than that.
Band whole_thresholds(const LengthProblem& problem, double tol, std::size_t max_breakpoints, Pulse& pulse);

// Total variation: by a maximum flow over the zeros.
Outcome unshared_mass(const LengthProblem& problem, Pulse& pulse);

}  // namespace rpw
