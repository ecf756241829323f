// A plan in which every atom goes a way of its own, cheap ones first: where its profile crosses. It is RPW of that
// plan, between the atoms and wherever they go.
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "base/crossing.hpp"
#include "base/masses.hpp"
#include "base/nearest.hpp"

namespace rpw {

// At finite p, where the profile is convex and piecewise linear. Costs of ways are in units of κ^p.
inline double crossing_of_ways(std::span<const Mass> masses, const std::vector<double>& costs, double p) {
    const auto total = static_cast<double>(std::accumulate(masses.begin(), masses.end(), Mass{0}));
    double unmoved = 1, cost = 0;
    for (const Node x : in_order(costs)) {
        const double share = static_cast<double>(masses[x]) / total;
        if (unmoved - share <= root(cost + costs[x] * share, p)) {
            return crossing(cost + costs[x] * unmoved, costs[x], 1.0, p);
        }
        unmoved -= share;
        cost += costs[x] * share;
    }
    return 0;
}

// At p = ∞, where it is a step function of lengths.
inline double crossing_of_long_ways(std::span<const Mass> masses, const std::vector<double>& lengths, double kappa) {
    const auto total = static_cast<double>(std::accumulate(masses.begin(), masses.end(), Mass{0}));
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
