// A place on the profile of a network: the search of search/search.hpp over solve/network.hpp, and the proof of what it
// has found.
#pragma once

#include "solve/found.hpp"
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
    Found found(bool with_plan = false) const;

private:
    template <class Begin>
    Status search(const Limits& limits, const Begin& begin);
    bool is_sound(Status status) const;
    Status cut_off(std::optional<Vertex<Basis>> doubtful);

    PowerProblem problem_;
    Network network_;
    Bracket<Basis> bracket_;
    Status status_ = Status::exact;
};

}  // namespace rpw
