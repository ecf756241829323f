// See on_points.hpp.
#include "points/on_points.hpp"

#include <algorithm>
#include <cmath>

#include "base/breakpoints.hpp"
#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "points/coarse.hpp"
#include "points/point_search.hpp"
#include "search/read_off.hpp"
#include "walk/walked_profile.hpp"

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
    const Points &x = pair.a.points, &y = pair.b.points;
    const double unit = length_unit(x, y);
    if (unit == unreachable) throw TooFarApart();
    const double diameter = box_diameter(x, y, pair.space.metric);
    const double scale = std::min(diameter > 0 ? diameter : 1.0, longest);
    if (static_cast<double>(x.count) * y.count > most_pairs_instead) return scale;
    const PointCost cost(pair.space.metric, pair.space.metric == Metric::euclidean ? unit : 1, scale, p);
    // Dense solves choose a unit by what lies at p = ∞ where powers of one unit would vanish.
    return cost.is_sound() && !powers_vanish(least_step(x, y), scale, p) ? std::optional(scale) : std::nullopt;
}

// What a search over trees leaves.
struct FoundOnPoints : Finding {
    static constexpr bool always_proven = false;
    const PointSearch& search;

    FoundOnPoints(const PointSearch& from, Status status)
        : Finding{status, Solver::points, from.pivots(), from.unmoved(), from.cost_p(), from.lambda()}, search(from) {}
    std::vector<PlanEntry> plan() const { return search.plan(); }
    double certify(std::vector<double>& u, std::vector<double>& v) const { return search.certify(u, v); }
    std::vector<double> row_potentials() const { return search.row_potentials(); }
};

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
    if (found.has_cut()) {
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
    Outcome outcome = read_crossing(FoundOnPoints(search, *status), price, scale, question);
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
    const bool is_partial = is_truncated || *status == Status::time_limit;
    Outcome outcome = read_mass(FoundOnPoints(search, *status), is_partial ? price : 0, 0, scale, question);
    if (outcome.status == Status::time_limit && coarse) {
        improve(outcome, as_outcome(*std::move(coarse), problem, scale, goal));
    }
    return outcome;
}

}  // namespace

Reply<Outcome> solve_on_points(const Pair& pair, const Question& question, double most_work, Pulse& pulse) {
    const bool crosses = question.quantity == Quantity::crossing;
    const auto scale = scale_on_points(pair, crosses ? question.kappa : question.truncation, question.p);
    if (!scale) return Declined::not_its_kind;
    const PointProblem problem = point_problem(pair, *scale, question.p, pulse);
    const double diameter = box_diameter(pair.a.points, pair.b.points, pair.space.metric);
    auto outcome = crosses ? cross(problem, *scale, question, most_work, pulse)
                           : move(problem, *scale, diameter, question, most_work, pulse);
    if (!outcome) return Declined::too_much_work;
    return *std::move(outcome);
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

Reply<std::vector<double>> several_on_points(const Pair& pair, const Question& question, std::span<const double> kappas,
                                             double most_work, Pulse& pulse) {
    const double p = question.p;
    const auto scale = scale_on_points(pair, kappas.back(), p);
    if (!scale || powers_vanish(kappas.front(), *scale, p)) return Declined::not_its_kind;
    const PointProblem problem = point_problem(pair, *scale, p, pulse);
    PointSearch search(problem, {scaled_price(kappas.front(), *scale).kappa, p}, pulse);
    search.allow(most_work);
    auto values = cross_in_turn(search, kappas, *scale, p);
    if (!values) return Declined::too_much_work;
    return *std::move(values);
}

Reply<Band> profile_on_points(const Pair& pair, const Question& question, Pulse& pulse) {
    const double p = question.p;
    const auto scale = scale_on_points(pair, unreachable, p);
    if (!scale) return Declined::not_its_kind;
    const PointProblem problem = point_problem(pair, *scale, p, pulse);
    pulse.begin_news(*scale);
    Curve curve = walk_whole_profile<PointWalk>(problem, question.max_breakpoints, pulse);
    curve.scale = *scale;
    curve.solver = Solver::points;
    curve.used_up_a = as_given(curve.used_up_a, problem.rows);
    curve.used_up_b = as_given(curve.used_up_b, problem.columns);
    return Band{std::move(curve), std::nullopt};
}

}  // namespace rpw
