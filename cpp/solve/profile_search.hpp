// A place on the profile, found by two exact strategies together, and the rule between them.
//
// The walk (walk/profile_walk.hpp) goes edge by edge from mass 0: best where trees stay small. The simplex at a fixed
// multiplier (simplex/fixed_simplex.hpp) jumps to the vertex of any λ: best where the walk is long. The search begins
// as a walk. Where the rest of the way looks dearer than a cold solve, the walk's basis is handed to the simplex, which
// jumps to a guess of λ, as a rule from below; from there the walk goes on to the goal, as long as it takes no more
// work than the simplex has. A plan on either side of the goal gives better guesses, and in the end the chord between
// them, which is an edge of the profile after finitely many steps. Between few points, where a walk's lists cost as
// much as a solve, the simplex is alone, and λ is corrected while its first solve is still under way. docs/theory.md,
// "Two strategies", has the proofs.
#pragma once

#include <optional>
#include <vector>

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "simplex/fixed_simplex.hpp"
#include "solve/goal.hpp"
#include "solve/neighbours.hpp"
#include "solve/slope_guess.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

class ProfileSearch {
public:
    // `strategy`: Solver::walk or Solver::simplex alone, or Solver::exact for both and the rule between them.
    ProfileSearch(const PowerProblem& problem, const Goal& goal, Solver strategy, Pulse& pulse);

    // RPW within tol, or given up beyond the cutoff (1: never). If time is up, what follows tells the best that is
    // known.
    Status run(double tol, double cutoff);

    // The exact RPW at a larger κ, from all that was found until here; after `run`, once or more.
    Status go_on(const Goal& goal);

    double unmoved() const { return unmoved_; }
    // A bound on RPW that needs no line: where time was up it may be the better one.
    double lower_by_neighbours() const { return neighbours_ ? neighbours_->lower() : 0.0; }
    // F of the plan.
    double cost_p() const;
    std::vector<PlanEntry> plan() const;
    // The multiplier of the proof, and the height of its line: F(1 - ε) ≥ height - λ ε.
    double lambda() const { return walk_ ? walk_->lambda() : proof_.lambda; }
    double certify(std::vector<double>& u, std::vector<double>& v) const;
    std::vector<double> row_potentials() const;

    long pivots() const { return simplex_.pivots() + walk_pivots_ + (walk_ ? walk_->pivots() : 0); }
    // What ran: the walk alone, or the simplex too.
    Solver solver() const { return solves_ == 0 ? Solver::walk : Solver::simplex; }

private:
    // A plan on the profile, and a λ at which it is optimal.
    struct Vertex : ProfilePoint {
        Basis basis;
    };

    Status search(double tol, double cutoff);
    Status search_on(double tol, double cutoff);
    Status search_from_bracket(double tol, double cutoff);
    void move_bracket();
    std::optional<Status> jump_and_walk(double tol, double cutoff);
    bool tighten(double most_work);
    bool is_sound(Status status) const;
    std::optional<Status> begin_with_walk(double tol, double cutoff);
    std::optional<Status> end_first_walk(double tol, double cutoff);
    std::optional<Status> examine(Vertex found, bool is_chord, bool is_old, double tol, double cutoff);
    std::optional<Status> end_if_close(double tol);

    bool walk_pays() const;
    void note_rates(const ProfilePoint& from, const ProfilePoint& to, double work);
    std::optional<double> work_of_walk(const SlopeGuess& guess) const;
    void start_walk(double most_work);
    std::optional<Status> walk_on(double tol, double cutoff);
    std::optional<Status> land_on_edge();
    void end_walk();
    double part_of_edge(double cost_p, double unmoved) const;

    Bracket bracket() const;
    double lambda_to_begin_with() const;
    bool knows_one_side() const;
    double part_of_one_atom() const;
    double least_unmoved() const;
    static double chord_of(const ProfilePoint& from, const ProfilePoint& to) {
        return (to.cost_p - from.cost_p) / (from.unmoved - to.unmoved);
    }
    double chord() const { return chord_of(left_, *right_); }
    double chord_between_slopes() const;
    bool wants_chord(double lambda) const;

    Vertex vertex() const;
    void replace_left(Vertex found);
    void note_middle();
    double lower_end() const { return goal_.is_crossing() ? lower_ : goal_.unmoved; }
    void remember(const Vertex& vertex, double height);
    Status land_on_walk(double unmoved, double partial, Status status);
    Status land_between(double unmoved, Status status);
    Status land_on_left(Status status);
    Status land_unfinished();
    void add_unfinished_solve();

    PowerProblem problem_;
    Goal goal_;
    Solver strategy_;
    Pulse& pulse_;
    Mass total_;
    double size_;
    FixedSimplex simplex_;
    std::optional<ProfileWalk> walk_;
    std::optional<NeighbourProfile> neighbours_;
    Vertex start_;                      // nothing is moved
    ProfilePoint start_of_solve_;       // where the basis of the simplex was optimal
    Vertex left_;                       // the goal lies beyond it
    ProfilePoint before_;               // and one before that, where it is some way back
    std::optional<Vertex> right_;       // and not beyond this one
    std::vector<Vertex> further_;       // nor beyond these, the nearest last: a larger κ may lie between them
    std::optional<Vertex> unfinished_;  // a plan beyond the goal that need not be optimal
    Vertex proof_;                      // whose line is the best so far
    double lower_ = 0;                  // the best lower bound on RPW, from lines or neighbours
    double proven_ = -1;                // by `proof_`: a bound on RPW, or on F at the goal
    double unmoved_ = 1;                // of the answer
    double partial_ = 0;                // how far the answer lies on the walk's edge
    double weight_ = 0;                 // of the right vertex in the answer, where there is no walk
    double room_ = 0;                   // work that walks may still take
    double walk_rate_ = 0;              // work of a walk per unit of -log ε, guessed high; 0: not known
    double solve_rate_ = 0;             // the same of solves that start near by
    ProfilePoint middle_;               // of the walk, from where on its rate is measured
    double middle_work_ = 0;            // what it had taken there
    bool chases_ = false;               // λ is corrected during the first solve, and nothing is walked
    int stalls_ = 0;                    // solves in a row that gave an old vertex
    int same_side_ = 0;                 // vertices on the left (right: negative) in a row
    int solves_ = 0;
    long walk_pivots_ = 0;
};

}  // namespace rpw
