// A walk along the profile on the line becomes a curve.
#pragma once

#include <cstddef>
#include <optional>

#include "base/masses.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/tell_profile.hpp"
#include "base/tuning.hpp"

namespace rpw {

// The edge that ends at this place. Those too short to be seen become part of the next one, and edges of the same slope
// are one.
inline void add_edge(Curve& curve, double slope, double unmoved, double cost) {
    if (curve.unmoved.back() - unmoved <= slack_of(unmoved)) return;
    if (curve.slope.empty() || slope != curve.slope.back()) {
        curve.slope.push_back(slope);
        curve.unmoved.emplace_back();
        curve.cost.emplace_back();
    }
    curve.unmoved.back() = unmoved;
    curve.cost.back() = cost;
}

// A walk has
//
//     step()                       on to the next place; false at the end of the profile
//     slope(), unmoved(), cost()   of the place, in units of the scale
//     work()                       done so far, of its own kind
//     write_used_up(curve)         when atoms, in the order of the pair, were used up
//
// Nothing if it takes more work than that.
template <class Walk>
std::optional<Curve> walked_curve(Walk walk, double scale, std::size_t most_work, Pulse& pulse) {
    Curve curve;
    curve.scale = scale;
    curve.solver = Solver::line;
    while (walk.step()) {
        pulse.note(tuning::work_per_path);
        if (walk.work() > most_work) return std::nullopt;
        add_edge(curve, walk.slope(), walk.unmoved(), walk.cost());
        tell_profile(pulse, walk.unmoved(), walk.cost(), walk.slope(), static_cast<long>(curve.slope.size()));
    }
    if (!curve.slope.empty()) {  // a short step at the end belongs to the last edge
        curve.unmoved.back() = walk.unmoved();
        curve.cost.back() = walk.cost();
    }
    walk.write_used_up(curve);
    return curve;
}

}  // namespace rpw
