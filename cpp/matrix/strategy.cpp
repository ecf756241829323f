// See strategy.hpp.
#include "matrix/strategy.hpp"

#include <algorithm>

#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "matrix/matrix_search.hpp"
#include "matrix/transport.hpp"

namespace rpw {

using namespace tuning;

namespace {

// LMR and bisection answer for RPW by other ways; what they leave to this file is up to the rule.
Solver strategy_of(const Question& question) {
    const bool is_named = question.solver == Solver::walk || question.solver == Solver::simplex;
    return is_named ? question.solver : Solver::exact;
}

Outcome cross(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const Price price = scaled_price(question.kappa, scale);
    const double cutoff = std::min(1.0, question.cutoff / price.shrink);
    pulse.begin_news(price.shrink);
    MatrixSearch search(problem, {price.kappa, question.p}, strategy_of(question), pulse);
    (void)search.run({price.tol(question.tol), cutoff});
    const Found found = search.found(question.need == Need::plan);
    return read_crossing(FoundOnMatrix{found, problem, pulse}, price, scale, question);
}

// Bounds that have not met must allow for the rounding of a price that may be far larger.
Outcome priced(const Found& found, double price_of_rest, const PowerProblem& problem, double scale,
               const Question& question, Pulse& pulse) {
    const double rounding = found.status == Status::time_limit ? rounding_of_lambda * found.lambda : 0;
    return read_mass(FoundOnMatrix{found, problem, pulse}, price_of_rest, rounding, scale, question);
}

double dearest_pair(const PowerProblem& problem) {
    return range_of(problem.powers.data, problem.powers.size()).largest;
}

Outcome move_by(Solver strategy, const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    pulse.begin_news(scale);
    MatrixSearch search(problem, {0, question.p, question.unmoved}, strategy, pulse);
    const bool is_cut_off = search.run() == Status::time_limit;
    const Found found = search.found(question.need == Need::plan);
    return priced(found, is_cut_off ? dearest_pair(problem) : 0, problem, scale, question, pulse);
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
    Outcome outcome = priced(found, std::max(price, dearest), problem, scale, question, pulse);
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
