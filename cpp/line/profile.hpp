// The profile on the line, if it is short (docs/proofs/line.md, "The profile on the line").
#pragma once

#include <cstddef>
#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// At finite p, exactly; with the λ at which atoms, in the order of the pair, are used up. For p = 1 and between equal
// masses. Nothing for the rest: a profile may then have about n²/2 breakpoints, each of them a solve of its own here.
// Nothing either if it takes more paths than `most_work` (p = 1), or costs of pairs (equal masses).
std::optional<Curve> short_profile(const LinePair& pair, double p, std::size_t most_work, Pulse& pulse);

}  // namespace rpw
