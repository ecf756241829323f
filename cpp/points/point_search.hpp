// A place on the profile of two measures on points, without a matrix, and the proof of what was found. What
// MatrixSearch is for a matrix.
//
// Few points are walked over, from mass 0. Where a side has many, the same search between cells of its points gives λ,
// a plan and potentials near the goal; from there the simplex finds vertices on either side of it, and the walk goes on
// from the left one. docs/proofs/points.md, "Coarse to fine".
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/pulse.hpp"
#include "ground/measure.hpp"
#include "points/point_simplex.hpp"
#include "points/tree_partners.hpp"
#include "search/search.hpp"

namespace rpw {

// Trees over both measures, with costs (distance / scale)^p.
PointProblem point_problem(const Pair& pair, double scale, double p, Pulse& pulse);

// Numbers for the nodes of a tree, in the order of the points as they were given.
std::vector<double> as_given(const std::vector<double>& in_tree, const PointTree& tree);
// Entries for the nodes of the trees, for the points as they were given, sorted.
std::vector<PlanEntry> as_given(std::vector<PlanEntry> in_trees, const PointProblem& problem);

// What search/search.hpp asks of an oracle.
class PointOracle {
public:
    using Plan = Basis;
    using Around = Bracket<Basis>;

    PointOracle(const PointProblem& problem, Pulse& pulse, double limit)
        : problem_(problem), pulse_(pulse), limit_(limit) {}

    std::optional<Status> begin(Around& bracket, const Limits& limits);
    std::optional<Status> go_on(Around& bracket);
    Trial next(const Around& bracket);
    std::optional<Vertex<Basis>> solve(const Trial& trial, const Around& bracket);
    // By a walk along the profile.
    std::optional<Status> refine(Around& bracket, const Limits& limits);
    // All the way from mass 0, unless work is limited.
    std::optional<Status> start_again(Around& bracket, const Limits& limits);
    void cut_off(Around& bracket);
    bool is_used_up() const { return work() >= most_work_; }
    // What the first walk finds.
    bool is_trusted() const { return !simplex_; }

    void allow(double most_work) { most_work_ = most_work; }
    double rate() const { return rate_; }
    double work() const { return work_ + (simplex_ ? simplex_->work() : 0) + (walk_ ? in_work(walk_->work()) : 0); }
    long pivots() const { return pivots_ + (simplex_ ? simplex_->pivots() : 0) + (walk_ ? walk_->pivots() : 0); }

private:
    bool starts_from_cells() const;
    std::optional<Status> start(Around& bracket);
    bool start_from_cells(const Goal& goal);
    bool climb_from(const Vertex<Basis>& walked);
    std::optional<Status> solve_at_limit(Around& bracket);
    double lambda_past_goal(const Goal& goal, const Known& known) const;
    void note_rate(const ProfilePoint& found);
    double atom() const { return 1.0 / std::max(problem_.rows.size(), problem_.columns.size()); }
    void forget();
    std::optional<Status> first_walk(Around& bracket, const Limits& limits);
    std::optional<Status> walk_on(Around& bracket, const Limits& limits, double most_steps);
    double in_work(double steps_of_walk) const { return steps_of_walk * problem_.costs.work_of_eight() / 2; }
    double in_steps_of_walk(double work) const { return work / in_work(1); }
    void end_walk();

    const PointProblem& problem_;
    Pulse& pulse_;
    double limit_;
    double most_work_ = unreachable;
    std::optional<PointSimplex> simplex_;
    double rate_ = 0;           // λ grows by so much while log ε falls by 1
    ProfilePoint last_;         // the vertex of the last solve
    double first_ = 0;          // λ of the next solve, where it is known from cells
    double work_of_solve_ = 0;  // the last one
    std::optional<PointWalk> walk_;
    long pivots_ = 0;  // of walks and simplexes before
    double work_ = 0;  // of them, and of what lies between
};

class PointSearch {
public:
    // Nothing that costs more than `limit` per unit is moved. The problem must outlive the search.
    PointSearch(const PointProblem& problem, const Goal& goal, Pulse& pulse, double limit = unreachable);

    // How much work there may be, in steps of the simplex, and how much there was.
    void allow(double most_work) { oracle_.allow(most_work); }
    double work() const { return oracle_.work(); }
    // As in search/search.hpp.
    std::optional<Status> run(const Limits& limits = {}) { return search_.run(limits); }
    std::optional<Status> go_on(const Goal& goal) { return search_.go_on(goal); }

    double unmoved() const { return bracket().answer().unmoved; }
    double cost_p() const { return bracket().cost_p(); }
    double lambda() const { return bracket().proof().lambda; }
    long pivots() const { return oracle_.pivots(); }
    // By how much λ grows while log ε falls by 1; 0 where that is not known.
    double rate() const { return oracle_.rate(); }
    // The basis that proves the best line below F, in the trees.
    const Basis& proof() const { return bracket().proof().plan; }
    // In the order of the atoms as they were given. The last one: the height of the line, F(1 - ε) ≥ height - λ ε.
    std::vector<PlanEntry> plan() const;
    std::vector<double> row_potentials() const { return as_given(row_potentials_in_tree(), problem_.rows); }
    std::vector<double> row_potentials_in_tree() const;
    double certify(std::vector<double>& u, std::vector<double>& v) const;

private:
    const Bracket<Basis>& bracket() const { return search_.bracket(); }

    const PointProblem& problem_;
    Pulse& pulse_;
    PointOracle oracle_;
    SearchOver<PointOracle> search_;
};

}  // namespace rpw
