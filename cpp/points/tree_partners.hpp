// Partners on points, without a matrix (walk/partners.hpp): one tree for each side, whose weights are the distances of
// its active nodes. docs/proofs/points.md, "Points without a matrix".
#pragma once

#include <vector>

#include "base/pulse.hpp"
#include "base/tuning.hpp"
#include "points/point_tree.hpp"
#include "walk/arc_lists.hpp"
#include "walk/forest.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

// Two measures on points, in the order of their trees: near points have near numbers.
class PointProblem {
public:
    PointProblem(const Points& x, const Points& y, const Masses& given, const PointCost& costs, double unit,
                 Pulse& pulse);
    PointProblem(const PointProblem&) = delete;  // the masses look into it

    Masses masses;
    PointTree rows;
    PointTree columns;
    PointCost costs;

private:
    std::vector<Mass> a_;
    std::vector<Mass> b_;
};

class TreePartners {
public:
    using Problem = PointProblem;

    TreePartners(const PointProblem& problem, double limit);

    // Trees could answer for ever. But few nodes come to their turn before they change sides again: what lies beyond a
    // near horizon need not be looked for, and where few arcs lie before it, they are listed.
    void renew(const Forest& forest, double lambda, std::size_t work, Pulse& pulse);
    double horizon() const { return horizon_; }
    std::size_t renewal_work() const { return renewal_work_; }
    bool is_overdue(std::size_t work) const { return work > tuning::passes_overdue_on_trees * renewal_work_; }
    bool counts_all() const { return true; }
    void weigh(const Forest& forest, Node x);
    double least(Node x) { return has_lists_ ? lists_.least(x) : ask_tree(x); }
    Node least_partner(Node x);
    std::size_t work_of_question(Node x) const {
        return has_lists_ ? 1 + lists_.degree(x) / tuning::arcs_per_box : work_;
    }
    void prefetch(Node x) const {
        if (has_lists_) lists_.prefetch(x);
    }
    double cost(Node row, Node column) const;

private:
    bool is_row(Node x) const { return x < rows_; }
    Node local(Node x) const { return is_row(x) ? x : x - rows_; }
    WeightedTree& own_tree(Node x) { return is_row(x) ? of_rows_ : of_columns_; }
    const double* place(Node x) const;
    void weigh_all(const Forest& forest);
    double first_step(double lambda);
    double ask_tree(Node x);
    bool list_arcs(const Forest& forest, double lambda, Pulse& pulse);
    double reach(const Forest& forest, Node row, double lambda) const;
    bool list_some(const Forest& forest, double lambda, bool may_shorten, Pulse& pulse);
    double step_for_lists(const Forest& forest, double lambda, Pulse& pulse);

    const PointProblem& problem_;
    Node rows_;
    double limit_;
    bool scans_;  // all arcs, instead of searching
    double horizon_ = 0;
    double step_ = 0;  // of the horizon
    WeightedTree of_rows_;
    WeightedTree of_columns_;
    std::vector<NearestPoint> found_;  // the last answer for each node
    std::size_t work_ = 0;             // of the last question
    std::size_t renewal_work_ = 0;
    ArcLists lists_;
    bool has_lists_ = false;
    int renewals_ = 0;
    int next_lists_ = 0;  // where there were too many arcs, that is tried again much later
    mutable std::vector<double> point_;
};

using PointWalk = WalkOver<TreePartners>;
extern template class WalkOver<TreePartners>;

}  // namespace rpw
