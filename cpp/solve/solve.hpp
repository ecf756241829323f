// One pair and one question, which its engines are asked in turn (docs/core.md).
//
//     pair → PreparedPair: on a line, or equal points merged; balanced → Route → engines → answer for the atoms as
//     given
//
// The engines: flow/labels.hpp, line/on_line.hpp, points/on_points.hpp and points/at_infinity.hpp,
// matrix/on_matrix.hpp, lmr/lmr.hpp.
#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// All of these build a matrix, where they need one, in `room`, and throw NoRoom and NoAnswer (ask.hpp).

// `crossing`, `mass` or `shared`. If time is up, the outcome holds the best bounds that were proven.
Outcome solve(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

// What `solve` gives for the question at each κ (up to rounding), in the order of `kappas`: any order, equal ones, and
// 0 (total variation) are allowed. Reads p, truncation and solver of the question. Throws TimeUp.
std::vector<double> solve_several(const Pair& pair, const Question& question, std::span<const double> kappas,
                                  Room& room, Pulse& pulse);

// The whole OT-profile. Reads p, truncation, solver, tol and max_breakpoints of the question; with tol = 0 it is exact.
// Throws TimeUp, std::domain_error where p-th powers of the distances do not fit into float64 together, and
// std::length_error where there are more breakpoints than that.
Band whole_profile(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

}  // namespace rpw
