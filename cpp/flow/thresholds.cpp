// See thresholds.hpp. These functions only decide when a search stops, and read off what it found.
#include "flow/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/breakpoints.hpp"
#include "base/steps.hpp"
#include "base/tuning.hpp"
#include "base/used_up.hpp"
#include "flow/blocks.hpp"
#include "flow/threshold_search.hpp"
#include "flow/threshold_walk.hpp"

namespace rpw {

namespace {

// Shorter pairs first.
void read_plan(Outcome& outcome, std::vector<FlowEntry> entries, const LengthProblem& problem) {
    const auto length = [&](const auto& entry) { return problem.distances.at(entry.row, entry.column); };
    const auto key = [&](const FlowEntry& entry) { return std::tuple(length(entry), entry.row, entry.column); };
    std::sort(entries.begin(), entries.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
    outcome.plan = plan_of(entries, problem.masses.total());
    for (const PlanEntry& entry : outcome.plan) outcome.lengths.push_back(length(entry));
}

// RPW and the flow that attains it.
struct Crossing {
    double distance;
    const FlowAt* flow;
};

// What is known while the search goes on: the flow below leaves an ε that is enough, and so does the threshold above.
Crossing best_so_far(const ThresholdSearch& search, double kappa) {
    const double beyond = search.above().threshold / kappa, before = search.below().unmoved;
    return beyond < before ? Crossing{beyond, &search.above()} : Crossing{before, &search.below()};
}

// At the end of the search: t⁻ < t⁺ are neighbouring entries of the matrix, t⁻/κ ≤ 1 - A(t⁻) and t⁺/κ > 1 - A(t⁺).
// Where both ends of the step say the same, the flow at its start is the one over shorter pairs.
bool crosses_at_step(const ThresholdSearch& search, double kappa) {
    return search.above().threshold / kappa < search.below().unmoved && search.above().moved > search.below().moved;
}

// At the end of the search.
double crossing_of(const ThresholdSearch& search, double kappa) {
    return crosses_at_step(search, kappa) ? search.above().threshold / kappa : search.below().unmoved;
}

// More than this must not be left at a threshold that is too low.
ThresholdSearch::Enough less_than_crossing(double kappa) {
    return [kappa](double t) { return std::nextafter(t / kappa, -1.0); };
}

double lower_threshold(const ThresholdSearch& search) { return std::max(search.below().threshold, 0.0); }

bool are_all_equal(const Masses& masses) {
    const auto is_first = [&](Mass mass) { return mass == masses.a.front(); };
    return std::all_of(masses.a.begin(), masses.a.end(), is_first) &&
           std::all_of(masses.b.begin(), masses.b.end(), is_first);
}

// Two curves nowhere further apart than tol, from few maximum flows. All mass moves over pairs no longer than
// `longest`.
Band rough_thresholds(const LengthProblem& problem, double longest, double tol, Pulse& pulse) {
    PairList pairs(problem.distances, pulse);
    pairs.list(longest);
    MaxFlow flow(problem.masses, pulse);
    Steps steps(Solver::infinity, tol);
    for (double low = 0; low < unreachable && flow.unmoved() > 0; low = pairs.shortest()) {
        const double limit = low > 0 ? low + tol : 0;  // a step at 0 stays by itself
        const double high = pairs.longest_below(std::nextafter(limit, unreachable));
        pairs.split(limit);
        flow.augment(pairs.up_to_split(), 0);
        steps.add(low, high, flow.unmoved());
        pairs.take_shorter();
    }
    return steps.take();
}

}  // namespace

// ε must satisfy A(κ ε) ≥ 1 - ε, with A(t) the flow over pairs no longer than t: a step function. On a step that starts
// at threshold t, the smallest such ε is max(t / κ, 1 - A).
Outcome cross_thresholds(const LengthProblem& problem, double kappa, double tol, Need need, Pulse& pulse) {
    ThresholdSearch search(problem, kappa, less_than_crossing(kappa), pulse);
    bool is_close = false;
    const bool in_time = ends_in_time([&] {
        while (!is_close && search.step()) {
            is_close = tol > 0 && best_so_far(search, kappa).distance - lower_threshold(search) / kappa <= tol;
        }
    });
    if (!in_time) search.keep_unfinished_flow();
    Outcome outcome;
    outcome.solver = Solver::infinity;
    outcome.status = !in_time ? Status::time_limit : is_close ? Status::tolerance : Status::exact;
    const FlowAt* flow = nullptr;
    if (outcome.status != Status::exact) {
        const Crossing best = best_so_far(search, kappa);
        outcome.value = best.distance;
        outcome.lower = std::min(lower_threshold(search) / kappa, best.distance);
        flow = best.flow;
    } else {
        outcome.value = outcome.lower = crossing_of(search, kappa);
        flow = crosses_at_step(search, kappa) ? &search.above() : &search.below();
        if (need == Need::plan && flow == &search.below() && flow->moved > 0) {
            // On a step of A the flow stays the same: the step's start is the threshold of the plan. The distance is
            // known by now, so it does not matter if time is up.
            (void)ends_in_time([&] { search.find_start_of_step(); });
            flow = &search.above();
        }
        if (flow == &search.above()) outcome.cost = flow->threshold;
    }
    if (need == Need::plan) read_plan(outcome, flow->entries, problem);
    outcome.upper = outcome.unmoved = outcome.value;
    outcome.iterations = search.augmentations();
    return outcome;
}

std::vector<double> cross_thresholds_in_turn(const LengthProblem& problem, std::span<const double> kappas,
                                             Pulse& pulse) {
    std::vector<double> values;
    ThresholdSearch search(problem, kappas.front(), less_than_crossing(kappas.front()), pulse);
    for (const double kappa : kappas) {
        search.go_on(kappa, less_than_crossing(kappa));
        search.run();
        values.push_back(crossing_of(search, kappa));
    }
    return values;
}

Outcome threshold_at(const LengthProblem& problem, double unmoved, Need need, Pulse& pulse) {
    Outcome outcome;
    outcome.solver = Solver::infinity;
    outcome.unmoved = unmoved;
    outcome.value = outcome.upper = 0;
    if (unmoved + smallest_step >= 1) return outcome;
    const auto enough = [unmoved](double) { return unmoved + smallest_step; };
    ThresholdSearch search(problem, unreachable, enough, pulse);
    const bool in_time = ends_in_time([&] { search.run(); });
    if (in_time) {
        (void)ends_in_time([&] { search.complete(unmoved); });  // the threshold is known
        outcome.lower = outcome.upper = std::max(search.above().threshold, 0.0);
    } else {
        search.keep_unfinished_flow();
        const Matrix& distances = problem.distances;
        outcome.status = Status::time_limit;
        outcome.lower = lower_threshold(search);
        outcome.upper =
            std::min(search.above().threshold, *std::max_element(distances.data, distances.data + distances.size()));
    }
    const FlowAt& found = in_time ? search.above() : search.below();
    outcome.unmoved = std::max(unmoved, found.unmoved);
    outcome.value = outcome.cost = outcome.upper;
    if (need == Need::plan) read_plan(outcome, found.entries, problem);
    outcome.iterations = search.augmentations();
    return outcome;
}

Band whole_thresholds(const LengthProblem& problem, double tol, std::size_t max_breakpoints, Pulse& pulse) {
    // Between equal masses the walk is the shorter way: each of its paths ends a row and a column.
    if (tol > 0 && !are_all_equal(problem.masses)) {
        const double longest = threshold_at(problem, 0, Need::value, pulse).upper;
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
        check_breakpoints(steps.size(), max_breakpoints);
    }
    Band band = steps.take();
    used_up.write(band.upper, walk.threshold());
    return band;
}

Outcome unshared_mass(const LengthProblem& problem, Pulse& pulse) {
    PairList pairs(problem.distances, pulse);
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
