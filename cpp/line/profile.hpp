// The profile on the line: exactly where it is short, else between two curves (docs/theory.md, "The profile on the
// line").
#pragma once

#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// p = 1, p = ∞, and equal masses. Nothing for the rest: a profile may then have about n²/2 breakpoints, each of them a
// solve of its own here.
std::optional<Curve> line_profile(const LinePair& pair, double p, Pulse& pulse);

// The profile lies between the two, and they are nowhere further apart than `tol` in units of W.
struct LineBand {
    Curve upper;
    Curve lower;
};
LineBand line_sandwich(LinePair pair, double p, double tol, Pulse& pulse);

}  // namespace rpw
