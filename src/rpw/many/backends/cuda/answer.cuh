// Where the walk stops, and what is answered.
#pragma once

#include "events.cuh"
#include "pivots.cuh"
#include "plans.cuh"
#include "proof.cuh"

namespace rpw_cuda {

constexpr int edges_between_gap_checks = 32;

// Where the walk stops: at a vertex of F, or on the edge that was found.
struct Stop {
    bool is_on_edge;
    int status;
};

// As walk_to_crossing and walk_to_mass in cpp/solve.cpp. One loop for both: the walk is compiled once.
RPW_INLINE Stop walk_along(Walk& walk, const Batch& batch, double limit) {
    const bool crosses = batch.question == question_crossing;
    const double kappa = batch.kappa, p = batch.p;
    while ((crosses || walk.unmoved() > batch.unmoved) && walk.find_edge(limit)) {
        const double slope = walk.lambda, after = walk.share(walk.total - walk.moved - walk.amount);
        const double so_far = walk.walked_cost + walk.walked_rest;
        const bool is_last =
            crosses ? kappa * after <= root(so_far + slope * walk.share(walk.amount), p) : after < batch.unmoved;
        if (is_last) return {true, exact};
        walk.take_edge();
        if (crosses && batch.tol > 0 && walk.edges % edges_between_gap_checks == 0) {
            const double height = walk.walked_cost + walk.walked_rest + slope * walk.unmoved();
            if (walk.unmoved() - crossing(height, slope, kappa, p) <= batch.tol) return {false, within_tolerance};
        }
    }
    return {false, exact};
}

struct Point {
    double unmoved;
    double partial;  // of the edge that was found
};

RPW_INLINE double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

RPW_INLINE Point point_of(const Walk& walk, const Batch& batch, const Stop& stop, double cost) {
    const double before = walk.unmoved();
    if (!stop.is_on_edge) return {before, 0};
    if (batch.question != question_crossing) return {batch.unmoved, before - batch.unmoved};
    const double slope = walk.lambda, part = walk.share(walk.amount);
    const double after = walk.share(walk.total - walk.moved - walk.amount);
    const double found = crossing(cost + slope * before, slope, batch.kappa, batch.p);
    const double distance = clamped(found, after, before);
    if (slope == 0) return {distance, part};
    return {distance, clamped((power(batch.kappa * distance, batch.p) - cost) / slope, 0, part)};
}

struct Answer {
    double value, lower, upper;
};

RPW_INLINE Answer answer_crossing(const Batch& batch, const Walk& walk, double distance, double dual_sum) {
    double lower = crossing(walk.lambda - dual_sum, walk.lambda, batch.kappa, batch.p);
    if (lower > distance || distance - lower <= 1e-12 * distance) lower = distance;
    return {distance, lower, distance};
}

RPW_INLINE Answer answer_mass(const Batch& batch, const Walk& walk, double cost, double dual_sum) {
    double lower = walk.lambda - dual_sum - walk.lambda * batch.unmoved;
    if (lower > cost || cost - lower <= 1e-12 * cost) lower = cost;
    const double value = batch.scale * root(cost, batch.p);
    return {value, batch.scale * root(lower, batch.p), value};
}

RPW_INLINE void solve_pair(Team& team, const Batch& batch, const Costs& cost, const Workspace& at, long long pair) {
    const long long s = batch.first[pair], t = batch.second[pair];
    const Mass* mass_a = batch.mass_a + batch.start_a[s];
    const Mass* mass_b = batch.mass_b + batch.start_b[t];
    const Mass of_a = batch.total_a[s], of_b = batch.total_b[t];
    Walk walk{team,
              batch,
              cost,
              at,
              static_cast<int>(batch.start_a[s + 1] - batch.start_a[s]),
              static_cast<int>(batch.start_b[t + 1] - batch.start_b[t]),
              of_a < of_b ? of_a : of_b,
              batch.unit_a[s] > 0 && batch.unit_a[s] == batch.unit_b[t]};
    walk.start(mass_a, mass_b);
    const bool crosses = batch.question == question_crossing;
    // Once a unit more costs as much as the dearest pair, the rest may take any way at that price.
    const bool is_truncated = cost.truncation_p < infinite();
    const double limit = is_truncated ? cost.truncation_p * (1 - 1e-12) : infinite();
    const Stop stop = walk_along(walk, batch, crosses ? infinite() : limit);
    const double vertex_cost = walk.plan_cost();
    const Point point = point_of(walk, batch, stop, vertex_cost);
    double cost_p = vertex_cost + walk.lambda * point.partial;
    if (!crosses && is_truncated && walk.lambda >= limit && !stop.is_on_edge) {
        const double left = walk.unmoved() - batch.unmoved;
        if (left > 0) cost_p += cost.truncation_p * left;
        walk.lambda = limit;
    }
    if (batch.plan_start != nullptr) walk.write_plan(pair, point.partial);
    const double dual_sum = walk.certificate(mass_a, mass_b);
    if (batch.u != nullptr) walk.write_potentials(pair);
    const Answer answer =
        crosses ? answer_crossing(batch, walk, point.unmoved, dual_sum) : answer_mass(batch, walk, cost_p, dual_sum);
    team.barrier();
    team.once([&] {
        batch.value[pair] = answer.value;
        batch.lower[pair] = answer.lower;
        batch.upper[pair] = answer.upper;
        batch.status[pair] = stop.status;
        if (batch.multiplier != nullptr) batch.multiplier[pair] = walk.lambda;
        if (batch.work != nullptr) {
            batch.work[3 * pair] = walk.reached;
            batch.work[3 * pair + 1] = walk.edges;
            batch.work[3 * pair + 2] = walk.renewed;
        }
    });
}

}  // namespace rpw_cuda
