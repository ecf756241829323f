// See point_search.hpp.
#include "solve/point_search.hpp"

#include <algorithm>
#include <utility>

#include "ground/distances.hpp"
#include "points/c_transform.hpp"
#include "solve/found.hpp"
#include "walk/certificate.hpp"
#include "walk/walk_to_goal.hpp"

namespace rpw {

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
    std::sort(in_trees.begin(), in_trees.end(), [](const PlanEntry& x, const PlanEntry& y) {
        return std::pair(x.row, x.column) < std::pair(y.row, y.column);
    });
    return in_trees;
}

PointProblem point_problem(const Pair& pair, double scale, double p, Pulse& pulse) {
    const double unit = pair.space.metric == Metric::euclidean ? length_unit(pair.a.points, pair.b.points) : 1;
    return {pair.a.points, pair.b.points, pair.masses(), {pair.space.metric, unit, scale, p}, unit, pulse};
}

PointSearch::PointSearch(const PointProblem& problem, const Goal& goal, Pulse& pulse, double limit)
    : problem_(problem), pulse_(pulse), walk_(problem, pulse, limit), bracket_(goal, vertex_of(walk_)), limit_(limit) {}

std::optional<Status> PointSearch::run(const Limits& limits) {
    if (!bracket_.goal().is_beyond(bracket_.left())) return bracket_.end_at_left(Status::exact);
    return walk_on(limits);
}

std::optional<Status> PointSearch::go_on(const Goal& goal) {
    bracket_.aim_at(goal);
    if (const auto status = bracket_.ending({})) return *status;
    return walk_on({});
}

std::optional<Status> PointSearch::walk_on(const Limits& limits) {
    const ProfilePoint start = bracket_.left();
    std::optional<Status> found;
    const bool in_time = ends_in_time([&] { found = walk_to_goal(walk_, bracket_, limits, start); });
    if (found || (in_time && walk_.work() >= most_work_)) return found;
    Vertex<Basis> last = vertex_of(walk_);
    if (!in_time) {  // past the goal, if time was up on the edge that reaches it
        const double height = last.height();
        bracket_.offer(std::move(last), height);
        return bracket_.end_anyhow(Status::time_limit);
    }
    last.lambda = limit_;  // no edge is left below the limit: the basis is optimal up to it
    bracket_.advance(std::move(last), start);
    return bracket_.end_at_left(Status::exact);
}

std::vector<PlanEntry> PointSearch::plan() const {
    Found found;
    found.weight = bracket_.answer().weight;
    found.left = bracket_.left().plan;
    if (bracket_.right()) found.right = bracket_.right()->plan;
    return as_given(found.plan(problem_.masses), problem_);
}

std::vector<double> PointSearch::row_potentials_in_tree() const {
    return rpw::row_potentials(Forest(problem_.masses, bracket_.proof().plan), lambda());
}

double PointSearch::certify(std::vector<double>& u, std::vector<double>& v) const {
    const Forest forest(problem_.masses, bracket_.proof().plan);
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
