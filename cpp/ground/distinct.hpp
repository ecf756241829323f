// A measure whose equal points are one atom each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/pulse.hpp"
#include "ground/measure.hpp"

namespace rpw {

// The number of each point's value, those of x and then those of y: equal points have the same, and new values are
// counted in the order of the points. -0.0 equals 0.0.
struct Labels {
    std::vector<std::int64_t> of_point;
    Node count = 0;
};
Labels label_points(const Points& x, const Points& y, Pulse& pulse);

// Masses are summed as integers, so that nothing is rounded. The measure must outlive it.
class DistinctMeasure {
public:
    // The labels of its points are less than `labels`.
    DistinctMeasure(const Measure& given, std::span<const std::int64_t> label, Node labels);

    bool has_equal() const { return count_ < given_.size(); }
    Measure merged() const;
    // Merged atoms come in the order of their first points.
    Node merged_atom(Node atom) const { return merged_atom_[atom]; }
    const Measure& given() const { return given_; }
    // Numbers of the merged atoms, for the atoms as they were given.
    std::vector<double> as_given(const std::vector<double>& of_merged) const;

private:
    Measure given_;
    std::vector<Node> merged_atom_;  // of each atom as given
    Node count_ = 0;
    std::vector<Mass> mass_;
    std::vector<double> coordinates_;
};

}  // namespace rpw
