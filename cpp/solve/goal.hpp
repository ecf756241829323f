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
};

}  // namespace rpw
