// Answers at p = ∞ by a search for a threshold, wherever the lengths of pairs come from: a problem has `distances` with
// rows, columns, row(i)[j] and at(i, j), for which there are list_pairs (flow/pair_list.hpp), nearest_partners and
// longest_of; and `masses`. These functions only decide when a search stops, and read off what it found.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <vector>

#include "base/outcome.hpp"
#include "base/question.hpp"
#include "flow/flow.hpp"
#include "flow/threshold_search.hpp"

namespace rpw {

inline double longest_of(const Distances& distances) {
    return *std::max_element(distances.data, distances.data + distances.size());
}

// Shorter pairs first. Each length is read once, before they are sorted: the caller may write to a matrix meanwhile.
template <class Problem>
void read_plan(Outcome& outcome, const std::vector<FlowEntry>& entries, const Problem& problem) {
    std::vector<std::tuple<double, Node, Node, Mass>> sorted;
    sorted.reserve(entries.size());
    for (const FlowEntry& entry : entries) {
        const double length = problem.distances.at(entry.row, entry.column);
        sorted.emplace_back(length >= 0 ? length : 0.0, entry.row, entry.column, entry.mass);
    }
    std::sort(sorted.begin(), sorted.end());
    const Mass total = problem.masses.total();
    for (const auto& [length, row, column, mass] : sorted) {
        outcome.plan.push_back({row, column, share_of(mass, total)});
        outcome.lengths.push_back(length);
    }
}

// RPW and the flow that attains it.
struct FlowCrossing {
    double distance;
    const FlowAt* flow;
};

// What is known while the search goes on: the flow below leaves an ε that is enough, and so does the threshold above.
template <class Lengths>
FlowCrossing best_so_far(const ThresholdSearch<Lengths>& search, double kappa) {
    const double beyond = search.above().threshold / kappa, before = search.below().unmoved;
    return beyond < before ? FlowCrossing{beyond, &search.above()} : FlowCrossing{before, &search.below()};
}

// At the end of the search: t⁻ < t⁺ are neighbouring entries of the matrix, t⁻/κ ≤ 1 - A(t⁻) and t⁺/κ > 1 - A(t⁺).
// Where both ends of the step say the same, the flow at its start is the one over shorter pairs.
template <class Lengths>
bool crosses_at_step(const ThresholdSearch<Lengths>& search, double kappa) {
    return search.above().threshold / kappa < search.below().unmoved && search.above().moved > search.below().moved;
}

// At the end of the search.
template <class Lengths>
double crossing_of(const ThresholdSearch<Lengths>& search, double kappa) {
    return crosses_at_step(search, kappa) ? search.above().threshold / kappa : search.below().unmoved;
}

// More than this must not be left at a threshold that is too low.
inline Enough less_than_crossing(double kappa) {
    return [kappa](double t) { return std::nextafter(t / kappa, -1.0); };
}

template <class Lengths>
double lower_threshold(const ThresholdSearch<Lengths>& search) {
    return std::max(search.below().threshold, 0.0);
}

template <class Lengths>
void tell_of(const ThresholdSearch<Lengths>& search, double unit, double upper, Pulse& pulse) {
    pulse.tell_moved(1 - search.below().unmoved, search.augmentations());
    pulse.tell_bounds(lower_threshold(search) / unit, upper);
}

// RPW at p = ∞, to within tol (0: exact): the smallest ε with A(κ ε) ≥ 1 - ε, where A(t) is the flow over pairs no
// longer than t, a step function. On a step that starts at threshold t, that is max(t / κ, 1 - A).
template <class Problem>
Outcome cross_thresholds(const Problem& problem, double kappa, double tol, Need need, Pulse& pulse) {
    ThresholdSearch search(problem.distances, problem.masses, kappa, less_than_crossing(kappa), pulse);
    bool is_close = false;
    const bool in_time = ends_in_time([&] {
        while (!is_close && search.step()) {
            tell_of(search, kappa, best_so_far(search, kappa).distance, pulse);
            is_close = tol > 0 && best_so_far(search, kappa).distance - lower_threshold(search) / kappa <= tol;
        }
    });
    if (!in_time) search.keep_unfinished_flow();
    Outcome outcome;
    outcome.solver = Solver::infinity;
    outcome.status = !in_time ? Status::time_limit : is_close ? Status::tolerance : Status::exact;
    const FlowAt* flow = nullptr;
    if (outcome.status != Status::exact) {
        const FlowCrossing best = best_so_far(search, kappa);
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

// The exact RPW at each κ > 0, in ascending order: one search that goes on from each to the next. Throws TimeUp.
template <class Problem>
std::vector<double> cross_thresholds_in_turn(const Problem& problem, std::span<const double> kappas, Pulse& pulse) {
    std::vector<double> values;
    ThresholdSearch search(problem.distances, problem.masses, kappas.front(), less_than_crossing(kappas.front()),
                           pulse);
    for (const double kappa : kappas) {
        search.go_on(kappa, less_than_crossing(kappa));
        search.run();
        values.push_back(crossing_of(search, kappa));
    }
    return values;
}

// W_{∞, 1 - unmoved}: the least threshold with a flow of 1 - unmoved.
template <class Problem>
Outcome threshold_at(const Problem& problem, double unmoved, Need need, Pulse& pulse) {
    Outcome outcome;
    outcome.solver = Solver::infinity;
    outcome.unmoved = unmoved;
    outcome.value = outcome.upper = 0;
    if (unmoved + smallest_step >= 1) return outcome;
    const auto enough = [unmoved](double) { return unmoved + slack_of(unmoved); };
    ThresholdSearch search(problem.distances, problem.masses, unreachable, enough, pulse);
    const bool in_time = ends_in_time([&] {
        while (search.step()) tell_of(search, 1, search.above().threshold, pulse);
    });
    if (in_time) {
        (void)ends_in_time([&] { search.complete(unmoved); });  // the threshold is known
        outcome.lower = outcome.upper = std::max(search.above().threshold, 0.0);
    } else {
        search.keep_unfinished_flow();
        outcome.status = Status::time_limit;
        outcome.lower = lower_threshold(search);
        outcome.upper = std::min(search.above().threshold, longest_of(problem.distances));
    }
    // A flow that is enough attains the upper bound; without one, what flows so far is a start.
    const FlowAt& found = search.above().threshold < unreachable ? search.above() : search.below();
    outcome.unmoved = std::max(unmoved, found.unmoved);
    outcome.value = outcome.cost = outcome.upper;
    if (need == Need::plan) read_plan(outcome, found.entries, problem);
    outcome.iterations = search.augmentations();
    return outcome;
}

// `crossing` or `mass`.
template <class Problem>
Outcome solve_at_infinity(const Problem& problem, const Question& question, Pulse& pulse) {
    if (question.quantity == Quantity::mass) return threshold_at(problem, question.unmoved, question.need, pulse);
    return cross_thresholds(problem, question.kappa, question.tol, question.need, pulse);
}

}  // namespace rpw
