// Potentials that prove a plan on the line optimal (docs/proofs/line.md, "The line").
#pragma once

#include "line/atoms.hpp"

namespace rpw {

struct LineDual {
    std::vector<double> u;
    std::vector<double> v;
    double sum = 0;  // Σ a u + Σ b v as a share of the total: F(α) ≥ λ α - sum
};

// u, v ≥ 0 with u_i + v_j ≥ λ - C_ij for all pairs. `sum` is least if the plan is optimal at this λ; the
// inequalities hold whatever the plan.
LineDual line_dual(const LinePair& pair, const LineCost& cost, double lambda, const LinePlan& plan);

// The least u of these, if the plan is optimal.
std::vector<double> row_potentials(const LinePair& pair, const LineCost& cost, double lambda, const LinePlan& plan);

}  // namespace rpw
