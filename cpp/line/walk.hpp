// The profile on the line for p = 1, edge by edge (docs/proofs/line.md, "The profile on the line").
#pragma once

#include <functional>
#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// The whole of it, with the λ at which atoms, in the order of the pair, are used up; nothing if it takes more than
// `most_paths`.
std::optional<Curve> walk_line_profile(const LinePair& pair, double scale, std::size_t most_paths, Pulse& pulse);

// An edge of the profile, and the plans at its two ends.
struct WalkedEdge {
    double slope;
    LinePlan before;
    LinePlan after;
};

// The first edge at whose end `is_enough(unmoved, cost)`; nothing if there is none within `most_paths`.
std::optional<WalkedEdge> edge_where(const LinePair& pair, double scale, std::size_t most_paths,
                                     const std::function<bool(double, double)>& is_enough, Pulse& pulse);

}  // namespace rpw
