// See near_arcs.hpp.
#include "points/near_arcs.hpp"

#include <algorithm>
#include <array>

#include "base/tuning.hpp"

namespace rpw {

namespace {

void append(ArcList& arcs, Node row, const std::vector<NearestPoint>& near, Node first) {
    arcs.start[row] = arcs.partner.size();
    for (const NearestPoint& arc : near) {
        arcs.partner.push_back(first + arc.node);
        arcs.cost.push_back(arc.cost);
    }
}

// Calls visit(row, its arcs) for one row after the other, as long as it answers true; false if it did not.
template <class Visit>
bool visit_searches(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    std::size_t& boxes, Pulse& pulse, const Visit& visit) {
    std::vector<double> point(rows.dimension());
    std::vector<NearestPoint> near;
    for (Node i = 0; i < rows.size(); ++i) {
        near.clear();
        rows.copy_point(i, point.data());
        columns.gather(point.data(), beyond[i], near, boxes);
        if (!visit(i, near)) return false;
        pulse.note(256);
    }
    return true;
}

// The same without searches, some rows at once.
template <class Visit>
bool visit_groups(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                  std::size_t& boxes, Pulse& pulse, const Visit& visit) {
    std::array<std::vector<NearestPoint>, PointGroup::most> near;
    for (Node begin = 0; begin < rows.size(); begin += PointGroup::most) {
        const PointGroup group(rows, begin);
        for (Node g = 0; g < group.count; ++g) near[g].clear();
        columns.gather_from_all(group, beyond.data() + begin, near.data());
        for (Node g = 0; g < group.count; ++g) {
            if (!visit(begin + g, near[g])) return false;
        }
        boxes += static_cast<std::size_t>(group.count) * columns.leaves();
        pulse.note(group.coordinates.size() * columns.leaves() * PointTree::per_leaf);
    }
    return true;
}

void list_nearest_by_searches(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                              std::size_t most_of_row, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    std::vector<double> point(rows.dimension());
    std::vector<KeyedPoint> near;
    for (Node i = 0; i < rows.size(); ++i) {
        arcs.start[i] = arcs.partner.size();
        near.clear();
        rows.copy_point(i, point.data());
        columns.gather_least(point.data(), beyond[i], most_of_row, near, boxes);
        for (const KeyedPoint& arc : near) {
            arcs.partner.push_back(arc.point.node);
            arcs.cost.push_back(arc.point.cost);
        }
        pulse.note(256);
    }
}

void keep_nearest(const WeightedTree& columns, std::size_t most, std::vector<NearestPoint>& near) {
    if (near.size() <= most) return;
    const auto key = [&](const NearestPoint& arc) { return arc.cost + columns.weight(arc.node); };
    std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(most), near.end(),
                     [&](const NearestPoint& x, const NearestPoint& y) { return key(x) < key(y); });
    near.resize(most);
}

void clear(const PointTree& rows, ArcList& arcs) {
    arcs.start.resize(rows.size() + std::size_t{1});
    arcs.partner.clear();
    arcs.cost.clear();
}

bool lists_by_searches(const PointTree& rows) { return rows.dimension() <= tuning::most_listed_by_searches; }

}  // namespace

bool list_near_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    std::size_t most, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    clear(rows, arcs);
    const auto append_row = [&](Node i, const std::vector<NearestPoint>& near) {
        append(arcs, i, near, rows.size());
        return arcs.partner.size() <= most;
    };
    const bool fits = lists_by_searches(rows) ? visit_searches(rows, columns, beyond, boxes, pulse, append_row)
                                              : visit_groups(rows, columns, beyond, boxes, pulse, append_row);
    arcs.start[rows.size()] = arcs.partner.size();
    return fits;
}

void list_nearest_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                       std::size_t most_of_row, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    clear(rows, arcs);
    if (lists_by_searches(rows)) {
        list_nearest_by_searches(rows, columns, beyond, most_of_row, arcs, boxes, pulse);
    } else {
        visit_groups(rows, columns, beyond, boxes, pulse, [&](Node i, std::vector<NearestPoint>& near) {
            keep_nearest(columns, most_of_row, near);
            append(arcs, i, near, 0);
            return true;
        });
    }
    arcs.start[rows.size()] = arcs.partner.size();
}

}  // namespace rpw
