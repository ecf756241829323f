// See tree_partners.hpp.
#include "points/tree_partners.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/tuning.hpp"
#include "points/c_transform.hpp"
#include "points/near_arcs.hpp"

namespace rpw {

using namespace tuning;

PointProblem::PointProblem(const Points& x, const Points& y, const Masses& given, const PointCost& costs, double unit,
                           Pulse& pulse)
    : rows(x, unit, pulse),
      columns(y, unit, pulse),
      costs(costs),
      a_(rows.in_order(given.a)),
      b_(columns.in_order(given.b)) {
    masses = {a_, b_};
}

TreePartners::TreePartners(const PointProblem& problem, double limit)
    : problem_(problem),
      rows_(problem.rows.size()),
      limit_(limit),
      scans_(problem.rows.dimension() > most_listed_by_searches),
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
        step_ = first_step(lambda);
    } else {
        if (since < fewest_passes * pass) step_ *= further_on;
        if (since > most_passes * pass) step_ /= 2;
    }
    const bool was_worth_it = renewals_ == 0 || since > static_cast<double>(found_.size()) / few_questions;
    has_lists_ = renewals_++ >= next_lists_ && list_some(forest, lambda, was_worth_it, pulse);
    if (!has_lists_) {
        horizon_ = std::min(limit_, lambda + step_);
        if (renewals_ > next_lists_) next_lists_ = 2 * renewals_;
    }
    weigh_all(forest);
}

// Where each search takes a good part of a pass, lists are worth a second try, up to a horizon before which a sample of
// the rows has as many arcs as a list can hold; unless the last list was hardly asked. Then λ has far to go, and lists
// would lead there by steps without end.
bool TreePartners::list_some(const Forest& forest, double lambda, bool may_shorten, Pulse& pulse) {
    const double sampled = scans_ ? step_for_lists(forest, lambda, pulse) : 0.0;
    horizon_ = std::min(limit_, lambda + std::max(step_, sampled));
    if (list_arcs(forest, lambda, pulse)) return true;
    if (!may_shorten || !(sampled > 0) || sampled >= step_) return false;
    horizon_ = std::min(limit_, lambda + sampled);
    return list_arcs(forest, lambda, pulse);
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

// The arcs that can become tight before the horizon: potentials only grow (docs/proofs/walk.md, "The shortlist"). False
// if there are too many, as there are between nodes of one side, which never become tight.
bool TreePartners::list_arcs(const Forest& forest, double lambda, Pulse& pulse) {
    const std::size_t most = std::min(arcs_per_node * found_.size(), most_arcs);
    of_columns_.set_all([&](Node j) { return forest.potential(rows_ + j, lambda); });
    std::vector<double> beyond(rows_);
    for (Node i = 0; i < rows_; ++i) beyond[i] = reach(forest, i, lambda);
    lists_.of_row.partner.reserve(most);  // all at once: growing by copies would need half as much again
    lists_.of_row.cost.reserve(most);
    renewal_work_ = 0;
    const bool has_listed = list_near_arcs(problem_.rows, of_columns_, beyond, {.together = most}, rows_, lists_.of_row,
                                           renewal_work_, pulse);
    renewal_work_ += lists_.of_row.partner.size() / arcs_per_box;
    if (!has_listed) return false;
    lists_.list_columns();
    return true;
}

// No arc of a row that is dearer, with the potential of its column, becomes tight before the horizon.
double TreePartners::reach(const Forest& forest, Node row, double lambda) const {
    return (horizon_ - forest.potential(row, lambda)) * (1 + 1e-15);
}

double TreePartners::step_for_lists(const Forest& forest, double lambda, Pulse& pulse) {
    const auto most = static_cast<double>(std::min(arcs_per_node * found_.size(), most_arcs));
    of_columns_.set_all([&](Node j) { return forest.potential(rows_ + j, lambda); });
    const Node stride = rows_ / PointGroup::most + 1;
    const PointGroup sample(problem_.rows, 0, stride);
    std::array<std::vector<KeyedPoint>, PointGroup::most> near;
    std::array<double, PointGroup::most> beyond;
    beyond.fill(unreachable);
    of_columns_.gather_from_all(sample, beyond.data(), near.data());
    pulse.note(sample.coordinates.size() * problem_.columns.size());
    std::vector<double> tight_at;
    for (Node g = 0; g < sample.count; ++g) {
        const double own = forest.potential(g * stride, lambda);
        for (const auto& [key, cost, j] : near[g]) tight_at.push_back(own + cost + of_columns_.weight(j));
    }
    const auto wanted = static_cast<std::size_t>(0.5 * most * sample.count / rows_);
    const auto last = tight_at.begin() + std::min(wanted, tight_at.size() - 1);
    std::nth_element(tight_at.begin(), last, tight_at.end());
    return *last - lambda;
}

// How far it is for half of the nodes to their first tight arc, leaving out those that have one already.
double TreePartners::first_step(double lambda) {
    constexpr double if_all_are_free = 1e-9;
    horizon_ = unreachable;
    std::vector<double> sample;
    const std::size_t stride = found_.size() / rows_in_sample + 1;
    for (std::size_t x = 0; x < found_.size(); x += stride) {
        const auto node = static_cast<Node>(x);
        const double own = own_tree(node).weight(local(node));
        const double way = own < unreachable ? own + ask_tree(node) - lambda : 0.0;
        if (way > 0) sample.push_back(way);
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
