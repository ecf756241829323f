// Partners on points, without a matrix (walk/partners.hpp): one tree for each side, whose weights are the distances of
// its active nodes. docs/theory.md, "Points without a matrix".
#pragma once

#include <vector>

#include "base/pulse.hpp"
#include "points/point_tree.hpp"
#include "walk/forest.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

// Two measures on points, in the order of their trees: near points have near numbers.
class PointProblem {
public:
    PointProblem(const Points& x, const Points& y, const Masses& given, const PointCost& costs, double unit,
                 Pulse& pulse);

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

    // Nothing is listed, and answers would hold for ever. But few nodes come to their turn before they change sides
    // again: what lies beyond a near horizon need not be looked for.
    void renew(const Forest& forest, double lambda, std::size_t work, Pulse& pulse);
    double horizon() const { return horizon_; }
    std::size_t renewal_work() const { return 0; }
    void weigh(const Forest& forest, Node x) { own_tree(x).set(local(x), forest.weight(x)); }
    double least(Node x);
    Node least_partner(Node x);
    std::size_t work_of_question(Node) const { return work_; }
    void prefetch(Node) const {}
    double cost(Node row, Node column) const;

private:
    bool is_row(Node x) const { return x < rows_; }
    Node local(Node x) const { return is_row(x) ? x : x - rows_; }
    WeightedTree& own_tree(Node x) { return is_row(x) ? of_rows_ : of_columns_; }
    const double* place(Node x) const;
    double first_step();

    const PointProblem& problem_;
    Node rows_;
    double limit_;
    double horizon_ = 0;
    double step_ = 0;  // of the horizon
    WeightedTree of_rows_;
    WeightedTree of_columns_;
    std::vector<NearestPoint> found_;  // the last answer for each node
    std::size_t work_ = 0;             // of the last question
    mutable std::vector<double> point_;
};

using PointWalk = WalkOver<TreePartners>;
extern template class WalkOver<TreePartners>;

}  // namespace rpw
