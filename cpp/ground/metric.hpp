// Ground distances between points, for the metrics that the core knows itself.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"

namespace rpw {

enum class Metric { euclidean, cityblock, chebyshev };

// n points of d coordinates, one after the other.
struct Points {
    const double* data;
    Node count;
    Node dimension;

    const double* at(Node i) const { return data + static_cast<std::size_t>(i) * dimension; }
    std::size_t size() const { return static_cast<std::size_t>(count) * dimension; }
};

// A power of two to divide coordinates by, so that squares of differences neither overflow nor vanish; 1 in usual
// ranges, +inf if no such number helps.
double length_unit(const Points& x, const Points& y);

// The diameter of the bounding box of both together.
double box_diameter(const Points& x, const Points& y, Metric metric);

// The distance of two points, to the bit an entry of PointRows where the unit is 1.
double distance_between(const double* x, const double* y, Node dimension, Metric metric);

// The same in a unit of its own, in which no square vanishes; coordinates of y lie so many numbers apart.
double euclidean_distance(const double* x, const double* y, Node step, Node dimension);

// The distances from one point after the other to all of y, given the unit from `length_unit`. `y` must outlive it.
class PointRows {
public:
    PointRows(const Points& y, Metric metric, double unit);
    void fill(const double* x, double* out);
    // Squares of Euclidean distances, without their roots; where the unit is 1. They may be too small by rounding
    // alone.
    void fill_squares(const double* x, double* out) const;

private:
    std::uint64_t (*kernel_)(const double*, const double*, Node, Node, double*);
    Points y_;
    double unit_;
    Room columns_;  // of y: coordinate by coordinate
    std::vector<double> point_;
};

}  // namespace rpw
