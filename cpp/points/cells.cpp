// See cells.hpp.
#include "points/cells.hpp"

#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

namespace {

Node smallest_cell(Node points) { return points / points_per_cell >= fewest_cells ? points_per_cell : 1; }

Node largest_cell(Node points) {
    Node per_cell = 1;
    while (points / per_cell / points_per_cell >= fewest_cells) per_cell *= points_per_cell;
    return per_cell;
}

}  // namespace

PerCell smallest_cells(Node rows, Node columns) { return {smallest_cell(rows), smallest_cell(columns)}; }

PerCell largest_cells(Node rows, Node columns) { return {largest_cell(rows), largest_cell(columns)}; }

Cells::Cells(const PointTree& tree, std::span<const Mass> masses, Node per_cell)
    : dimension_(tree.dimension()), per_cell_(per_cell) {
    std::vector<double> point(dimension_);
    for (Node begin = 0; begin < tree.size(); begin += per_cell) {
        const Node end = std::min(tree.size(), begin + per_cell);
        std::vector<double> sum(dimension_, 0.0);
        Mass mass = 0;
        for (Node x = begin; x < end; ++x) mass += masses[x];
        for (Node x = begin; x < end; ++x) {
            tree.copy_point(x, point.data());
            const double share = mass > 0 ? share_of(masses[x], mass) : 1.0 / (end - begin);
            for (Node t = 0; t < dimension_; ++t) sum[t] += share * point[t];
        }
        means_.insert(means_.end(), sum.begin(), sum.end());
        masses_.push_back(mass);
    }
}

CellProblem::CellProblem(const PointProblem& points, PerCell per_cell, Pulse& pulse)
    : rows(points.rows, points.masses.a, per_cell.rows),
      columns(points.columns, points.masses.b, per_cell.columns),
      problem(rows.points(), columns.points(), {rows.masses(), columns.masses()}, points.costs, 1, pulse) {}

std::vector<PlanEntry> split_plan(const std::vector<PlanEntry>& between_cells, PerCell per_cell, const Masses& masses) {
    const Mass total = masses.total();
    auto rows = points_of_cells(shares_of(masses.a, total), per_cell.rows);
    auto columns = points_of_cells(shares_of(masses.b, total), per_cell.columns);
    std::vector<PlanEntry> entries;
    entries.reserve(masses.a.size() + masses.b.size());
    for (const auto& [row, column, mass] : between_cells) {
        split(rows, row, columns, column, mass, [&](Node x, Node y, double part) {
            if (part > 0) entries.push_back({x, y, part});
        });
    }
    return entries;
}

}  // namespace rpw
