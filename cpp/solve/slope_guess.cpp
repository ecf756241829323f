// See slope_guess.hpp.
#include "solve/slope_guess.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Beyond two points before the goal, as if ε fell by the same factor whenever λ grows by the same amount.
SlopeGuess guess_beyond(const Goal& goal, const ProfilePoint& before, const ProfilePoint& left, double least_unmoved) {
    const double stretch = std::log(before.unmoved / left.unmoved);
    if (!(stretch > 0)) return {left.lambda, left.unmoved};
    const double step = (left.lambda - before.lambda) / stretch;  // while ε falls to 1/e of itself
    const double end = std::max(0.0, std::log(left.unmoved / least_unmoved));
    const double t = last_beyond(end, [&](double x) {
        const double unmoved = left.unmoved * std::exp(-x), moved = left.unmoved - unmoved;
        return goal.is_beyond(unmoved, left.cost_p + left.lambda * moved + step * (moved - unmoved * x));
    });
    return {left.lambda + step * t / (1 + slower_further_on * t), left.unmoved * std::exp(-t)};
}

// How far λ grows from the left towards a guess, where nothing is known on the right. Slopes are counted from the least
// one, so that it does not matter how far apart the measures lie.
double step_towards(double lambda, const NeighbourProfile& neighbours, const Known& known) {
    const double low = known.left.lambda, rise = low - neighbours.first_slope();
    if (!(rise > 0)) return low;
    const int fell_short = std::max(0, known.same_side);
    const double least = least_growth * std::pow(2.0, fell_short) * rise;
    const double step = std::max(near_side * (lambda - low), least);
    const double way = neighbours.largest() - low;  // there everything moves
    if (!(way > 0)) return step;
    return std::min(step, fell_short < 3 ? towards_dearest * way : way + 1e-9 * neighbours.largest());
}

double least_positive(const Powers& cost) {
    double least = unreachable;
    for (std::size_t e = 0; e < cost.size(); ++e) {
        if (cost.data[e] > 0) least = std::min(least, cost.data[e]);
    }
    return least;
}

// How much steeper the profile may be than that of the neighbours: as much as it was up to the left point, within
// bounds.
double steepness(const Goal& goal, const NeighbourProfile& neighbours, const ProfilePoint& left) {
    const double first = neighbours.first_slope(), rise = left.lambda - first;
    const double here = neighbours.slope_at(left.unmoved) - first;
    const double seen = rise > 0 && here > 0 ? 0.85 * rise / here : 0;
    return std::clamp(seen, steeper_than_neighbours,
                      std::max(steeper_than_neighbours, std::pow(most_steeper, goal.p / 2)));
}

}  // namespace

SlopeGuess guess_goal(const Goal& goal, const Known& known, double least_unmoved) {
    return known.right ? guess_between(goal, known.left, *known.right)
                       : guess_beyond(goal, known.before, known.left, least_unmoved);
}

double first_lambda(const PowerProblem& problem, const Goal& goal, const NeighbourProfile& neighbours, double at_goal,
                    const Known& known, double least_unmoved) {
    const double first = neighbours.first_slope(), low = known.left.lambda;
    const double by_neighbours = std::min(first + steepness(goal, neighbours, known.left) * (at_goal - first),
                                          at_goal + towards_dearest * (neighbours.largest() - at_goal));
    double guess = by_neighbours;
    if (known.before.unmoved < 1) {
        const double by_walk = guess_goal(goal, known, least_unmoved).lambda;
        guess = std::max(guess, low + step_towards(by_walk, neighbours, known));
    }
    if (guess > low) return guess;
    if (low > first) return first + 2 * (low - first);
    if (first > 0) return 1.15 * first;  // all neighbours are equally near, and at their own price nothing moves
    const double least = least_positive(problem.powers);
    return least < unreachable ? least / 2 : 1;
}

double next_lambda(const SlopeGuess& guess, const NeighbourProfile& neighbours, const Known& known) {
    const double low = known.left.lambda;
    if (!known.right) {
        const bool is_far = known.same_side > 1 && known.left.unmoved > long_way * guess.unmoved;
        if (is_far && neighbours.largest() > low) return neighbours.largest() * (1 + 1e-9);
        return low + step_towards(guess.lambda, neighbours, known);
    }
    return lambda_between(guess, neighbours.first_slope(), known, least_part);
}

double corrected_lambda(const Goal& goal, const ProfilePoint& plan, const NeighbourProfile& neighbours,
                        double least_unmoved) {
    const double unmoved = std::max(plan.unmoved, least_unmoved), stretch = -std::log(unmoved);
    const double rise = plan.lambda - neighbours.first_slope();
    if (!(rise > 0) || !(stretch > 0)) return plan.lambda;
    const double step = rise / stretch;  // while ε falls to 1/e of itself
    const double t = last_beyond(furthest_down + furthest_up, [&](double x) {
        const double further = x - furthest_down, left = unmoved * std::exp(-further), moved = unmoved - left;
        const double cost_p = plan.cost_p + plan.lambda * moved + step * (moved - left * further);
        return goal.is_beyond(left, std::max(0.0, cost_p));
    });
    return plan.lambda + step * (t - furthest_down);
}

double lambda_past_goal(const Goal& goal, const Known& known, const NeighbourProfile& neighbours,
                        double least_unmoved) {
    const ProfilePoint& vertex = known.right ? *known.right : known.left;
    const double way = std::abs(corrected_lambda(goal, vertex, neighbours, least_unmoved) - vertex.lambda);
    const double least = least_past_goal * std::pow(2.0, std::abs(known.same_side) - 1) * vertex.lambda;
    const double step = std::max(past_goal * way, least);
    return known.right ? std::max(vertex.lambda - step, vertex.lambda / 2) : vertex.lambda + step;
}

bool spans_many_orders(const Known& known) {
    return known.right && known.right->lambda > many_orders * known.left.lambda;
}

}  // namespace rpw
