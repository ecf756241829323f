// Whether points of any dimension lie on one line, and how far along it each of them is (docs/proofs/line.md, "Lines in
// space").
#pragma once

#include <optional>
#include <vector>

#include "ground/metric.hpp"

namespace rpw {

// A line on which the distance of two points is the difference of their places.
struct Direction {
    Node axis = 0;        // the coordinate that is the place, where that is all
    double unit = 1;      // of coordinates, a power of 2
    double rounding = 0;  // by how much the distance of a pair may differ from the difference of their places

    // Of a line that follows no axis: the place is Σ weights · (point - origin).
    std::vector<double> origin{};
    std::vector<long double> weights{};

    bool is_slanted() const { return !weights.empty(); }
    double place(const double* point) const;
};

// Nothing where the points lie on no line. Looks at a few points only where that is plain to see.
std::optional<Direction> direction_of(const Points& x, const Points& y, Metric metric);

}  // namespace rpw
