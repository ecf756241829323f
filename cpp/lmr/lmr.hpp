// LMR: the paper's graph algorithm with an error promised in advance (section 5; docs/proofs/lmr.md, "LMR").
//
// Costs are rounded up to whole units. The plan is then too dear by at most one unit per unit of mass for the rounding
// and one for 1-feasibility, so F is known to within 2 units, and the distance to within tol if
//
//     2 units ≤ (κ(L + tol))^p - (κL)^p
//
// for any proven lower bound L. The first round guesses L; if the bounds that it finds are too far apart, the second
// round uses the L that it proved.
#pragma once

#include <optional>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// RPW to within tol > 0 at finite p; nothing where the unit would be so small that only an exact solver is finer. The
// costs never exist as float64 all at once. The outcome has no cost: that of its plan follows from the distances.
std::optional<Outcome> cross_by_lmr(const Pair& pair, const Question& question, Pulse& pulse);

// p = ∞ with distances rounded up to multiples of κ·tol: the answer rises by at most tol.
std::optional<Outcome> cross_rounded_thresholds(const LengthProblem& problem, const Question& question, Pulse& pulse);

// The profile, nowhere below the exact one and at most tol above it, in units of W.
std::optional<Band> profile_by_lmr(const Pair& pair, const Question& question, Pulse& pulse);

}  // namespace rpw
