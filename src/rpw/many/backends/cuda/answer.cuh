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

// To the crossing or to a mass, as cpp/search/read_off.hpp walks. One loop for both: the walk is compiled once.
RPW_INLINE Stop walk_along(Walk& walk, const Batch& batch, double kappa, double limit, long long pair) {
    const bool crosses = batch.question == question_crossing;
    const double p = batch.p;
#if RPW_CUTOFF
    const double cutoff = batch.cutoffs[pair], cost_at_cutoff = power(kappa * cutoff, p);
#else
    (void)pair;
#endif
    while ((crosses || walk.unmoved() > batch.unmoved) && walk.find_edge(limit)) {
        const double slope = walk.lambda, after = walk.share(walk.total - walk.moved - walk.amount);
        const double so_far = walk.walked_cost + walk.walked_rest;
#if RPW_CUTOFF
        // The line through the edge is a cut: docs/proofs/search.md, "Search".
        if (so_far + slope * (walk.unmoved() - cutoff) > cost_at_cutoff) return {false, beyond_cutoff};
#endif
        const bool is_last =
            crosses ? kappa * after <= root(so_far + slope * walk.share(walk.amount), p) : after < batch.unmoved;
        if (is_last) return {true, exact};
        walk.take_edge();
        if (crosses && batch.tol > 0 && walk.edges % edges_between_gap_checks == 0) {
            const double height = walk.walked_cost + walk.walked_rest + slope * walk.unmoved();
            if (walk.unmoved() - crossing(height, slope, kappa, p) <= batch.tol) return {false, within_tolerance};
        }
    }
    return {false, walk.is_cut_off ? cut_off : exact};
}

struct Point {
    double unmoved;
    double partial;  // of the edge that was found
};

RPW_INLINE double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

RPW_INLINE Point point_of(const Walk& walk, const Batch& batch, double kappa, const Stop& stop, double cost) {
    const double before = walk.unmoved();
    if (!stop.is_on_edge) return {before, 0};
    if (batch.question != question_crossing) return {batch.unmoved, before - batch.unmoved};
    const double slope = walk.lambda, part = walk.share(walk.amount);
    const double after = walk.share(walk.total - walk.moved - walk.amount);
    const double found = crossing(cost + slope * before, slope, kappa, batch.p);
    const double distance = clamped(found, after, before);
    if (slope == 0) return {distance, part};
    return {distance, clamped((power(kappa * distance, batch.p) - cost) / slope, 0, part)};
}

struct Answer {
    double value, lower, upper;
};

RPW_INLINE Answer answer_crossing(const Walk& walk, double kappa, double p, double distance, double dual_sum) {
    double lower = crossing(walk.lambda - dual_sum, walk.lambda, kappa, p);
    if (lower > distance || distance - lower <= 1e-12 * distance) lower = distance;
    return {distance, lower, distance};
}

// A walk that was cut off knows no cost, only what bounds it from below.
RPW_INLINE Answer answer_mass(const Walk& walk, const Batch& batch, double cost, double dual_sum) {
    double lower = walk.lambda - dual_sum - walk.lambda * batch.unmoved;
    if (cost < infinite() && cost - lower <= 1e-12 * cost) lower = cost;
    const double value = batch.scale * root(cost, batch.p);
    return {value, batch.scale * root(lower, batch.p), value};
}

// Goes on to the price and answers; with plans and potentials where it is the last one.
RPW_INLINE void answer_at(Walk& walk, const Batch& batch, long long pair, int price) {
    const bool crosses = batch.question == question_crossing;
    const double kappa = RPW_OWN_PRICE ? batch.kappas[pair] : RPW_SEVERAL ? batch.kappas[price] : batch.kappa;
    const bool is_last = !RPW_SEVERAL || price + 1 == batch.prices;
    // Once a unit more costs as much as the dearest pair, the rest may take any way at that price.
    const double dearest = walk.cost.truncation_p;
    const bool is_truncated = dearest < infinite();
    const double limit = is_truncated ? dearest * (1 - 1e-12) : infinite();
    const Stop stop = walk_along(walk, batch, kappa, crosses ? infinite() : limit, pair);
    const BalancedPair masses(batch, batch.first[pair], batch.second[pair]);  // anew: no registers while it walks
#if RPW_CUTOFF
    if (stop.status == beyond_cutoff) {
        if (batch.u != nullptr) {
            walk.certificate(masses);
            walk.write_potentials(pair);
        }
        walk.team.barrier();
        walk.team.once([&] {
            if (batch.multiplier != nullptr) batch.multiplier[pair] = walk.lambda;
            batch.value[pair] = batch.lower[pair] = batch.upper[pair] = infinite();
            batch.status[pair] = beyond_cutoff;
        });
        return;
    }
#endif
    const double vertex_cost = walk.plan_cost();
    const Point point = point_of(walk, batch, kappa, stop, vertex_cost);
    double cost_p = vertex_cost + walk.lambda * point.partial;
    if (!crosses && is_truncated && walk.lambda >= limit && !stop.is_on_edge) {
        const double left = walk.unmoved() - batch.unmoved;
        if (left > 0) cost_p += dearest * left;
        walk.lambda = limit;
    }
    if (stop.status == cut_off) cost_p = infinite();
    if (is_last && batch.plan_start != nullptr) walk.write_plan(pair, point.partial);
    const double dual_sum = is_last ? walk.certificate(masses) : walk.certificate_on_the_way(masses);
    if (is_last && batch.u != nullptr) walk.write_potentials(pair);
    const Answer answer = crosses ? answer_crossing(walk, kappa, batch.p, point.unmoved, dual_sum)
                                  : answer_mass(walk, batch, cost_p, dual_sum);
    const long long place = RPW_SEVERAL ? pair * batch.prices + price : pair;
    walk.team.barrier();
    walk.team.once([&] {
        batch.value[place] = answer.value;
        batch.lower[place] = answer.lower;
        batch.upper[place] = answer.upper;
        batch.status[pair] = stop.status;
        if (batch.multiplier != nullptr) batch.multiplier[pair] = walk.lambda;
        if (batch.work != nullptr) {
            batch.work[3 * pair] = walk.reached;
            batch.work[3 * pair + 1] = walk.edges;
            batch.work[3 * pair + 2] = walk.renewed;
        }
    });
}

RPW_INLINE void solve_pair(Team& team, const Batch& batch, const Costs& cost, const Workspace& at, long long pair) {
    const BalancedPair masses(batch, batch.first[pair], batch.second[pair]);
    Walk walk{team,
              batch,
              cost,
              at,
              masses.rows,
              masses.columns,
              masses.total,
              masses.negligible,
              masses.a.each > 0 && masses.a.each == masses.b.each};
    walk.start(masses);
    // RPW falls as the price grows: the crossings lie on the way in the order of the prices.
    const int prices = RPW_SEVERAL ? batch.prices : 1;
    for (int price = 0; price < prices; ++price) answer_at(walk, batch, pair, price);
}

}  // namespace rpw_cuda
