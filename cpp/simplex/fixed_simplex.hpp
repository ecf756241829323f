// The cheapest plan at a fixed multiplier λ: min Σ (C_ij - λ) γ_ij over all plans within the marginals.
//
// A network simplex in which one root absorbs the unmoved mass, so that leaving a unit at a row or a column is an arc
// like any other. Its optimum is a vertex of the profile, whatever lies between that vertex and mass 0: the number of
// breakpoints on the way does not matter. docs/theory.md, "At a fixed multiplier", has the proofs.
//
// Potentials of one side are kept, those of the other side follow from the arc to the parent. The kept side is the
// smaller one where the sizes differ much; a pivot then re-labels at most that many nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

class FixedSimplex {
public:
    FixedSimplex(const PowerProblem& problem, Pulse& pulse);

    // Finds an optimal basis at λ, starting from the present one; false if `work` exceeds what is allowed before that.
    // Then, and after TimeUp, the basis is feasible, not optimal.
    bool solve(double lambda, double most_work = unreachable);
    // Goes on from a basis of another strategy.
    void adopt(const Basis& basis);
    Basis basis() const;

    double lambda() const { return lambda_; }
    Mass moved() const;
    // Σ γ_ij C_ij of the plan, in units of mass times cost.
    long double cost() const;
    long pivots() const { return pivots_; }
    // Elementary steps so far, comparable with those of ProfileWalk.
    double work() const { return work_; }

private:
    // Every line (a row, or a column where there are far more columns) is priced by one pass over its arcs.
    struct TreeNode {
        Node parent;
        Node first_child = -1;
        Node next = -1;
        Node previous = -1;
        Mass flow = 0;
        double arc_cost = 0;
    };
    struct Leaving {
        Mass amount;
        Node node;
        bool on_row_side;
    };

    bool is_row(Node x) const { return x < rows_; }
    bool is_line(Node x) const { return is_row(x) != lines_are_columns_; }
    bool hangs_from_root(Node x) const { return nodes_[x].parent == root_; }
    double line_potential(Node x) const;
    double& kept(Node x) { return kept_[x - first_kept_]; }
    const double* line_costs(Node line);

    bool price_line(Node line);
    void price_kept_slacks();
    void pivot(Node row, Node column, double cost);
    Node join(Node x, Node y);
    Leaving ratio_test(Node row, Node column, Node apex) const;
    void push(Node row, Node column, Node apex, Mass amount);
    void rehang(Node top, Node parent, const Leaving& leaving, double entering_cost);
    void relabel(Node top);
    void relabel_all();
    bool changes_when_relabelled();
    void place_kept(Node x);

    void detach(Node x);
    void attach(Node x, Node parent);
    void link(Node x);
    void unlink(Node x);

    Powers cost_;
    Pulse& pulse_;
    Node rows_;
    Node root_;
    bool lines_are_columns_;
    Node lines_;
    Node first_line_;
    Node kept_count_;
    Node first_kept_;
    double lambda_ = 0;
    double tolerance_ = 0;
    std::vector<TreeNode> nodes_;
    std::vector<double> kept_;          // potentials of the side that is kept
    std::vector<double> before_;        // the same, before they were computed afresh
    std::vector<double> gathered_;      // the costs of a line that is a column
    std::vector<std::uint32_t> stamp_;  // of the climb that last passed a node
    std::uint32_t climb_ = 0;
    std::vector<Node> stack_;
    std::vector<Node> negative_;  // kept nodes whose potential fell below zero
    Node cursor_ = 0;
    long pivots_ = 0;
    double work_ = 0;
};

}  // namespace rpw
