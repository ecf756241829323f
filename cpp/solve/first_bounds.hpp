// Where time may run out: what cells of points prove before a long solve begins, should it be cut off.
#pragma once

#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"
#include "solve/route.hpp"

namespace rpw {

// Nothing where a solve soon knows as much, and where it begins with cells itself.
std::optional<Outcome> first_bounds(const Pair& pair, const Question& question, const Route& route, Pulse& pulse);

}  // namespace rpw
