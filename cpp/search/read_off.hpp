// How what a search has found becomes an answer, wherever its costs come from: a matrix, trees over points, the line.
//
// `Found` is a Finding that also has
//
//     always_proven        whether a number alone is worth potentials too
//     plan()               its entries, for the atoms as they were given
//     certify(u, v)        potentials, checked over all pairs, and the height of the cut F(1 - ε) ≥ height - λ ε that
//                          they prove
//     row_potentials()     those of the rows alone, unchecked: they bound other pairs
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/crossing.hpp"
#include "base/outcome.hpp"
#include "base/question.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"

namespace rpw {

struct Finding {
    Status status = Status::exact;
    Solver solver = Solver::simplex;
    long pivots = 0;
    double unmoved = 1;
    double cost_p = 0;             // of the plan
    double lambda = 0;             // at which the potentials prove a cut
    double lower_without_cut = 0;  // a bound on RPW that needs no potentials
};

// The lower bound, no larger than the upper one. Only an exact answer is taken as proven where they nearly meet: one
// within a tolerance may lie above the exact one by more than rounding.
inline void set_lower(Outcome& outcome, double lower) {
    outcome.lower = std::min(lower, outcome.upper);
    const bool is_exact = outcome.status == Status::exact;
    if (is_exact && outcome.upper - outcome.lower <= tuning::same_answer * outcome.upper) outcome.lower = outcome.upper;
}

// A lower bound that the potentials of an outcome do not prove: then it has none.
inline void raise_lower(Outcome& outcome, double lower) {
    if (lower <= outcome.lower) return;
    outcome.lower = lower;
    outcome.multiplier = 0;
    outcome.u.clear();
    outcome.v.clear();
}

// The better bound of each kind, with what proves it.
inline void improve(Outcome& outcome, Outcome&& other) {
    if (other.upper < outcome.upper) {
        outcome.value = outcome.upper = other.upper;
        outcome.unmoved = other.unmoved;
        outcome.cost = other.cost;
        outcome.plan = std::move(other.plan);
        outcome.lengths = std::move(other.lengths);
    }
    if (other.lower > outcome.lower) {
        outcome.lower = other.lower;
        outcome.multiplier = other.multiplier;
        outcome.scale = other.scale;
        outcome.u = std::move(other.u);
        outcome.v = std::move(other.v);
    }
    outcome.lower = std::min(outcome.lower, outcome.upper);
    outcome.iterations += other.iterations;
}

// Whether the bounds have to be proven by potentials: where they are asked for, and where they are all there is.
template <class Found>
bool needs_proof(const Found& found, const Question& question) {
    return Found::always_proven || question.need != Need::value || found.status == Status::time_limit;
}

// What does not depend on the quantity. Gives the height of the cut, if it is needed.
template <class Found>
double read_off(Outcome& outcome, const Found& found, double scale, const Question& question) {
    outcome.status = found.status;
    outcome.solver = found.solver;
    outcome.iterations = found.pivots;
    outcome.unmoved = found.unmoved;
    outcome.cost = scale * root(found.cost_p, question.p);
    outcome.multiplier = found.lambda;
    outcome.scale = scale;
    if (question.need == Need::plan) outcome.plan = found.plan();
    if (needs_proof(found, question)) return found.certify(outcome.u, outcome.v);
    outcome.u = found.row_potentials();
    return 0;
}

template <class Found>
Outcome read_crossing(const Found& found, const Price& price, double scale, const Question& question) {
    Outcome outcome;
    const double height = read_off(outcome, found, scale, question);
    outcome.value = outcome.upper = price.share(found.unmoved, found.status);
    if (!needs_proof(found, question)) {
        outcome.lower = found.status == Status::beyond_cutoff ? question.cutoff : outcome.value;
        return outcome;
    }
    set_lower(outcome, price.shrink * crossing(height, found.lambda, price.kappa, question.p));
    if (found.status == Status::time_limit) {
        raise_lower(outcome, std::min(price.shrink * found.lower_without_cut, outcome.upper));
    }
    return outcome;
}

// The cost of the mass that is asked for, as a length. What the plan leaves beyond that costs `price_of_rest` per unit.
// The height of the cut may be too large by `rounding`.
template <class Found>
Outcome read_mass(const Found& found, double price_of_rest, double rounding, double scale, const Question& question) {
    Outcome outcome;
    const double height = read_off(outcome, found, scale, question);
    const double rest = price_of_rest * std::max(0.0, found.unmoved - question.unmoved);
    outcome.value = outcome.lower = outcome.upper = outcome.cost = scale * root(found.cost_p + rest, question.p);
    if (needs_proof(found, question)) {
        set_lower(outcome, scale * root(height - found.lambda * question.unmoved - rounding, question.p));
    }
    return outcome;
}

}  // namespace rpw
