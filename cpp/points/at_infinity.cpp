// See at_infinity.hpp.
#include "points/at_infinity.hpp"

#include "flow/threshold_answers.hpp"
#include "points/point_lengths.hpp"

namespace rpw {

namespace {

bool has_unit_of_its_own(const Pair& pair) { return length_unit(pair.a.points, pair.b.points) != 1; }

}  // namespace

Reply<Outcome> solve_on_points_at_infinity(const Pair& pair, const Question& question, double most_pairs,
                                           Pulse& pulse) {
    if (has_unit_of_its_own(pair)) return Declined::not_its_kind;
    const PointTrees trees(pair, most_pairs, pulse);
    Outcome outcome = solve_at_infinity(PointLengthProblem{PointLengths(trees), pair.masses()}, question, pulse);
    outcome.solver = Solver::points;
    return outcome;
}

Reply<std::vector<double>> several_on_points_at_infinity(const Pair& pair, std::span<const double> kappas,
                                                         double most_pairs, Pulse& pulse) {
    if (has_unit_of_its_own(pair)) return Declined::not_its_kind;
    const PointTrees trees(pair, most_pairs, pulse);
    return cross_thresholds_in_turn(PointLengthProblem{PointLengths(trees), pair.masses()}, kappas, pulse);
}

}  // namespace rpw
