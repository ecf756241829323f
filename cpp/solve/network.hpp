// The oracle of the search (search/search.hpp) where costs are a matrix: two exact strategies, and the rule between
// them.
//
// The walk (walk/profile_walk.hpp) goes edge by edge from mass 0: best where trees stay small. The simplex at a fixed
// multiplier (simplex/fixed_simplex.hpp) jumps to the vertex of any λ: best where the walk is long. The search begins
// as a walk. Where the rest of the way looks dearer than a cold solve, the walk's basis is handed to the simplex, which
// jumps to a guess of λ, as a rule from below; from there the walk goes on to the goal, as long as it takes no more
// work than the simplex has. docs/theory.md, "Two strategies", has the proofs.
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

    std::optional<Status> begin(Around& bracket, const Limits& limits);
    Trial next(const Around& bracket);
    std::optional<Vertex<Basis>> solve(const Trial& trial, const Around& bracket);
    std::optional<Status> walk(Around& bracket, const Limits& limits);

    // Before the search for another goal, at a larger κ.
    std::optional<Status> go_on(Around& bracket);
    // All the way from mass 0: it does not know λ, whose rounding can hide what is cheap.
    Status walk_from_start(Around& bracket, const Limits& limits);
    // Past the deadline: takes in what a walk or a solve has found so far, and what neighbours prove.
    void cut_off(Around& bracket);

    long pivots() const { return simplex_.pivots() + walk_pivots_ + (walk_ ? walk_->walk.pivots() : 0); }
    // Whether the answer was found by a walk.
    bool is_walking() const { return walk_.has_value(); }
    // What found the answer: the walk alone, or the simplex too.
    Solver solver() const { return solves_ == 0 || way_ == Way::walk ? Solver::walk : Solver::simplex; }

private:
    enum class Way { walk, simplex, both };

    // A walk, and from where on it tells how the rest of the way will be.
    struct Walking {
        Walking(const PowerProblem& problem, Pulse& pulse, const Vertex<Basis>& from, double limit)
            : walk(problem, pulse, from.plan, from.lambda, limit) {
            note_middle();
        }
        void note_middle() {
            middle = {walk.unmoved(), walk.cost_p(), walk.lambda()};
            work_to_middle = walk.work();
        }

        ProfileWalk walk;
        ProfilePoint middle;
        double work_to_middle = 0;
    };

    static Way way_by_name(Solver strategy, const Powers& cost);
    bool walks() const { return way_ != Way::simplex; }
    const NeighbourProfile& neighbours(const Goal& goal, Pulse& pulse);

    std::optional<Status> first_walk(Around& bracket, const Limits& limits);
    std::optional<Status> rest_of_first_walk(Around& bracket, const Limits& limits);
    void start_walk(const Around& bracket, double most_work);
    std::optional<Status> walk_on(Around& bracket, const Limits& limits);
    void stop(Around& bracket);

    std::optional<Status> jump(Around& bracket, const Limits& limits);
    double first_guess(const Around& bracket);
    bool wants_chord(const Around& bracket, double lambda) const;
    SlopeGuess guess(const Around& bracket) const;
    double least_unmoved(const Around& bracket) const;
    bool tighten(const Goal& goal, double most_work);
    void go_back_to(const Vertex<Basis>& vertex);
    void offer_unfinished(Around& bracket);

    PowerProblem problem_;
    Pulse& pulse_;
    Way way_;
    FixedSimplex simplex_;
    ProfilePoint start_of_solve_;  // where the basis of the simplex was optimal
    std::optional<Walking> walk_;
    std::optional<NeighbourProfile> neighbours_;
    WalkBudget budget_;
    std::optional<double> first_;  // λ of the next solve, if it was found beforehand
    int solves_ = 0;
    long walk_pivots_ = 0;  // of walks that were stopped
};

}  // namespace rpw
