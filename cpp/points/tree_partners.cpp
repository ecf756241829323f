// See tree_partners.hpp.
#include "points/tree_partners.hpp"

#include <span>

namespace rpw {

namespace {

std::vector<Mass> in_order(std::span<const Mass> given, const PointTree& tree) {
    std::vector<Mass> masses(tree.size());
    for (Node x = 0; x < tree.size(); ++x) masses[x] = given[tree.given(x)];
    return masses;
}

}  // namespace

PointProblem::PointProblem(const Points& x, const Points& y, const Masses& given, const PointCost& costs, double unit,
                           Pulse& pulse)
    : rows(x, unit, pulse),
      columns(y, unit, pulse),
      costs(costs),
      a_(in_order(given.a, rows)),
      b_(in_order(given.b, columns)) {
    masses = {a_, b_};
}

TreePartners::TreePartners(const PointProblem& problem, double limit)
    : problem_(problem),
      rows_(problem.rows.size()),
      limit_(limit),
      of_rows_(problem.rows, problem.costs),
      of_columns_(problem.columns, problem.costs),
      found_(static_cast<std::size_t>(rows_) + problem.columns.size()),
      point_(problem.rows.dimension()) {}

void TreePartners::renew(const Forest& forest, double, std::size_t, Pulse&) {
    of_rows_.set_all([&](Node i) { return forest.weight(i); });
    of_columns_.set_all([&](Node j) { return forest.weight(rows_ + j); });
}

const double* TreePartners::place(Node x) const {
    (is_row(x) ? problem_.rows : problem_.columns).copy_point(local(x), point_.data());
    return point_.data();
}

double TreePartners::cost(Node row, Node column) const { return of_columns_.cost(place(row), column - rows_); }

// The last partner may still be the cheapest, and is a good bound if not.
double TreePartners::least(Node x) {
    const WeightedTree& others = is_row(x) ? of_columns_ : of_rows_;
    const double* point = place(x);
    NearestPoint& found = found_[x];
    if (found.node >= 0) found.cost = others.cost(point, found.node) + others.weight(found.node);
    if (!(found.cost < unreachable)) found = {};
    work_ = 0;
    found = others.least(point, found, work_);
    return found.cost;
}

// The key under which x was queued is a lower bound of all ways through it: a partner that attains it is the cheapest.
Node TreePartners::least_partner(Node x) {
    const WeightedTree& others = is_row(x) ? of_columns_ : of_rows_;
    const NearestPoint& found = found_[x];
    work_ = 1;
    if (found.node < 0 || others.cost(place(x), found.node) + others.weight(found.node) != found.cost) least(x);
    return found.node < 0 ? -1 : found.node + (is_row(x) ? rows_ : 0);
}

template class WalkOver<TreePartners>;

}  // namespace rpw
