// The cheapest plan at a fixed multiplier λ: min Σ (C_ij - λ) γ_ij over all plans within the marginals.
//
// A network simplex in which one root absorbs the unmoved mass, so that leaving a unit at a row or a column is an arc
// like any other. Its optimum is a vertex of the profile, whatever lies between that vertex and mass 0: the number of
// breakpoints on the way does not matter. docs/proofs/simplex.md, "At a fixed multiplier", has the proofs.
//
// Potentials of one side are kept, those of the other side follow from the arc to the parent. The kept side is the
// smaller one where the sizes differ much; a pivot then re-labels at most that many nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/basis.hpp"
#include "base/pulse.hpp"
#include "base/tuning.hpp"
#include "search/goal.hpp"
#include "simplex/strips.hpp"

namespace rpw {

template <class Strips>
class FixedSimplexOver {
public:
    using Problem = typename Strips::Problem;

    FixedSimplexOver(const Problem& problem, Pulse& pulse);

    // Finds an optimal basis at λ, starting from the present one; false if all the work that was allowed is done
    // before. Then, and after TimeUp, the basis is feasible, not optimal.
    bool solve(double lambda, double most_work = unreachable);
    // The least and the largest λ at which the basis that was found at λ is optimal, as far as rounding at λ and the
    // arcs that there are can tell.
    double least_lambda() { return lambda_ - least_slack(true); }
    double largest_lambda() { return lambda_ + least_slack(false); }
    // Goes on from a basis of another strategy.
    void adopt(const Basis& basis);
    Basis basis() const;

    double lambda() const { return lambda_; }
    // Dual value of a node: u_i for a row, v_j for a column.
    double potential(Node x) const { return is_strip(x) ? strip_potential(x) : potential_[x]; }
    // Where the plan lies: on the profile if the basis is optimal, above it if not.
    ProfilePoint point() const;
    long pivots() const { return pivots_; }
    // Elementary steps so far, comparable with those of ProfileWalk.
    double work() const { return work_; }

private:
    struct TreeNode {
        Mass flow = 0;
        double arc_cost = 0;
        Node parent;
        Node previous = -1;  // in the order below
    };
    // The tree in preorder, from the root round to the root: a subtree is a stretch of it, up to the next node that is
    // no deeper. A strip without children is not in it; its depth is 0 then.
    struct Leaving {
        Mass amount;
        Node node;
    };
    struct Entering {
        Node strip;  // -1: none
        Node partner;
        double cost;
        double gain;
    };
    struct Cycle {
        Node apex;
        Leaving leaving;
        bool on_row_side;
    };

    // Every strip (a row, or a column where there are far more columns) is priced by passes over its arcs.
    bool is_row(Node x) const { return x < rows_; }
    bool is_strip(Node x) const { return x < root_ && is_row(x) != costs_.are_columns(); }
    bool hangs_from_root(Node x) const { return nodes_[x].parent == root_; }
    Node next_of(Node x) const { return static_cast<Node>(next_[x]); }
    bool is_listed(Node x) const { return depth_[x] > 0 || x == root_; }
    Node depth_of(Node x) const { return is_listed(x) ? depth_[x] : depth_[nodes_[x].parent] + 1; }
    double strip_potential(Node x) const;
    double work_of_strip(Node strip) const { return 1 + tuning::work_per_cost * costs_.degree(strip - first_strip_); }
    const double* kept() const { return potential_.data() + first_kept_; }

    void start_at(double lambda);
    bool price_next();
    void price_strip(Node strip, Entering& best);
    void price_kept_slacks();
    void pivot(Node row, Node column, double cost, double gain);
    Cycle find_cycle(Node row, Node column) const;
    void push(Node row, Node column, const Cycle& cycle);
    void rehang(Node top, Node parent, const Leaving& leaving, double entering_cost, double gain);
    Node move_subtree(Node top, Node parent, const Leaving& leaving, double entering_cost, double change);
    Node shift(Node top, Node deeper, double change, Node& last);
    void relabel_all();
    void note_sides();
    bool grows_with_lambda(Node x) const { return is_row(x) != (hangs_from_row_[x] != 0); }
    double least_slack(bool of_growing);
    bool changes_when_relabelled();

    void list(Node x);
    void list_with_ancestors(Node x);
    void unlist_if_leaf(Node x);
    void join(Node x, Node y) {
        next_[x] = static_cast<std::uint32_t>(y);
        nodes_[y].previous = x;
    }

    Strips costs_;
    Masses masses_;
    Pulse& pulse_;
    Node rows_;
    Node root_;
    Node strips_;
    Node first_strip_;
    Node kept_count_;
    Node first_kept_;
    Node strips_per_bundle_;  // more than one where strips are short
    Node bundles_;
    Node step_;  // from one bundle to the next
    double lambda_ = 0;
    double tolerance_ = 0;
    std::vector<TreeNode> nodes_;      // the last one is the root
    std::vector<std::uint32_t> next_;  // unsigned: the loop over a subtree waits for one load a node, and nothing else
    std::vector<Node> depth_;
    std::vector<double> potential_;     // of kept nodes; those of strips stay at +inf
    std::vector<double> before_;        // the same, before they were computed afresh
    std::vector<char> hangs_from_row_;  // whether the tree of a node hangs from the root by a row
    std::vector<Node> stack_;
    std::vector<Node> negative_;  // kept nodes whose potential fell below zero
    Node place_ = 0;              // the next bundle
    long pivots_ = 0;
    double work_ = 0;
};

// On a matrix.
using FixedSimplex = FixedSimplexOver<MatrixStrips>;
extern template class FixedSimplexOver<MatrixStrips>;
extern template class FixedSimplexOver<ListedStrips>;

}  // namespace rpw
