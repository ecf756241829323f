// See thresholds.hpp. These functions only decide when a search stops, and read off what it found.
#include "flow/thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "base/breakpoints.hpp"
#include "base/steps.hpp"
#include "base/used_up.hpp"
#include "flow/blocks.hpp"
#include "flow/rough_thresholds.hpp"
#include "flow/threshold_search.hpp"
#include "flow/threshold_walk.hpp"

namespace rpw {

namespace {

void read_plan(Outcome& outcome, const ThresholdSearch& search, const FlowAt& at, const Distances& distances) {
    outcome.plan = search.plan(at);
    for (const PlanEntry& entry : outcome.plan) outcome.lengths.push_back(distances.at(entry.row, entry.column));
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

// The answer on a step of A, where the flow stays the same: the step's start is the threshold of the plan. The distance
// is known by now, so it does not matter if time is up.
void find_threshold_of_step(Outcome& outcome, ThresholdSearch& search, const Distances& distances) {
    if (search.below().moved == 0) return;
    (void)ends_in_time([&] {
        search.find_start_of_step();
        while (search.step()) {
        }
    });
    outcome.cost = search.above().threshold;
    read_plan(outcome, search, search.above(), distances);
}

// Of a sandwich: beyond that the walk, which finds the profile itself, is the shorter way. Between equal masses it is
// anyway, as each of its paths then ends a row and a column.
constexpr double many_flows = 64;

bool are_all_equal(const Masses& masses) {
    const auto is_first = [&](Mass mass) { return mass == masses.a.front(); };
    return std::all_of(masses.a.begin(), masses.a.end(), is_first) &&
           std::all_of(masses.b.begin(), masses.b.end(), is_first);
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
    if (outcome.status != Status::exact) {
        const Crossing best = best_so_far(search, kappa);
        outcome.value = best.distance;
        outcome.lower = std::min(lower_threshold(search) / kappa, best.distance);
        if (need == Need::plan) read_plan(outcome, search, *best.flow, problem.distances);
    } else if (crosses_at_step(search, kappa)) {
        outcome.value = outcome.lower = crossing_of(search, kappa);
        outcome.cost = search.above().threshold;
        if (need == Need::plan) read_plan(outcome, search, search.above(), problem.distances);
    } else {
        outcome.value = outcome.lower = crossing_of(search, kappa);
        if (need == Need::plan) find_threshold_of_step(outcome, search, problem.distances);
    }
    outcome.upper = outcome.unmoved = outcome.value;
    outcome.iterations = search.augmentations();
    return outcome;
}

std::vector<double> cross_thresholds_in_turn(const LengthProblem& problem, std::span<const double> kappas,
                                             Pulse& pulse) {
    std::vector<double> values;
    ThresholdSearch search(problem, kappas.front(), less_than_crossing(kappas.front()), pulse);
    search.gather_for(less_than_crossing(kappas.back()));
    for (const double kappa : kappas) {
        search.go_on(kappa, less_than_crossing(kappa));
        while (search.step()) {
        }
        values.push_back(crossing_of(search, kappa));
    }
    return values;
}

Outcome threshold_at(const LengthProblem& problem, double unmoved, Need need, Pulse& pulse) {
    const auto enough = [unmoved](double) { return unmoved + smallest_step; };
    ThresholdSearch search(problem, unreachable, enough, pulse);
    Outcome outcome;
    outcome.solver = Solver::infinity;
    outcome.unmoved = unmoved;
    outcome.value = outcome.upper = 0;
    if (unmoved + smallest_step >= 1) return outcome;
    const bool in_time = ends_in_time([&] {
        while (search.step()) {
        }
    });
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
    if (need == Need::plan) read_plan(outcome, search, found, problem.distances);
    outcome.iterations = search.augmentations();
    return outcome;
}

Band whole_thresholds(const LengthProblem& problem, double tol, std::size_t max_breakpoints, Pulse& pulse) {
    if (tol > 0 && !are_all_equal(problem.masses)) {
        const double longest = threshold_at(problem, 0, Need::value, pulse).upper;
        if (longest <= many_flows * tol) return rough_thresholds(problem, longest, tol, pulse);
    }
    ThresholdWalk walk(problem, unreachable, pulse);
    Steps steps(Solver::infinity, tol);
    UsedUp used_up(problem.masses);
    const Node size = static_cast<Node>(problem.masses.a.size() + problem.masses.b.size());
    while (walk.next()) {
        for (Node x = 0; x < size; ++x) used_up.note(x, walk.left_at(x), walk.threshold());
        steps.add(walk.threshold(), walk.threshold(), walk.unmoved());
        check_breakpoints(steps.size(), max_breakpoints);
    }
    Band band = steps.take();
    used_up.write(band.upper, walk.threshold());
    return band;
}

Outcome unshared_mass(const LengthProblem& problem, Pulse& pulse) {
    Outcome outcome;
    outcome.solver = Solver::total_variation;
    BlockLabels labels;
    if (label_zero_blocks(problem.distances, labels)) {
        BlockMatch match = match_blocks(problem.masses, std::move(labels));
        outcome.plan = std::move(match.plan);
        outcome.value = outcome.lower = match.unmoved;
    } else {
        ThresholdWalk walk(problem, 0.0, pulse);
        const bool in_time = ends_in_time([&] {
            while (walk.next()) {
            }
        });
        outcome.plan = walk.plan();
        outcome.iterations = walk.augmentations();
        outcome.status = in_time ? Status::exact : Status::time_limit;
        outcome.value = walk.unmoved();
        outcome.lower = in_time ? outcome.value : 0;
    }
    outcome.upper = outcome.unmoved = outcome.value;
    return outcome;
}

}  // namespace rpw
