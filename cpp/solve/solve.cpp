// See solve.hpp.
#include "solve/solve.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "flow/blocks.hpp"
#include "flow/thresholds.hpp"
#include "ground/balanced_pair.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/solve_line.hpp"
#include "lmr/lmr.hpp"
#include "points/point_lengths.hpp"
#include "solve/bisection.hpp"
#include "solve/choice.hpp"
#include "solve/first_bounds.hpp"
#include "solve/merged_pair.hpp"
#include "solve/points.hpp"
#include "solve/points_at_infinity.hpp"
#include "solve/scale.hpp"
#include "solve/sound.hpp"
#include "solve/strategy.hpp"

namespace rpw {

namespace {

// What is known before anything is computed.
Outcome nothing_proven(const Question& question) {
    Outcome outcome;
    outcome.status = Status::time_limit;
    outcome.solver = choose(question, {}).solver;
    outcome.value = outcome.upper = question.quantity == Quantity::mass ? unreachable : 1.0;
    return outcome;
}

Outcome match_labels(const Pair& given) {
    const BalancedPair balanced(given);
    const Pair& pair = balanced.pair();
    const auto copy = [](auto labels) { return std::vector<std::int64_t>(labels.begin(), labels.end()); };
    BlockMatch match = match_blocks(pair.masses(), {copy(pair.a.label), copy(pair.b.label)});
    Outcome outcome;
    outcome.solver = Solver::total_variation;
    outcome.value = outcome.lower = outcome.upper = outcome.unmoved = match.unmoved;
    outcome.plan = std::move(match.plan);
    // Labels count points in the order in which they came: of one pair in another than of many.
    std::sort(outcome.plan.begin(), outcome.plan.end(), [](const PlanEntry& x, const PlanEntry& y) {
        return x.row < y.row || (x.row == y.row && x.column < y.column);
    });
    return outcome;
}

Outcome solve_at_infinity(const LengthProblem& problem, const Question& question, Pulse& pulse) {
    if (question.quantity == Quantity::mass) return threshold_at(problem, question.unmoved, question.need, pulse);
    if (question.solver == Solver::lmr) {
        if (auto outcome = cross_rounded_thresholds(problem, question, pulse)) return *std::move(outcome);
    }
    return cross_thresholds(problem, question.kappa, question.tol, question.need, pulse);
}

// W_{p, 1 - guess} as often as bisection asks for it, with a scale of its own where powers would be lost, at every p.
Outcome bisect_masses(const LengthProblem& lengths, const Question& question, Pulse& pulse) {
    Room room;
    const Unwatched unwatched(pulse);
    const double largest = largest_distance(lengths.distances);
    const bool loses_powers = powers_vanish(least_positive(lengths.distances, pulse), largest, question.p);
    return bisect(question, [&](double guess) {
        Question at_guess = question;
        at_guess.quantity = Quantity::mass;
        at_guess.solver = Solver::exact;
        at_guess.unmoved = guess;
        at_guess.need = Need::plan;
        if (std::isinf(question.p)) return solve_at_infinity(lengths, at_guess, pulse);
        const double scale = loses_powers ? scale_at_infinity(lengths, guess, pulse) : largest;
        const Powers powers = powers_beside(lengths.distances, scale, question.p, room, pulse);
        return solve_powers({powers, lengths.masses}, scale, at_guess, pulse);
    });
}

// At p = ∞, by trees: on trial where a matrix can be asked instead.
std::optional<Outcome> solve_by_lists(const Pair& pair, const Question& question, const Layout& layout,
                                      bool has_no_matrix, Pulse& pulse) {
    if (has_no_matrix) return solve_on_points_at_infinity(pair, question, tuning::most_listed_pairs, pulse);
    const double most_pairs = trial_of_lists(question, layout);
    if (most_pairs == 0) return {};
    try {
        return solve_on_points_at_infinity(pair, question, most_pairs, pulse);
    } catch (const TooManyPairs&) {
        return {};
    }
}

Outcome solve_in_time(const Pair& given, const Question& question, Room& room, Pulse& pulse) {
    if (question.quantity == Quantity::shared && !given.a.label.empty()) return match_labels(given);
    const bool crosses = question.quantity == Quantity::crossing;
    if (crosses && question.solver == Solver::lmr && !std::isinf(question.p)) {
        if (auto outcome = cross_by_lmr(given, question, pulse)) return *std::move(outcome);
        Question exactly = question;
        exactly.solver = Solver::exact;
        return solve(given, exactly, room, pulse);
    }
    if (choose(question, {.is_on_line = true}).solver == Solver::line) {
        if (auto outcome = solve_on_line(given, question, pulse)) return *std::move(outcome);
    }
    const BalancedPair balanced(given);
    const Pair& pair = balanced.pair();
    const Layout layout = layout_of(pair, false);
    const bool has_no_matrix = choose(question, layout).solver == Solver::points;
    if (const double most_work = has_no_matrix ? unreachable : trial_of_trees(question, layout); most_work > 0) {
        if (auto outcome = solve_on_points(pair, question, most_work, pulse)) return *std::move(outcome);
    }
    if (auto outcome = solve_by_lists(pair, question, layout, has_no_matrix, pulse)) return *std::move(outcome);
    const LengthProblem lengths{distances_of(pair, question.truncation, room, pulse), pair.masses()};
    if (question.quantity == Quantity::shared) return unshared_mass(lengths, pulse);
    if (crosses && question.solver == Solver::bisection) return bisect_masses(lengths, question, pulse);
    if (std::isinf(question.p)) return solve_at_infinity(lengths, question, pulse);
    const double scale = crosses ? scale_for_crossing(lengths, question.kappa, question.p, pulse)
                                 : scale_for_mass(lengths, question.unmoved, question.p, pulse);
    const Powers powers = powers_of(lengths.distances, pair.space, scale, question.p, room, pulse);
    return solve_powers({powers, lengths.masses}, scale, question, pulse);
}

Outcome solve_distinct(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    Outcome outcome = nothing_proven(question);
    std::optional<Outcome> first;
    (void)ends_in_time([&] {
        first = first_bounds(pair, question, pulse);
        outcome = solve_in_time(pair, question, room, pulse);
    });
    if (first && outcome.status == Status::time_limit) improve(outcome, *std::move(first));
    if (is_sound(outcome)) return outcome;
    if (outcome.solver != Solver::line) throw NoAnswer();  // the matrix may have been overwritten
    Question once_more = question;
    once_more.solver = Solver::walk;
    return solve(pair, once_more, room, pulse);
}

}  // namespace

Outcome solve(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    try {
        const auto merged = merged_pair(pair, question, pulse);
        if (!merged) return solve_distinct(pair, question, room, pulse);
        return merged->as_given(solve_distinct(merged->pair(), question, room, pulse));
    } catch (const TimeUp&) {  // before equal points were found
        return nothing_proven(question);
    }
}

}  // namespace rpw
