// Bisection: the paper's highly accurate algorithm (appendix, section 5), as a slow and obvious reference.
//
// With w = W_{p,1-g} for a guess g, the distance lies between g and w / κ, in whatever order they stand (paper,
// Lemma 2.2; its second half and its binary search are printed with small mistakes, docs/proofs/profile.md, "F and its
// properties", has them right).
#pragma once

#include <algorithm>
#include <utility>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"

namespace rpw {

// RPW to within tol > 0, given W_{p, 1 - unmoved} with its plan for any unmoved mass. The plan of the outcome may move
// more mass than 1 - value, and its cost is not that of the plan.
template <class Cost>
Outcome bisect(const Question& question, const Cost& cost_at) {
    Outcome outcome;
    outcome.solver = Solver::bisection;
    while (outcome.upper - outcome.lower > question.tol) {
        const double guess = (outcome.lower + outcome.upper) / 2;
        if (guess == outcome.lower || guess == outcome.upper) break;  // no float64 lies between
        Outcome at_guess;
        const bool in_time = ends_in_time([&] { at_guess = cost_at(guess); });
        if (!in_time || at_guess.status == Status::time_limit) break;
        ++outcome.iterations;
        const double ratio = at_guess.value / question.kappa;
        outcome.lower = std::max(outcome.lower, std::min(guess, ratio));
        if (std::max(guess, ratio) < outcome.upper) {
            outcome.upper = std::max(guess, ratio);
            outcome.plan = std::move(at_guess.plan);  // moves 1 - guess at the cost κ ratio: any smaller mass for less
        }
    }
    outcome.value = outcome.unmoved = outcome.upper;
    outcome.status = outcome.upper - outcome.lower <= question.tol ? Status::tolerance : Status::time_limit;
    return outcome;
}

}  // namespace rpw
