// A place on the profile of a network: the search of search/search.hpp over solve/network.hpp, and the proof of what it
// has found.
#pragma once

#include <vector>

#include "solve/network.hpp"

namespace rpw {

class ProfileSearch {
public:
    ProfileSearch(const PowerProblem& problem, const Goal& goal, Solver strategy, Pulse& pulse);

    // The goal, or as near to it as the limits ask for. If time is up, what follows tells the best that is known.
    Status run(const Limits& limits = {});

    // The exact RPW at a larger κ, from all that was found until here; after `run`, once or more.
    Status go_on(const Goal& goal);

    double unmoved() const { return bracket_.answer().unmoved; }
    // The best bound on RPW that is known, by a line or without one.
    double lower() const { return bracket_.lower(); }
    // F of the plan.
    double cost_p() const { return bracket_.cost_p(); }
    std::vector<PlanEntry> plan() const;
    // The multiplier of the proof, and the height of its line: F(1 - ε) ≥ height - λ ε.
    double lambda() const { return bracket_.proof().lambda; }
    double certify(std::vector<double>& u, std::vector<double>& v) const;
    std::vector<double> row_potentials() const;

    long pivots() const { return network_.pivots(); }
    Solver solver() const { return network_.solver(); }

private:
    template <class Begin>
    Status search(const Limits& limits, const Begin& begin);
    bool is_sound(Status status) const;

    PowerProblem problem_;
    Pulse& pulse_;
    Network network_;
    Bracket<Basis> bracket_;
};

}  // namespace rpw
