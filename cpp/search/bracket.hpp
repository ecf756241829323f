// Two vertices of the profile with the goal between them, and what they prove about it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/outcome.hpp"
#include "base/shared_plan.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "search/goal.hpp"

namespace rpw {

// A vertex, a λ at which it is optimal, and its plan.
template <class Plan>
struct Vertex : ProfilePoint {
    SharedPlan<Plan> plan;
};

// What is known about the place of the goal, without plans.
struct Known {
    ProfilePoint before;                // some way before `left`; where nothing is moved, if there is no other
    ProfilePoint left;                  // the goal lies beyond it
    std::optional<ProfilePoint> right;  // and not beyond this one
    int same_side = 0;                  // how many vertices in a row were found on the left (right: negative)
};

// The plan (1 - weight) · left + weight · right.
struct Answer {
    double unmoved = 1;
    double weight = 0;
};

template <class Plan>
class Bracket {
public:
    // `end`: a vertex that is known not to lie before the goal. Its λ may be infinite: not known.
    Bracket(const Goal& goal, Vertex<Plan> start, std::optional<Vertex<Plan>> end = std::nullopt)
        : goal_(goal), left_(std::move(start)), before_(left_), right_(std::move(end)), proof_(left_) {
        remember(left_);
        if (right_) remember(*right_);
        find_upper();
    }

    const Goal& goal() const { return goal_; }
    const Vertex<Plan>& left() const { return left_; }
    const std::optional<Vertex<Plan>>& right() const { return right_; }
    // Whose cut is the best lower bound so far, and what it proves: a bound on RPW, or on F at the mass.
    const Vertex<Plan>& proof() const { return proof_; }
    double proven() const { return proven_; }
    int same_side() const { return same_side_; }
    // How many of the last solves gave an old vertex.
    int stalls() const { return stalls_; }
    Known known() const {
        return {before_, left_, right_ ? std::optional<ProfilePoint>(*right_) : std::nullopt, same_side_};
    }
    const Answer& answer() const { return answer_; }
    double cost_p() const {
        return answer_.weight > 0 ? (1 - answer_.weight) * left_.cost_p + answer_.weight * right_->cost_p
                                  : left_.cost_p;
    }

    double width() const { return left_.unmoved - right_->unmoved; }
    double chord() const { return (right_->cost_p - left_.cost_p) / width(); }
    // Between points that are almost one, the chord is rounding and nothing else; their slopes are not.
    double chord_between_slopes() const {
        const auto [low, high] = std::minmax(left_.lambda, right_->lambda);
        return std::clamp(chord(), low, high);
    }

    // A bound on RPW, or on F at the mass, by the best plan that is known.
    double upper() const { return upper_; }

    // A bound on RPW: by the best cut, as far as its vertex is optimal, or by what was proven without one.
    double lower() const { return goal_.is_crossing() ? std::max(proven_, without_cut_) : goal_.unmoved; }
    double lower_without_cut() const { return without_cut_; }
    void raise_lower(double bound) { without_cut_ = std::max(without_cut_, bound); }

    // Takes a vertex in that was found at its λ, as a guess or as the slope of the chord.
    void place(Vertex<Plan> found, bool is_chord);
    // The left vertex moves on along the profile, past `on_the_way`.
    void advance(Vertex<Plan> further, const ProfilePoint& on_the_way);
    // The goal lies on an edge between these two, over which so much moves; the left one was found at its slope.
    void take_edge(Vertex<Plan> from, Vertex<Plan> to, double mass);
    // Another goal, at a larger κ: the vertices go to the sides on which they lie.
    void aim_at(const Goal& goal);
    // From the start again: what was found until here is in doubt, and so are its cuts.
    void restart(Vertex<Plan> start) {
        left_ = std::move(start);
        right_.reset();
        further_.clear();
        edge_.reset();
        proven_ = -1;
        remember(left_);
        find_upper();
    }
    void set_right(Vertex<Plan> right) {
        right_ = std::move(right);
        find_upper();
    }
    // Where the search has to end, a plan that need not be optimal may be part of the answer; its potentials prove a
    // cut of this height.
    void offer(Vertex<Plan> plan, double height);

    // The status, if the search may end here; then there is an answer.
    std::optional<Status> ending(const Limits& limits);
    Status end_at_left(Status status);
    // At the best plan that is known.
    Status end_anyhow(Status status) { return right_ ? end_between({chord(), width()}, status) : end_at_left(status); }

    // Whether an exact answer by solves can be trusted. That to a crossing has bounds that agree, and a plan that costs
    // no more than it may; a plan between two vertices is held against the best cut. A cost must not be lost in the
    // rounding of λ.
    bool is_sound() const {
        if (!goal_.is_crossing()) return proof_.lambda <= tuning::sharp_lambda * cost_p() || cost_p() == 0;
        const double unmoved = answer_.unmoved;
        const bool is_paid = root(cost_p(), goal_.p) <= goal_.kappa * unmoved * (1 + tuning::proven_enough);
        return is_paid && unmoved - proven_ <= tuning::proven_enough * unmoved;
    }

private:
    // The mass that moves over it is exact to rounding where that is next to nothing, and the ends are not.
    struct Edge {
        double slope;
        double mass;
    };

    // On RPW, or on F at the mass, by a plan between the two.
    double upper_between(const ProfilePoint& left, const ProfilePoint& right) const {
        const double slope = (right.cost_p - left.cost_p) / (left.unmoved - right.unmoved);
        if (!goal_.is_crossing()) return left.cost_p + slope * (left.unmoved - goal_.unmoved);
        return std::clamp(goal_.meets(left.cost_p + slope * left.unmoved, slope), right.unmoved, left.unmoved);
    }
    void find_upper() {
        upper_ = right_ ? upper_between(left_, *right_) : goal_.is_crossing() ? left_.unmoved : unreachable;
    }
    void remember(const Vertex<Plan>& vertex) { remember(vertex, vertex.height()); }
    void remember(const Vertex<Plan>& vertex, double height);
    void replace_left(Vertex<Plan> found);
    bool is_edge(const Vertex<Plan>& found, bool is_old) const;
    Status end_between(const Edge& edge, Status status);

    Goal goal_;
    Vertex<Plan> left_;
    ProfilePoint before_;
    std::optional<Vertex<Plan>> right_;
    std::vector<Vertex<Plan>> further_;  // beyond the right one, the nearest last: a larger κ may lie between them
    std::optional<Edge> edge_;           // the chord, if that is an edge of F
    Vertex<Plan> proof_;
    double proven_ = -1;
    double without_cut_ = 0;
    double upper_ = 1;
    int same_side_ = 0;
    int stalls_ = 0;
    Answer answer_;
};

template <class Plan>
void Bracket<Plan>::place(Vertex<Plan> found, bool is_chord) {
    remember(found);
    const bool is_old = found.unmoved == left_.unmoved || (right_ && found.unmoved == right_->unmoved);
    stalls_ = is_old ? stalls_ + 1 : 0;
    if (is_chord && is_edge(found, is_old)) {
        edge_ = {found.lambda, width()};
        left_.lambda = std::max(left_.lambda, found.lambda);
        proof_ = std::move(found);
        return;
    }
    const bool is_left = goal_.is_beyond(found);
    same_side_ = is_left == (same_side_ > 0) ? same_side_ + (is_left ? 1 : -1) : (is_left ? 1 : -1);
    // A vertex found at a λ far beyond the costs of the goal carries the rounding of that λ: it must not push the
    // bracket apart, nor take the place of a cheaper plan.
    if (is_left) {
        const bool is_cheap = found.unmoved < left_.unmoved || found.cost_p <= left_.cost_p * (1 + tuning::same_answer);
        if (found.unmoved <= left_.unmoved && is_cheap) replace_left(std::move(found));
    } else if (!right_ || found.unmoved >= right_->unmoved) {
        if (right_ && found.unmoved > right_->unmoved) further_.push_back(*std::move(right_));
        right_ = std::move(found);
    }
    if (right_ && left_.unmoved <= right_->unmoved) right_.reset();  // one of them was wrong
    find_upper();
}

template <class Plan>
bool Bracket<Plan>::is_edge(const Vertex<Plan>& found, bool is_old) const {
    const double gain = left_.cost_p - found.cost_p + found.lambda * (left_.unmoved - found.unmoved);
    return gain <=
           (is_old ? tuning::same_answer : tuning::same_height) * (right_->cost_p + found.lambda * left_.unmoved);
}

template <class Plan>
void Bracket<Plan>::advance(Vertex<Plan> further, const ProfilePoint& on_the_way) {
    if (on_the_way.unmoved > further.unmoved) before_ = on_the_way;
    remember(further);
    left_ = std::move(further);
    find_upper();
}

template <class Plan>
void Bracket<Plan>::take_edge(Vertex<Plan> from, Vertex<Plan> to, double mass) {
    edge_ = {from.lambda, mass};
    proof_ = from;
    proven_ = goal_.bound_by(from.height(), from.lambda);
    left_ = std::move(from);
    right_ = std::move(to);
    find_upper();
}

template <class Plan>
void Bracket<Plan>::offer(Vertex<Plan> plan, double height) {
    remember(plan, height);
    if (plan.unmoved >= left_.unmoved || (right_ && plan.unmoved <= right_->unmoved)) return;
    if (goal_.is_beyond(plan)) {
        if (!right_ || upper_between(plan, *right_) < upper()) left_ = std::move(plan);
    } else if (upper_between(left_, plan) < upper()) {
        right_ = std::move(plan);
    }
    find_upper();
}

template <class Plan>
void Bracket<Plan>::aim_at(const Goal& goal) {
    goal_ = goal;
    without_cut_ = 0;
    proven_ = -1;
    same_side_ = stalls_ = 0;
    remember(left_);
    while (right_) {
        remember(*right_);
        if (!goal_.is_beyond(*right_)) break;
        edge_.reset();
        replace_left(*std::move(right_));
        right_.reset();
        if (further_.empty()) break;
        right_ = std::move(further_.back());
        further_.pop_back();
    }
    find_upper();
}

template <class Plan>
std::optional<Status> Bracket<Plan>::ending(const Limits& limits) {
    const bool is_too_dear = left_.lambda >= dearest_path && (goal_.is_crossing() || !right_);
    if (is_too_dear) return end_at_left(Status::exact);
    if (edge_) return end_between(*edge_, Status::exact);
    if (goal_.is_crossing() && limits.cutoff < 1 && lower() > limits.cutoff) return end_at_left(Status::beyond_cutoff);
    if (right_ && goal_.is_at(*right_)) {
        answer_ = {right_->unmoved, 1};
        return Status::exact;
    }
    if (!goal_.is_crossing() && !right_) return std::nullopt;
    const double gap = upper() - proven_;
    // Without a right vertex the plan would not pay all that it may: on a steep edge the number is known before the
    // edge.
    if (right_ && gap <= tuning::same_number * upper()) return end_anyhow(Status::exact);
    const bool is_close = goal_.is_crossing() && limits.tol > 0 && gap <= limits.tol * (1 - tuning::a_little);
    return is_close ? std::optional(end_anyhow(Status::tolerance)) : std::nullopt;
}

template <class Plan>
Status Bracket<Plan>::end_at_left(Status status) {
    answer_ = {left_.unmoved, 0};
    return status;
}

// Where nearly all mass stays, 1 - ε has lost the digits of what moves, and its cost has not.
template <class Plan>
Status Bracket<Plan>::end_between(const Edge& edge, Status status) {
    const auto [slope, mass] = edge;
    if (goal_.is_crossing() && slope > dearest_path) return end_at_left(status);  // powers are cut off there
    const double rise = right_->cost_p - left_.cost_p, height = left_.cost_p + slope * left_.unmoved;
    answer_.unmoved = std::clamp(goal_.meets(height, slope), right_->unmoved, left_.unmoved);
    double moved = left_.unmoved - answer_.unmoved;
    if (goal_.is_crossing() && mass > 0 && rise > 0) {
        moved = moved_to_crossing(left_.unmoved, left_.cost_p, answer_.unmoved, slope, goal_.kappa, goal_.p);
    }
    answer_.weight = mass > 0 ? std::clamp(moved / mass, 0.0, 1.0) : rise > 0 ? 0.0 : 1.0;
    if (goal_.is_crossing() && rise == 0) answer_.weight = 1;  // free: only ε = 0 is reached on such an edge
    return status;
}

// Keeps a vertex if its cut is the best lower bound.
template <class Plan>
void Bracket<Plan>::remember(const Vertex<Plan>& vertex, double height) {
    if (!(vertex.lambda < unreachable)) return;
    const double proven = goal_.bound_by(height, vertex.lambda);
    if (proven < proven_) return;
    proven_ = proven;
    proof_ = vertex;
}

template <class Plan>
void Bracket<Plan>::replace_left(Vertex<Plan> found) {
    if (left_.unmoved > found.unmoved) before_ = left_;
    left_ = std::move(found);
}

}  // namespace rpw
