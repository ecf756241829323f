// See points_at_infinity.hpp.
#include "solve/points_at_infinity.hpp"

#include <cmath>

#include "flow/threshold_answers.hpp"
#include "points/point_lengths.hpp"

namespace rpw {

namespace {

bool is_for_trees(const Pair& pair, const Question& question) {
    const bool has_points = !pair.space.matrix && std::isinf(question.p) && question.truncation == unreachable;
    return has_points && length_unit(pair.a.points, pair.b.points) == 1;
}

}  // namespace

std::optional<Outcome> solve_on_points_at_infinity(const Pair& pair, const Question& question, double most_pairs,
                                                   Pulse& pulse) {
    if (!is_for_trees(pair, question)) return {};
    const PointTrees trees(pair, most_pairs, pulse);
    const PointLengthProblem problem{PointLengths(trees), pair.masses()};
    Outcome outcome = question.quantity == Quantity::mass
                          ? threshold_by_flows(problem, question.unmoved, question.need, pulse)
                          : crossing_by_flows(problem, question.kappa, question.tol, question.need, pulse);
    outcome.solver = Solver::points;
    return outcome;
}

std::optional<std::vector<double>> several_on_points_at_infinity(const Pair& pair, const Question& question,
                                                                 std::span<const double> kappas, double most_pairs,
                                                                 Pulse& pulse) {
    if (!is_for_trees(pair, question)) return {};
    const PointTrees trees(pair, most_pairs, pulse);
    return crossings_by_flows(PointLengthProblem{PointLengths(trees), pair.masses()}, kappas, pulse);
}

}  // namespace rpw
