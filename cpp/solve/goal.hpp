// Where a search along the profile ends: where F(1 - ε) meets (κ ε)^p, or at a given unmoved mass.
#pragma once

#include "base/crossing.hpp"
#include "base/masses.hpp"

namespace rpw {

struct Goal {
    double kappa = 0;
    double p = 1;
    double unmoved = -1;      // negative: the crossing
    bool with_slope = false;  // where all mass moves, every large λ proves the cost; this asks for the least of them

    bool is_crossing() const { return unmoved < 0; }

    // Whether the goal lies further along than a plan that leaves so much and costs so much. A smaller step than the
    // smallest is the rounding of a mass such as 5/6, and at a large p what lies beyond may be dear without end.
    bool is_beyond(double left, double cost_p) const {
        return is_crossing() ? kappa * left > root(cost_p, p) : left - unmoved > smallest_step;
    }

    // The unmoved mass at which the line cost_p = height - slope · ε meets the goal.
    double on_line(double height, double slope) const {
        return is_crossing() ? crossing(height, slope, kappa, p) : unmoved;
    }

    // The mass that is moved from a point of such a line to the crossing, where `left` stays. It is a difference of
    // masses, which have lost digits where almost nothing moves, or one of costs, which have where almost all is paid.
    double moved_on_line(double from, double cost_p, double left, double slope) const {
        const double at_crossing = power(kappa * left, p);
        return p * at_crossing < slope * from ? (at_crossing - cost_p) / slope : from - left;
    }
};

}  // namespace rpw
