// What an exact algorithm has found on the profile of a network: a plan between two bases, and a proof.
#pragma once

#include <vector>

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/shared_plan.hpp"
#include "search/read_off.hpp"

namespace rpw {

struct Found : Finding {
    SharedPlan<Basis> proof;
    // The plan is (1 - weight) · left + weight · right, where it is asked for; without these, that of the proof.
    double weight = 0;
    SharedPlan<Basis> left{};
    SharedPlan<Basis> right{};

    // The entries are sorted, one for each pair.
    std::vector<PlanEntry> plan(const Masses& masses) const;
};

// The same, with the matrix that its potentials are checked over.
struct FoundOnMatrix : Found {
    static constexpr bool always_proven = false;
    const PowerProblem& problem;
    Pulse& pulse;

    std::vector<PlanEntry> plan() const { return Found::plan(problem.masses); }
    double certify(std::vector<double>& u, std::vector<double>& v) const;
    std::vector<double> row_potentials() const;
};

}  // namespace rpw
