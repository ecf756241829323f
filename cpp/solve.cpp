// See solve.hpp. These functions only decide when a walk stops and read off what it found.
#include "solve.hpp"

#include <algorithm>
#include <cmath>

#include "crossing.hpp"
#include "lmr.hpp"
#include "max_flow.hpp"
#include "powers.hpp"
#include "threshold_walk.hpp"

namespace rpw {

namespace {

constexpr int edges_between_gap_checks = 32;

// Reads the outcome off a walk that stops `partial` (a share of the total) into the edge it has found.
Outcome outcome_of(const ProfileWalk& walk, double unmoved, double partial, Status status) {
    Outcome outcome;
    outcome.status = status;
    outcome.unmoved = unmoved;
    outcome.cost = walk.plan_cost_p() + walk.lambda() * partial;
    outcome.multiplier = walk.lambda();
    outcome.dual_height = walk.lambda() - walk.certificate(outcome.u, outcome.v);
    outcome.plan = walk.plan(partial);
    outcome.iterations = walk.pivots();
    return outcome;
}

Outcome outcome_of(const ThresholdWalk& walk, double unmoved, double threshold, Status status) {
    Outcome outcome;
    outcome.status = status;
    outcome.unmoved = unmoved;
    outcome.cost = threshold;
    outcome.plan = walk.plan();
    outcome.iterations = walk.augmentations();
    return outcome;
}

Outcome outcome_of(const ThresholdSearch& search, const FlowAt& at, double unmoved, double threshold, Status status) {
    Outcome outcome;
    outcome.status = status;
    outcome.unmoved = unmoved;
    outcome.cost = threshold;
    outcome.plan = search.plan(at);
    outcome.iterations = search.augmentations();
    return outcome;
}

// How far into the found edge F reaches `target_p`. Computed from the cost, not as a difference of masses, which would
// cancel where almost nothing is moved.
double part_of_edge(const ProfileWalk& walk, double cost_p, double target_p) {
    if (walk.edge().slope == 0) return walk.share(walk.edge().amount);  // free: only ε = 0 is reached on such an edge
    return std::clamp((target_p - cost_p) / walk.edge().slope, 0.0, walk.share(walk.edge().amount));
}

// Breakpoints closer than this differ by the rounding of masses only.
constexpr double smallest_step = 1e-15;

}  // namespace

namespace {

// Where a walk along the profile ended.
struct Stop {
    double unmoved;
    double partial;  // of the edge that was found, as a share of the total
    Status status;
};

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
    return {walk.unmoved(), 0, walk.stopped() ? Status::time_limit : Status::exact};
}

Stop walk_to_mass(ProfileWalk& walk, double unmoved) {
    // A smaller step is the rounding of a mass such as 5/6, and at a large p what lies beyond may be dear without end.
    while (walk.unmoved() - unmoved > smallest_step && walk.find_edge()) {
        const double after = walk.share(walk.total() - walk.moved() - walk.edge().amount);
        if (after < unmoved) return {unmoved, walk.unmoved() - unmoved, Status::exact};
        walk.take_edge();
    }
    return {walk.unmoved(), 0, walk.stopped() ? Status::time_limit : Status::exact};
}

}  // namespace

Outcome cross_profile(const Problem& problem, double kappa, double p, double tol, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    const Stop stop = walk_to_crossing(walk, kappa, p, tol, 1.0);
    return outcome_of(walk, stop.unmoved, stop.partial, stop.status);
}

Value cross_profile_value(const Problem& problem, double kappa, double p, double cutoff, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    const Stop stop = walk_to_crossing(walk, kappa, p, 0, cutoff);
    return {stop.unmoved, stop.status, walk.lambda(), walk.row_potentials()};
}

Outcome profile_at(const Problem& problem, double unmoved, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    const Stop stop = walk_to_mass(walk, unmoved);
    return outcome_of(walk, stop.unmoved, stop.partial, stop.status);
}

double profile_value_at(const Problem& problem, double unmoved, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    const Stop stop = walk_to_mass(walk, unmoved);
    return walk.plan_cost_p() + walk.lambda() * stop.partial;
}

Curve whole_profile(const Problem& problem, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    Curve curve{{1.0}, {0.0}, {}, true};
    while (walk.find_edge()) {
        const double next_slope = walk.edge().slope;
        walk.take_edge();
        if (curve.unmoved.back() - walk.unmoved() <= smallest_step) continue;  // too short to be a breakpoint
        if (!curve.slope.empty() && next_slope == curve.slope.back()) {  // the same edge of F, in several augmentations
            curve.unmoved.pop_back();
            curve.cost.pop_back();
            curve.slope.pop_back();
        }
        curve.slope.push_back(next_slope);
        curve.unmoved.push_back(walk.unmoved());
        curve.cost.push_back(walk.cost_p());
    }
    if (curve.unmoved.size() > 1) {  // a short step at the end belongs to the last edge
        curve.unmoved.back() = walk.unmoved();
        curve.cost.back() = walk.cost_p();
    }
    curve.complete = !walk.stopped();
    return curve;
}

// ε must satisfy A(κ ε) ≥ 1 - ε, with A(t) the flow over pairs no longer than t: a step function. On a step that starts
// at threshold t, the smallest such ε is max(t / κ, 1 - A).
// The search ends between two neighbouring entries t⁻ < t⁺ of the matrix, t⁻/κ ≤ 1 - A(t⁻) and t⁺/κ > 1 - A(t⁺).
Outcome cross_thresholds(const Problem& problem, double kappa, double tol, Pulse& pulse) {
    const auto less_than = [kappa](double t) { return std::nextafter(t / kappa, -1.0); };
    ThresholdSearch search(problem, kappa, less_than, pulse);
    const auto lower = [&] { return std::max(search.below().threshold, 0.0); };
    bool close = false;
    while (!close && search.step()) {
        const double upper = std::min(search.below().unmoved, search.above().threshold / kappa);
        close = tol > 0 && upper - lower() / kappa <= tol;
    }
    const double beyond = search.above().threshold / kappa, before = search.below().unmoved;
    if (close || search.stopped()) {
        const Status status = search.stopped() ? Status::time_limit : Status::tolerance;
        return beyond < before ? outcome_of(search, search.above(), beyond, lower(), status)
                               : outcome_of(search, search.below(), before, lower(), status);
    }
    // Where both ends of the step say the same, the flow at its start is the one over shorter pairs.
    if (beyond < before && search.above().moved > search.below().moved) {
        return outcome_of(search, search.above(), beyond, search.above().threshold, Status::exact);
    }
    if (search.below().moved == 0) return outcome_of(search, search.below(), before, 0, Status::exact);
    search.find_start_of_step();
    while (search.step()) {
    }
    return outcome_of(search, search.above(), before, search.above().threshold, Status::exact);
}

Outcome threshold_at(const Problem& problem, double unmoved, Pulse& pulse) {
    const auto enough = [unmoved](double) { return unmoved + smallest_step; };
    ThresholdSearch search(problem, unreachable, enough, pulse);
    if (unmoved + smallest_step >= 1) return outcome_of(search, search.below(), unmoved, 0, Status::exact);
    while (search.step()) {
    }
    const bool stopped = search.stopped();
    if (!stopped) search.complete(unmoved);
    const FlowAt& found = stopped ? search.below() : search.above();
    const double threshold = std::max(found.threshold, 0.0);
    const Status status = stopped ? Status::time_limit : Status::exact;
    return outcome_of(search, found, std::max(unmoved, found.unmoved), threshold, status);
}

Curve whole_thresholds(const Problem& problem, Pulse& pulse) {
    ThresholdWalk walk(problem, unreachable, pulse);
    Curve curve{{1.0}, {0.0}, {}, true};
    while (walk.next()) {
        if (curve.unmoved.back() - walk.unmoved() <= smallest_step) continue;
        curve.unmoved.push_back(walk.unmoved());
        curve.cost.push_back(walk.threshold());
    }
    curve.complete = !walk.stopped();
    return curve;
}

Outcome flow_at_zero(const Problem& problem, Pulse& pulse) {
    ThresholdWalk walk(problem, 0.0, pulse);
    while (walk.next()) {
    }
    return outcome_of(walk, walk.unmoved(), 0, walk.stopped() ? Status::time_limit : Status::exact);
}

template <class Cost>
Outcome cross_lmr(const RoundedProblem<Cost>& problem, double kappa, double p, double tol, Pulse& pulse) {
    LmrWalk<Cost> walk(problem.cost, problem.a, problem.b, problem.cap, pulse);
    // Mass may move along a path until the cost of the plan reaches (κ ε)^p.
    const auto allow = [&](std::int64_t path_cost, Mass available) {
        const auto slope = static_cast<double>(path_cost);
        const double before = walk.unmoved(), part = static_cast<double>(available) / walk.total();
        if (kappa * (before - part) > root(walk.cost() + slope * part, p)) return available;
        const double distance = crossing(walk.cost() + slope * before, slope, kappa, p);
        const auto moved = static_cast<Mass>((before - distance) * static_cast<double>(walk.total()));
        return std::clamp<Mass>(moved, 0, available - 1);
    };
    const auto lower = [&] {
        const double slope = walk.dual_slope();
        return crossing(slope - walk.dual_sum(), slope, kappa, p);
    };
    Status status = Status::exact;
    while (walk.phase(allow)) {
        if (walk.ended()) break;
        if (tol > 0 && walk.unmoved() - lower() <= tol) {
            status = Status::tolerance;
            break;
        }
    }
    Outcome outcome;
    outcome.status = walk.stopped() ? Status::time_limit : status;
    outcome.unmoved = walk.unmoved();
    outcome.cost = walk.cost();
    outcome.multiplier = walk.dual_slope();
    outcome.dual_height = walk.dual_slope() - walk.dual_sum();
    outcome.u = walk.u();
    outcome.v = walk.v();
    outcome.plan = walk.plan();
    outcome.iterations = walk.phases();
    return outcome;
}

template <class Cost>
Curve lmr_profile(const RoundedProblem<Cost>& problem, Pulse& pulse) {
    LmrWalk<Cost> walk(problem.cost, problem.a, problem.b, problem.cap, pulse);
    Curve curve{{1.0}, {0.0}, {}, true};
    while (walk.phase([](std::int64_t, Mass available) { return available; })) {
        if (curve.unmoved.back() - walk.unmoved() <= smallest_step) continue;
        curve.unmoved.push_back(walk.unmoved());
        curve.cost.push_back(walk.cost());
    }
    curve.complete = !walk.stopped();
    return curve;
}

template Outcome cross_lmr(const RoundedProblem<std::int32_t>&, double, double, double, Pulse&);
template Outcome cross_lmr(const RoundedProblem<std::int64_t>&, double, double, double, Pulse&);
template Curve lmr_profile(const RoundedProblem<std::int32_t>&, Pulse&);
template Curve lmr_profile(const RoundedProblem<std::int64_t>&, Pulse&);

}  // namespace rpw
