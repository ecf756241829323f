// λ-ROBOT with its plan: W_p under a truncated distance, where what is not worth moving stays.
//
// Under min(c, t) all mass moves, and what moves over pairs of length t may as well stay for that price. So the plan is
// that of the profile where its slope reaches t^p, and the walk need not go through the ties beyond
// (docs/theory.md, "The end of the profile").
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"

namespace rpw {

// W_{p,1} of the truncated costs, with the part of its plan over pairs shorter than the truncation.
Outcome move_while_shorter(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse);

}  // namespace rpw
