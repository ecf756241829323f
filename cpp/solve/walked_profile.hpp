// The exact profile, breakpoint by breakpoint, as far as one wants to walk.
#pragma once

#include <cstddef>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/used_up.hpp"
#include "points/tree_partners.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

template <class Walk>
class WalkedProfileOver {
public:
    WalkedProfileOver(const typename Walk::Problem& problem, Pulse& pulse)
        : walk_(problem, pulse), used_up_(problem.masses) {
        curve_.solver = Solver::walk;
    }

    // Walks on until the end of the profile, until so much work has been done in all, or until there are more than
    // `max_breakpoints`; true at the end.
    bool walk(double most_work, std::size_t max_breakpoints);
    const Curve& curve() const { return curve_; }

private:
    void add_edge(double slope);

    Walk walk_;
    UsedUp used_up_;
    Curve curve_;
};

// On a matrix, and on points.
using WalkedProfile = WalkedProfileOver<ProfileWalk>;
extern template class WalkedProfileOver<ProfileWalk>;
extern template class WalkedProfileOver<PointWalk>;

}  // namespace rpw
