// See network.hpp.
#include "matrix/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "walk/certificate.hpp"
#include "walk/walk_to_goal.hpp"

namespace rpw {

using namespace tuning;

namespace {

double larger_side(const Powers& cost) { return std::max(cost.rows, cost.columns); }

// What a solve from nothing is expected to take.
double work_of_cold_solve(const Powers& cost) {
    const auto [few, many] = std::minmax(cost.rows, cost.columns);
    return pivots_per_node * (few + many) * (work_per_pivot + work_per_cost * few);
}

bool are_few_against_many(const Powers& cost) {
    const auto [few, many] = std::minmax(cost.rows, cost.columns);
    return few <= few_points && many / many_per_few >= few;
}

}  // namespace

Network::Network(const PowerProblem& problem, Solver strategy, Pulse& pulse)
    : problem_(problem),
      pulse_(pulse),
      way_(way_by_name(strategy, problem.powers)),
      simplex_(problem, pulse),
      cold_solve_(work_of_cold_solve(problem.powers)) {}

std::optional<Status> Network::begin(Around& bracket, const Limits& limits) {
    if (way_ == Way::both && leaves_few_atoms(bracket)) way_ = Way::simplex;
    if (way_ != Way::simplex) {
        if (const auto status = first_walk(bracket, limits)) return status;
    }
    return jump(bracket, limits);
}

Network::Way Network::way_by_name(Solver strategy, const Powers& cost) {
    if (strategy == Solver::walk) return Way::walk;
    return strategy == Solver::simplex || are_few_against_many(cost) ? Way::simplex : Way::both;
}

// Where nearly all moves, a walk is long; neighbours tell how much may stay.
bool Network::leaves_few_atoms(Around& bracket) {
    if (static_cast<double>(problem_.powers.size()) > pairs_for_simplex) return false;
    const NeighbourProfile& near = neighbours(bracket.goal(), pulse_);
    bracket.raise_lower(near.lower());
    const double atoms = bracket.lower() * larger_side(problem_.powers);
    return atoms > 0 && atoms <= few_atoms && !near.stays_far();
}

const NeighbourProfile& Network::neighbours(const Goal& goal, Pulse& pulse) {
    if (!neighbours_) neighbours_.emplace(problem_, goal, pulse);
    return *neighbours_;
}

// ---------------------------------------------------------------- the walk

// The first stretch, and the rest where that looks cheaper than a cold solve.
std::optional<Status> Network::first_walk(Around& bracket, const Limits& limits) {
    const double steps = std::max(few_steps, first_stretch * static_cast<double>(problem_.powers.size()));
    const double stretch = way_ == Way::walk ? unreachable : steps;
    start_walk(bracket);
    if (const auto status = walk_on(bracket, limits, stretch / 2)) return status;
    if (const auto status = walk_on(bracket, limits, stretch)) return status;
    return rest_of_first_walk(bracket, limits);
}

// Trees grow on the way: the work is taken to grow like the square of -log ε.
std::optional<Status> Network::rest_of_first_walk(Around& bracket, const Limits& limits) {
    bracket.raise_lower(neighbours(bracket.goal(), pulse_).lower());
    while (work_left(bracket) < cold_solve_) {
        if (const auto status = walk_on(bracket, limits, 2 * walk_->work())) return status;
    }
    stop(bracket);
    return std::nullopt;
}

// What the rest of the walk is expected to take. The pass that makes its first list moves nothing.
double Network::work_left(const Around& bracket) const {
    const double first_list = static_cast<double>(problem_.powers.size()) / 2;
    const double height = walk_->cost_p() + walk_->lambda() * walk_->unmoved();
    const double goal = std::max(least_unmoved(bracket), bracket.goal().meets(height, walk_->lambda()));
    const double way = std::log(goal) / std::log(walk_->unmoved());
    return (walk_->work() - first_list) * (way * way - 1);
}

Status Network::start_again(Around& bracket, const Limits& limits) {
    way_ = Way::walk;
    bracket.restart({{}, nothing_moved(problem_.masses)});
    start_walk(bracket);
    return walk_on(bracket, limits, unreachable).value();
}

std::optional<Status> Network::refine(Around& bracket, const Limits&) {
    pulse_.tell_bounds(bracket.goal().is_crossing() ? bracket.lower() : bracket.proven(), bracket.upper());
    return std::nullopt;
}

void Network::start_walk(const Around& bracket) {
    const Vertex<Basis>& from = bracket.left();
    const double limit = bracket.right() ? bracket.right()->lambda * (1 + a_little) : unreachable;
    walk_.emplace(problem_, pulse_, from.plan, from.lambda, limit);
}

// Walks up to so much work of the walk in all; the status if that ends the search.
std::optional<Status> Network::walk_on(Around& bracket, const Limits& limits, double most_work) {
    middle_ = {walk_->unmoved(), walk_->cost_p(), walk_->lambda()};
    walk_->allow(most_work);
    return walk_to_goal(*walk_, bracket, limits, middle_);
}

// Hands the basis of a walk that did not reach the goal over to the simplex.
void Network::stop(Around& bracket) {
    Vertex<Basis> further = vertex_of(*walk_);
    further.lambda = std::max(further.lambda, bracket.left().lambda);
    walk_pivots_ += walk_->pivots();
    bracket.advance(std::move(further), middle_);
    simplex_.adopt(bracket.left().plan);
    walk_.reset();
}

// ---------------------------------------------------------------- the simplex

// Finds the λ of the next solve; the status if that shows that the answer lies beyond the cutoff.
std::optional<Status> Network::jump(Around& bracket, const Limits& limits) {
    bracket.raise_lower(neighbours(bracket.goal(), pulse_).lower());
    if (const auto status = bracket.ending(limits)) return status;
    if (bracket.right()) return std::nullopt;
    first_ = std::min(first_guess(bracket), dearest_path);
    return std::nullopt;
}

// Along the profile the crossings come in the order of κ: what was found on the way to the last one bounds the next.
std::optional<Status> Network::go_on(Around& bracket) {
    neighbours_.reset();
    if (const auto status = bracket.ending({})) return status;
    // Vertices that an earlier goal left on its right may lie past the walk by now.
    if (walk_ && walk_->unmoved() > bracket.left().unmoved) {
        walk_pivots_ += walk_->pivots();
        walk_.reset();
    }
    if (walk_) {
        if (const auto status = walk_to_goal(*walk_, bracket, {}, middle_)) return status;
        if (const auto status = rest_of_first_walk(bracket, {})) return status;
    }
    simplex_.adopt(bracket.left().plan);
    return jump(bracket, {});
}

double Network::first_guess(const Around& bracket) {
    const Known known = bracket.known();
    const double here = neighbours_->slope_at(known.left.unmoved), at_goal = neighbours_->slope_at(bracket.lower());
    // Of few against many every atom goes its own way, as neighbours do.
    const double unmoved = are_few_against_many(problem_.powers) ? 1 : least_unmoved(bracket);
    const double lambda = first_lambda(bracket.goal(), known, neighbours_->range(), here, at_goal, unmoved);
    if (lambda > 0) return lambda;
    const double least = least_positive(problem_.powers, pulse_);  // all neighbours are equal points
    return least < unreachable ? least / 2 : 1;
}

Trial Network::next(const Around& bracket) {
    if (first_) return {*std::exchange(first_, std::nullopt), false};
    const Known known = bracket.known();
    double lambda = std::min(next_lambda(guess(bracket), known, neighbours_->range()), dearest_path);
    const bool is_chord = known.right && wants_chord(bracket);
    if (is_chord) lambda = bracket.chord_between_slopes();
    if (known.right && lambda - known.left.lambda < known.right->lambda - lambda) simplex_.adopt(bracket.left().plan);
    return {lambda, is_chord};
}

// The chord decides where no vertex lies between; so it is for guesses that find nothing new.
bool Network::wants_chord(const Around& bracket) const {
    return !(bracket.right()->lambda > bracket.left().lambda) || bracket.stalls() >= most_stalls;
}

SlopeGuess Network::guess(const Around& bracket) const {
    return guess_goal(bracket.goal(), bracket.known(), least_unmoved(bracket));
}

double Network::least_unmoved(const Around& bracket) const {
    return std::max(bracket.lower(), 1 / larger_side(problem_.powers));
}

std::optional<Vertex<Basis>> Network::solve(const Trial& trial, const Around& bracket) {
    // Rounding could make pivots go round in circles; this has not been seen, and the walk cannot.
    const double most_work = simplex_.work() + most_solve * cold_solve_;
    if (!simplex_.solve(trial.lambda, most_work)) return std::nullopt;
    ++solves_;
    const double lambda = trial.is_chord ? trial.lambda : slope_towards(bracket.goal());
    // What rounding at a far larger λ has hidden is found at this one.
    if (step_of_lambda * lambda < trial.lambda && !simplex_.solve(lambda, most_work)) return std::nullopt;
    Vertex<Basis> found{simplex_.point(), simplex_.basis()};
    found.lambda = lambda;
    return found;
}

// The slope on the goal's side of a vertex says more about the way there than the λ that led to it.
double Network::slope_towards(const Goal& goal) {
    const bool is_left = goal.is_beyond(simplex_.point());
    const double slope = is_left ? std::min(simplex_.largest_lambda(), dearest_path) : simplex_.least_lambda();
    return slope > 0 ? slope : simplex_.lambda();
}

// ---------------------------------------------------------------- before the end

void Network::cut_off(Around& bracket) {
    if (pivots() == 0) {  // no time at all: nothing is known, whatever was looked at before the clock was
        bracket.aim_at(Goal(bracket.goal()));
        return;
    }
    if (walk_) {
        Vertex<Basis> here = vertex_of(*walk_);  // past the goal, if time was up on the edge that reaches it
        const double height = here.height();
        bracket.offer(std::move(here), height);
    } else {
        offer_unfinished(bracket);
    }
    Pulse after = pulse_.without_deadline();
    if (bracket.goal().is_crossing()) bracket.raise_lower(neighbours(bracket.goal(), after).lower());
}

// The basis of the simplex is feasible, though not optimal; its potentials, completed for all pairs, may prove more
// than others do.
void Network::offer_unfinished(Around& bracket) {
    std::vector<double> u, v;
    const double lambda = simplex_.lambda();
    const double least = certify(problem_, Forest(problem_.masses, simplex_.basis()), lambda, u, v, &pulse_);
    bracket.offer({simplex_.point(), simplex_.basis()}, lambda - least);
}

}  // namespace rpw
