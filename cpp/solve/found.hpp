// What an exact algorithm has found on the profile of a network: a plan between two bases, and a proof.
#pragma once

#include <vector>

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/shared_plan.hpp"

namespace rpw {

struct Found {
    Status status = Status::exact;
    Solver solver = Solver::simplex;
    long pivots = 0;
    double unmoved = 1;
    double cost_p = 0;  // of the plan
    double lambda = 0;  // at which the potentials of the next basis prove a line below F
    SharedPlan<Basis> proof;
    // The plan is (1 - weight) · left + weight · right, where it is asked for; without these, that of the proof.
    double weight = 0;
    SharedPlan<Basis> left{};
    SharedPlan<Basis> right{};

    // The entries are sorted, one for each pair.
    std::vector<PlanEntry> plan(const Masses& masses) const;
    // The height of that line, F(1 - ε) ≥ height - λ ε, from potentials that were checked over all pairs.
    double certify(const PowerProblem& problem, std::vector<double>& u, std::vector<double>& v,
                   Pulse* pulse = nullptr) const;
};

}  // namespace rpw
