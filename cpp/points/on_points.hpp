// One question about two measures on points, answered without a matrix (docs/proofs/points.md, "Points without a
// matrix").
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "base/reply.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Finite p, `crossing` and `mass`; with a truncation only where all mass is asked for. Declines where costs leave
// float64 and a matrix of moderate size can be asked instead, and where it would take more steps than this.
Reply<Outcome> solve_on_points(const Pair& pair, const Question& question, double most_work, Pulse& pulse);

// What the coarsest cells prove (coarse.hpp); nothing where costs leave float64.
std::optional<Outcome> first_bounds_on_points(const Pair& pair, const Question& question, Pulse& pulse);

// RPW at each κ > 0, in ascending order; declines as above. Throws TimeUp.
Reply<std::vector<double>> several_on_points(const Pair& pair, const Question& question, std::span<const double> kappas,
                                             double most_work, Pulse& pulse);

// All of the profile, exactly; declines as above. Throws std::length_error where there are more breakpoints.
Reply<Band> profile_on_points(const Pair& pair, const Question& question, Pulse& pulse);

}  // namespace rpw
