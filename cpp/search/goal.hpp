// Where a search along the profile ends: where F(1 - ε) meets (κ ε)^p, or at a given unmoved mass.
#pragma once

#include "base/crossing.hpp"
#include "base/masses.hpp"

namespace rpw {

// A point of the profile, and a slope of it there.
struct ProfilePoint {
    double unmoved = 1;
    double cost_p = 0;
    double lambda = 0;

    // F(1 - ε) ≥ height - λ ε
    double height() const { return cost_p + lambda * unmoved; }
};

struct Goal {
    double kappa = 0;
    double p = 1;
    double unmoved = -1;  // negative: the crossing

    bool is_crossing() const { return unmoved < 0; }

    // Whether the goal lies further along than a plan that leaves so much and costs so much. A smaller step than the
    // smallest is the rounding of a mass such as 5/6, and at a large p what lies beyond may be dear without end.
    bool is_beyond(double left, double cost_p) const {
        return is_crossing() ? kappa * left > root(cost_p, p) : left - unmoved > slack_of(unmoved);
    }
    bool is_beyond(const ProfilePoint& point) const { return is_beyond(point.unmoved, point.cost_p); }

    // Whether a plan on the other side is the goal itself.
    bool is_at(const ProfilePoint& point) const {
        if (is_crossing()) return point.unmoved == 0 && point.cost_p == 0;
        return point.unmoved - unmoved >= -smallest_step;
    }

    // The unmoved mass at which cost_p = height - slope · ε meets the goal.
    double meets(double height, double slope) const {
        return is_crossing() ? crossing(height, slope, kappa, p) : unmoved;
    }

    // What such a line, a cut, proves, if it lies nowhere above F: a lower bound on RPW, or on F at the mass.
    double bound_by(double height, double slope) const {
        return is_crossing() ? meets(height, slope) : height - slope * unmoved;
    }
};

// When a search may end early: within tol, or beyond the cutoff (1: never).
struct Limits {
    double tol = 0;
    double cutoff = 1;
};

}  // namespace rpw
