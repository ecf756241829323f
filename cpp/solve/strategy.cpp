// See strategy.hpp. These functions only read off what a search found.
#include "solve/strategy.hpp"

#include <algorithm>

#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "solve/mixed_plan.hpp"
#include "solve/profile_search.hpp"
#include "solve/transport.hpp"
#include "solve/truncated.hpp"
#include "walk/certificate.hpp"

namespace rpw {

using namespace tuning;

namespace {

// LMR and bisection answer for RPW by other ways; what they leave to this file is up to the rule.
Solver strategy_of(const Question& question) {
    const bool is_named = question.solver == Solver::walk || question.solver == Solver::simplex;
    return is_named ? question.solver : Solver::exact;
}

// Whether the bounds have to be proven by potentials: where they are asked for, and where they are all there is.
bool needs_proof(Status status, Need need) { return need != Need::value || status == Status::time_limit; }

// What does not depend on the question; gives the height of the dual line, F(1 - ε) ≥ height - λ ε.
double read_off(Outcome& outcome, const ProfileSearch& search, double scale, double p, Need need) {
    outcome.solver = search.solver();
    outcome.unmoved = search.unmoved();
    outcome.cost = scale * root(search.cost_p(), p);
    outcome.multiplier = search.lambda();
    outcome.scale = scale;
    outcome.iterations = search.pivots();
    if (need == Need::plan) outcome.plan = search.plan();
    if (needs_proof(outcome.status, need)) return search.certify(outcome.u, outcome.v);
    outcome.u = search.row_potentials();
    return 0;
}

// Of an exact answer only: one within a tolerance may lie above the exact one by more than rounding.
void close_gap(Outcome& outcome) {
    const bool is_exact = outcome.status == Status::exact;
    if (is_exact && outcome.upper - outcome.lower <= same_answer * outcome.upper) outcome.lower = outcome.upper;
}

Outcome cross(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const Price price = scaled_price(question.kappa, scale);
    const double p = question.p, cutoff = std::min(1.0, question.cutoff / price.shrink);
    ProfileSearch search(problem, {price.kappa, p}, strategy_of(question), pulse);
    Outcome outcome;
    outcome.status = search.run({price.tol(question.tol), cutoff});
    const double height = read_off(outcome, search, scale, p, question.need);
    outcome.value = outcome.lower = outcome.upper = price.share(search.unmoved(), outcome.status);
    if (needs_proof(outcome.status, question.need)) {
        double lower = crossing(height, outcome.multiplier, price.kappa, p);
        if (outcome.status == Status::time_limit) lower = std::max(lower, search.lower());
        outcome.lower = std::min(price.shrink * lower, outcome.upper);
        close_gap(outcome);
    }
    if (outcome.status == Status::beyond_cutoff) outcome.lower = question.cutoff;
    return outcome;
}

Outcome move_by(Solver strategy, const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    ProfileSearch search(problem, {0, question.p, question.unmoved}, strategy, pulse);
    Outcome outcome;
    outcome.status = search.run();
    const double height = read_off(outcome, search, scale, question.p, question.need);
    outcome.value = outcome.lower = outcome.upper = outcome.cost;
    if (needs_proof(outcome.status, question.need)) {
        const double lower_p = height - outcome.multiplier * question.unmoved;
        outcome.lower = std::min(scale * root(lower_p, question.p), outcome.upper);
        close_gap(outcome);
    }
    if (outcome.status == Status::time_limit) {  // what is still to be moved costs no more than the dearest pair
        const Matrix& powers = problem.powers;
        const double dearest = *std::max_element(powers.data, powers.data + powers.size());
        const double rest = std::max(0.0, search.unmoved() - question.unmoved);
        outcome.value = outcome.upper = scale * root(search.cost_p() + dearest * rest, question.p);
    }
    return outcome;
}

bool is_proven(const Outcome& outcome) { return outcome.upper - outcome.lower <= proven_enough * outcome.upper; }

// The given mass. What bounds do not prove is asked of the walk: it has no λ whose rounding could hide what is cheap.
Outcome move(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    Outcome outcome = move_by(strategy_of(question), problem, scale, question, pulse);
    if (outcome.status != Status::exact || outcome.solver == Solver::walk || is_proven(outcome)) return outcome;
    Outcome again = move_by(Solver::walk, problem, scale, question, pulse);
    return again.status == Status::exact && again.value <= outcome.value ? again : outcome;
}

// All mass, by the simplex at one λ; once more by the walk where the rounding of that λ counts.
Outcome move_everything(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const double p = question.p;
    Transport found = transport_all(problem, question.need == Need::plan, pulse);
    Outcome outcome;
    outcome.solver = found.solver;
    outcome.status = found.status;
    outcome.scale = scale;
    outcome.unmoved = 0;
    outcome.multiplier = found.lambda;
    outcome.iterations = found.pivots;
    outcome.value = outcome.lower = outcome.upper = outcome.cost = scale * root(found.upper_p, p);
    if (question.need == Need::plan) {
        outcome.plan = mixed_plan(found.basis, found.basis, 0, problem.powers.rows, problem.masses.total());
    }
    if (needs_proof(outcome.status, question.need)) {
        const Forest forest(problem.masses, found.basis);
        double lower_p = found.lambda - certify(problem, forest, found.lambda, outcome.u, outcome.v, &pulse);
        if (outcome.status == Status::time_limit) lower_p -= rounding_of_price * found.lambda;
        outcome.lower = std::min(scale * root(lower_p, p), outcome.upper);
        close_gap(outcome);
    }
    const bool is_trusted = found.is_done && found.is_sharp && is_proven(outcome);
    if (is_trusted || outcome.status == Status::time_limit) return outcome;
    const Outcome again = move_by(Solver::walk, problem, scale, question, pulse);
    const bool is_better = !found.is_done || again.value < outcome.value || is_proven(again);
    return again.status == Status::exact && is_better ? again : outcome;
}

}  // namespace

Outcome solve_powers(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    if (question.quantity == Quantity::crossing) return cross(problem, scale, question, pulse);
    const bool moves_all = question.unmoved == 0 && strategy_of(question) != Solver::walk;
    if (moves_all && (question.truncation == unreachable || question.need == Need::value)) {
        return move_everything(problem, scale, question, pulse);
    }
    if (question.truncation < unreachable && question.unmoved == 0) {
        Outcome outcome = move_while_shorter(problem, scale, question, pulse);
        // Beside a price far above all that is paid, rounding hides what is cheap, and bounds agree on what is wrong.
        // A price that vanishes leaves all behind.
        const double price = outcome.multiplier;
        const bool is_far = price > far_larger * power(outcome.upper / scale, question.p);
        if ((price > 0 && !is_far && is_proven(outcome)) || outcome.status != Status::exact) return outcome;
    }
    return move(problem, scale, question, pulse);
}

}  // namespace rpw
