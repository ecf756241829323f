// One pair, one question, one answer: one pair or many, at one κ. (several.hpp asks at many κ, profile.hpp at all.)
//
//     measures, equal points merged, balanced → distances, cut off → scale → powers → an algorithm → Outcome
//
// ground/ makes the matrices, scale.hpp chooses their unit; strategy.hpp, line/, flow/, lmr/ and bisection.hpp answer.
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// The matrix is built in `room`. If time is up, the outcome holds the best bounds that were proven. What is no number
// on the line is asked of the walk; throws NoAnswer where that has none either.
Outcome solve(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

}  // namespace rpw
