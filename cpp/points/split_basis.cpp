// See split_basis.hpp.
#include "points/split_basis.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "points/arc_costs.hpp"

namespace rpw {

namespace {

struct FlowArc {
    Node row;
    Node column;
    Mass flow;
};

// Cells or points that carry the arcs of a basis, in the order in which trees over cells were given them.
std::vector<FlowArc> arcs_of(const Basis& basis, const PointProblem& problem) {
    const Node rows = problem.rows.size();
    std::vector<FlowArc> arcs;
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const auto [parent, flow, cost] = basis[x];
        if (parent < 0) continue;
        arcs.push_back(
            {problem.rows.given(std::min(x, parent)), problem.columns.given(std::max(x, parent) - rows), flow});
    }
    std::sort(arcs.begin(), arcs.end(), [](const FlowArc& e, const FlowArc& f) {
        return std::pair(e.row, e.column) < std::pair(f.row, f.column);
    });
    return arcs;
}

// A spanning forest from its arcs and the tops of its trees: each node is hung from the one by which it is reached.
class Hanging {
public:
    Hanging(const PointProblem& problem, const std::vector<FlowArc>& arcs)
        : arc_costs_(problem),
          arcs_(arcs),
          rows_(problem.rows.size()),
          first_(rows_ + problem.columns.size() + std::size_t{1}),
          ends_(2 * arcs.size()) {
        for (const FlowArc& arc : arcs) ++first_[arc.row], ++first_[rows_ + arc.column];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        for (Node e = 0; e < static_cast<Node>(arcs.size()); ++e) {
            ends_[--first_[arcs[e].row]] = ends_[--first_[rows_ + arcs[e].column]] = e;
        }
    }

    // Hangs what is not yet reached below the node; `basis` says so by a flow that is negative.
    void hang_below(Node top, Basis& basis) {
        queue_.assign(1, top);
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            const Node x = queue_[next];
            for (Node end = first_[x]; end < first_[x + 1]; ++end) {
                const auto& [row, column, flow] = arcs_[ends_[end]];
                const Node y = x < rows_ ? rows_ + column : row;
                if (basis[y].flow >= 0) continue;
                basis[y] = {x, flow, arc_costs_(row, column)};
                queue_.push_back(y);
            }
        }
    }

private:
    ArcCosts arc_costs_;
    const std::vector<FlowArc>& arcs_;
    Node rows_;
    std::vector<Node> first_;  // of the arcs of each node
    std::vector<Node> ends_;
    std::vector<Node> queue_;
};

// No column may be held by an arc without flow ("Finiteness"), as there are where the masses of a row and a column end
// together. Such a column is hung from a row that gives to it instead, and that row from where the column was: below
// the column above, or another one of its row, or the root.
class ColumnsHeld {
public:
    ColumnsHeld(const PointProblem& problem, Basis& basis)
        : arc_costs_(problem), basis_(basis), rows_(problem.rows.size()), giver_(basis.size(), -1), taker_(rows_, -1) {
        for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
            const auto [parent, flow, cost] = basis[x];
            if (parent < 0 || flow == 0) continue;
            x < rows_ ? giver_[parent] = x : taker_[parent] = x;
        }
    }

    void hold_all() {
        for (Node x = rows_; x < static_cast<Node>(basis_.size()); ++x) {
            if (basis_[x].flow == 0 && giver_[x] >= 0) hold(x);
        }
    }

private:
    void hold(Node column) {
        const Node row = giver_[column], above = basis_[column].parent;
        Node from = above < 0 ? -1 : basis_[above].parent;
        if (from < 0 && above >= 0) from = taker_[above];
        basis_[column] = {row, basis_[row].flow, basis_[row].arc_cost};
        basis_[row] = {from, 0, from < 0 ? 0.0 : arc_costs_(row, from - rows_)};
    }

    ArcCosts arc_costs_;
    Basis& basis_;
    Node rows_;
    std::vector<Node> giver_;  // a row that hangs from the column and gives to it
    std::vector<Node> taker_;  // a column that hangs from the row and takes from it
};

}  // namespace

Basis split_basis(const Basis& between_cells, const PointProblem& cells, const PointProblem& points, PerCell per_cell) {
    const Node rows = points.rows.size(), rows_of_cells = cells.rows.size();
    const auto& [a, b] = points.masses;
    auto of_rows = points_of_cells(std::vector<Mass>(a.begin(), a.end()), per_cell.rows);
    auto of_columns = points_of_cells(std::vector<Mass>(b.begin(), b.end()), per_cell.columns);
    std::vector<FlowArc> arcs;
    for (const auto& [row, column, flow] : arcs_of(between_cells, cells)) {
        split(of_rows, row, of_columns, column, flow, [&](Node x, Node y, Mass part) { arcs.push_back({x, y, part}); });
    }
    Hanging hanging(points, arcs);
    Basis basis(a.size() + b.size(), BasisNode{-1, -1});
    const auto hang_from_root = [&](Node x) {
        basis[x].flow = x < rows ? of_rows.rest(x) : of_columns.rest(x - rows);
        hanging.hang_below(x, basis);
    };
    for (Node x = 0; x < static_cast<Node>(between_cells.size()); ++x) {
        if (between_cells[x].parent >= 0) continue;
        const bool is_row = x < rows_of_cells;
        hang_from_root(is_row ? of_rows.at(cells.rows.given(x))
                              : rows + of_columns.at(cells.columns.given(x - rows_of_cells)));
    }
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        if (basis[x].flow < 0) hang_from_root(x);  // no arc of its cell came so far
    }
    ColumnsHeld(points, basis).hold_all();
    return basis;
}

}  // namespace rpw
