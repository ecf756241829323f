// See scale.hpp.
#include "solve/scale.hpp"

#include <algorithm>
#include <cmath>

#include "flow/thresholds.hpp"
#include "ground/powers.hpp"

namespace rpw {

bool loses_powers(const Distances& distances, double scale, double p) {
    const double least = least_positive_distance(distances);
    return least < scale && p * std::log2(scale / least) > 1000;
}

namespace {

// Only distances below 1e-75 of the scale could be lost, and are.
constexpr double small_p = 4;

// The bounds of an answer that time cut off would make a scale that depends on the clock.
const Outcome& in_time(const Outcome& outcome) {
    if (outcome.status == Status::time_limit) throw TimeUp();
    return outcome;
}

}  // namespace

double largest_distance(const Distances& distances) {
    const double largest = range_of(distances.data, distances.size()).largest;
    return largest > 0 ? largest : 1;
}

double least_positive_distance(const Distances& distances) {
    double least = unreachable;
    for (std::size_t e = 0; e < distances.size(); ++e) {
        if (distances.data[e] > 0) least = std::min(least, distances.data[e]);
    }
    return least;
}

double scale_at_infinity(const LengthProblem& problem, double unmoved, Pulse& pulse) {
    const double longest = in_time(threshold_at(problem, unmoved, Need::value, pulse)).value;
    return longest > 0 ? longest : least_positive_distance(problem.distances);
}

double scale_for_crossing(const LengthProblem& problem, double kappa, double p, Pulse& pulse) {
    const double plain = std::min(largest_distance(problem.distances), kappa);
    if (p <= small_p || !loses_powers(problem.distances, plain, p)) return plain;
    const double at_infinity = kappa * in_time(cross_thresholds(problem, kappa, 0, Need::value, pulse)).value;
    return at_infinity > 0 ? at_infinity : scale_at_infinity(problem, 0, pulse);  // it may have been too small
}

double scale_for_mass(const LengthProblem& problem, double unmoved, double p, Pulse& pulse) {
    const double plain = largest_distance(problem.distances);
    if (p <= small_p || !loses_powers(problem.distances, plain, p)) return plain;
    return scale_at_infinity(problem, unmoved, pulse);
}

}  // namespace rpw
