// See point_lengths.hpp.
#include "points/point_lengths.hpp"

#include <algorithm>

namespace rpw {

namespace {

// Trees round otherwise than `distance_between`, and squares of lengths far below this vanish.
double a_little_more(double length) { return std::max(length * (1 + 1e-12), 1e-140); }

// How far it is from each point to the nearest one of a tree.
std::vector<double> nearest_in(const WeightedTree& tree, const PointTree& order, const Points& to, const Points& from,
                               Metric metric, Pulse& pulse) {
    std::vector<double> nearest(from.count);
    for (Node i = 0; i < from.count; ++i) {
        std::size_t boxes = 0;
        const Node node = tree.least(from.at(i), {}, boxes).node;
        nearest[i] = distance_between(from.at(i), to.at(order.given(node)), to.dimension, metric);
        pulse.note(16 * boxes);
    }
    return nearest;
}

// Adds the columns within this length of a row, in their order.
void gather_row(const PointLengths& lengths, Node i, double longest, std::vector<KeyedPoint>& found,
                std::vector<Node>& columns, Pulse& pulse) {
    const auto row = lengths.row(i);
    const auto begin = static_cast<std::ptrdiff_t>(columns.size());
    std::size_t boxes = 0;
    found.clear();
    lengths.trees->to_column.gather(row.from, a_little_more(longest), WeightedTree::all, found, boxes);
    for (const KeyedPoint& each : found) {
        const Node j = lengths.trees->columns.given(each.node);
        if (row[j] <= longest) columns.push_back(j);
    }
    std::sort(columns.begin() + begin, columns.end());
    pulse.note(16 * boxes + 8 * found.size());
}

}  // namespace

PointTrees::PointTrees(const Pair& pair, double most, Pulse& pulse)
    : x(pair.a.points),
      y(pair.b.points),
      most_listed(most),
      metric(pair.space.metric),
      cost(metric, 1, 1, 1),
      rows(x, 1, pulse),
      columns(y, 1, pulse),
      to_row(rows, cost),
      to_column(columns, cost) {
    to_row.set_all([](Node) { return 0.0; });
    to_column.set_all([](Node) { return 0.0; });
}

void list_pairs(const PointLengths& lengths, double longest, ListedPairs& listed, Pulse& pulse) {
    std::vector<KeyedPoint> found;
    listed.begin.assign(lengths.rows, 0);
    listed.end.assign(lengths.rows, 0);
    listed.columns.clear();
    for (Node i = 0; i < lengths.rows; ++i) {
        listed.begin[i] = listed.columns.size();
        gather_row(lengths, i, longest, found, listed.columns, pulse);
        listed.end[i] = listed.columns.size();
        if (static_cast<double>(listed.end[i]) > lengths.trees->most_listed) throw TooManyPairs();
    }
}

Nearest nearest_partners(const PointLengths& lengths, Pulse& pulse) {
    const PointTrees& trees = *lengths.trees;
    return {nearest_in(trees.to_column, trees.columns, trees.y, trees.x, trees.metric, pulse),
            nearest_in(trees.to_row, trees.rows, trees.x, trees.y, trees.metric, pulse)};
}

}  // namespace rpw
