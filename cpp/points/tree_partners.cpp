// See tree_partners.hpp.
#include "points/tree_partners.hpp"

#include <algorithm>
#include <span>

namespace rpw {

namespace {

// Of the work that is counted between two renewals, a third is what takes as long as the boxes of one.
constexpr double fewest_passes = 4;
constexpr double most_passes = 12;
// No more arcs are listed, for each node and in all.
constexpr std::size_t arcs_per_node = 48;
constexpr std::size_t most_arcs = 3'000'000;

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
      lists_(rows_, problem.columns.size()),
      point_(problem.rows.dimension()) {}

// The work between two renewals should weigh about as much as one.
void TreePartners::renew(const Forest& forest, double lambda, std::size_t work, Pulse& pulse) {
    const auto since = static_cast<double>(work), pass = static_cast<double>(renewal_work_);
    if (step_ == 0) {
        weigh_all(forest);
        step_ = first_step();
    } else {
        if (since < fewest_passes * pass) step_ *= since < pass / 2 ? 8 : 2;
        if (since > most_passes * pass) step_ /= 1.5;
    }
    horizon_ = std::min(limit_, lambda + step_);
    has_lists_ = renewals_++ >= next_lists_ && list_arcs(forest, lambda, pulse);
    if (!has_lists_ && renewals_ > next_lists_) next_lists_ = 2 * renewals_;
    weigh_all(forest);
}

void TreePartners::weigh_all(const Forest& forest) {
    if (has_lists_) {
        for (Node x = 0; x < forest.size(); ++x) lists_.weigh(forest, x);
        return;
    }
    of_rows_.set_all([&](Node i) { return forest.weight(i); });
    of_columns_.set_all([&](Node j) { return forest.weight(rows_ + j); });
}

void TreePartners::weigh(const Forest& forest, Node x) {
    if (has_lists_) {
        lists_.weigh(forest, x);
    } else {
        own_tree(x).set(local(x), forest.weight(x));
    }
}

// The arcs that can become tight before the horizon: potentials only grow (docs/theory.md, "The shortlist"). False if
// there are too many, as there are between nodes of one side, which never become tight.
bool TreePartners::list_arcs(const Forest& forest, double lambda, Pulse& pulse) {
    const std::size_t most = std::min(arcs_per_node * found_.size(), most_arcs);
    of_columns_.set_all([&](Node j) { return forest.potential(rows_ + j, lambda); });
    ArcList& list = lists_.of_row;
    list.partner.clear();
    list.cost.clear();
    std::size_t boxes = 0;
    for (Node i = 0; i < rows_; ++i) {
        list.start[i] = list.partner.size();
        near_.clear();
        of_columns_.gather(place(i), (horizon_ - forest.potential(i, lambda)) * (1 + 1e-15), near_, boxes);
        for (const NearestPoint& arc : near_) {
            list.partner.push_back(rows_ + arc.node);
            list.cost.push_back(arc.cost);
        }
        if (list.partner.size() > most) break;
        pulse.note(256);
    }
    renewal_work_ = boxes + list.partner.size() / arcs_per_box;
    if (list.partner.size() > most) return false;
    list.start[rows_] = list.partner.size();
    lists_.list_columns();
    return true;
}

// What half of the nodes have to pay for their nearest partner, leaving out those that pay nothing.
double TreePartners::first_step() {
    constexpr std::size_t most = 64;
    constexpr double if_all_are_free = 1e-9;
    horizon_ = unreachable;
    std::vector<double> sample;
    const std::size_t stride = found_.size() / most + 1;
    for (std::size_t x = 0; x < found_.size(); x += stride) {
        const double nearest = ask_tree(static_cast<Node>(x));
        if (nearest > 0) sample.push_back(nearest);
    }
    if (sample.empty()) return if_all_are_free;
    std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
    return sample[sample.size() / 2];
}

const double* TreePartners::place(Node x) const {
    (is_row(x) ? problem_.rows : problem_.columns).copy_point(local(x), point_.data());
    return point_.data();
}

double TreePartners::cost(Node row, Node column) const { return of_columns_.cost(place(row), column - rows_); }

double TreePartners::ask_tree(Node x) {
    const WeightedTree& others = is_row(x) ? of_columns_ : of_rows_;
    work_ = 0;
    const double beyond = (horizon_ - own_tree(x).weight(local(x))) * (1 + 1e-15);
    found_[x] = others.least(place(x), {beyond, -1}, work_);
    if (found_[x].node < 0) found_[x].cost = unreachable;
    return found_[x].cost;
}

// The key under which x was queued is a lower bound of all ways through it: a partner that attains it is the cheapest.
Node TreePartners::least_partner(Node x) {
    if (has_lists_) return lists_.least_partner(x);
    const WeightedTree& others = is_row(x) ? of_columns_ : of_rows_;
    const NearestPoint& found = found_[x];
    work_ = 1;
    if (found.node < 0 || others.cost(place(x), found.node) + others.weight(found.node) != found.cost) ask_tree(x);
    return found.node < 0 ? -1 : found.node + (is_row(x) ? rows_ : 0);
}

template class WalkOver<TreePartners>;

}  // namespace rpw
