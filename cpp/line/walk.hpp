// The profile on the line for p = 1, edge by edge (docs/theory.md, "The profile on the line").
#pragma once

#include <functional>
#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// The whole of it, or nothing if it has more than `most` edges.
std::optional<Curve> walk_line_profile(const LinePair& pair, double scale, std::size_t most, Pulse& pulse);

// The slope of the first edge after which `is_enough(unmoved, cost)`; 0 if there is none within `most` edges.
double slope_where(const LinePair& pair, double scale, std::size_t most,
                   const std::function<bool(double, double)>& is_enough, Pulse& pulse);

}  // namespace rpw
