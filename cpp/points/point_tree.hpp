// A k-d tree over the points of one side, and the least weight below each of its boxes.
//
// Points lie in leaves of eight, in the order of the tree, and boxes in blocks of a few siblings, coordinate by
// coordinate, so that one pass of vector operations looks at all of a leaf or of a block. Every leaf but the last is
// full, every block of a level but the last too: where a point or a box lies follows from its number.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/pulse.hpp"
#include "ground/metric.hpp"
#include "points/point_cost.hpp"

namespace rpw {

// The geometry. Node x of the tree is point `given(x)`.
class PointTree {
public:
    static constexpr Node per_leaf = 8;
    static constexpr Node per_block = 8;

    // Coordinates are divided by the unit.
    PointTree(const Points& points, double unit, Pulse& pulse);

    Node size() const { return static_cast<Node>(order_.size()); }
    Node dimension() const { return dimension_; }
    Node given(Node x) const { return order_[x]; }
    // Masses of the points as they were given, in the order of the tree.
    std::vector<Mass> in_order(std::span<const Mass> given) const;
    Node leaves() const { return leaves_; }
    // Blocks of boxes are numbered level by level, from the leaves up. A block of level l has boxes of level l - 1, or
    // leaves where l = 0.
    Node levels() const { return static_cast<Node>(first_.size()) - 1; }
    Node first_block(Node level) const { return first_[level]; }
    Node blocks() const { return first_.back(); }

    // Coordinate t of the points of a leaf; the lower ends, and then the upper ends, of the boxes of a block.
    const double* of_leaf(Node leaf, Node t) const {
        return coordinates_.data() + (static_cast<std::size_t>(leaf) * dimension_ + t) * per_leaf;
    }
    const double* of_block(Node block, Node t) const {
        return boxes_.data() + (static_cast<std::size_t>(block) * dimension_ + t) * 2 * per_block;
    }
    void copy_point(Node x, double* out) const {
        for (Node t = 0; t < dimension_; ++t) out[t] = of_leaf(x / per_leaf, t)[x % per_leaf];
    }

private:
    void arrange(const Points& points, Node begin, Node end, Node chunk, Pulse& pulse);
    void split(const Points& points, Node begin, Node middle, Node end);
    void fill_leaves(const Points& points, double unit);
    void fill_boxes();

    Node dimension_;
    Node leaves_;
    std::vector<Node> order_;
    std::vector<Node> first_;
    std::vector<double> coordinates_;
    std::vector<double> boxes_;
};

// Every `stride`-th point of a tree from the first on, one after the other; the last one again where there are fewer.
struct PointGroup {
    static constexpr Node most = 16;

    PointGroup(const PointTree& tree, Node first, Node stride = 1);

    Node count;
    std::vector<double> coordinates;
};

// A point and what it costs; none is -1, at an infinite cost.
struct NearestPoint {
    double cost = unreachable;
    Node node = -1;
};

// A point, what it costs, and its key, cost + weight.
struct KeyedPoint {
    double key;
    double cost;
    Node node;

    bool operator<(const KeyedPoint& other) const { return key < other.key; }
};

// Weights on the points of a tree. Asks for the least cost + weight of all.
class WeightedTree {
public:
    WeightedTree(const PointTree& tree, const PointCost& cost);

    Node leaves() const { return tree_->leaves(); }
    double weight(Node x) const { return weight_[x]; }
    void set(Node x, double weight);
    template <class Weight>
    void set_all(const Weight& weight) {
        for (Node x = 0; x < tree_->size(); ++x) weight_[x] = weight(x);
        sum_up();
    }

    // The least cost + weight, if it is less than what is known. `boxes` counts the leaves and blocks looked at.
    NearestPoint least(const double* point, NearestPoint known, std::size_t& boxes) const;
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    // The points whose cost + weight is less than this: all, or no more than `most`, those with the least keys. In no
    // order.
    void gather(const double* point, double beyond, std::size_t most, std::vector<KeyedPoint>& found,
                std::size_t& boxes) const;
    double cost(const double* point, Node x) const;

    // In many dimensions hardly a box can be left out. The same for a group of points, without any box: each leaf
    // is read once for all of them. The first one gives no more than `least` was.
    void least_of_all(const PointGroup& group, double* least) const;
    void gather_from_all(const PointGroup& group, const double* beyond, std::vector<KeyedPoint>* found) const;

private:
    template <Metric metric, Node dimension>
    class Search;
    template <class Visit>
    void for_each_leaf(const PointGroup& group, const Visit& visit) const;
    template <class Ask>
    void with_search(const double* point, const Ask& ask) const;
    void sum_up();
    double least_of_leaf(Node leaf) const;

    const PointTree* tree_;
    PointCost cost_;
    std::vector<double> weight_;  // of the points, leaf by leaf
    std::vector<double> least_;   // of the boxes, block by block
};

}  // namespace rpw
