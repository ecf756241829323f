// See points.hpp.
#include "solve/points.hpp"

#include <algorithm>
#include <cmath>

#include "base/breakpoints.hpp"
#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "solve/coarse.hpp"
#include "solve/first_bounds.hpp"
#include "solve/point_search.hpp"
#include "solve/walked_profile.hpp"

namespace rpw {

using namespace tuning;

namespace {

// No two points that differ lie nearer to each other: the least step along any axis.
double least_step(const Points& x, const Points& y) {
    double least = unreachable;
    std::vector<double> at;
    for (Node t = 0; t < x.dimension; ++t) {
        at.clear();
        for (const Points* points : {&x, &y}) {
            for (Node i = 0; i < points->count; ++i) at.push_back(points->at(i)[t]);
        }
        std::sort(at.begin(), at.end());
        for (std::size_t e = 1; e < at.size(); ++e) {
            if (at[e] > at[e - 1]) least = std::min(least, at[e] - at[e - 1]);
        }
    }
    return least;
}

// The unit of costs, or nothing where the points have to be left to a matrix.
std::optional<double> scale_on_points(const Pair& pair, double longest, double p) {
    if (pair.space.matrix || std::isinf(p)) return {};
    const Points &x = pair.a.points, &y = pair.b.points;
    const double unit = length_unit(x, y);
    if (unit == unreachable) throw TooFarApart();
    const double diameter = box_diameter(x, y, pair.space.metric);
    const double scale = std::min(diameter > 0 ? diameter : 1.0, longest);
    if (static_cast<double>(x.count) * y.count > most_pairs_instead) return scale;
    const PointCost cost(pair.space.metric, pair.space.metric == Metric::euclidean ? unit : 1, scale, p);
    // Dense solves choose a unit by what lies at p = ∞ where powers of one unit would vanish.
    const double least = least_step(x, y);
    const bool loses_powers = least < scale && p * std::log2(scale / least) > most_digits;
    return cost.is_sound() && !loses_powers ? std::optional(scale) : std::nullopt;
}

bool needs_proof(Status status, Need need) { return need != Need::value || status == Status::time_limit; }

// What does not depend on the question; gives the height of the dual line.
double read_off(Outcome& outcome, const PointSearch& search, double scale, double p, Need need) {
    outcome.solver = Solver::points;
    outcome.unmoved = search.unmoved();
    outcome.cost = scale * root(search.cost_p(), p);
    outcome.multiplier = search.lambda();
    outcome.scale = scale;
    outcome.iterations = search.pivots();
    if (need == Need::plan) outcome.plan = search.plan();
    if (needs_proof(outcome.status, need)) return search.certify(outcome.u, outcome.v);
    outcome.u = search.row_potentials();
    return 0;
}

void close_gap(Outcome& outcome) {
    const bool is_exact = outcome.status == Status::exact;
    if (is_exact && outcome.upper - outcome.lower <= same_answer * outcome.upper) outcome.lower = outcome.upper;
}

Outcome as_outcome(Interval&& found, const PointProblem& problem, double scale, const Goal& goal) {
    const auto number = [&](double bound) { return goal.is_crossing() ? bound : scale * root(bound, goal.p); };
    Outcome outcome;
    outcome.status = found.is_cut_off ? Status::time_limit : Status::tolerance;
    outcome.solver = Solver::points;
    outcome.scale = scale;
    outcome.value = outcome.upper = number(found.upper);
    outcome.lower = number(found.lower);
    outcome.unmoved = found.unmoved;
    outcome.cost = scale * root(found.cost_p, goal.p);
    outcome.multiplier = found.lambda;
    outcome.plan = as_given(std::move(found.plan), problem);
    if (found.has_line()) {
        outcome.u = as_given(found.u, problem.rows);
        outcome.v = as_given(found.v, problem.columns);
    }
    outcome.iterations = found.pivots;
    return outcome;
}

bool is_enough(const Interval& known, double tol) { return known.is_cut_off || known.width() <= tol; }

// Nothing if that takes more work.
std::optional<Outcome> cross(const PointProblem& problem, double scale, const Question& question, double most_work,
                             Pulse& pulse) {
    const Price price = scaled_price(question.kappa, scale);
    const double p = question.p, cutoff = std::min(1.0, question.cutoff / price.shrink);
    pulse.begin_news(price.shrink);
    const double tol = price.tol(question.tol);
    const Goal goal{price.kappa, p};
    std::optional<Interval> coarse;
    if (price.shrink == 1 && most_work == unreachable) coarse = bounds_by_cells(problem, goal, tol, pulse);
    if (coarse && is_enough(*coarse, tol)) return as_outcome(*std::move(coarse), problem, scale, goal);
    PointSearch search(problem, goal, pulse);
    search.allow(most_work);
    const auto status = search.run({tol, cutoff});
    if (!status) return {};
    Outcome outcome;
    outcome.status = *status;
    const double height = read_off(outcome, search, scale, p, question.need);
    outcome.value = outcome.lower = outcome.upper = price.share(search.unmoved(), outcome.status);
    if (needs_proof(outcome.status, question.need)) {
        outcome.lower = std::min(price.shrink * crossing(height, outcome.multiplier, price.kappa, p), outcome.upper);
        if (outcome.status == Status::time_limit) raise_lower(outcome, price.shrink * search.lower());
        close_gap(outcome);
    }
    if (outcome.status == Status::beyond_cutoff) outcome.lower = question.cutoff;
    if (outcome.status == Status::time_limit && coarse) {
        improve(outcome, as_outcome(*std::move(coarse), problem, scale, goal));
    }
    return outcome;
}

// The mass that is asked for, or under a truncated distance what is worth moving: the rest stays for the price t^p.
std::optional<Outcome> move(const PointProblem& problem, double scale, double diameter, const Question& question,
                            double most_work, Pulse& pulse) {
    const double p = question.p;
    const bool is_truncated = question.truncation < unreachable;
    const double price = std::min(power((is_truncated ? question.truncation : diameter) / scale, p), largest_power);
    pulse.begin_news(scale);
    const Goal goal{0, p, question.unmoved};
    std::optional<Interval> coarse;
    if (!is_truncated && most_work == unreachable) coarse = bounds_by_cells(problem, goal, 0, pulse);
    if (coarse && is_enough(*coarse, 0)) return as_outcome(*std::move(coarse), problem, scale, goal);
    PointSearch search(problem, goal, pulse, is_truncated ? price : unreachable);
    search.allow(most_work);
    const auto status = search.run();
    if (!status) return {};
    Outcome outcome;
    outcome.status = *status;
    const double height = read_off(outcome, search, scale, p, question.need);
    const bool is_partial = is_truncated || outcome.status == Status::time_limit;
    const double rest = is_partial ? price * std::max(0.0, search.unmoved() - question.unmoved) : 0.0;
    outcome.value = outcome.lower = outcome.upper = scale * root(search.cost_p() + rest, p);
    if (is_truncated) outcome.cost = outcome.value;
    if (needs_proof(outcome.status, question.need)) {
        const double lower_p = height - outcome.multiplier * question.unmoved;
        outcome.lower = std::min(scale * root(lower_p, p), outcome.upper);
        close_gap(outcome);
    }
    if (outcome.status == Status::time_limit && coarse) {
        improve(outcome, as_outcome(*std::move(coarse), problem, scale, goal));
    }
    return outcome;
}

}  // namespace

std::optional<Outcome> solve_on_points(const Pair& pair, const Question& question, double most_work, Pulse& pulse) {
    const bool crosses = question.quantity == Quantity::crossing;
    if (question.truncation < unreachable && (crosses || question.unmoved > 0)) return {};
    const auto scale = scale_on_points(pair, crosses ? question.kappa : question.truncation, question.p);
    if (!scale) return {};
    const PointProblem problem = point_problem(pair, *scale, question.p, pulse);
    if (crosses) return cross(problem, *scale, question, most_work, pulse);
    const double diameter = box_diameter(pair.a.points, pair.b.points, pair.space.metric);
    return move(problem, *scale, diameter, question, most_work, pulse);
}

std::optional<Outcome> first_bounds_on_points(const Pair& pair, const Question& question, Pulse& pulse) {
    const bool crosses = question.quantity == Quantity::crossing;
    const auto scale = scale_on_points(pair, crosses ? question.kappa : unreachable, question.p);
    if (!scale) return {};
    const Price price = scaled_price(question.kappa, *scale);
    if (crosses && price.shrink < 1) return {};
    const PointProblem problem = point_problem(pair, *scale, question.p, pulse);
    const Goal goal = crosses ? Goal{price.kappa, question.p} : Goal{0, question.p, question.unmoved};
    pulse.begin_news(crosses ? 1 : *scale);
    return as_outcome(bounds_of_coarsest_level(problem, goal, pulse), problem, *scale, goal);
}

std::optional<std::vector<double>> several_on_points(const Pair& pair, const Question& question,
                                                     std::span<const double> kappas, double most_work, Pulse& pulse) {
    if (kappas.empty() || question.truncation < unreachable) return {};
    const double p = question.p;
    const auto scale = scale_on_points(pair, kappas.back(), p);
    if (!scale || p * std::log2(*scale / kappas.front()) > most_digits) return {};
    const PointProblem problem = point_problem(pair, *scale, p, pulse);
    double searched = scaled_price(kappas.front(), *scale).kappa;
    PointSearch search(problem, {searched, p}, pulse);
    search.allow(most_work);
    auto status = search.run();
    std::vector<double> values;
    for (const double kappa : kappas) {
        const Price price = scaled_price(kappa, *scale);
        if (status && price.kappa > searched) status = search.go_on({price.kappa, p});
        if (!status) return {};
        if (status == Status::time_limit) throw TimeUp();
        searched = price.kappa;
        values.push_back(price.shrink * search.unmoved());
    }
    return values;
}

std::optional<Curve> profile_on_points(const Pair& pair, const Question& question, Pulse& pulse) {
    const double p = question.p;
    if (question.truncation < unreachable) return {};
    const auto scale = scale_on_points(pair, unreachable, p);
    if (!scale) return {};
    const PointProblem problem = point_problem(pair, *scale, p, pulse);
    pulse.begin_news(*scale);
    WalkedProfileOver<PointWalk> profile(problem, pulse);
    if (!profile.walk(unreachable, question.max_breakpoints)) {
        check_breakpoints(profile.curve().cost.size(), question.max_breakpoints);
    }
    Curve curve = profile.curve();
    curve.scale = *scale;
    curve.solver = Solver::points;
    curve.used_up_a = as_given(curve.used_up_a, problem.rows);
    curve.used_up_b = as_given(curve.used_up_b, problem.columns);
    return curve;
}

}  // namespace rpw
