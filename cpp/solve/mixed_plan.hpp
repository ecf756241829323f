// A mixture of the plans of two bases.
#pragma once

#include <vector>

#include "base/basis.hpp"
#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

// (1 - weight) of the plan of `left` and `weight` of that of `right`; a weight of 0 does not look at the latter. The
// entries are sorted, one for each pair.
std::vector<PlanEntry> mixed_plan(const Basis& left, const Basis& right, double weight, Node rows, Mass total);

}  // namespace rpw
