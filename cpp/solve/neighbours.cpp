// See neighbours.hpp.
#include "solve/neighbours.hpp"

#include <algorithm>
#include <numeric>

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

}  // namespace

NeighbourProfile::NeighbourProfile(const PowerProblem& problem, const Goal& goal) : goal_(goal) {
    const Powers& cost = problem.powers;
    std::vector<double> of_rows(cost.rows), of_columns(cost.columns, unreachable);
    for (Node i = 0; i < cost.rows; ++i) {
        of_rows[i] = least_of_row(cost.row(i), cost.columns, of_columns.data(), largest_);
    }
    const Mass total = problem.masses.total();
    Side rows = side(of_rows, problem.masses.a, total), columns = side(of_columns, problem.masses.b, total);
    Side& better = columns.at_goal > rows.at_goal ? columns : rows;
    slope_ = std::move(better.slope);
    mass_ = std::move(better.mass);
    at_goal_ = better.at_goal;
}

NeighbourProfile::Side NeighbourProfile::side(const std::vector<double>& nearest, std::span<const Mass> masses,
                                              Mass total) const {
    std::vector<Node> order(nearest.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Node x, Node y) { return nearest[x] < nearest[y]; });
    Side side{{}, {}, 0};
    double unmoved = 1, cost_p = 0;
    bool is_beyond = true;
    for (const Node x : order) {
        const double slope = nearest[x], mass = share_of(masses[x], total);
        side.slope.push_back(slope);
        side.mass.push_back(mass);
        if (is_beyond && !goal_.is_beyond(unmoved - mass, cost_p + slope * mass)) {
            is_beyond = false;
            side.at_goal = goal_.is_crossing() ? goal_.on_line(cost_p + slope * unmoved, slope)
                                               : cost_p + slope * (unmoved - goal_.unmoved);
        }
        unmoved -= mass;
        cost_p += slope * mass;
    }
    return side;
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
