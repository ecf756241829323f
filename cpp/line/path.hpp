// Partial transport between two measures on the line at a fixed λ, the price of unmoved mass (docs/proofs/line.md, "The
// line").
#pragma once

#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// min Σ (C - λ) γ over all partial plans, as a monotone plan; the pair has its ranks. Throws TimeUp.
LinePlan solve_at(const LinePair& pair, const LineCost& cost, double lambda, Pulse& pulse);

// The same where plans at a lower and at a higher λ are known: only looks at the parts where these two differ. That
// is nearly always enough, and whether it was, potentials tell.
LinePlan solve_between(const LinePair& pair, const LineCost& cost, double lambda, const LinePlan& before,
                       const LinePlan& after, Pulse& pulse);

}  // namespace rpw
