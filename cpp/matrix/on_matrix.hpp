// The engine that answers everything: from a matrix of distances between all atoms, by the walk and the simplex
// (strategy.hpp), and at p = ∞ by maximum flows (flow/). The pair is balanced. The matrix is built in `room`.
//
//     distances, cut off → scale → powers → an algorithm
//
// ground/ makes the matrices, scale.hpp chooses their unit. If time is up before an algorithm begins, TimeUp is thrown.
#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "base/reply.hpp"
#include "ground/measure.hpp"

namespace rpw {

// For `crossing`, `mass` and `shared`.
Outcome solve_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

// RPW at each κ > 0, in ascending order: one search, which goes on from each to the next (docs/proofs/walk.md, "Several
// prices"). Throws TimeUp.
std::vector<double> several_on_matrix(const Pair& pair, Question question, std::span<const double> kappas, Room& room,
                                      Pulse& pulse);

// Throws as `check_powers_fit`, `check_breakpoints` and `refuse_tol` do.
Band profile_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

// RPW by bisection: W_{p, 1 - guess} as often as it is asked for.
Outcome bisect_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

// RPW at p = ∞ by LMR; declines where only an exact solver is finer.
Reply<Outcome> lmr_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse);

}  // namespace rpw
