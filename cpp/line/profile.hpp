// The profile on the line: exactly where it is short, else between two curves (docs/theory.md, "The profile on the
// line").
#pragma once

#include <cstddef>
#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"
#include "search/sandwich.hpp"

namespace rpw {

// p = 1, p = ∞, and equal masses. Nothing for the rest: a profile may then have about n²/2 breakpoints, each of them a
// solve of its own here; and nothing where equal masses take more than `most_costs` costs. If asked for, it tells when
// atoms are used up, in the order of the pair.
std::optional<Curve> line_profile(const LinePair& pair, double p, bool with_used_up, std::size_t most_costs,
                                  Pulse& pulse);

// Two curves that are nowhere further apart than `tol` in units of W, but for rounding, or the profile itself where no
// breakpoint can be spared. Where they come from the profile, the upper one tells when atoms are used up.
Sandwich line_sandwich(LinePair pair, double p, double tol, std::size_t max_breakpoints, Pulse& pulse);

}  // namespace rpw
