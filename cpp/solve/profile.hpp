// The whole OT-profile of a pair, without bounds: a deadline ends it with TimeUp.
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Reads p, truncation, solver, tol and max_breakpoints of the question; with tol = 0 the profile is exact. Throws
// std::domain_error where p-th powers of the distances do not fit into float64 together, and std::length_error where
// there are more breakpoints than that.
Band whole_profile(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

}  // namespace rpw
