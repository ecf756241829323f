// Collects the edges of a profile in the order of their slopes.
#pragma once

#include <utility>

#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

class Edges {
public:
    // The edge that ends at this place. Those too short to be seen become part of the next one, and edges of the same
    // slope are one.
    void add(double slope, double unmoved, double cost) {
        last_unmoved_ = unmoved;
        last_cost_ = cost;
        if (curve_.unmoved.back() - unmoved <= smallest_step) return;
        if (!curve_.slope.empty() && slope == curve_.slope.back()) {
            curve_.unmoved.back() = unmoved;
            curve_.cost.back() = cost;
            return;
        }
        curve_.slope.push_back(slope);
        curve_.unmoved.push_back(unmoved);
        curve_.cost.push_back(cost);
    }

    std::size_t count() const { return curve_.slope.size(); }

    Curve take(double scale) {
        if (count() > 0) {  // a short step at the end belongs to the last edge
            curve_.unmoved.back() = last_unmoved_;
            curve_.cost.back() = last_cost_;
        }
        curve_.scale = scale;
        curve_.solver = Solver::line;
        return std::move(curve_);
    }

private:
    Curve curve_;
    double last_unmoved_ = 1, last_cost_ = 0;
};

}  // namespace rpw
