// The exact OT-profile, walked upwards from mass 0 (finite p).
//
// F(α) = min Σ γ_ij C_ij over plans γ of mass α within the marginals, C = c^p. F is convex and piecewise linear; each
// edge is one augmenting path source → row → column → sink, its slope λ the length of that path (paper, section 5,
// "computing through the OT-profile", made exact). The walk is a parametric network simplex: the basis is a Forest, the
// next path is found through partners (walk/partners.hpp) and an EventQueue. docs/proofs/walk.md, "The exact
// algorithm", has the proofs.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/tuning.hpp"
#include "walk/event_queue.hpp"
#include "walk/forest.hpp"
#include "walk/partners.hpp"
#include "walk/shortlist.hpp"

namespace rpw {

// One edge of the profile, before it is taken: mass `amount` can move at the price `slope` per unit.
struct Edge {
    double slope = 0;
    Mass amount = 0;
};

template <Partners Costs>
class WalkOver {
public:
    using Problem = typename Costs::Problem;

    // Walks as long as an edge costs less than `limit` per unit.
    WalkOver(const Problem& problem, Pulse& pulse, double limit = unreachable);
    // Goes on from a basis that is optimal at λ.
    WalkOver(const Problem& problem, Pulse& pulse, const Basis& basis, double lambda, double limit);

    // Finds the next edge; false if no more mass can be moved below the limit, or if all the work that was allowed is
    // done. After TimeUp, here or in `take_edge`, all that follows is as true as before it.
    bool find_edge();
    const Edge& edge() const { return edge_; }
    void take_edge();

    // Elementary steps so far, passes over the costs included; and how many there may be.
    double work() const { return static_cast<double>(work_ + pass_work_); }
    void allow(double most_work) { most_work_ = most_work; }

    Mass total() const { return total_; }
    Mass moved() const { return moved_; }
    // 1 - α at the current vertex, exact to rounding even when it is tiny.
    double unmoved() const { return share(total_ - moved_); }
    // F(α) at the current vertex, summed along the walk.
    double cost_p() const { return static_cast<double>(cost_p_); }
    // The same, summed afresh over the plan.
    double plan_cost_p() const;
    double lambda() const { return lambda_; }
    long pivots() const { return pivots_; }
    Pulse& pulse() const { return pulse_; }
    double share(Mass mass) const { return share_of(mass, total_); }

    // The two nodes from which the found edge takes unmoved mass, and how much of theirs is left after it.
    struct Ends {
        Node row, column;
        Mass left_of_row, left_of_column;
    };
    Ends ends_of_edge() const;

    // The basis, optimal at λ.
    const Forest& forest() const { return forest_; }

private:
    bool refresh();
    void renew();
    void schedule(Node x);
    bool advance_to_tight_arc();
    void pivot();
    void schedule_after(const std::vector<Node>& changed);

    Pulse& pulse_;
    Forest forest_;
    Costs partners_;
    EventQueue queue_;
    Pivot pending_;
    Node origin_ = -1;  // the node whose event is pending
    Edge edge_;
    double limit_;
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    long double cost_p_ = 0;
    double lambda_ = 0;
    double most_work_ = unreachable;
    std::size_t pass_work_ = 0;
    std::size_t work_ = 0;
    std::size_t work_at_refresh_ = 0;
    long pivots_ = 0;
    Node active_[2] = {0, 0};  // how many rows are, and columns
    bool is_ready_ = false;
};

// On a matrix.
using ProfileWalk = WalkOver<Shortlist>;
extern template class WalkOver<Shortlist>;

template <Partners Costs>
WalkOver<Costs>::WalkOver(const Problem& problem, Pulse& pulse, double limit)
    : pulse_(pulse),
      forest_(problem.masses),
      partners_(problem, limit),
      queue_(forest_.size()),
      limit_(limit),
      total_(problem.masses.total()),
      negligible_(problem.masses.negligible()) {}

template <Partners Costs>
WalkOver<Costs>::WalkOver(const Problem& problem, Pulse& pulse, const Basis& basis, double lambda, double limit)
    : WalkOver(problem, pulse, limit) {
    forest_ = Forest(problem.masses, basis);
    lambda_ = lambda;
    for (const BasisNode& node : basis) {
        if (node.parent < 0) continue;
        moved_ += node.flow;
        cost_p_ += static_cast<long double>(node.flow) * node.arc_cost / total_;
    }
    if (total_ - moved_ <= negligible_) moved_ = total_;
}

template <Partners Costs>
bool WalkOver<Costs>::find_edge() {
    edge_ = {};
    while (moved_ < total_ && work() < most_work_) {
        if (is_ready_ && partners_.is_overdue(work_ - work_at_refresh_)) renew();
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

template <Partners Costs>
void WalkOver<Costs>::take_edge() {
    forest_.push(pending_);
    moved_ += edge_.amount;
    cost_p_ += static_cast<long double>(lambda_) * edge_.amount / total_;
    pivot();
}

// Gets ready for the next stretch of λ. False if every arc below the limit was looked at already.
template <Partners Costs>
bool WalkOver<Costs>::refresh() {
    if (is_ready_) {
        if (partners_.horizon() >= limit_) return false;
        lambda_ = std::max(lambda_, partners_.horizon());
    }
    is_ready_ = true;
    renew();
    return true;
}

template <Partners Costs>
void WalkOver<Costs>::renew() {
    partners_.renew(forest_, lambda_, work_ - work_at_refresh_, pulse_);
    pass_work_ += partners_.renewal_work();
    queue_.clear();
    active_[0] = active_[1] = 0;
    for (Node x = 0; x < forest_.size(); ++x) {
        if (!forest_.is_active(x)) continue;
        ++active_[forest_.is_row(x) ? 0 : 1];
        schedule(x);
        pulse_.note(8);
    }
    // From here on, not from above: filling the queue is part of the pass, and if it counted as progress a list whose
    // arcs never become tight (both ends on the same trees, moving apart as fast as λ grows) would never be lengthened.
    work_at_refresh_ = work_;
}

// Queues x under the length of the shortest path through it. Later changes can only lengthen that path, or are found
// from the other end, so the key stays a lower bound for as long as x is active.
template <Partners Costs>
void WalkOver<Costs>::schedule(Node x) {
    const double key = forest_[x].distance + partners_.least(x);
    work_ += partners_.work_of_question(x);
    if (key <= partners_.horizon() && key < unreachable) queue_.set(x, key);
}

// Raises λ to the next tight arc between the two sides and runs the ratio test on it; false at the horizon.
template <Partners Costs>
bool WalkOver<Costs>::advance_to_tight_arc() {
    if (!is_ready_) return false;
    while (!queue_.empty()) {
        pulse_.note(256);
        const double expected = queue_.least_key();
        const Node x = queue_.pop();
        if (!forest_.is_active(x)) continue;
        const Node y = partners_.least_partner(x);
        work_ += partners_.work_of_question(x);
        if (y < 0) continue;
        const Node row = std::min(x, y), column = std::max(x, y);
        // The sum must be the one that `schedule` formed, or equal keys would look different.
        const double key = forest_[x].distance + (partners_.cost(row, column) + forest_.weight(y));
        if (key > expected) {
            if (key <= partners_.horizon()) queue_.set(x, key);
            continue;
        }
        lambda_ = std::max(lambda_, key);
        pending_ = forest_.ratio_test(row, column);
        origin_ = x;
        return true;
    }
    return false;
}

template <Partners Costs>
void WalkOver<Costs>::pivot() {
    ++pivots_;
    const auto& changed = forest_.exchange(pending_, partners_.cost(pending_.row, pending_.column));
    work_ += 8 * changed.size();
    pulse_.note(16 * changed.size());
    for (Node x : changed) partners_.weigh(forest_, x);
    schedule_after(changed);
    if (forest_.is_active(origin_) && !queue_.contains(origin_)) schedule(origin_);
}

// Arcs that can become tight now lie between nodes that have become active and active ones of the other kind. Either
// end may wait for them: those that are fewer do, if their answers count the others (docs/proofs/walk.md, "The
// shortlist").
template <Partners Costs>
void WalkOver<Costs>::schedule_after(const std::vector<Node>& changed) {
    const bool are_rows = forest_[changed.front()].at_source;  // those of them that are active now
    Node& same = active_[are_rows ? 0 : 1];
    Node& others = active_[are_rows ? 1 : 0];
    Node count = 0;
    for (Node x : changed) count += forest_.is_active(x);
    same += count;
    others -= static_cast<Node>(changed.size()) - count;
    const Node begin = are_rows ? forest_.rows() : 0, end = are_rows ? forest_.size() : forest_.rows();
    if (others < count && partners_.counts_all()) {
        for (Node x = begin; x < end; ++x) {
            if (forest_.is_active(x)) schedule(x);
        }
        return;
    }
    for (std::size_t k = 0; k < changed.size(); ++k) {
        if (k + 6 < changed.size()) partners_.prefetch(changed[k + 6]);
        if (forest_.is_active(changed[k])) schedule(changed[k]);
    }
}

template <Partners Costs>
auto WalkOver<Costs>::ends_of_edge() const -> Ends {
    Node row = pending_.row, column = pending_.column;
    forest_.for_path_up(row, [&](Node x) { row = x; });
    forest_.for_path_up(column, [&](Node x) { column = x; });
    const Mass amount = pending_.amount;
    return {row, column, forest_[row].flow - amount, forest_[column].flow - amount};
}

template <Partners Costs>
double WalkOver<Costs>::plan_cost_p() const {
    long double sum = 0;
    for (Node x = 0; x < forest_.size(); ++x) {
        const ForestNode& node = forest_[x];
        if (node.parent >= 0) sum += static_cast<long double>(node.flow) * node.arc_cost;
    }
    return static_cast<double>(sum / total_);
}

}  // namespace rpw
