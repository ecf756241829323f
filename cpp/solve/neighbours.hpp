// The profile of nearest neighbours: every row (or every column) moves to its nearest partner, whatever room there is
// there. It lies below the profile, it takes one pass over the costs, and its shape tells where to look for λ.
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "solve/goal.hpp"

namespace rpw {

class NeighbourProfile {
public:
    // Of the two sides, the one that says more about the goal.
    NeighbourProfile(const PowerProblem& problem, const Goal& goal);

    // A lower bound on RPW; 0 where the goal is a mass.
    double lower() const { return goal_.is_crossing() ? at_goal_ : 0.0; }
    double first_slope() const { return slope_.front(); }
    double slope_at(double unmoved) const;
    // The dearest pair; no slope of the profile exceeds it.
    double largest() const { return largest_; }

private:
    struct Side {
        std::vector<double> slope;  // of the edges, least first
        std::vector<double> mass;   // of the edges, as shares
        double at_goal;             // ε at the crossing, or the cost at the mass
    };
    Side side(const std::vector<double>& nearest, std::span<const Mass> masses, Mass total) const;

    Goal goal_;
    std::vector<double> slope_;
    std::vector<double> mass_;
    double at_goal_ = 0;
    double largest_ = 0;
};

}  // namespace rpw
