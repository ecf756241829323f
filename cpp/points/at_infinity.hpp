// p = ∞ on points, without a matrix: flows over pairs that trees find. With a matrix there are the same pairs, in the
// same order, so that answers are the same to the bit.
#pragma once

#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "base/reply.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Declines where coordinates need a unit of their own. Throws TooManyPairs where more pairs have to be listed.
Reply<Outcome> solve_on_points_at_infinity(const Pair& pair, const Question& question, double most_pairs, Pulse& pulse);
// RPW at each κ > 0, in ascending order.
Reply<std::vector<double>> several_on_points_at_infinity(const Pair& pair, std::span<const double> kappas,
                                                         double most_pairs, Pulse& pulse);

}  // namespace rpw
