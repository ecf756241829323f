// The oracle of the search (search/search.hpp) where costs are a matrix: two exact strategies, and the rule between
// them.
//
// The walk (walk/profile_walk.hpp) goes edge by edge from mass 0: best where trees stay small. The simplex at a fixed
// multiplier (simplex/fixed_simplex.hpp) jumps to the vertex of any λ: best where the walk is long. The search begins
// as a walk. Where the rest of the way looks dearer than a cold solve, the walk's basis is handed to the simplex, which
// jumps to a guess of λ, as a rule from below; from there the walk goes on to the goal, as long as it takes no more
// work than the simplex has. Between few points, where a walk's lists cost as much as a solve, the simplex is alone,
// and λ is corrected while its first solve is still under way. docs/theory.md, "Two strategies", has the proofs.
#pragma once

#include <optional>

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "search/search.hpp"
#include "search/walk_budget.hpp"
#include "simplex/fixed_simplex.hpp"
#include "solve/neighbours.hpp"
#include "solve/slope_guess.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

class Network {
public:
    using Plan = Basis;
    using Around = Bracket<Basis>;

    // `strategy`: Solver::walk or Solver::simplex alone, or Solver::exact for both and the rule between them.
    Network(const PowerProblem& problem, Solver strategy, Pulse& pulse);

    // Nothing is moved.
    Vertex<Basis> start() const { return start_; }
    std::optional<Status> begin(Around& bracket, const Limits& limits);
    Trial next(const Around& bracket);
    std::optional<Vertex<Basis>> solve(const Trial& trial, const Around& bracket);
    std::optional<Status> walk(Around& bracket, const Limits& limits);

    // Before the search for another goal, at a larger κ.
    std::optional<Status> go_on(Around& bracket, const Limits& limits);
    // All the way from mass 0: it does not know λ, whose rounding can hide what is cheap.
    Status walk_from_start(Around& bracket, const Limits& limits);
    // Past the deadline: takes in what a walk or a solve has found so far, and what neighbours prove.
    void cut_off(Around& bracket);

    long pivots() const { return simplex_.pivots() + walk_pivots_ + (walk_ ? walk_->pivots() : 0); }
    // Whether the answer was found by a walk.
    bool is_walking() const { return walk_.has_value(); }
    // What ran: the walk alone, or the simplex too.
    Solver solver() const { return solves_ == 0 ? Solver::walk : Solver::simplex; }

private:
    double bound_by_neighbours(const Goal& goal);
    std::optional<Status> first_walk(Around& bracket, const Limits& limits);
    std::optional<Status> rest_of_first_walk(Around& bracket, const Limits& limits);
    std::optional<Status> jump(Around& bracket, const Limits& limits);
    bool tighten(const Goal& goal, double most_work);
    void start_walk(const Around& bracket, double most_work);
    std::optional<Status> walk_on(Around& bracket, const Limits& limits);
    void stop(Around& bracket);
    void note_middle();
    double first_guess(const Around& bracket) const;
    SlopeGuess guess(const Around& bracket) const;
    bool knows_one_side(const Around& bracket) const;
    bool wants_chord(const Around& bracket, double lambda) const;
    void go_back_to(const Vertex<Basis>& vertex);
    bool walks() const;

    PowerProblem problem_;
    Solver strategy_;
    Pulse& pulse_;
    FixedSimplex simplex_;
    std::optional<ProfileWalk> walk_;
    std::optional<NeighbourProfile> neighbours_;
    WalkBudget budget_;
    Vertex<Basis> start_;
    ProfilePoint start_of_solve_;  // where the basis of the simplex was optimal
    ProfilePoint middle_;          // of the walk, from where on its rate is measured
    double middle_work_ = 0;       // what it had taken there
    double part_of_atom_;          // less is not worth aiming at
    std::optional<double> first_;  // λ of the next solve, if it was found beforehand
    bool corrects_ = false;        // λ is corrected during the first solve, and nothing is walked
    int solves_ = 0;
    long walk_pivots_ = 0;
};

}  // namespace rpw
