// See tree_partners.hpp.
#include "points/tree_partners.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace rpw {

namespace {

constexpr double fewest_boxes = 4;
constexpr double most_boxes = 20;

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

// A renewal asks about every active node; the work between two of them should weigh about the same.
void TreePartners::renew(const Forest& forest, double lambda, std::size_t work, Pulse&) {
    of_rows_.set_all([&](Node i) { return forest.weight(i); });
    of_columns_.set_all([&](Node j) { return forest.weight(rows_ + j); });
    const auto nodes = static_cast<double>(found_.size()), since = static_cast<double>(work) / nodes;
    if (step_ == 0) {
        step_ = first_step();
    } else {
        if (since < fewest_boxes) step_ *= 2;
        if (since > most_boxes) step_ /= 1.5;
    }
    horizon_ = std::min(limit_, lambda + step_);
}

// What half of the nodes have to pay for their nearest partner.
double TreePartners::first_step() {
    constexpr std::size_t most = 64;
    horizon_ = unreachable;
    std::vector<double> sample;
    const std::size_t stride = found_.size() / most + 1;
    for (std::size_t x = 0; x < found_.size(); x += stride) sample.push_back(least(static_cast<Node>(x)));
    std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
    return std::max(sample[sample.size() / 2], std::numeric_limits<double>::min());
}

const double* TreePartners::place(Node x) const {
    (is_row(x) ? problem_.rows : problem_.columns).copy_point(local(x), point_.data());
    return point_.data();
}

double TreePartners::cost(Node row, Node column) const { return of_columns_.cost(place(row), column - rows_); }

double TreePartners::least(Node x) {
    const WeightedTree& others = is_row(x) ? of_columns_ : of_rows_;
    work_ = 0;
    const double beyond = (horizon_ - own_tree(x).weight(local(x))) * (1 + 1e-15);
    found_[x] = others.least(place(x), {beyond, -1}, work_);
    if (found_[x].node < 0) found_[x].cost = unreachable;
    return found_[x].cost;
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
