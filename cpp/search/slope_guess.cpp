// See slope_guess.hpp.
#include "search/slope_guess.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

namespace {

// The largest t from `begin` to `end` at which the goal still lies beyond.
template <class IsBeyond>
double last_beyond(double begin, double end, const IsBeyond& is_beyond) {
    double low = begin, high = end;
    while (high - low > a_little * (end - begin)) {
        const double t = (low + high) / 2;
        (is_beyond(t) ? low : high) = t;
    }
    return low;
}

// How much log ε falls from a point to the goal, if it falls by 1 whenever λ grows by `step`.
double way_to_goal(const Goal& goal, const ProfilePoint& from, double step, double least, double most) {
    return last_beyond(least, most, [&](double t) {
        const double unmoved = from.unmoved * std::exp(-t), moved = from.unmoved - unmoved;
        const double cost_p = from.cost_p + from.lambda * moved + step * (moved - unmoved * t);
        return goal.is_beyond(unmoved, std::max(0.0, cost_p));
    });
}

// Beyond two points before the goal.
SlopeGuess guess_beyond(const Goal& goal, const ProfilePoint& before, const ProfilePoint& left, double least_unmoved) {
    const double stretch = std::log(before.unmoved / left.unmoved);
    if (!(stretch > 0)) return {2 * left.lambda, left.unmoved};
    const double step = (left.lambda - before.lambda) / stretch;
    const double t = way_to_goal(goal, left, step, 0, std::max(0.0, std::log(left.unmoved / least_unmoved)));
    return {left.lambda + step * t, left.unmoved * std::exp(-t)};
}

// How far λ grows from the left towards a guess, where nothing is known on the right. Slopes are counted from the least
// one, so that it does not matter how far apart the measures lie.
double step_towards(double lambda, const Known& known, const SlopeRange& range) {
    const double low = known.left.lambda, rise = low - range.least;
    if (!(rise > 0)) return low;
    const double least = a_little * std::pow(2.0, std::max(0, known.same_side)) * rise;
    const double step = std::max(near_side * (lambda - low), least);
    const double way = range.largest - low;  // there everything moves
    return way > 0 ? std::min(step, way + a_little * range.largest) : step;
}

}  // namespace

SlopeGuess guess_between(const Goal& goal, const ProfilePoint& l, const ProfilePoint& r) {
    const double width = l.unmoved - r.unmoved, chord = (r.cost_p - l.cost_p) / width;
    const double rise = r.lambda - l.lambda, from_left = chord - l.lambda, to_right = r.lambda - chord;
    if (!(from_left > 0) || !(to_right > 0)) return {chord, (l.unmoved + r.unmoved) / 2};
    const bool is_late = to_right > from_left;
    const double q = is_late ? to_right / from_left : from_left / to_right;
    const auto cost_at = [&](double t) {
        if (is_late) return l.cost_p + width * (l.lambda * t + rise * std::pow(t, q + 1) / (q + 1));
        return r.cost_p - width * (r.lambda * (1 - t) - rise * std::pow(1 - t, q + 1) / (q + 1));
    };
    const double t =
        last_beyond(0, 1, [&](double x) { return goal.is_beyond(l.unmoved - x * width, std::max(0.0, cost_at(x))); });
    const double slope = is_late ? l.lambda + rise * std::pow(t, q) : r.lambda - rise * std::pow(1 - t, q);
    return {slope, l.unmoved - t * width};
}

double lambda_between(const SlopeGuess& guess, double first_slope, const Known& known, double from_ends) {
    const double low = known.left.lambda, high = known.right->lambda, width = high - low;
    if (!(width > 0)) return low;
    const double least = std::max({low, first_slope, high * smallest_part});
    if (std::max(least, guess.lambda) < least_part * high) return std::sqrt(least) * std::sqrt(high);
    const bool is_near_left = known.same_side > 0;
    const double guessed = is_near_left ? guess.lambda - low : high - guess.lambda;
    const double near = std::clamp(guessed, from_ends * width, (1 - from_ends) * width);
    const double further = std::pow(2.0, std::max(1, std::abs(known.same_side)) - 1);
    const double step = std::min(further * near, std::max(width / 2, near));
    return is_near_left ? low + step : high - step;
}

SlopeGuess guess_goal(const Goal& goal, const Known& known, double least_unmoved) {
    return known.right ? guess_between(goal, known.left, *known.right)
                       : guess_beyond(goal, known.before, known.left, least_unmoved);
}

double first_lambda(const Goal& goal, const Known& known, const SlopeRange& range, double here, double at_goal,
                    double least_unmoved) {
    const double first = range.least, low = known.left.lambda, rise = low - first;
    // The profile is steeper than a curve below it; how much, the left point tells, or else how little stays.
    const double steeper =
        rise > 0 && here > first ? std::max(1.0, rise / (here - first)) : std::pow(least_unmoved, -steepening * goal.p);
    double guess = std::min(first + steeper * (at_goal - first), range.largest);
    if (known.before.unmoved < 1) {
        const double by_walk = guess_goal(goal, known, least_unmoved).lambda;
        guess = std::max(guess, low + step_towards(by_walk, known, range));
    }
    if (guess > low) return guess;
    if (low > first) return first + 2 * (low - first);
    return 2 * first;  // all are equally near, and at their own price nothing moves
}

double next_lambda(const SlopeGuess& guess, const Known& known, const SlopeRange& range) {
    const double low = known.left.lambda;
    if (!known.right) return low + step_towards(guess.lambda, known, range);
    return lambda_between(guess, range.least, known, least_part);
}

double way_in_lambda(const Goal& goal, const ProfilePoint& from, double step, double least_unmoved) {
    ProfilePoint start = from;
    start.unmoved = std::max(from.unmoved, least_unmoved);
    return step * way_to_goal(goal, start, step, -furthest_guess, furthest_guess);
}

}  // namespace rpw
