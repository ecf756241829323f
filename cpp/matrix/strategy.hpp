// Which exact algorithm answers a question at finite p, given the costs.
//
// network.hpp combines the walk and the simplex; transport.hpp finds W by one solve.
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"

namespace rpw {

// For `crossing` and `mass`; costs are in units of scale^p.
Outcome solve_powers(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse);

}  // namespace rpw
