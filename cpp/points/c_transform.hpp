// For every point of one tree, the cheapest way to the weighted points of the other: min over x of C(x, y) + weight(x).
// From the potentials of one side it tells what those of the other have to be (docs/proofs/profile.md, "The cut and the
// certificate").
#pragma once

#include <vector>

#include "base/pulse.hpp"
#include "points/point_tree.hpp"

namespace rpw {

// Whether boxes still leave points out. In more dimensions searches look at nearly all points, and take four times as
// long as reading all of them in order.
bool searches_pay(Node dimension);

// At most `bound`, for each node of `to`. `boxes`, where it is given, counts the leaves and blocks looked at.
std::vector<double> least_sums(const PointTree& from, const std::vector<double>& weight, const PointTree& to,
                               const PointCost& costs, double bound, Pulse& pulse, std::size_t* boxes = nullptr);

// The potentials of one side that those of the other ask for: v(y) ≥ λ - C(x, y) - u(x) for all x, and v ≥ 0.
std::vector<double> transformed(const PointTree& from, const std::vector<double>& potential, const PointTree& to,
                                const PointCost& costs, double lambda, Pulse& pulse, std::size_t* boxes = nullptr);

}  // namespace rpw
