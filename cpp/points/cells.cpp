// See cells.hpp.
#include "points/cells.hpp"

#include <algorithm>

namespace rpw {

namespace {

// What the points of each cell have still to give, one point after the other.
class Rests {
public:
    Rests(std::span<const Mass> masses, Mass total, Node per_cell) : masses_(masses), per_cell_(per_cell) {
        const std::size_t cells = (masses.size() + per_cell - 1) / per_cell;
        at_.resize(cells);
        rest_.resize(cells);
        total_ = total;
        for (std::size_t cell = 0; cell < cells; ++cell) start_at(cell, static_cast<Node>(cell) * per_cell_);
    }

    bool is_empty(Node cell) const { return at_[cell] == end_of(cell); }
    Node at(Node cell) const { return at_[cell]; }
    double rest(Node cell) const { return rest_[cell]; }
    void take(Node cell, double mass) {
        rest_[cell] -= mass;
        if (rest_[cell] <= 0) start_at(cell, at_[cell] + 1);
    }

private:
    Node end_of(std::size_t cell) const {
        return std::min(static_cast<Node>(masses_.size()), (static_cast<Node>(cell) + 1) * per_cell_);
    }
    void start_at(std::size_t cell, Node x) {
        while (x < end_of(cell) && masses_[x] == 0) ++x;
        at_[cell] = x;
        rest_[cell] = x < end_of(cell) ? share_of(masses_[x], total_) : 0;
    }

    std::span<const Mass> masses_;
    Node per_cell_;
    Mass total_ = 1;
    std::vector<Node> at_;
    std::vector<double> rest_;
};

}  // namespace

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

std::vector<PlanEntry> split_plan(const std::vector<PlanEntry>& between_cells, Node per_cell, const Masses& masses) {
    const Mass total = masses.total();
    Rests rows(masses.a, total, per_cell), columns(masses.b, total, per_cell);
    std::vector<PlanEntry> entries;
    entries.reserve(masses.a.size() + masses.b.size());
    for (auto [row, column, mass] : between_cells) {
        while (mass > 0 && !rows.is_empty(row) && !columns.is_empty(column)) {
            const double part = std::min({mass, rows.rest(row), columns.rest(column)});
            entries.push_back({rows.at(row), columns.at(column), part});
            rows.take(row, part);
            columns.take(column, part);
            mass -= part;
        }
    }
    return entries;
}

}  // namespace rpw
