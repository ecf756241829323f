// The same as coarse.hpp at p = ∞: a plan between cells, split between their points, from above; from below the answer
// between cells, less what it takes to move the points into them, and the way from each point to the nearest.
#pragma once

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Level by level, until time is up or cells would be points. The measures must have points.
Outcome bounds_by_cells_at_infinity(const Pair& pair, const Question& question, Pulse& pulse);

}  // namespace rpw
