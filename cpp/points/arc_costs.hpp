// What single arcs between the points of two trees cost.
#pragma once

#include <vector>

#include "points/tree_partners.hpp"

namespace rpw {

class ArcCosts {
public:
    explicit ArcCosts(const PointProblem& problem)
        : rows_(problem.rows), costs_(problem.columns, problem.costs), point_(problem.rows.dimension()) {}

    double operator()(Node row, Node column) {
        rows_.copy_point(row, point_.data());
        return costs_.cost(point_.data(), column);
    }

private:
    const PointTree& rows_;
    WeightedTree costs_;
    std::vector<double> point_;
};

}  // namespace rpw
