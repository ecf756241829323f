// Where time may run out: what cells of points prove before a long solve begins, should it be cut off.
#pragma once

#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Nothing where there is no deadline, where a solve soon knows as much, and where it begins with cells itself.
std::optional<Outcome> first_bounds(const Pair& pair, const Question& question, Pulse& pulse);

// The better bound of each kind, with what proves it.
void improve(Outcome& outcome, Outcome&& other);

// A lower bound that the potentials of an outcome do not prove: then it has none.
void raise_lower(Outcome& outcome, double lower);

}  // namespace rpw
