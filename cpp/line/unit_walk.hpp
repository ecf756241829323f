// The profile between measures of as many atoms that all weigh the same, for any finite p: one pair of atoms more at a
// time, by a queue of neighbours (docs/proofs/line.md, "The profile on the line").
#pragma once

#include <cstddef>
#include <optional>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

bool has_equal_masses(const LinePair& pair);

// For pairs with equal masses; with the λ at which atoms, in the order of the pair, are used up. Nothing if blocks
// of more than `most_costs` costs in all would have to be summed.
std::optional<Curve> walk_unit_profile(const LinePair& pair, const LineCost& cost, double scale, std::size_t most_costs,
                                       Pulse& pulse);

}  // namespace rpw
