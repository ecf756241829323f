// Which exact algorithm answers a question at finite p, given the costs.
//
// This is the seam for another algorithm: it takes the same powers and integer masses, and returns an Outcome that is
// held to the same promises (lower ≤ answer ≤ upper; after TimeUp, the best that is proven). network.hpp
// combines the two that are here.
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"

namespace rpw {

// For `crossing` and `mass`; costs are in units of scale^p.
Outcome solve_powers(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse);

}  // namespace rpw
