// The profile of nearest neighbours: every row (or every column) moves to its nearest partner, whatever room there is
// there. It lies below the profile, it takes one pass over the costs, and its shape tells where to look for λ.
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "search/goal.hpp"

namespace rpw {

// The same from some of the rows, at a small part of the cost: where the goal may lie, and the slopes there and at mass
// 0. Good enough to choose between strategies.
struct NeighbourSample {
    double unmoved;
    double slope;
    double first_slope;
};
NeighbourSample sample_neighbours(const PowerProblem& problem, const Goal& goal);

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
    Goal goal_;
    std::vector<double> slope_;
    std::vector<double> mass_;
    double at_goal_ = 0;
    double largest_ = 0;
};

}  // namespace rpw
