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

// Where a search is to end, in units of the scale, and what its numbers are worth.
struct Aim {
    Aim(const Question& question, double scale)
        : crosses(question.quantity == Quantity::crossing),
          price(scaled_price(crosses ? question.kappa : scale, scale)),
          goal(crosses ? Goal{price.kappa, question.p} : Goal{0, question.p, question.unmoved}) {
        if (crosses) limits = {price.tol(question.tol), std::min(1.0, question.cutoff / price.shrink)};
    }

    bool crosses;
    Price price;
    Goal goal;
    Limits limits;
};

// The crossing; or the mass that is asked for, and under a truncated distance what is worth moving: the rest stays for
// the price t^p. Nothing if that takes more work.
std::optional<Outcome> search_on(const PointProblem& problem, double scale, double diameter, const Question& question,
                                 double most_work, Pulse& pulse) {
    const Aim aim(question, scale);
    const bool is_truncated = question.truncation < unreachable;
    const double longest = is_truncated ? question.truncation : diameter;
    const double dearest = std::min(power(longest / scale, question.p), largest_power);
    pulse.begin_news(aim.crosses ? aim.price.shrink : scale);
    std::optional<Outcome> coarse;
    if (aim.price.shrink == 1 && !is_truncated && most_work == unreachable) {
        coarse = bounds_by_cells(problem, scale, aim.goal, aim.limits.tol, pulse);
    }
    const bool is_enough =
        coarse && (coarse->status == Status::time_limit || coarse->upper - coarse->lower <= aim.limits.tol);
    if (is_enough) return coarse;
    PointSearch search(problem, aim.goal, pulse, is_truncated ? dearest : unreachable);
    search.allow(most_work);
    const auto status = search.run(aim.limits);
    if (!status) return {};
    const FoundOnPoints found(search, *status);
    const bool leaves_some = is_truncated || *status == Status::time_limit;
    Outcome outcome = aim.crosses ? read_crossing(found, aim.price, scale, question)
                                  : read_mass(found, leaves_some ? dearest : 0, 0, scale, question);
    if (outcome.status == Status::time_limit && coarse) improve(outcome, *std::move(coarse));
    return outcome;
}

}  // namespace

Reply<Outcome> solve_on_points(const Pair& pair, const Question& question, double most_work, Pulse& pulse) {
    const bool crosses = question.quantity == Quantity::crossing;
    const auto scale = scale_on_points(pair, crosses ? question.kappa : question.truncation, question.p);
    if (!scale) return Declined::not_its_kind;
    const PointProblem problem = point_problem(pair, *scale, question.p, pulse);
    const double diameter = box_diameter(pair.a.points, pair.b.points, pair.space.metric);
    auto outcome = search_on(problem, *scale, diameter, question, most_work, pulse);
    if (!outcome) return Declined::too_much_work;
    return *std::move(outcome);
}

std::optional<Outcome> first_bounds_on_points(const Pair& pair, const Question& question, Pulse& pulse) {
    const bool crosses = question.quantity == Quantity::crossing;
    const auto scale = scale_on_points(pair, crosses ? question.kappa : unreachable, question.p);
    if (!scale) return {};
    const Aim aim(question, *scale);
    if (aim.price.shrink < 1) return {};
    const PointProblem problem = point_problem(pair, *scale, question.p, pulse);
    pulse.begin_news(crosses ? 1 : *scale);
    return bounds_by_cells(problem, *scale, aim.goal, unreachable, pulse);  // the first level is near enough
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
