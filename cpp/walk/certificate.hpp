// The proof of a lower bound: potentials that were checked against every pair.
#pragma once

#include <functional>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "walk/forest.hpp"

namespace rpw {

// Potentials u, v ≥ 0 at slope λ with u_i + v_j ≥ λ - C_ij checked over every pair (u is raised by the rounding found,
// if any, and by more if the forest was not optimal). Returns Σ a u + Σ b v as a share of the total, so that
// F(α) ≥ λ α - that. docs/proofs/profile.md, "The cut and the certificate". No deadline ends it: what it proves is
// wanted then too.
double certify(const PowerProblem& problem, const Forest& forest, double lambda, std::vector<double>& u,
               std::vector<double>& v, Pulse* pulse = nullptr);

// The same in two steps, for costs that are no matrix: v as the forest has it, and u raised by the least C_ij + v_j
// over all columns j, which `least_of_row(i)` tells.
std::vector<double> column_potentials(const Forest& forest, double lambda);
double certify_rows(const Masses& masses, const Forest& forest, double lambda, const std::vector<double>& v,
                    const std::function<double(Node)>& least_of_row, std::vector<double>& u);

// The lines that a forest proves, all of them through its vertex: F(1 - ε) ≥ cost_p + λ (ε_vertex - ε) for every λ from
// `least` to `largest`. No λ has a part in the sums, so that its rounding has none.
struct VertexProof {
    double cost_p;
    double least;
    double largest;

    bool is_proof() const { return least <= largest; }
};
VertexProof prove_vertex(const PowerProblem& problem, const Forest& forest, Pulse* pulse = nullptr);

// u alone, as the forest has it: a good guess for another pair with the same rows.
std::vector<double> row_potentials(const Forest& forest, double lambda);

}  // namespace rpw
