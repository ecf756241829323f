// See neighbours.hpp.
#include "matrix/neighbours.hpp"

#include <utility>

#include "base/nearest.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"

namespace rpw {

NeighbourProfile::NeighbourProfile(const PowerProblem& problem, const Goal& goal, Pulse& pulse)
    : goal_(goal), largest_(range_of(problem.powers.data, problem.powers.size()).largest) {
    const Nearest nearest = nearest_partners(problem.powers, pulse);
    ways_ = own_ways(problem.masses.a, nearest.of_row, goal);
    OwnWays of_columns = own_ways(problem.masses.b, nearest.of_column, goal);
    if (of_columns.at_goal > ways_.at_goal) ways_ = std::move(of_columns);
}

double NeighbourProfile::slope_at(double unmoved) const {
    double rest = 1;
    for (std::size_t e = 0; e < ways_.slope.size(); ++e) {
        rest -= ways_.mass[e];
        if (rest < unmoved) return ways_.slope[e];
    }
    return ways_.slope.back();
}

bool NeighbourProfile::stays_far() const {
    const double unmoved = goal_.is_crossing() ? ways_.at_goal : goal_.unmoved;
    const double cost_p = goal_.is_crossing() ? power(goal_.kappa * unmoved, goal_.p) : ways_.at_goal;
    return slope_at(unmoved / 2) * unmoved > tuning::far_dearer * cost_p;
}

}  // namespace rpw
