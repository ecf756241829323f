// See slope_guess.hpp.
#include "solve/slope_guess.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
static const double damp = getenv("DAMP") ? atof(getenv("DAMP")) : 0.3;
static const double logw = getenv("LOGW") ? atof(getenv("LOGW")) : 0;

namespace rpw {

namespace {

constexpr int halvings = 30;

// A right end with less than this share of what is unmoved at the left one is far away: a cubic between them follows
// neither.
constexpr double far_away = 0.25;

// The largest t in [0, end] at which the goal still lies beyond.
template <class IsBeyond>
double last_beyond(double end, const IsBeyond& is_beyond) {
    double low = 0, high = end;
    for (int step = 0; step < halvings; ++step) {
        const double t = (low + high) / 2;
        (is_beyond(t) ? low : high) = t;
    }
    return low;
}

double chord(const ProfilePoint& left, const ProfilePoint& right) {
    return (right.cost_p - left.cost_p) / (left.unmoved - right.unmoved);
}

// The cubic through both points with their slopes.
SlopeGuess on_cubic(const Goal& goal, const ProfilePoint& l, const ProfilePoint& r) {
    const double width = l.unmoved - r.unmoved;
    // Where all mass is moved, every larger λ gives the same vertex; its slope is then that of a parabola.
    const double right_slope = r.unmoved > 0 ? r.lambda : std::min(r.lambda, 2 * chord(l, r) - l.lambda);
    const double s = last_beyond(1, [&](double x) {
        const double t = 1 - x;
        const double cost_p = r.cost_p * (1 + 2 * t) * x * x - width * right_slope * t * x * x +
                              l.cost_p * t * t * (3 - 2 * t) + width * l.lambda * t * t * x;
        return goal.is_beyond(r.unmoved + t * width, std::max(0.0, cost_p));
    });
    const double t = 1 - s;
    const double slope =
        6 * t * s * chord(l, r) + right_slope * (1 - 4 * t + 3 * t * t) + l.lambda * (3 * t * t - 2 * t);
    return {slope, r.unmoved + t * width};
}

}  // namespace

SlopeGuess guess_beyond(const Goal& goal, const ProfilePoint& before, const ProfilePoint& left, double least_unmoved) {
    // λ grows by this much while ε falls to 1/e of itself.
    const double step = (left.lambda - before.lambda) / std::log(before.unmoved / left.unmoved);
    const double end = std::max(0.0, std::log(left.unmoved / least_unmoved));
    const double t = last_beyond(end, [&](double x) {
        const double unmoved = left.unmoved * std::exp(-x), moved = left.unmoved - unmoved;
        return goal.is_beyond(unmoved, left.cost_p + left.lambda * moved + step * (moved - unmoved * x));
    });
    return {left.lambda + step * t / (1 + damp * t), left.unmoved * std::exp(-t)};
}

SlopeGuess guess_between(const Goal& goal, const ProfilePoint& left, const ProfilePoint& right, double least_unmoved) {
    SlopeGuess guess = on_cubic(goal, left, right);
    if (right.unmoved > far_away * left.unmoved) return guess;
    // As above, with what is known about the right end.
    const double step = right.unmoved > 0 ? (right.lambda - left.lambda) / std::log(left.unmoved / right.unmoved)
                                          : chord(left, right) - left.lambda;
    const double way = std::log(left.unmoved / std::max(guess.unmoved, least_unmoved));
    const double other = std::min(left.lambda + step * std::max(0.0, way), right.lambda);
    guess.lambda += logw * (other - guess.lambda);
    return guess;
}

}  // namespace rpw
