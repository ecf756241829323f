// What somebody who waits for a whole profile is told: up to which mass it is known, and bounds on its end.
#pragma once

#include "base/masses.hpp"
#include "base/pulse.hpp"

namespace rpw {

// It is known from mass 0 up to here. It is convex: what is unmoved costs no less than at the slope of the last edge.
inline void tell_profile(Pulse& pulse, double unmoved, double cost_p, double slope, long pivots) {
    if (!pulse.is_asked()) return;
    pulse.tell_moved(1 - unmoved, pivots);
    pulse.tell_bounds(cost_p + slope * unmoved, unreachable);
}

}  // namespace rpw
