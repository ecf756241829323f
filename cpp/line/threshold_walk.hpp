// The profile at p = ∞ on the line, walked upwards: mass moves between neighbours that have some left, through what
// lies between them (docs/proofs/line.md, "p = ∞ on the line").
#pragma once

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// All steps of W_{∞, α}, taken together as far as tol allows; with the thresholds at which atoms, in the order of the
// pair, are used up.
Band walk_thresholds(const LinePair& pair, double tol, Pulse& pulse);

}  // namespace rpw
