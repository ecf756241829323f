// A walk along the profile until it reaches the goal of a search, whatever partners it has.
#pragma once

#include <optional>
#include <utility>

#include "base/basis.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "search/bracket.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

template <class Walk>
Vertex<Basis> vertex_of(const Walk& walk) {
    return {{walk.unmoved(), walk.plan_cost_p(), walk.lambda()}, walk.forest().basis()};
}

// Ends the search if the goal lies on the edge that the walk has found.
template <class Walk>
std::optional<Status> ending_on_edge(Walk& walk, Bracket<Basis>& bracket, const Limits& limits,
                                     const ProfilePoint& on_the_way) {
    const Edge edge = walk.edge();
    const double after = walk.share(walk.total() - walk.moved() - edge.amount);
    const double way = walk.share(edge.amount);
    if (bracket.goal().is_beyond(after, walk.cost_p() + edge.slope * way)) return std::nullopt;
    Vertex<Basis> from = vertex_of(walk);
    if (edge.slope > dearest_path && bracket.goal().is_crossing()) {
        bracket.advance(std::move(from), on_the_way);
        return bracket.end_at_left(Status::exact);
    }
    walk.take_edge();
    Vertex<Basis> to{{after, from.cost_p + edge.slope * way, edge.slope}, walk.forest().basis()};
    bracket.take_edge(std::move(from), std::move(to), way);
    return bracket.ending(limits);
}

// Before the goal: what is left behind here is more than at a crossing.
template <class Walk>
void tell_of(const Walk& walk, const Goal& goal, double slope) {
    walk.pulse().tell_moved(1 - walk.unmoved(), walk.pivots());
    const double lower = goal.bound_by(walk.cost_p() + slope * walk.unmoved(), slope);
    walk.pulse().tell_bounds(lower, goal.is_crossing() ? walk.unmoved() : unreachable);
}

// Walks as long as there is an edge; the status if that ends the search. `on_the_way`: where the walk has been before.
template <class Walk>
std::optional<Status> walk_to_goal(Walk& walk, Bracket<Basis>& bracket, const Limits& limits,
                                   const ProfilePoint& on_the_way) {
    const Goal& goal = bracket.goal();
    const double cutoff_p = limits.cutoff < 1 ? power(goal.kappa * limits.cutoff, goal.p) : unreachable;
    const auto end_here = [&](Status status) {
        bracket.advance(vertex_of(walk), on_the_way);
        return bracket.end_at_left(status);
    };
    while (walk.find_edge()) {
        const double slope = walk.edge().slope;
        if (const auto status = ending_on_edge(walk, bracket, limits, on_the_way)) return status;
        // F lies above the line through this edge: if that is still too dear at the cutoff, so is F.
        const double at_cutoff = walk.cost_p() + slope * (walk.unmoved() - limits.cutoff);
        if (goal.is_crossing() && at_cutoff > cutoff_p) return end_here(Status::beyond_cutoff);
        walk.take_edge();
        if (walk.pulse().is_asked()) tell_of(walk, goal, slope);
        if (limits.tol > 0) {
            const double lower = goal.meets(walk.cost_p() + slope * walk.unmoved(), slope);
            if (walk.unmoved() - lower <= limits.tol) return end_here(Status::tolerance);
        }
    }
    if (walk.moved() == walk.total()) return end_here(Status::exact);
    return std::nullopt;
}

}  // namespace rpw
