// The exact profile, breakpoint by breakpoint, as far as one wants to walk.
#pragma once

#include <cstddef>

#include "base/breakpoints.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/tell_profile.hpp"
#include "base/used_up.hpp"
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

template <class Walk>
bool WalkedProfileOver<Walk>::walk(double most_work, std::size_t max_breakpoints) {
    walk_.allow(most_work);
    while (curve_.cost.size() <= max_breakpoints && walk_.find_edge()) {
        const double slope = walk_.edge().slope;
        const auto ends = walk_.ends_of_edge();
        used_up_.note(ends.row, ends.left_of_row, slope);
        used_up_.note(ends.column, ends.left_of_column, slope);
        walk_.take_edge();
        add_edge(slope);
        tell_profile(walk_.pulse(), walk_.unmoved(), walk_.cost_p(), slope, walk_.pivots());
    }
    if (walk_.moved() < walk_.total() || curve_.cost.size() > max_breakpoints) return false;
    if (curve_.unmoved.size() > 1) {  // a short step at the end belongs to the last edge
        curve_.unmoved.back() = walk_.unmoved();
        curve_.cost.back() = walk_.cost_p();
    }
    used_up_.write(curve_, walk_.lambda());
    return true;
}

template <class Walk>
void WalkedProfileOver<Walk>::add_edge(double slope) {
    if (curve_.unmoved.back() - walk_.unmoved() <= slack_of(walk_.unmoved())) return;  // too short to be a breakpoint
    if (!curve_.slope.empty() && slope == curve_.slope.back()) {  // the same edge of F, in several augmentations
        curve_.unmoved.pop_back();
        curve_.cost.pop_back();
        curve_.slope.pop_back();
    }
    curve_.slope.push_back(slope);
    curve_.unmoved.push_back(walk_.unmoved());
    curve_.cost.push_back(walk_.cost_p());
}

using WalkedProfile = WalkedProfileOver<ProfileWalk>;

// All of it. Throws std::length_error where there are more breakpoints.
template <class Walk>
Curve walk_whole_profile(const typename Walk::Problem& problem, std::size_t max_breakpoints, Pulse& pulse) {
    WalkedProfileOver<Walk> profile(problem, pulse);
    if (!profile.walk(unreachable, max_breakpoints)) check_breakpoints(profile.curve().cost.size(), max_breakpoints);
    return profile.curve();
}

}  // namespace rpw
