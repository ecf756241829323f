// See near_arcs.hpp.
#include "points/near_arcs.hpp"

#include <array>

#include "base/tuning.hpp"

namespace rpw {

namespace {

void append(ArcList& arcs, const std::vector<NearestPoint>& near, Node rows) {
    for (const NearestPoint& arc : near) {
        arcs.partner.push_back(rows + arc.node);
        arcs.cost.push_back(arc.cost);
    }
}

bool list_by_searches(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                      std::size_t most, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    std::vector<double> point(rows.dimension());
    std::vector<NearestPoint> near;
    for (Node i = 0; i < rows.size(); ++i) {
        arcs.start[i] = arcs.partner.size();
        near.clear();
        rows.copy_point(i, point.data());
        columns.gather(point.data(), beyond[i], near, boxes);
        append(arcs, near, rows.size());
        if (arcs.partner.size() > most) return false;
        pulse.note(256);
    }
    return true;
}

bool list_by_groups(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    std::size_t most, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    std::array<std::vector<NearestPoint>, PointGroup::most> near;
    for (Node begin = 0; begin < rows.size(); begin += PointGroup::most) {
        const PointGroup group(rows, begin);
        for (Node g = 0; g < group.count; ++g) near[g].clear();
        columns.gather_from_all(group, beyond.data() + begin, near.data());
        for (Node g = 0; g < group.count; ++g) {
            arcs.start[begin + g] = arcs.partner.size();
            append(arcs, near[g], rows.size());
        }
        if (arcs.partner.size() > most) return false;
        boxes += static_cast<std::size_t>(group.count) * columns.leaves();
        pulse.note(group.coordinates.size() * columns.leaves() * PointTree::per_leaf);
    }
    return true;
}

}  // namespace

bool list_near_arcs(const PointTree& rows, const WeightedTree& columns, const std::vector<double>& beyond,
                    std::size_t most, ArcList& arcs, std::size_t& boxes, Pulse& pulse) {
    arcs.start.resize(rows.size() + std::size_t{1});
    arcs.partner.clear();
    arcs.cost.clear();
    const auto& list = rows.dimension() <= tuning::most_listed_by_searches ? list_by_searches : list_by_groups;
    if (!list(rows, columns, beyond, most, arcs, boxes, pulse)) return false;
    arcs.start[rows.size()] = arcs.partner.size();
    return true;
}

}  // namespace rpw
