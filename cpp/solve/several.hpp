// RPW at several prices from one search: along the profile the crossings come in the order of κ, the largest last
// (docs/theory.md, "Several prices").
#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// What `solve` gives for the question at each κ (up to rounding), in the order of `kappas`: any order, equal ones, and
// 0 (total variation) are allowed. Reads p and truncation of the question. Throws TimeUp.
std::vector<double> solve_several(const Pair& pair, const Question& question, std::span<const double> kappas,
                                  Room& room, Pulse& pulse);

}  // namespace rpw
