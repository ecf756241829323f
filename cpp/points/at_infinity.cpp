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
    const PointLengthProblem problem{PointLengths(trees), pair.masses()};
    Outcome outcome = question.quantity == Quantity::mass
                          ? threshold_by_flows(problem, question.unmoved, question.need, pulse)
                          : crossing_by_flows(problem, question.kappa, question.tol, question.need, pulse);
    outcome.solver = Solver::points;
    return outcome;
}

Reply<std::vector<double>> several_on_points_at_infinity(const Pair& pair, std::span<const double> kappas,
                                                         double most_pairs, Pulse& pulse) {
    if (has_unit_of_its_own(pair)) return Declined::not_its_kind;
    const PointTrees trees(pair, most_pairs, pulse);
    return crossings_by_flows(PointLengthProblem{PointLengths(trees), pair.masses()}, kappas, pulse);
}

}  // namespace rpw
