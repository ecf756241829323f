// A plan in which every atom goes a way of its own, cheap ones first: its profile, and where that crosses. It is RPW of
// that plan, between the atoms and wherever they go.
#pragma once

#include <span>
#include <vector>

#include "base/masses.hpp"
#include "base/nearest.hpp"
#include "search/goal.hpp"

namespace rpw {

// At finite p, where the profile is convex and piecewise linear.
struct OwnWays {
    std::vector<double> slope;  // of the edges, least first
    std::vector<double> mass;   // of the edges, as shares
    double at_goal = 0;         // ε at the crossing, or the cost at the mass
};

inline OwnWays own_ways(std::span<const Mass> masses, const std::vector<double>& costs, const Goal& goal) {
    const Mass total = sum_of(masses);
    OwnWays ways;
    double unmoved = 1, cost_p = 0;
    bool is_beyond = true;
    for (const Node x : in_order(costs)) {
        const double slope = costs[x], mass = share_of(masses[x], total);
        ways.slope.push_back(slope);
        ways.mass.push_back(mass);
        if (is_beyond && !goal.is_beyond(unmoved - mass, cost_p + slope * mass)) {
            is_beyond = false;
            ways.at_goal = goal.is_crossing() ? goal.meets(cost_p + slope * unmoved, slope)
                                              : cost_p + slope * (unmoved - goal.unmoved);
        }
        unmoved -= mass;
        cost_p += slope * mass;
    }
    return ways;
}

// At p = ∞, where it is a step function of lengths.
inline double crossing_of_long_ways(std::span<const Mass> masses, const std::vector<double>& lengths, double kappa) {
    const auto total = static_cast<double>(sum_of(masses));
    Mass moved = 0;
    for (const Node x : in_order(lengths)) {
        const double unmoved = 1 - static_cast<double>(moved) / total;
        if (lengths[x] >= kappa * unmoved) return unmoved;
        moved += masses[x];
        const double after = 1 - static_cast<double>(moved) / total;
        if (lengths[x] >= kappa * after) return lengths[x] / kappa;
    }
    return 0;
}

}  // namespace rpw
