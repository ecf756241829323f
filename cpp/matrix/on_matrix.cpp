// See on_matrix.hpp.
#include "matrix/on_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "flow/thresholds.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "lmr/lmr.hpp"
#include "matrix/bisection.hpp"
#include "matrix/matrix_search.hpp"
#include "matrix/network_profile.hpp"
#include "matrix/scale.hpp"
#include "matrix/strategy.hpp"
#include "walk/walked_profile.hpp"

namespace rpw {

namespace {

LengthProblem lengths_of(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    return {distances_of(pair, question.truncation, room, pulse), pair.masses()};
}

// Whether p-th powers of all distances and of all prices are float64 numbers in one unit.
bool share_a_scale(const Distances& distances, double least_kappa, double scale, double p, Pulse& pulse) {
    const double least = std::min(least_positive(distances, pulse), least_kappa);
    return !powers_vanish(least, scale, p);
}

// Distances that lie too many orders of magnitude apart for one scale: each price by itself.
std::vector<double> solve_one_by_one(const LengthProblem& lengths, Question question, std::span<const double> kappas,
                                     Pulse& pulse) {
    Room room;
    std::vector<double> values;
    for (const double kappa : kappas) {
        question.kappa = kappa;
        const double scale = scale_for_crossing(lengths, kappa, question.p, pulse);
        const Powers powers = powers_beside(lengths.distances, scale, question.p, room, pulse);
        values.push_back(value_in_time(solve_powers({powers, lengths.masses}, scale, question, pulse)));
    }
    return values;
}

}  // namespace

Outcome solve_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    const LengthProblem lengths = lengths_of(pair, question, room, pulse);
    if (question.quantity == Quantity::shared) return unshared_mass(lengths, pulse);
    if (std::isinf(question.p)) return solve_at_infinity(lengths, question, pulse);
    const double scale = question.quantity == Quantity::crossing
                             ? scale_for_crossing(lengths, question.kappa, question.p, pulse)
                             : scale_for_mass(lengths, question.unmoved, question.p, pulse);
    const Powers powers = powers_of(lengths.distances, pair.space, scale, question.p, room, pulse);
    return solve_powers({powers, lengths.masses}, scale, question, pulse);
}

std::vector<double> several_on_matrix(const Pair& pair, Question question, std::span<const double> kappas, Room& room,
                                      Pulse& pulse) {
    question.quantity = Quantity::crossing;
    const LengthProblem lengths = lengths_of(pair, question, room, pulse);
    const double p = question.p;
    if (std::isinf(p)) return cross_thresholds_in_turn(lengths, kappas, pulse);
    const double scale = scale_for_crossing(lengths, kappas.back(), p, pulse);
    if (!share_a_scale(lengths.distances, kappas.front(), scale, p, pulse)) {
        return solve_one_by_one(lengths, question, kappas, pulse);
    }
    const Powers powers = powers_of(lengths.distances, pair.space, scale, p, room, pulse);
    MatrixSearch search({powers, lengths.masses}, {scaled_price(kappas.front(), scale).kappa, p}, Solver::exact, pulse);
    return cross_in_turn(search, kappas, scale, p).value();
}

Band profile_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    const LengthProblem lengths = lengths_of(pair, question, room, pulse);
    if (std::isinf(question.p)) return whole_thresholds(lengths, question.tol, question.max_breakpoints, pulse);
    const double scale = largest_distance(lengths.distances);
    check_powers_fit(least_positive(lengths.distances, pulse), scale, question.p);
    pulse.begin_news(scale);
    const PowerProblem costs{powers_of(lengths.distances, pair.space, scale, question.p, room, pulse), lengths.masses};
    Band band;
    if (question.tol > 0 && question.solver != Solver::walk) {
        const double tol = question.tol / scale;
        Sandwich found = sandwich_profile(costs, question.p, tol, question.max_breakpoints, pulse);
        if (!found.keeps(tol)) refuse_tol(found.gap * scale, question.tol, question.p);
        band = std::move(found.band);
        if (band.lower) band.lower->scale = scale;
    } else {
        band.upper = walk_whole_profile<ProfileWalk>(costs, question.max_breakpoints, pulse);
    }
    band.upper.scale = scale;
    return band;
}

// Each guess has a scale of its own where powers would be lost, at every p.
Outcome bisect_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    const LengthProblem lengths = lengths_of(pair, question, room, pulse);
    Room room_for_powers;
    const Unwatched unwatched(pulse);
    const double largest = largest_distance(lengths.distances);
    const bool loses_powers = powers_vanish(least_positive(lengths.distances, pulse), largest, question.p);
    Question at_guess = question;
    at_guess.quantity = Quantity::mass;
    at_guess.solver = Solver::exact;
    at_guess.need = Need::plan;
    return bisect(question, [&](double guess) {
        at_guess.unmoved = guess;
        if (std::isinf(question.p)) return solve_at_infinity(lengths, at_guess, pulse);
        const double scale = loses_powers ? scale_at_infinity(lengths, guess, pulse) : largest;
        const Powers powers = powers_beside(lengths.distances, scale, question.p, room_for_powers, pulse);
        return solve_powers({powers, lengths.masses}, scale, at_guess, pulse);
    });
}

Reply<Outcome> lmr_on_matrix(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    auto outcome = cross_rounded_thresholds(lengths_of(pair, question, room, pulse), question, pulse);
    if (!outcome) return Declined::not_its_kind;
    return *std::move(outcome);
}

}  // namespace rpw
