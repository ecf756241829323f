// p = ∞ on the line: the largest flow over pairs no longer than a threshold takes one pass (docs/proofs/line.md, "p = ∞
// on the line").
#pragma once

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "line/atoms.hpp"

namespace rpw {

// RPW, to within the question's tol (0: exact).
Outcome cross_line_thresholds(const SortedPair& line, const Question& question, Pulse& pulse);

// W_{∞, 1 - unmoved}.
Outcome line_threshold_at(const SortedPair& line, const Question& question, Pulse& pulse);

// All steps of W_{∞, α}, or two curves nowhere further apart than tol.
Band whole_line_thresholds(const LinePair& pair, double tol, Pulse& pulse);

}  // namespace rpw
