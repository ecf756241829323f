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

// The lines that a forest proves, all of them through its vertex: F(1 - ε) ≥ cost_p + λ (ε_vertex - ε) for every λ from
// `least` to `largest`. No λ has a part in the sums, so that its rounding has none.
struct VertexProof {
    double cost_p;
    double least;
    double largest;

    bool is_proof() const { return least <= largest; }
};
VertexProof prove_vertex(const PowerProblem& problem, const Forest& forest);

// u alone, as the forest has it: a good guess for another pair with the same rows.
std::vector<double> row_potentials(const Forest& forest, double lambda);

}  // namespace rpw
