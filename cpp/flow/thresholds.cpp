// See thresholds.hpp.
#include "flow/thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "base/breakpoints.hpp"
#include "base/steps.hpp"
#include "base/tell_profile.hpp"
#include "base/tuning.hpp"
#include "base/used_up.hpp"
#include "flow/threshold_answers.hpp"
#include "flow/threshold_walk.hpp"

namespace rpw {

namespace {

// Two curves nowhere further apart than tol, from few maximum flows. All mass moves over pairs no longer than
// `longest`.
Band rough_thresholds(const LengthProblem& problem, double longest, double tol, Pulse& pulse) {
    PairList<Distances> pairs(problem.distances, pulse);
    pairs.list(longest);
    MaxFlow flow(problem.masses, pulse);
    Steps steps(Solver::infinity, tol);
    for (double low = 0; low < unreachable && flow.unmoved() > 0; low = pairs.shortest()) {
        const double limit = low > 0 ? low + tol : 0;  // a step at 0 stays by itself
        const double high = pairs.longest_below(std::nextafter(limit, unreachable));
        pairs.split(limit);
        flow.augment(pairs.up_to_split(), 0);
        steps.add(low, high, flow.unmoved());
        tell_profile(pulse, flow.unmoved(), low, 0, flow.augmentations());
        pairs.take_shorter();
    }
    return steps.take();
}

// Over which all mass moves. Its plan is none of the profile's.
double longest_pair(const LengthProblem& problem, Pulse& pulse) {
    const Unwatched unwatched(pulse);
    return threshold_at(problem, 0, Need::value, pulse).upper;
}

}  // namespace

Band whole_thresholds(const LengthProblem& problem, double tol, std::size_t max_breakpoints, Pulse& pulse) {
    // Between equal masses the walk is the shorter way: each of its paths ends a row and a column.
    if (tol > 0 && !problem.masses.are_all_equal()) {
        const double longest = longest_pair(problem, pulse);
        if (longest <= tuning::many_flows * tol) return rough_thresholds(problem, longest, tol, pulse);
    }
    ThresholdWalk walk(problem, pulse);
    Steps steps(Solver::infinity, tol);
    UsedUp used_up(problem.masses);
    const auto rows = static_cast<Node>(problem.masses.a.size()), columns = static_cast<Node>(problem.masses.b.size());
    while (walk.next()) {
        for (Node i = 0; i < rows; ++i) used_up.note(i, walk.flow().left_at_row[i], walk.threshold());
        for (Node j = 0; j < columns; ++j) used_up.note(rows + j, walk.flow().room_in_column[j], walk.threshold());
        steps.add(walk.threshold(), walk.threshold(), walk.flow().unmoved());
        tell_profile(pulse, walk.flow().unmoved(), walk.threshold(), 0, static_cast<long>(steps.size()));
        check_breakpoints(steps.size(), max_breakpoints);
    }
    Band band = steps.take();
    used_up.write(band.upper, walk.threshold());
    return band;
}

Outcome unshared_mass(const LengthProblem& problem, Pulse& pulse) {
    PairList<Distances> pairs(problem.distances, pulse);
    MaxFlow flow(problem.masses, pulse);
    const bool in_time = ends_in_time([&] {
        pairs.list(0);
        flow.augment(pairs.all(), 0);
    });
    Outcome outcome;
    outcome.solver = Solver::total_variation;
    outcome.status = in_time ? Status::exact : Status::time_limit;
    outcome.plan = plan_of(flow.entries(), problem.masses.total());
    outcome.value = outcome.upper = outcome.unmoved = flow.unmoved();
    outcome.lower = in_time ? outcome.value : 0;
    outcome.iterations = flow.augmentations();
    return outcome;
}

}  // namespace rpw
