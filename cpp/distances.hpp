// Ground distances between points, for the metrics that the core knows itself. One kernel serves single pairs and whole
// collections, so that both give the same bits.
#pragma once

#include <span>
#include <vector>

#include "problem.hpp"

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

// Writes the count(x) × count(y) distances, given the unit from `length_unit`.
void fill_distances(const Points& x, const Points& y, Metric metric, double unit, double* out);

}  // namespace rpw
