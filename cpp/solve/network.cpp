// See network.hpp.
#include "solve/network.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "solve/early_lambda.hpp"
#include "walk/certificate.hpp"
#include "walk/walk_to_goal.hpp"

namespace rpw {

using namespace tuning;

namespace {

bool are_few_against_many(const Powers& cost) {
    return std::max(cost.rows, cost.columns) / many_per_few >= std::min(cost.rows, cost.columns);
}

double cold_work(const Powers& cost) {
    const double few = std::min(cost.rows, cost.columns), both = cost.rows + cost.columns;
    return pivots_per_node * both * (steps_per_pivot + steps_per_cost * few);
}

}  // namespace

Network::Network(const PowerProblem& problem, Solver strategy, Pulse& pulse)
    : problem_(problem),
      strategy_(strategy),
      pulse_(pulse),
      simplex_(problem, pulse),
      budget_(static_cast<double>(problem.powers.size())),
      start_{{}, simplex_.basis()},
      part_of_atom_(part_of_atom / std::max(problem.powers.rows, problem.powers.columns)) {}

std::optional<Status> Network::begin(Around& bracket, const Limits& limits) {
    corrects_ = strategy_ == Solver::exact && !are_few_against_many(problem_.powers) &&
                pays_to_correct_early(problem_, bracket.goal());
    if (walks()) {
        if (const auto status = first_walk(bracket, limits)) return status;
    }
    return jump(bracket, limits);
}

bool Network::walks() const {
    if (strategy_ != Solver::exact) return strategy_ == Solver::walk;
    return !corrects_ && !are_few_against_many(problem_.powers);
}

double Network::bound_by_neighbours(const Goal& goal) {
    if (!neighbours_) neighbours_.emplace(problem_, goal);
    return neighbours_->lower();
}

// Finds the λ of the next solve; the status if that shows that the answer lies beyond the cutoff.
std::optional<Status> Network::jump(Around& bracket, const Limits& limits) {
    bracket.raise_lower(bound_by_neighbours(bracket.goal()));
    first_ = std::min(first_guess(bracket), dearest_path);
    if (!corrects_ || solves_ > 0) return std::nullopt;
    first_ =
        lambda_corrected_early(problem_, bracket.goal(), *neighbours_, part_of_atom_, limits.cutoff, simplex_, *first_);
    return first_ ? std::nullopt : std::optional(bracket.end_at_left(Status::beyond_cutoff));
}

// Along the profile the crossings come in the order of κ: what was found on the way to the last one bounds the next.
std::optional<Status> Network::go_on(Around& bracket, const Limits& limits) {
    neighbours_.reset();
    if (const auto status = bracket.ending(limits)) return status;
    if (walk_) {
        if (const auto status = walk_on(bracket, limits)) return status;
        if (solves_ > 0) {
            stop(bracket);
        } else if (const auto status = rest_of_first_walk(bracket, limits)) {
            return status;
        }
    }
    go_back_to(bracket.left());
    return jump(bracket, limits);
}

// The first stretch of the walk, and the rest of it where that looks cheaper than a cold solve.
std::optional<Status> Network::first_walk(Around& bracket, const Limits& limits) {
    const double steps = std::max(few_steps, first_stretch * static_cast<double>(problem_.powers.size()));
    const double stretch = strategy_ == Solver::walk ? unreachable : steps;
    start_walk(bracket, stretch / 2);
    if (const auto status = walk_on(bracket, limits)) return status;
    note_middle();
    walk_->allow(stretch);
    if (const auto status = walk_on(bracket, limits)) return status;
    return rest_of_first_walk(bracket, limits);
}

std::optional<Status> Network::rest_of_first_walk(Around& bracket, const Limits& limits) {
    bracket.raise_lower(bound_by_neighbours(bracket.goal()));
    const double walked = -std::log(walk_->unmoved()), all = -std::log(std::max(bracket.lower(), 1e-300));
    const double rest = WalkBudget::rest_of_walk(walked, all, walk_->work());
    if (rest < cold_work(problem_.powers)) {
        note_middle();
        walk_->allow(walk_->work() + 2 * rest + static_cast<double>(problem_.powers.size()));
        if (const auto status = walk_on(bracket, limits)) return status;
    }
    stop(bracket);
    budget_.forget_walk();
    return std::nullopt;
}

Status Network::walk_from_start(Around& bracket, const Limits& limits) {
    walk_.reset();
    bracket.restart(start_);
    strategy_ = Solver::walk;
    start_walk(bracket, unreachable);
    return walk_on(bracket, limits).value();
}

Trial Network::next(const Around& bracket) {
    if (first_) return {*std::exchange(first_, std::nullopt), false};
    const Known known = bracket.known();
    const bool is_past = knows_one_side(bracket);
    double lambda = is_past ? lambda_past_goal(bracket.goal(), known, *neighbours_, part_of_atom_)
                            : next_lambda(guess(bracket), *neighbours_, known);
    lambda = std::min(lambda, dearest_path);
    const bool is_chord = known.right && !is_past && wants_chord(bracket, lambda);
    if (is_chord) lambda = bracket.chord_between_slopes();
    if (known.right && lambda - known.left.lambda < known.right->lambda - lambda) go_back_to(bracket.left());
    return {lambda, is_chord};
}

SlopeGuess Network::guess(const Around& bracket) const {
    return guess_goal(bracket.goal(), bracket.known(), std::max(bracket.lower(), part_of_atom_));
}

double Network::first_guess(const Around& bracket) const {
    const Known known = bracket.known();
    if (known.right) return next_lambda(guess(bracket), *neighbours_, known);
    const double at_goal = neighbours_->slope_at(bracket.lower());
    return first_lambda(problem_, bracket.goal(), *neighbours_, at_goal, known,
                        std::max(bracket.lower(), part_of_atom_));
}

// Whether all vertices that were found lie on one side of the goal, so that there is nothing to guess between yet.
bool Network::knows_one_side(const Around& bracket) const {
    return corrects_ && (!bracket.right() || bracket.left().lambda == 0) &&
           std::abs(bracket.same_side()) <= most_past_goal;
}

// The chord decides where no vertex lies between; so it is for guesses that find nothing new and cannot go further.
bool Network::wants_chord(const Around& bracket, double lambda) const {
    const double low = bracket.left().lambda, high = bracket.right()->lambda, width = high - low;
    if (!(width > 0) || bracket.stalls() >= (corrects_ ? 1 : most_stalls)) return true;
    const bool is_halved = std::min(lambda - low, high - lambda) > 0.499 * width;
    return bracket.stalls() > 0 && is_halved && !spans_many_orders(bracket.known());
}

void Network::go_back_to(const Vertex<Basis>& vertex) {
    simplex_.adopt(vertex.plan);
    start_of_solve_ = vertex;
}

std::optional<Vertex<Basis>> Network::solve(const Trial& trial, const Around& bracket) {
    const double work = simplex_.work();
    const ProfilePoint from = start_of_solve_;
    // Rounding could make pivots go round in circles; this has not been seen, and the walk cannot.
    const double most_work = work + most_solve * cold_work(problem_.powers);
    const bool is_solved = simplex_.solve(trial.lambda, most_work);
    if (!is_solved || !(trial.is_chord || tighten(bracket.goal(), most_work))) return std::nullopt;
    ++solves_;
    Vertex<Basis> found{plan_of(simplex_, problem_.masses), simplex_.basis()};
    start_of_solve_ = found;
    budget_.note_solve(from, found, simplex_.work() - work);
    return found;
}

// The slope on the goal's side of a vertex says more about the way there than the λ that led to it. It is solved again
// there, as a rule without a pivot: what rounding at a far larger λ has hidden is found. False if that does not end.
bool Network::tighten(const Goal& goal, double most_work) {
    const bool is_left = goal.is_beyond(plan_of(simplex_, problem_.masses));
    const double tight = is_left ? std::min(simplex_.largest_lambda(), dearest_path) : simplex_.least_lambda();
    return !(tight > 0) || tight == simplex_.lambda() || simplex_.solve(tight, most_work);
}

std::optional<Status> Network::walk(Around& bracket, const Limits& limits) {
    if (!walks()) return std::nullopt;
    const double stretch = std::log(bracket.left().unmoved / guess(bracket).unmoved);
    const auto most_work = budget_.of_walk(std::max(0.0, stretch));
    if (!most_work) return std::nullopt;
    start_walk(bracket, *most_work);
    if (const auto status = walk_on(bracket, limits)) return status;
    stop(bracket);
    return std::nullopt;
}

void Network::start_walk(const Around& bracket, double most_work) {
    const double limit = bracket.right() ? bracket.right()->lambda * (1 + 1e-9) : unreachable;
    walk_.emplace(problem_, pulse_, bracket.left().plan, bracket.left().lambda, limit);
    walk_->allow(most_work);
    note_middle();
}

// From here on the walk tells how the rest of the way will be.
void Network::note_middle() {
    middle_ = {walk_->unmoved(), walk_->cost_p(), walk_->lambda()};
    middle_work_ = walk_->work();
}

// Walks as long as there is room; the status if that ends the search.
std::optional<Status> Network::walk_on(Around& bracket, const Limits& limits) {
    return walk_to_goal(*walk_, bracket, limits, middle_);
}

void Network::cut_off(Around& bracket) {
    if (walk_) {
        stop(bracket);
    } else {  // a basis is feasible, though not optimal; its potentials may prove more than others do
        Vertex<Basis> found{plan_of(simplex_, problem_.masses), simplex_.basis()};
        std::vector<double> u, v;
        const double sum = certify(problem_, Forest(problem_.masses, found.plan), found.lambda, u, v, &pulse_);
        const double height = found.lambda - sum;
        bracket.offer(std::move(found), height);
    }
    if (bracket.goal().is_crossing()) bracket.raise_lower(bound_by_neighbours(bracket.goal()));
}

// Hands the basis of a walk that did not reach the goal over to the simplex.
void Network::stop(Around& bracket) {
    Vertex<Basis> further = vertex_of(*walk_);
    further.lambda = std::max(further.lambda, bracket.left().lambda);
    const bool is_from_start = bracket.left().unmoved == 1;
    budget_.note_walk(middle_, further, walk_->work() - middle_work_, walk_->work(), is_from_start);
    walk_pivots_ += walk_->pivots();
    bracket.advance(std::move(further), middle_);
    go_back_to(bracket.left());
    walk_.reset();
}

}  // namespace rpw
