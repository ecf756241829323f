// The oracle of the search (search/search.hpp) where costs are a matrix: two exact strategies, and the rule between
// them.
//
// The walk (walk/profile_walk.hpp) goes edge by edge from mass 0: best where trees stay small. The simplex at a fixed
// multiplier (simplex/fixed_simplex.hpp) jumps to guesses of λ until their chord is an edge: best where the walk is
// long. Between few points of which hardly one stays, the simplex begins. Else the search begins as a walk, and where
// the rest of the way looks dearer than a cold solve, its basis is handed to the simplex. docs/proofs/simplex.md, "Two
// strategies", has the proofs.
#pragma once

#include <optional>

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "matrix/neighbours.hpp"
#include "search/search.hpp"
#include "search/slope_guess.hpp"
#include "simplex/fixed_simplex.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

class Network {
public:
    // What search/search.hpp asks of an oracle.
    using Plan = Basis;
    using Around = Bracket<Basis>;

    // `strategy`: Solver::walk or Solver::simplex alone, or Solver::exact for both and the rule between them.
    Network(const PowerProblem& problem, Solver strategy, Pulse& pulse);

    std::optional<Status> begin(Around& bracket, const Limits& limits);
    Trial next(const Around& bracket);
    std::optional<Vertex<Basis>> solve(const Trial& trial, const Around& bracket);
    std::optional<Status> refine(Around& bracket, const Limits& limits);
    std::optional<Status> go_on(Around& bracket);
    // All the way from mass 0: a walk does not know λ, whose rounding can hide what is cheap.
    Status start_again(Around& bracket, const Limits& limits);
    // With what neighbours prove.
    void cut_off(Around& bracket);
    static constexpr bool is_used_up() { return false; }
    // Whether the answer was found by a walk.
    bool is_trusted() const { return walk_.has_value(); }

    long pivots() const { return simplex_.pivots() + walk_pivots_ + (walk_ ? walk_->pivots() : 0); }
    // What found the answer: the walk alone, or the simplex too.
    Solver solver() const { return solves_ == 0 || way_ == Way::walk ? Solver::walk : Solver::simplex; }

private:
    enum class Way { walk, simplex, both };

    static Way way_by_name(Solver strategy, const Powers& cost);
    bool leaves_few_atoms(Around& bracket);
    const NeighbourProfile& neighbours(const Goal& goal, Pulse& pulse);

    std::optional<Status> first_walk(Around& bracket, const Limits& limits);
    std::optional<Status> rest_of_first_walk(Around& bracket, const Limits& limits);
    double work_left(const Around& bracket) const;
    void start_walk(const Around& bracket);
    std::optional<Status> walk_on(Around& bracket, const Limits& limits, double most_work);
    void stop(Around& bracket);

    std::optional<Status> jump(Around& bracket, const Limits& limits);
    double first_guess(const Around& bracket);
    bool wants_chord(const Around& bracket) const;
    SlopeGuess guess(const Around& bracket) const;
    double least_unmoved(const Around& bracket) const;
    double slope_towards(const Goal& goal);
    void offer_unfinished(Around& bracket);

    PowerProblem problem_;
    Pulse& pulse_;
    Way way_;
    FixedSimplex simplex_;
    std::optional<ProfileWalk> walk_;
    ProfilePoint middle_;  // where the last stretch of the walk began
    std::optional<NeighbourProfile> neighbours_;
    double cold_solve_;            // work
    std::optional<double> first_;  // λ of the next solve, if it was found beforehand
    int solves_ = 0;
    long walk_pivots_ = 0;  // of walks that were stopped
};

}  // namespace rpw
