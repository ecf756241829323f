// One sum for the masses of two measures.
//
// Weights are rounded to whole units one by one, so that the sums of two measures differ by some units. A solver that
// may choose which of them to leave behind chooses the dearest, and light atoms far away would lose much of their mass.
// So both sums are raised to a common one, each atom in proportion to its mass (docs/proofs/rounding.md, "Rounding").
#pragma once

#include <span>
#include <vector>

#include "base/masses.hpp"

namespace rpw {

// The least sum that both can be raised to where equal masses stay equal.
Mass common_total(const Masses& masses);

// The masses, raised to this sum.
std::vector<Mass> raised(std::span<const Mass> masses, Mass total);

}  // namespace rpw
