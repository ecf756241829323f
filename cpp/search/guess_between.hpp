// Which λ a search tries next, where it knows a vertex on either side of the goal.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "search/bracket.hpp"

namespace rpw {

// Where the goal may lie.
struct SlopeGuess {
    double lambda;
    double unmoved;
};

// The largest t from `begin` to `end` at which the goal still lies beyond.
template <class IsBeyond>
double last_beyond(double begin, double end, const IsBeyond& is_beyond) {
    double low = begin, high = end;
    while (high - low > tuning::a_little * (end - begin)) {
        const double t = (low + high) / 2;
        (is_beyond(t) ? low : high) = t;
    }
    return low;
}

// As if the slope grew like a power of the distance from the end near which it grows less, with the power that leads
// from the one cost to the other.
inline SlopeGuess guess_between(const Goal& goal, const ProfilePoint& l, const ProfilePoint& r) {
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

// The λ to try after such a guess: further, the longer no vertex was found on the other side, and no nearer to either
// end than `from_ends` of the way between them. `first_slope`: no slope of the profile is less.
inline double lambda_between(const SlopeGuess& guess, double first_slope, const Known& known, double from_ends) {
    using namespace tuning;
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

}  // namespace rpw
