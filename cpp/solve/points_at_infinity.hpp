// p = ∞ on points, without a matrix: flows over pairs that trees find. With a matrix there are the same pairs, in the
// same order, so that answers are the same to the bit.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Nothing where the points have to be left to a matrix. Throws TooManyPairs where more pairs than that have to be
// listed.
std::optional<Outcome> solve_on_points_at_infinity(const Pair& pair, const Question& question, double most_pairs,
                                                   Pulse& pulse);
// RPW at each κ > 0, in ascending order.
std::optional<std::vector<double>> several_on_points_at_infinity(const Pair& pair, const Question& question,
                                                                 std::span<const double> kappas, double most_pairs,
                                                                 Pulse& pulse);

}  // namespace rpw
