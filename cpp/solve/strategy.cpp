// See strategy.hpp. These functions only decide when a walk stops, and read off what it found.
#include "solve/strategy.hpp"

#include <algorithm>

#include "base/crossing.hpp"
#include "ground/powers.hpp"
#include "solve/scale.hpp"
#include "solve/transport.hpp"
#include "solve/truncated.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

namespace {

constexpr int edges_between_gap_checks = 32;

// The two bounds come from different sums; they count as equal when they agree to this many parts.
constexpr double rounding = 1e-12;

// Where a walk along the profile ended.
struct Stop {
    double unmoved;
    double partial;  // of the edge that was found, as a share of the total
    Status status;
};

// How far into the found edge F reaches `target_p`. Computed from the cost, not as a difference of masses, which would
// cancel where almost nothing is moved.
double part_of_edge(const ProfileWalk& walk, double cost_p, double target_p) {
    if (walk.edge().slope == 0) return walk.share(walk.edge().amount);  // free: only ε = 0 is reached on such an edge
    return std::clamp((target_p - cost_p) / walk.edge().slope, 0.0, walk.share(walk.edge().amount));
}

Stop walk_to_crossing(ProfileWalk& walk, double kappa, double p, double tol, double cutoff) {
    const double cutoff_p = cutoff < 1 ? power(kappa * cutoff, p) : unreachable;
    for (int edges = 1; walk.find_edge(); ++edges) {
        const Edge edge = walk.edge();
        const double before = walk.unmoved();
        const double after = walk.share(walk.total() - walk.moved() - edge.amount);
        if (kappa * after <= root(walk.cost_p() + edge.slope * walk.share(edge.amount), p)) {
            if (edge.slope > dearest_path) return {before, 0, Status::exact};
            const double cost_p = walk.plan_cost_p();
            const double distance =
                std::clamp(crossing(cost_p + edge.slope * before, edge.slope, kappa, p), after, before);
            return {distance, part_of_edge(walk, cost_p, power(kappa * distance, p)), Status::exact};
        }
        // F lies above the line through this edge: if that is still too dear at the cutoff, so is F.
        if (walk.cost_p() + edge.slope * (before - cutoff) > cutoff_p) return {before, 0, Status::beyond_cutoff};
        walk.take_edge();
        if (tol > 0 && edges % edges_between_gap_checks == 0) {
            const double height = walk.cost_p() + edge.slope * walk.unmoved();
            const double lower = crossing(height, edge.slope, kappa, p);
            if (walk.unmoved() - lower <= tol) return {walk.unmoved(), 0, Status::tolerance};
        }
    }
    return {walk.unmoved(), 0, Status::exact};
}

Stop walk_to_mass(ProfileWalk& walk, double unmoved) {
    // A smaller step is the rounding of a mass such as 5/6, and at a large p what lies beyond may be dear without end.
    while (walk.unmoved() - unmoved > smallest_step && walk.find_edge()) {
        const double after = walk.share(walk.total() - walk.moved() - walk.edge().amount);
        if (after < unmoved) return {unmoved, walk.unmoved() - unmoved, Status::exact};
        walk.take_edge();
    }
    return {walk.unmoved(), 0, Status::exact};
}

// Walks until `go` says where to stop, or time is up.
template <class Go>
Stop walk_in_time(ProfileWalk& walk, const Go& go) {
    Stop stop{};
    const bool in_time = ends_in_time([&] { stop = go(); });
    return in_time ? stop : Stop{walk.unmoved(), 0, Status::time_limit};
}

// Whether the bounds have to be proven by potentials: where they are asked for, and where they are all there is.
bool needs_proof(const Stop& stop, Need need) { return need != Need::value || stop.status == Status::time_limit; }

// What does not depend on the question; gives the height of the dual line, F(1 - ε) ≥ height - λ ε.
double read_off(Outcome& outcome, const ProfileWalk& walk, const Stop& stop, double scale, double p, Need need) {
    outcome.status = stop.status;
    outcome.unmoved = stop.unmoved;
    outcome.cost = scale * root(walk.plan_cost_p() + walk.lambda() * stop.partial, p);
    outcome.multiplier = walk.lambda();
    outcome.scale = scale;
    outcome.iterations = walk.pivots();
    if (need == Need::plan) outcome.plan = walk.plan(stop.partial);
    if (!needs_proof(stop, need)) {
        outcome.u = walk.row_potentials();
        return 0;
    }
    return walk.lambda() - walk.certificate(outcome.u, outcome.v);
}

Outcome cross(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const Price price = scaled_price(question.kappa, scale);
    const double kappa = price.kappa, p = question.p, cutoff = std::min(1.0, question.cutoff / price.shrink);
    ProfileWalk walk(problem, pulse);
    const Stop stop = walk_in_time(walk, [&] { return walk_to_crossing(walk, kappa, p, question.tol, cutoff); });
    Outcome outcome;
    const double height = read_off(outcome, walk, stop, scale, p, question.need);
    outcome.value = outcome.lower = outcome.upper = price.shrink * stop.unmoved;
    if (needs_proof(stop, question.need)) {
        outcome.lower = std::min(price.shrink * crossing(height, outcome.multiplier, kappa, p), outcome.upper);
        if (outcome.upper - outcome.lower <= rounding * outcome.upper) outcome.lower = outcome.upper;
    }
    if (stop.status == Status::beyond_cutoff) outcome.lower = question.cutoff;
    return outcome;
}

Outcome move(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    const Stop stop = walk_in_time(walk, [&] { return walk_to_mass(walk, question.unmoved); });
    Outcome outcome;
    const double height = read_off(outcome, walk, stop, scale, question.p, question.need);
    outcome.value = outcome.lower = outcome.upper = outcome.cost;
    if (needs_proof(stop, question.need)) {
        const double lower_p = height - outcome.multiplier * question.unmoved;
        outcome.lower = std::min(scale * root(lower_p, question.p), outcome.upper);
        if (outcome.upper - outcome.lower <= rounding * outcome.upper) outcome.lower = outcome.upper;
    }
    if (stop.status == Status::time_limit) {  // what is still to be moved costs no more than the dearest pair
        const Matrix& powers = problem.powers;
        const double dearest = *std::max_element(powers.data, powers.data + powers.size());
        const double rest = std::max(0.0, stop.unmoved - question.unmoved);
        outcome.value = outcome.upper = scale * root(walk.plan_cost_p() + dearest * rest, question.p);
    }
    return outcome;
}

Outcome move_everything(const PowerProblem& problem, double scale, double p, Pulse& pulse) {
    const TransportBounds bounds = transport_cost(problem, pulse);
    Outcome outcome;
    outcome.scale = scale;
    outcome.status = bounds.is_exact ? Status::exact : Status::time_limit;
    outcome.unmoved = 0;
    outcome.value = outcome.upper = outcome.cost = scale * root(bounds.upper_p, p);
    outcome.lower = bounds.is_exact ? outcome.value : std::min(scale * root(bounds.lower_p, p), outcome.upper);
    return outcome;
}

}  // namespace

Outcome solve_powers(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    if (question.quantity == Quantity::crossing) return cross(problem, scale, question, pulse);
    if (question.unmoved == 0 && question.need == Need::value) {
        return move_everything(problem, scale, question.p, pulse);
    }
    if (question.truncation < unreachable && question.unmoved == 0) {
        return move_while_shorter(problem, scale, question, pulse);
    }
    return move(problem, scale, question, pulse);
}

}  // namespace rpw
