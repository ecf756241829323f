// See strategy.hpp. These functions only read off what a search found.
#include "solve/strategy.hpp"

#include <algorithm>

#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "solve/first_bounds.hpp"
#include "solve/profile_search.hpp"
#include "solve/transport.hpp"
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

// What does not depend on the quantity; gives the height of the dual line, F(1 - ε) ≥ height - λ ε, if it is needed.
double read_off(Outcome& outcome, const Found& found, const PowerProblem& problem, double scale,
                const Question& question, Pulse& pulse) {
    outcome.status = found.status;
    outcome.solver = found.solver;
    outcome.iterations = found.pivots;
    outcome.unmoved = found.unmoved;
    outcome.cost = scale * root(found.cost_p, question.p);
    outcome.multiplier = found.lambda;
    outcome.scale = scale;
    if (question.need == Need::plan) outcome.plan = found.plan(problem.masses);
    if (needs_proof(found.status, question.need)) return found.certify(problem, outcome.u, outcome.v, &pulse);
    outcome.u = row_potentials(Forest(problem.masses, found.proof), found.lambda);
    return 0;
}

// Of an exact answer only: one within a tolerance may lie above the exact one by more than rounding.
void set_lower(Outcome& outcome, double lower) {
    outcome.lower = std::min(lower, outcome.upper);
    const bool is_exact = outcome.status == Status::exact;
    if (is_exact && outcome.upper - outcome.lower <= same_answer * outcome.upper) outcome.lower = outcome.upper;
}

Outcome cross(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const Price price = scaled_price(question.kappa, scale);
    const double p = question.p, cutoff = std::min(1.0, question.cutoff / price.shrink);
    pulse.begin_news(price.shrink);
    ProfileSearch search(problem, {price.kappa, p}, strategy_of(question), pulse);
    const Status status = search.run({price.tol(question.tol), cutoff});
    const Found found = search.found(question.need == Need::plan);
    Outcome outcome;
    const double height = read_off(outcome, found, problem, scale, question, pulse);
    outcome.value = outcome.lower = outcome.upper = price.share(found.unmoved, status);
    if (needs_proof(status, question.need)) {
        set_lower(outcome, price.shrink * crossing(height, found.lambda, price.kappa, p));
        if (status == Status::time_limit) {
            raise_lower(outcome, std::min(price.shrink * search.lower_without_line(), outcome.upper));
        }
    }
    if (status == Status::beyond_cutoff) outcome.lower = question.cutoff;
    return outcome;
}

// The cost of the mass that is asked for, of which `upper_p` is paid.
Outcome priced(const Found& found, double upper_p, const PowerProblem& problem, double scale, const Question& question,
               Pulse& pulse) {
    Outcome outcome;
    const double height = read_off(outcome, found, problem, scale, question, pulse);
    outcome.value = outcome.lower = outcome.upper = outcome.cost = scale * root(upper_p, question.p);
    if (needs_proof(found.status, question.need)) {
        // Bounds that have not met must allow for the rounding of a price that may be far larger.
        const double rounding = found.status == Status::time_limit ? rounding_of_price * found.lambda : 0;
        set_lower(outcome, scale * root(height - found.lambda * question.unmoved - rounding, question.p));
    }
    return outcome;
}

double dearest_pair(const PowerProblem& problem) {
    return range_of(problem.powers.data, problem.powers.size()).largest;
}

Outcome move_by(Solver strategy, const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    pulse.begin_news(scale);
    ProfileSearch search(problem, {0, question.p, question.unmoved}, strategy, pulse);
    const Status status = search.run();
    const Found found = search.found(question.need == Need::plan);
    const double rest = status == Status::time_limit ? std::max(0.0, found.unmoved - question.unmoved) : 0;
    return priced(found, found.cost_p + (rest > 0 ? rest * dearest_pair(problem) : 0), problem, scale, question, pulse);
}

bool is_proven(const Outcome& outcome) { return outcome.upper - outcome.lower <= proven_enough * outcome.upper; }

// The given mass. What bounds do not prove is asked of the walk: it has no λ whose rounding could hide what is cheap.
Outcome move(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    Outcome outcome = move_by(strategy_of(question), problem, scale, question, pulse);
    if (outcome.status != Status::exact || outcome.solver == Solver::walk || is_proven(outcome)) return outcome;
    Outcome again = move_by(Solver::walk, problem, scale, question, pulse);
    return again.status == Status::exact && again.value <= outcome.value ? again : outcome;
}

// All mass, by the simplex at one λ; once more by the walk where the rounding of that λ counts. Under min(c, t) what
// would move over pairs of length t may as well stay for that price, and does in the plan.
Outcome move_everything(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const bool is_truncated = question.truncation < unreachable;
    const double dearest = dearest_pair(problem);
    const double price =
        is_truncated ? std::min(power(question.truncation / scale, question.p), largest_power) : dearest;
    const bool with_slope = question.need == Need::plan && (!is_truncated || price == 0);  // at no price all moves
    pulse.begin_news(scale);
    const Transport found = transport_all(problem, std::max(price, dearest), with_slope, pulse);
    Outcome outcome = priced(found, found.upper_p, problem, scale, question, pulse);
    if (outcome.status == Status::time_limit) return outcome;
    if (found.is_done && found.is_sharp && is_proven(outcome)) return outcome;
    Outcome again = move_by(Solver::walk, problem, scale, question, pulse);
    const bool is_better = !found.is_done || again.value < outcome.value || is_proven(again);
    return again.status == Status::exact && is_better ? again : outcome;
}

}  // namespace

Outcome solve_powers(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    if (question.quantity == Quantity::crossing) return cross(problem, scale, question, pulse);
    const bool may_jump = strategy_of(question) != Solver::walk || question.truncation < unreachable;
    const bool moves_all = question.unmoved == 0 && may_jump;
    return moves_all ? move_everything(problem, scale, question, pulse) : move(problem, scale, question, pulse);
}

}  // namespace rpw
