// A place on the profile where costs are a matrix: the search of search/search.hpp over matrix/network.hpp.
#pragma once

#include "matrix/network.hpp"
#include "walk/found.hpp"

namespace rpw {

class MatrixSearch {
public:
    MatrixSearch(const PowerProblem& problem, const Goal& goal, Solver strategy, Pulse& pulse)
        : network_(problem, strategy, pulse), search_(network_, {goal, {{}, nothing_moved(problem.masses)}}) {}

    // As in search/search.hpp; the network never gives up.
    Status run(const Limits& limits = {}) { return status_ = search_.run(limits).value(); }
    Status go_on(const Goal& goal) { return status_ = search_.go_on(goal).value(); }

    double unmoved() const { return search_.bracket().answer().unmoved; }
    Found found(bool with_plan = false) const {
        const auto& bracket = search_.bracket();
        const auto& [unmoved, weight] = bracket.answer();
        const auto& proof = bracket.proof();
        Found found{{status_, network_.solver(), network_.pivots(), unmoved, bracket.cost_p(), proof.lambda,
                     bracket.lower_without_cut()},
                    proof.plan};
        if (!with_plan) return found;
        found.weight = weight;
        found.left = bracket.left().plan;
        if (weight > 0) found.right = bracket.right()->plan;
        return found;
    }

private:
    Network network_;
    SearchOver<Network> search_;
    Status status_ = Status::exact;
};

}  // namespace rpw
