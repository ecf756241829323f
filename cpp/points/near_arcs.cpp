// See near_arcs.hpp.
#include "points/near_arcs.hpp"

#include <algorithm>
#include <array>

#include "base/tuning.hpp"

namespace rpw {

namespace {

// Calls visit(row, its arcs) for one row after the other, as long as it answers true; false if it did not.
template <class Visit>
bool visit_searches(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    std::size_t most_of_row, std::size_t& boxes, Pulse& pulse, const Visit& visit) {
    std::vector<double> point(rows.dimension());
    std::vector<KeyedPoint> near;
    for (Node i = 0; i < rows.size(); ++i) {
        near.clear();
        rows.copy_point(i, point.data());
        columns.gather(point.data(), beyond[i], most_of_row, near, boxes);
        if (!visit(i, near)) return false;
        pulse.note(256);
    }
    return true;
}

void keep_least(std::size_t most, std::vector<KeyedPoint>& near) {
    if (near.size() <= most) return;
    std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(most), near.end());
    near.resize(most);
}

// The same without searches, some rows at once.
template <class Visit>
bool visit_groups(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                  std::size_t most_of_row, std::size_t& boxes, Pulse& pulse, const Visit& visit) {
    std::array<std::vector<KeyedPoint>, PointGroup::most> near;
    for (Node begin = 0; begin < rows.size(); begin += PointGroup::most) {
        const PointGroup group(rows, begin);
        for (Node g = 0; g < group.count; ++g) near[g].clear();
        columns.gather_from_all(group, beyond.data() + begin, near.data());
        for (Node g = 0; g < group.count; ++g) {
            keep_least(most_of_row, near[g]);
            if (!visit(begin + g, near[g])) return false;
        }
        boxes += static_cast<std::size_t>(group.count) * columns.leaves();
        pulse.note(group.coordinates.size() * columns.leaves() * PointTree::per_leaf);
    }
    return true;
}

}  // namespace

bool list_near_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    const MostArcs& most, Node first_column, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    arcs.start.resize(rows.size() + std::size_t{1});
    arcs.partner.clear();
    arcs.cost.clear();
    const auto append = [&](Node i, const std::vector<KeyedPoint>& near) {
        arcs.start[i] = arcs.partner.size();
        for (const KeyedPoint& arc : near) {
            arcs.partner.push_back(first_column + arc.node);
            arcs.cost.push_back(arc.cost);
        }
        return arcs.partner.size() <= most.together;
    };
    const bool fits = rows.dimension() <= tuning::most_listed_by_searches
                          ? visit_searches(rows, columns, beyond, most.of_row, boxes, pulse, append)
                          : visit_groups(rows, columns, beyond, most.of_row, boxes, pulse, append);
    arcs.start[rows.size()] = arcs.partner.size();
    return fits;
}

}  // namespace rpw
