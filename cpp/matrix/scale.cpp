// See scale.hpp.
#include "matrix/scale.hpp"

#include <algorithm>

#include "flow/thresholds.hpp"
#include "ground/powers.hpp"

namespace rpw {

namespace {

bool loses_powers(const Distances& distances, double scale, double p, Pulse& pulse) {
    return p > small_p && powers_vanish(least_positive(distances, pulse), scale, p);
}

}  // namespace

double largest_distance(const Distances& distances) {
    const Range range = range_of(distances.data, distances.size());
    if (!range.is_sound) throw CostChanged();
    return range.largest > 0 ? range.largest : 1;
}

// The bounds of an answer that time cut off would make a scale that depends on the clock.
double scale_at_infinity(const LengthProblem& problem, double unmoved, Pulse& pulse) {
    const Unwatched unwatched(pulse);
    const double longest = value_in_time(threshold_at(problem, unmoved, Need::value, pulse));
    return longest > 0 ? longest : least_positive(problem.distances, pulse);
}

double scale_for_crossing(const LengthProblem& problem, double kappa, double p, Pulse& pulse) {
    const double plain = std::min(largest_distance(problem.distances), kappa);
    if (!loses_powers(problem.distances, plain, p, pulse)) return plain;
    const Unwatched unwatched(pulse);
    const double at_infinity = kappa * value_in_time(cross_thresholds(problem, kappa, 0, Need::value, pulse));
    return at_infinity > 0 ? at_infinity : scale_at_infinity(problem, 0, pulse);  // it may have been too small
}

double scale_for_mass(const LengthProblem& problem, double unmoved, double p, Pulse& pulse) {
    const double plain = largest_distance(problem.distances);
    return loses_powers(problem.distances, plain, p, pulse) ? scale_at_infinity(problem, unmoved, pulse) : plain;
}

}  // namespace rpw
