// One question about a pair on the line, answered in near-linear time and without a matrix (docs/theory.md, "The
// line").
#pragma once

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "line/atoms.hpp"

namespace rpw {

// For `crossing` and `mass`, every p; with a truncation only where all mass is asked for. At finite p the answer is
// proven by potentials even where they are not asked for: an exact answer whose bounds differ by more than rounding
// shows that a tie was broken wrongly.
Outcome solve_on_line(const Pair& pair, const Question& question, Pulse& pulse);

// The distance from every atom to the nearest one of the other measure, in the order in which they came.
void nearest_on_line(const Pair& pair, std::vector<double>& of_a, std::vector<double>& of_b);

}  // namespace rpw
