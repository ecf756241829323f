// Whether two curves keep what `tol` promises, as they are read later: after the p-th root, and between breakpoints
// that were rounded.
//
// Where the profile is steep, the rounding of a breakpoint's mass is a difference of costs, and beside a far outlier
// the root makes much of it: the curves may lie further apart than the search saw, or cross.
#pragma once

#include "base/outcome.hpp"

namespace rpw {

// How far apart the curves lie after the root, in units of the costs' scale; how far the lower one lies above the other
// where that is more than rounding.
double largest_difference(const Band& band, double p);

}  // namespace rpw
