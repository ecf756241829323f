// See point_search.hpp.
#include "points/point_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/tuning.hpp"
#include "ground/distances.hpp"
#include "points/c_transform.hpp"
#include "points/cells.hpp"
#include "points/split_basis.hpp"
#include "search/slope_guess.hpp"
#include "walk/certificate.hpp"
#include "walk/found.hpp"
#include "walk/walk_to_goal.hpp"

namespace rpw {

using namespace tuning;

std::vector<double> as_given(const std::vector<double>& in_tree, const PointTree& tree) {
    std::vector<double> given(in_tree.size());
    for (Node x = 0; x < tree.size(); ++x) given[tree.given(x)] = in_tree[x];
    return given;
}

std::vector<PlanEntry> as_given(std::vector<PlanEntry> in_trees, const PointProblem& problem) {
    for (PlanEntry& entry : in_trees) {
        entry.row = problem.rows.given(entry.row);
        entry.column = problem.columns.given(entry.column);
    }
    sort_plan(in_trees);
    return in_trees;
}

PointProblem point_problem(const Pair& pair, double scale, double p, Pulse& pulse) {
    const double unit = pair.space.metric == Metric::euclidean ? length_unit(pair.a.points, pair.b.points) : 1;
    return {pair.a.points, pair.b.points, pair.masses(), {pair.space.metric, unit, scale, p}, unit, pulse};
}

std::optional<Status> PointOracle::begin(Around& bracket, const Limits& limits) {
    if (!starts_from_cells()) return walk_on(bracket, limits, unreachable);
    if (const auto status = first_walk(bracket, limits)) return status;
    return is_used_up() ? std::nullopt : start(bracket);
}

std::optional<Status> PointOracle::go_on(Around& bracket) {
    if (const auto status = bracket.ending({})) return status;
    return starts_from_cells() ? start(bracket) : walk_on(bracket, {}, unreachable);
}

std::optional<Status> PointOracle::start_again(Around& bracket, const Limits& limits) {
    if (most_work_ < unreachable) return std::nullopt;
    bracket.restart({{}, nothing_moved(problem_.masses)});
    forget();
    return walk_on(bracket, limits, unreachable);
}

// ---------------------------------------------------------------- from cells

bool PointOracle::starts_from_cells() const {
    const Node rows = problem_.rows.size(), columns = problem_.columns.size();
    return smallest_cells(rows, columns).is_merged() && searches_pay(problem_.rows.dimension());
}

// Without a simplex no solve finds anything, and the search starts again or ends.
std::optional<Status> PointOracle::start(Around& bracket) {
    std::optional<Status> status;
    bool is_ready = start_from_cells(bracket.goal());
    if (is_ready && limit_ < unreachable) {
        status = solve_at_limit(bracket);
        is_ready = status.has_value();
    }
    if (!is_ready) forget();
    return status;
}

void PointOracle::forget() {
    pivots_ = pivots();
    work_ = work();
    simplex_.reset();
    walk_.reset();
}

void PointOracle::end_walk() {
    pivots_ += walk_->pivots();
    work_ += in_work(walk_->work());
    walk_.reset();
}

// What the same search finds between cells of points: λ, a plan and potentials near those of the goal.
bool PointOracle::start_from_cells(const Goal& goal) {
    pulse_.tell_stage("between cells");
    const Unwatched unwatched(pulse_);
    std::optional<Vertex<Basis>> walked;
    if (walk_ && walk_->unmoved() < 1) walked = vertex_of(*walk_);
    forget();
    const PerCell per_cell = smallest_cells(problem_.rows.size(), problem_.columns.size());
    const CellProblem cells(problem_, per_cell, pulse_);
    PointSearch between(cells.problem, goal, pulse_, limit_);
    between.allow(most_work_ - work());
    const auto status = between.run();
    if (status == Status::time_limit) throw TimeUp();
    work_ += between.work();
    first_ = std::min(between.lambda(), dearest_path);
    if (!status || !(first_ > 0)) return false;
    pivots_ += between.pivots();
    last_ = {};
    const double stretch = -std::log(std::max(between.unmoved(), atom()));
    rate_ = between.rate() > 0 ? between.rate() : first_ / std::max(stretch, a_little);
    const std::vector<double> of_cells = between.row_potentials_in_tree();
    std::size_t boxes = 0;
    const auto v = transformed(cells.problem.rows, of_cells, problem_.columns, problem_.costs, first_, pulse_, &boxes);
    const auto u = transformed(problem_.columns, v, problem_.rows, problem_.costs, first_, pulse_, &boxes);
    work_ += problem_.costs.work_of_eight() * static_cast<double>(boxes);
    const Basis basis = split_basis(between.proof(), cells.problem, problem_, per_cell);
    simplex_.emplace(problem_, basis, u, v, first_, pulse_);
    if (!walked || first_ > longest_climb * walked->lambda) return true;
    const double near = walk_preference * slack_per_mass(basis, u, v, first_);
    return slack_per_mass(walked->plan, u, v, first_) > near || climb_from(*walked);
}

// If the plan of the first walk is about as near to the goal as that of the cells, it is a better start, and λ grows in
// steps. At a small λ mass stays in many places, and trees are small: little is left to do when nearly all moves, and a
// pivot re-labels a good part of all points.
bool PointOracle::climb_from(const Vertex<Basis>& walked) {
    simplex_->adopt(walked.plan);
    for (double lambda = step_of_lambda * walked.lambda; lambda < first_; lambda *= step_of_lambda) {
        if (!simplex_->solve(lambda, most_work_ - work_)) return false;
    }
    return true;
}

std::optional<Status> PointOracle::solve_at_limit(Around& bracket) {
    pulse_.tell_stage("by a simplex");
    if (!simplex_->solve(limit_, most_work_ - work_)) return std::nullopt;
    bracket.advance({simplex_->point(), simplex_->basis()}, bracket.left());
    return bracket.end_at_left(Status::exact);
}

// One atom before the goal: from there a walk is short.
Trial PointOracle::next(const Around& bracket) {
    if (!simplex_) return {0, false};
    if (first_ > 0) return {std::exchange(first_, 0.0), false};
    const Known known = bracket.known();
    if (!known.right || known.left.lambda == 0) return {lambda_past_goal(bracket.goal(), known), false};
    const ProfilePoint &left = known.left, &right = *known.right;
    SlopeGuess guess = guess_between(bracket.goal(), left, right);
    guess.lambda -= atom() * (right.lambda - left.lambda) / bracket.width();
    const bool is_chord = bracket.stalls() > 0;
    const double lambda = is_chord ? bracket.chord_between_slopes() : lambda_between(guess, 0, known, least_part);
    simplex_->adopt(lambda - left.lambda < right.lambda - lambda ? bracket.left().plan : bracket.right()->plan);
    return {lambda, is_chord};
}

// As far beyond the goal, seen from the only vertex that is known.
double PointOracle::lambda_past_goal(const Goal& goal, const Known& known) const {
    const ProfilePoint& here = known.right ? *known.right : known.left;
    const double unmoved = std::max(here.unmoved, atom());
    const double way = std::abs(way_in_lambda(goal, here, rate_, unmoved)) + rate_ * atom() / unmoved;
    const double step = std::pow(2.0, std::abs(known.same_side)) * way;
    return known.right ? std::max(here.lambda - step, here.lambda / 2) : std::min(here.lambda + step, dearest_path);
}

// How fast λ grows while log ε falls, as the last two vertices show it.
void PointOracle::note_rate(const ProfilePoint& found) {
    const double stretch = std::log(last_.unmoved / found.unmoved), rise = found.lambda - last_.lambda;
    if (std::abs(last_.unmoved - found.unmoved) > atom() && rise / stretch > 0) rate_ = rise / stretch;
    last_ = found;
}

std::optional<Vertex<Basis>> PointOracle::solve(const Trial& trial, const Around&) {
    if (!simplex_) return std::nullopt;
    pulse_.tell_stage("by a simplex");
    const double before = simplex_->work();
    if (!simplex_->solve(trial.lambda, most_work_ - work_)) return std::nullopt;
    work_of_solve_ = simplex_->work() - before;
    Vertex<Basis> found{simplex_->point(), simplex_->basis()};
    note_rate(found);
    return found;
}

// A walk may take as much as the last solve.
std::optional<Status> PointOracle::refine(Around& bracket, const Limits& limits) {
    pulse_.tell_bounds(bracket.goal().is_crossing() ? bracket.lower() : bracket.proven(), bracket.upper());
    pulse_.tell_stage("on a walk");
    const ProfilePoint start = bracket.left();
    if (start.lambda == 0) return std::nullopt;
    const double limit = bracket.right() ? bracket.right()->lambda * (1 + a_little) : unreachable;
    walk_.emplace(problem_, pulse_, bracket.left().plan, start.lambda, limit);
    walk_->allow(in_steps_of_walk(std::min(work_of_solve_, most_work_ - work())));
    if (const auto status = walk_to_goal(*walk_, bracket, limits, start)) return status;
    bracket.advance(vertex_of(*walk_), start);
    end_walk();
    return std::nullopt;
}

// ---------------------------------------------------------------- the walk from mass 0

// A stretch, and others as long as they lead to the goal soon: what is unmoved beyond the proven bound, as a part of
// it, tells how far it is.
std::optional<Status> PointOracle::first_walk(Around& bracket, const Limits& limits) {
    const double nodes = static_cast<double>(problem_.rows.size()) + problem_.columns.size();
    double before = unreachable;
    for (int stretch = 1;; ++stretch) {
        if (const auto status = walk_on(bracket, limits, stretch * work_of_first_walk * nodes)) return status;
        if (is_used_up()) return std::nullopt;
        const double height = walk_->cost_p() + walk_->lambda() * walk_->unmoved();
        const double excess = walk_->unmoved() / bracket.goal().meets(height, walk_->lambda()) - 1;
        if (!(excess < most_excess) || excess > most_stretches_left * (before - excess)) return std::nullopt;
        before = excess;
    }
}

// Nothing if that takes more steps, or more work than is allowed.
std::optional<Status> PointOracle::walk_on(Around& bracket, const Limits& limits, double most_steps) {
    if (!walk_) walk_.emplace(problem_, pulse_, limit_);
    most_steps = std::min(most_steps, in_steps_of_walk(most_work_ - work_));
    walk_->allow(most_steps);
    const ProfilePoint start = bracket.left();
    const auto found = walk_to_goal(*walk_, bracket, limits, start);
    if (found || walk_->work() >= most_steps) return found;
    Vertex<Basis> last = vertex_of(*walk_);
    last.lambda = limit_;  // no edge is left below the limit: the basis is optimal up to it
    bracket.advance(std::move(last), start);
    return bracket.end_at_left(Status::exact);
}

void PointOracle::cut_off(Around& bracket) {
    if (walk_) {
        Vertex<Basis> last = vertex_of(*walk_);  // past the goal, if time was up on the edge that reaches it
        const double height = last.height();
        bracket.offer(std::move(last), height);
    } else if (simplex_) {
        bracket.offer({simplex_->point(), simplex_->basis()}, 0);  // feasible, and proves nothing
    }
}

// ---------------------------------------------------------------- what was found

PointSearch::PointSearch(const PointProblem& problem, const Goal& goal, Pulse& pulse, double limit)
    : problem_(problem),
      pulse_(pulse),
      oracle_(problem, pulse, limit),
      search_(oracle_, {goal, {{}, nothing_moved(problem.masses)}}) {}

std::vector<PlanEntry> PointSearch::plan() const {
    Found found;
    found.weight = bracket().answer().weight;
    found.left = bracket().left().plan;
    if (bracket().right()) found.right = bracket().right()->plan;
    return as_given(found.plan(problem_.masses), problem_);
}

std::vector<double> PointSearch::row_potentials_in_tree() const {
    return rpw::row_potentials(Forest(problem_.masses, bracket().proof().plan), lambda());
}

double PointSearch::certify(std::vector<double>& u, std::vector<double>& v) const {
    const Forest forest(problem_.masses, bracket().proof().plan);
    const std::vector<double> of_columns = column_potentials(forest, lambda());
    std::vector<double> of_rows;
    Pulse after = pulse_.without_deadline();
    const std::vector<double> least =
        least_sums(problem_.columns, of_columns, problem_.rows, problem_.costs, lambda(), after);
    const auto least_of_row = [&](Node i) { return least[i]; };
    const double sum = certify_rows(problem_.masses, forest, lambda(), of_columns, least_of_row, of_rows);
    u = as_given(of_rows, problem_.rows);
    v = as_given(of_columns, problem_.columns);
    return lambda() - sum;
}

}  // namespace rpw
