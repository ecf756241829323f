// The proof of a lower bound: potentials that were checked against every pair.
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "walk/forest.hpp"

namespace rpw {

// Potentials u, v ≥ 0 at slope λ with u_i + v_j ≥ λ - C_ij checked over every pair (u is raised by the rounding found,
// if any, and by more if the forest was not optimal). Returns Σ a u + Σ b v as a share of the total, so that
// F(α) ≥ λ α - that. docs/theory.md, "The dual line and the certificate".
double certify(const PowerProblem& problem, const Forest& forest, double lambda, std::vector<double>& u,
               std::vector<double>& v);

// u alone, as the forest has it: a good guess for another pair with the same rows.
std::vector<double> row_potentials(const Forest& forest, double lambda);

}  // namespace rpw
