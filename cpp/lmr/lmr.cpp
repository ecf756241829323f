// See lmr.hpp.
#include "lmr/lmr.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/breakpoints.hpp"
#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "flow/thresholds.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "lmr/lmr_walk.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Half of (L + tol)^p - L^p: everything here is in units of κ^p. 0 where that is no float64.
double unit_for(double p, double tol, double lower) {
    if (lower == 0) return 0.5 * std::pow(tol, p);
    const double growth = std::expm1(p * std::log1p(tol / lower));
    return std::isfinite(growth) ? 0.5 * std::pow(lower, p) * growth : 0;
}

// The costs of a pair in whole units, computed row by row.
template <class Cost>
std::unique_ptr<Cost[]> rounded_costs(const Pair& pair, const Question& question, double scale, double unit, Cost cap,
                                      Pulse& pulse) {
    const std::size_t columns = pair.b.mass.size();
    auto costs = std::make_unique_for_overwrite<Cost[]>(pair.a.mass.size() * columns);
    for_each_row(pair, question.truncation, pulse, [&](Node i, const double* distances) {
        rounded_powers(distances, columns, scale, question.p, unit, cap, &costs[i * columns]);
    });
    return costs;
}

// One run on given costs, with everything in units of the rounding; `kappa` is in units to the power 1/p.
template <class Cost>
Outcome cross_rounded(const RoundedProblem<Cost>& problem, double kappa, double p, double tol, Pulse& pulse) {
    LmrWalk<Cost> walk(problem, pulse);
    // Mass may move along a path until the cost of the plan reaches (κ ε)^p.
    const auto allow = [&](std::int64_t path_cost, Mass available) {
        const auto slope = static_cast<double>(path_cost);
        const double before = walk.unmoved(), part = static_cast<double>(available) / walk.total();
        if (kappa * (before - part) > root(walk.cost() + slope * part, p)) return available;
        const double distance = crossing(walk.cost() + slope * before, slope, kappa, p);
        const double share = moved_to_crossing(before, walk.cost(), distance, slope, kappa, p);
        const auto moved = static_cast<Mass>(share * static_cast<double>(walk.total()));
        return std::clamp<Mass>(moved, 0, available - 1);
    };
    const auto lower = [&] {
        const double slope = walk.dual_slope();
        return crossing(slope - walk.dual_sum(), slope, kappa, p);
    };
    Outcome outcome;
    const bool in_time = ends_in_time([&] {
        while (walk.phase(allow)) {
            if (walk.ended()) break;
            if (tol > 0 && walk.unmoved() - lower() <= tol) {
                outcome.status = Status::tolerance;
                break;
            }
        }
    });
    if (!in_time) outcome.status = Status::time_limit;
    outcome.solver = Solver::lmr;
    outcome.value = outcome.upper = outcome.unmoved = walk.unmoved();
    outcome.lower = std::min(lower(), outcome.value);
    outcome.multiplier = walk.dual_slope();
    outcome.u = walk.u();
    outcome.v = walk.v();
    outcome.plan = walk.plan();
    outcome.iterations = walk.phases();
    return outcome;
}

template <class Cost>
Curve rounded_profile(const RoundedProblem<Cost>& problem, std::size_t max_breakpoints, Pulse& pulse) {
    LmrWalk<Cost> walk(problem, pulse);
    Curve curve;
    curve.solver = Solver::lmr;
    while (walk.phase([](std::int64_t, Mass available) { return available; })) {
        if (curve.unmoved.back() - walk.unmoved() <= slack_of(walk.unmoved())) continue;
        curve.unmoved.push_back(walk.unmoved());
        curve.cost.push_back(walk.cost());
        if (pulse.is_asked()) pulse.tell_moved(1 - walk.unmoved(), walk.phases());  // rounded costs are no bounds
        check_breakpoints(curve.cost.size(), max_breakpoints);
    }
    return curve;
}

template <class Cost>
Outcome one_round(const Pair& pair, const Question& question, double tol, double unit, Cost cap, Pulse& pulse) {
    const auto costs = rounded_costs(pair, question, question.kappa, unit, cap, pulse);
    const RoundedProblem<Cost> problem{costs.get(), pair.masses(), cap};
    Outcome outcome = cross_rounded(problem, std::pow(unit, -1 / question.p), question.p, tol, pulse);
    if (outcome.status == Status::exact) outcome.status = Status::tolerance;
    outcome.multiplier *= unit;
    for (double& u : outcome.u) u *= unit;
    for (double& v : outcome.v) v *= unit;
    outcome.scale = question.kappa;
    return outcome;
}

// The plan with the smaller upper bound, and the potentials with the larger lower one: both were proven.
Outcome better_of(Outcome first, Outcome second) {
    const bool is_second_nearer = second.upper <= first.upper;
    Outcome &nearer = is_second_nearer ? second : first, &other = is_second_nearer ? first : second;
    if (other.lower > nearer.lower) {
        nearer.lower = std::min(other.lower, nearer.upper);
        nearer.multiplier = other.multiplier;
        nearer.u = std::move(other.u);
        nearer.v = std::move(other.v);
    }
    return std::move(nearer);
}

double largest_distance(const Pair& pair, double truncation, Pulse& pulse) {
    double largest = 0;
    for_each_row(pair, truncation, pulse, [&](Node, const double* row) {
        largest = std::max(largest, *std::max_element(row, row + pair.b.mass.size()));
    });
    return largest;
}

// The smallest bound that is at most tol below `upper`, also after rounding.
double just_below(double upper, double tol) {
    double lower = std::max(0.0, upper - tol);
    while (upper - lower > tol) lower = std::nextafter(lower, upper);
    return lower;
}

// F lies at most the mass moved (in units of tol^p) below the curve, and never below 0.
Curve lowered(const Curve& curve) {
    Curve lower;
    lower.solver = curve.solver;
    lower.scale = curve.scale;
    double before = 0;
    const auto add = [&](double unmoved, double cost) {
        lower.slope.push_back((cost - lower.cost.back()) / (lower.unmoved.back() - unmoved));
        lower.unmoved.push_back(unmoved);
        lower.cost.push_back(cost);
    };
    for (std::size_t s = 1; s < curve.cost.size(); ++s) {
        const double end = curve.unmoved[s], after = curve.cost[s] - (1 - end);
        if (std::min(before, after) < 0 && std::max(before, after) > 0) {  // it meets 0 on the way
            const double zero = end + (curve.unmoved[s - 1] - end) * after / (after - before);
            if (lower.unmoved.back() - zero > smallest_step && zero - end > smallest_step) add(zero, 0);
        }
        add(end, std::max(after, 0.0));
        before = after;
    }
    return lower;
}

}  // namespace

std::optional<Outcome> cross_by_lmr(const Pair& pair, const Question& question, Pulse& pulse) {
    const double tol = std::min(question.tol, 1.0);
    std::optional<Outcome> best;
    for (int round = 0; round < 2; ++round) {
        const double bound = best ? best->lower : std::min(first_lower_in_tols * question.tol, 1.0);
        const double unit = unit_for(question.p, tol, bound);
        if (unit < smallest_unit || 1 / (tol * unit) > most_units) break;
        // Where F is steeper than κ^p / tol, the crossing is less than tol away: no need to know such costs.
        const auto cap = static_cast<std::int64_t>(std::ceil(1 / (tol * unit))) + 3;
        Outcome result;
        const bool in_time = ends_in_time([&] {
            result = cap < narrow_cost ? one_round(pair, question, tol, unit, static_cast<std::int32_t>(cap), pulse)
                                       : one_round(pair, question, tol, unit, cap, pulse);
        });
        if (!in_time && !best) throw TimeUp();
        const bool is_last = !in_time || result.status == Status::time_limit;
        if (in_time) best = best ? better_of(*std::move(best), std::move(result)) : std::move(result);
        if (best->upper - best->lower <= question.tol) return best;
        if (is_last) {
            best->status = Status::time_limit;
            return best;
        }
    }
    return std::nullopt;
}

std::optional<Outcome> cross_rounded_thresholds(const LengthProblem& problem, const Question& question, Pulse& pulse) {
    const Distances& distances = problem.distances;
    const double step = question.kappa * std::min(question.tol, 1.0);
    if (!(step * most_units_without_cap > range_of(distances.data, distances.size()).largest)) return std::nullopt;
    Room room;
    double* rounded = room.of_size(distances.size());
    for (std::size_t e = 0; e < distances.size(); ++e) rounded[e] = std::ceil(distances.data[e] / step) * step;
    const LengthProblem rough{{{rounded, distances.rows, distances.columns}}, problem.masses};
    const Unwatched unwatched(pulse);  // bounds of rounded lengths
    Outcome outcome = cross_thresholds(rough, question.kappa, 0, question.need, pulse);
    const bool is_proven = outcome.status == Status::exact;
    outcome.solver = Solver::lmr;
    outcome.status = is_proven ? Status::tolerance : Status::time_limit;
    outcome.lower = is_proven ? just_below(outcome.value, question.tol) : 0;
    for (std::size_t e = 0; e < outcome.plan.size(); ++e) {
        outcome.lengths[e] = distances.at(outcome.plan[e].row, outcome.plan[e].column);
    }
    return outcome;
}

std::optional<Band> profile_by_lmr(const Pair& pair, const Question& question, Pulse& pulse) {
    const double ratio = std::max(largest_distance(pair, question.truncation, pulse) / question.tol, 1.0);
    if (question.p * std::log2(ratio) + 1 > std::log2(most_units_without_cap)) return std::nullopt;
    const auto units = static_cast<std::int64_t>(std::ceil(2 * std::pow(ratio, question.p))) + 1;
    const auto run = [&]<class Cost>(Cost top) {
        const auto costs = rounded_costs(pair, question, question.tol, 0.5, top, pulse);
        const RoundedProblem<Cost> problem{costs.get(), pair.masses(), std::numeric_limits<Cost>::max()};
        return rounded_profile(problem, question.max_breakpoints, pulse);
    };
    Curve curve = units < narrow_cost ? run(static_cast<std::int32_t>(units)) : run(units);
    for (double& cost : curve.cost) cost *= 0.5;
    for (std::size_t s = 1; s < curve.cost.size(); ++s) {
        const double rise = curve.cost[s] - curve.cost[s - 1];
        curve.slope.push_back(rise / -(curve.unmoved[s] - curve.unmoved[s - 1]));
    }
    curve.scale = question.tol;
    return Band{curve, lowered(curve)};
}

}  // namespace rpw
