// See neighbours.hpp.
#include "matrix/neighbours.hpp"

#include <algorithm>
#include <numeric>

#include "base/nearest.hpp"
#include "base/simd.hpp"

namespace rpw {

namespace {

// The least of a row, which also lowers the least of each column so far and raises the largest of all.
RPW_SIMD double least_of_row(const double* row, Node size, double* of_columns, double& largest) {
    constexpr Node lanes = 16;
    double best[lanes], worst[lanes];
    std::fill(best, best + lanes, unreachable);
    std::fill(worst, worst + lanes, largest);
    Node j = 0;
    for (; j + lanes <= size; j += lanes) {
        for (Node s = 0; s < lanes; ++s) {
            const double x = row[j + s];
            best[s] = x < best[s] ? x : best[s];
            worst[s] = x > worst[s] ? x : worst[s];
            of_columns[j + s] = x < of_columns[j + s] ? x : of_columns[j + s];
        }
    }
    for (; j < size; ++j) {
        best[0] = std::min(best[0], row[j]);
        worst[0] = std::max(worst[0], row[j]);
        of_columns[j] = std::min(of_columns[j], row[j]);
    }
    largest = *std::max_element(worst, worst + lanes);
    return *std::min_element(best, best + lanes);
}

// The profile of one side.
struct Side {
    std::vector<double> slope;  // of the edges, least first
    std::vector<double> mass;   // of the edges, as shares
    double at_goal = 0;         // ε at the crossing, or the cost at the mass
};

Side side_of(const std::vector<double>& nearest, std::span<const Mass> masses, const Goal& goal) {
    const Mass total = sum_of(masses);
    Side side;
    double unmoved = 1, cost_p = 0;
    bool is_beyond = true;
    for (const Node x : in_order(nearest)) {
        const double slope = nearest[x], mass = share_of(masses[x], total);
        side.slope.push_back(slope);
        side.mass.push_back(mass);
        if (is_beyond && !goal.is_beyond(unmoved - mass, cost_p + slope * mass)) {
            is_beyond = false;
            side.at_goal = goal.is_crossing() ? goal.meets(cost_p + slope * unmoved, slope)
                                              : cost_p + slope * (unmoved - goal.unmoved);
        }
        unmoved -= mass;
        cost_p += slope * mass;
    }
    return side;
}

}  // namespace

NeighbourProfile::NeighbourProfile(const PowerProblem& problem, const Goal& goal, Pulse& pulse) : goal_(goal) {
    const Powers& cost = problem.powers;
    std::vector<double> of_rows, of_columns(cost.columns, unreachable);
    for (Node i = 0; i < cost.rows; ++i) {
        of_rows.push_back(least_of_row(cost.row(i), cost.columns, of_columns.data(), largest_));
        pulse.note(static_cast<std::size_t>(cost.columns));
    }
    Side better = side_of(of_rows, problem.masses.a, goal), columns = side_of(of_columns, problem.masses.b, goal);
    if (columns.at_goal > better.at_goal) better = std::move(columns);
    slope_ = std::move(better.slope);
    mass_ = std::move(better.mass);
    at_goal_ = better.at_goal;
}

double NeighbourProfile::slope_at(double unmoved) const {
    double rest = 1;
    for (std::size_t e = 0; e < slope_.size(); ++e) {
        rest -= mass_[e];
        if (rest < unmoved) return slope_[e];
    }
    return slope_.back();
}

}  // namespace rpw
