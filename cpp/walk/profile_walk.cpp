// See profile_walk.hpp.
#include "walk/profile_walk.hpp"

#include <algorithm>

namespace rpw {

namespace {

// The shortlist holds this many arcs per node at first; later its size follows the balance of work below.
constexpr double arcs_per_node = 12;
constexpr double fewest_arcs_per_node = 4;

}  // namespace

ProfileWalk::ProfileWalk(const PowerProblem& problem, Pulse& pulse, double limit)
    : cost_(problem.powers),
      pulse_(pulse),
      forest_(problem.masses),
      shortlist_(problem.powers, limit),
      queue_(forest_.size()),
      weight_(forest_.size()),
      limit_(limit),
      total_(problem.masses.total()),
      negligible_(problem.masses.negligible()),
      target_(arcs_per_node * forest_.size()) {}

ProfileWalk::ProfileWalk(const PowerProblem& problem, Pulse& pulse, const Basis& basis, double lambda, double limit)
    : ProfileWalk(problem, pulse, limit) {
    forest_ = Forest(problem.masses, basis);
    lambda_ = lambda;
    for (const BasisNode& node : basis) {
        if (node.parent < 0) continue;
        moved_ += node.flow;
        cost_p_ += static_cast<long double>(node.flow) * node.arc_cost / total_;
    }
    if (total_ - moved_ <= negligible_) moved_ = total_;
}

bool ProfileWalk::find_edge() {
    edge_ = {};
    while (moved_ < total_ && work() < most_work_) {
        if (!advance_to_tight_arc()) {
            if (!refresh()) return false;
            continue;
        }
        if (pending_.amount > 0) {
            const Mass left = total_ - moved_ - pending_.amount;
            edge_ = {lambda_, pending_.amount + (left <= negligible_ ? left : 0)};
            return true;
        }
        pivot();
    }
    return false;
}

void ProfileWalk::take_edge() {
    forest_.push(pending_);
    moved_ += edge_.amount;
    cost_p_ += static_cast<long double>(lambda_) * edge_.amount / total_;
    pivot();
}

// Lists the arcs for the next stretch of λ. False if every arc below the limit was listed already.
bool ProfileWalk::refresh() {
    if (listed_) {
        if (shortlist_.horizon() >= limit_) return false;
        lambda_ = std::max(lambda_, shortlist_.horizon());
        // A pass over the costs and the work between two passes should weigh about the same.
        const auto since = static_cast<double>(work_ - work_at_refresh_);
        const auto pass = static_cast<double>(shortlist_.pass_work());
        if (since < 0.5 * pass) target_ = std::min(target_ * 1.6, static_cast<double>(cost_.size()));
        if (since > 3 * pass) target_ = std::max(target_ / 1.4, fewest_arcs_per_node * forest_.size());
    }
    listed_ = true;
    shortlist_.rebuild(forest_, lambda_, target_, pulse_);
    pass_work_ += shortlist_.pass_work();
    queue_.clear();
    for (Node x = 0; x < forest_.size(); ++x) weigh(x);
    for (Node x = 0; x < forest_.size(); ++x) {
        if (forest_.is_active(x)) schedule(x);
    }
    // From here on, not from above: filling the queue is part of the pass, and if it counted as progress a list whose
    // arcs never become tight (both ends on the same trees, moving apart as fast as λ grows) would never be lengthened.
    work_at_refresh_ = work_;
    return true;
}

void ProfileWalk::weigh(Node x) { weight_[x] = forest_.is_active(x) ? forest_[x].distance : unreachable; }

// Queues x under the length of the shortest path through it. Later changes can only lengthen that path, or are found
// from the other end, so the key stays a lower bound for as long as x is active.
void ProfileWalk::schedule(Node x) {
    const double key = forest_[x].distance + shortlist_.least(x, weight_.data());
    work_ += shortlist_.degree(x);
    if (key <= shortlist_.horizon() && key < unreachable) queue_.set(x, key);
}

// Raises λ to the next tight arc between the two sides and runs the ratio test on it; false at the horizon.
bool ProfileWalk::advance_to_tight_arc() {
    if (!listed_) return false;
    while (!queue_.empty()) {
        pulse_.note(256);
        const double expected = queue_.least_key();
        const Node x = queue_.pop();
        if (!forest_.is_active(x)) continue;
        const Node y = shortlist_.least_partner(x, weight_.data());
        work_ += shortlist_.degree(x);
        if (y < 0) continue;
        const Node row = std::min(x, y), column = std::max(x, y);
        // The sum must be the one that `schedule` formed, or equal keys would look different.
        const double cost = cost_.at(row, column - forest_.rows());
        const double key = forest_[x].distance + (cost + weight_[y]);
        if (key > expected) {
            if (key <= shortlist_.horizon()) queue_.set(x, key);
            continue;
        }
        lambda_ = std::max(lambda_, key);
        pending_ = forest_.ratio_test(row, column);
        origin_ = x;
        return true;
    }
    return false;
}

void ProfileWalk::pivot() {
    ++pivots_;
    const double cost = cost_.at(pending_.row, pending_.column - forest_.rows());
    const auto& changed = forest_.exchange(pending_, cost);
    work_ += 8 * changed.size();
    pulse_.note(16 * changed.size());
    for (Node x : changed) weigh(x);
    for (std::size_t k = 0; k < changed.size(); ++k) {
        if (k + 6 < changed.size()) shortlist_.prefetch(changed[k + 6]);
        if (forest_.is_active(changed[k])) schedule(changed[k]);
    }
    if (forest_.is_active(origin_) && !queue_.contains(origin_)) schedule(origin_);
}

ProfileWalk::Ends ProfileWalk::ends_of_edge() const {
    Node row = pending_.row, column = pending_.column;
    forest_.for_path_up(row, [&](Node x) { row = x; });
    forest_.for_path_up(column, [&](Node x) { column = x; });
    const Mass amount = pending_.amount;
    return {row, column, forest_[row].flow - amount, forest_[column].flow - amount};
}

double ProfileWalk::plan_cost_p() const {
    long double sum = 0;
    for (Node x = 0; x < forest_.size(); ++x) {
        const ForestNode& node = forest_[x];
        if (node.parent >= 0) sum += static_cast<long double>(node.flow) * node.arc_cost;
    }
    return static_cast<double>(sum / total_);
}

std::vector<PlanEntry> ProfileWalk::plan(double partial) const {
    std::vector<double> extra(forest_.size(), 0.0);
    std::vector<PlanEntry> entries;
    if (partial > 0) {
        forest_.for_path_up(pending_.row, [&](Node x) { extra[x] += forest_.is_row(x) ? -partial : partial; });
        forest_.for_path_up(pending_.column, [&](Node x) { extra[x] += forest_.is_row(x) ? partial : -partial; });
        entries.push_back({pending_.row, pending_.column - forest_.rows(), partial});
    }
    for (Node x = 0; x < forest_.size(); ++x) {
        const Node parent = forest_[x].parent;
        if (parent < 0) continue;
        const double mass = share(forest_[x].flow) + extra[x];
        if (mass > 0) entries.push_back({std::min(x, parent), std::max(x, parent) - forest_.rows(), mass});
    }
    return entries;
}

}  // namespace rpw
