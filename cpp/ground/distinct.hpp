// A measure whose equal points are one atom each.
#pragma once

#include <span>
#include <vector>

#include "base/pulse.hpp"
#include "ground/measure.hpp"

namespace rpw {

// The number of each point's value: equal points have the same, and new values are counted in the order of the points.
// -0.0 equals 0.0.
struct Labels {
    std::vector<Node> of_point;
    Node count = 0;

    bool has_equal() const { return count < static_cast<Node>(of_point.size()); }
};
Labels label_points(const Points& points, Pulse& pulse);

// Masses are summed as integers, so that nothing is rounded. The measure must outlive it.
class DistinctMeasure {
public:
    DistinctMeasure(const Measure& given, Pulse& pulse);

    bool has_equal() const { return labels_.has_equal(); }
    Measure merged() const;
    Node label(Node atom) const { return has_equal() ? labels_.of_point[atom] : atom; }
    const Measure& given() const { return given_; }
    // Numbers of the merged atoms, for the atoms as they were given.
    std::vector<double> as_given(const std::vector<double>& of_merged) const;

private:
    Measure given_;
    Labels labels_;
    std::vector<Mass> mass_;
    std::vector<double> coordinates_;
};

}  // namespace rpw
