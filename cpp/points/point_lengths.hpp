// Lengths of pairs of points without a matrix: trees find those that are short (p = ∞).
#pragma once

#include <new>

#include "base/masses.hpp"
#include "base/nearest.hpp"
#include "base/pulse.hpp"
#include "flow/pair_list.hpp"
#include "ground/measure.hpp"
#include "points/point_tree.hpp"

namespace rpw {

// More pairs lie within the length in question than can be listed.
struct TooManyPairs : std::bad_alloc {
    const char* what() const noexcept override {
        return "too many pairs of points are short enough to count at p = inf; ask for a smaller k or mass, or pass "
               "fewer points";
    }
};

// Trees over both measures, whose points must outlive them. Their unit of length has to be 1 (ground/metric.hpp). No
// list of pairs may be longer than this.
struct PointTrees {
    PointTrees(const Pair& pair, double most_listed, Pulse& pulse);

    Points x, y;
    double most_listed;
    Metric metric;
    PointCost cost;
    PointTree rows, columns;
    WeightedTree to_row, to_column;
};

// A view that reads like a matrix, to the bit: each length is computed when it is asked for.
struct PointLengths {
    struct Row {
        const PointTrees* trees;
        const double* from;
        double operator[](Node j) const {
            return distance_between(from, trees->y.at(j), trees->y.dimension, trees->metric);
        }
    };

    explicit PointLengths(const PointTrees& of) : trees(&of), rows(of.x.count), columns(of.y.count) {}
    Row row(Node i) const { return {trees, trees->x.at(i)}; }
    double at(Node i, Node j) const { return row(i)[j]; }

    const PointTrees* trees;
    Node rows;
    Node columns;
};

struct PointLengthProblem {
    PointLengths distances;
    Masses masses;
};

void list_pairs(const PointLengths& lengths, double longest, ListedPairs& listed, Pulse& pulse);
Nearest nearest_partners(const PointLengths& lengths, Pulse& pulse);
inline double longest_of(const PointLengths& lengths) {
    return box_diameter(lengths.trees->x, lengths.trees->y, lengths.trees->metric);
}

}  // namespace rpw
