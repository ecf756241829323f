// Between few points: λ is corrected while the first solve is still under way (docs/theory.md, "Correcting λ early").
#pragma once

#include <optional>

#include "base/matrix.hpp"
#include "search/goal.hpp"
#include "simplex/fixed_simplex.hpp"
#include "solve/neighbours.hpp"
#include "solve/slope_guess.hpp"

namespace rpw {

// Where the basis of the simplex lies: on the profile if it is optimal, above it if not.
ProfilePoint plan_of(const FixedSimplex& simplex, const Masses& masses);

// Whether that is likely to be shorter than a walk.
bool pays_to_correct_early(const PowerProblem& problem, const Goal& goal);

// Rounds of the simplex towards a vertex near the goal, from this λ on; gives the λ at which to solve. Nothing if the
// answer lies beyond the cutoff (1: never); looking for that changes nothing else.
std::optional<double> lambda_corrected_early(const PowerProblem& problem, const Goal& goal,
                                             const NeighbourProfile& neighbours, double least_unmoved, double cutoff,
                                             FixedSimplex& simplex, double lambda);

}  // namespace rpw
