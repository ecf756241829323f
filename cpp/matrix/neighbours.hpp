// The profile of nearest neighbours: every row (or every column) moves to its nearest partner, whatever room there is
// there. It lies below the profile, it takes two passes over the costs, and its shape tells where to look for λ.
#pragma once

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "search/goal.hpp"
#include "search/own_ways.hpp"
#include "search/slope_guess.hpp"

namespace rpw {

class NeighbourProfile {
public:
    // Of the two sides, the one that says more about the goal.
    NeighbourProfile(const PowerProblem& problem, const Goal& goal, Pulse& pulse);

    // A lower bound on RPW; 0 where the goal is a mass.
    double lower() const { return goal_.is_crossing() ? ways_.at_goal : 0.0; }
    double slope_at(double unmoved) const;
    // Whether what stays at the goal would pay far more than all that moves: a walk ends just before it.
    bool stays_far() const;
    // Of the profile itself: no slope lies below that to the nearest neighbour, or above the dearest pair.
    SlopeRange range() const { return {ways_.slope.front(), largest_}; }

private:
    Goal goal_;
    OwnWays ways_;
    double largest_;
};

}  // namespace rpw
