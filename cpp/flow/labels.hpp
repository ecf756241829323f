// Total variation (k = 0) where it is known which points are equal: the mass that two measures share is the sum, over
// the values of their points, of the smaller of the two masses there (docs/proofs/infinity.md, "Total variation").
#pragma once

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "ground/measure.hpp"

namespace rpw {

// By the labels of the measures or, where they have none, by those of their points. Throws TimeUp.
Outcome match_labels(const Pair& pair, Pulse& pulse);

}  // namespace rpw
