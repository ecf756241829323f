// See transport.hpp.
#include "matrix/transport.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "simplex/fixed_simplex.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

using namespace tuning;

namespace {

// How many times as much it costs to move a row anywhere as to its nearest column.
double contrast(const Powers& cost) {
    double nearest = 0, anywhere = 0;
    const Node step = std::max<Node>(1, cost.rows / rows_in_sample);
    for (Node i = 0; i < cost.rows; i += step) {
        const double* row = cost.row(i);
        nearest += *std::min_element(row, row + cost.columns);
        anywhere += std::accumulate(row, row + cost.columns, 0.0) / cost.columns;
    }
    return anywhere / nearest;
}

// Between equal masses most pivots of the simplex move nothing, while every edge of a walk moves a point or more. Among
// n points in d dimensions the contrast is about n^(p/d). Where it is large, near a plane or a curve, the walk is long;
// but the simplex has to read a matrix that is larger than the caches again and again.
bool may_pay_to_walk(const PowerProblem& problem) {
    const Powers& cost = problem.powers;
    if (cost.rows != cost.columns || !problem.masses.are_all_equal()) return false;
    return cost.rows >= many_points || contrast(cost) <= std::pow(cost.rows, low_dimension);
}

// True if nothing is left to do below the walk's limit.
bool arrives_on_trial(ProfileWalk& walk, const Powers& cost) {
    double before = 1;
    for (double steps = 1;; ++steps) {
        const double most_work = steps * static_cast<double>(cost.size());
        walk.allow(most_work);
        while (walk.find_edge()) {
            walk.take_edge();
            if (walk.pulse().is_asked()) walk.pulse().tell_moved(1 - walk.unmoved(), walk.pivots());
        }
        if (walk.work() < most_work) return true;
        const double unmoved = walk.unmoved(), rate = std::log(before / unmoved);
        const double rest = std::log(unmoved * cost.rows) / rate;  // until one point is left
        const bool pays = steps == 1 ? unmoved <= 1 - little_moved : rest <= much_before_it;
        if (!pays) return false;
        before = unmoved;
    }
}

// The simplex goes on from where a walk has arrived, or time was up; false if the walk is given up.
bool try_walk(const PowerProblem& problem, double price, FixedSimplex& simplex, Pulse& pulse) {
    ProfileWalk walk(problem, pulse, price * (1 - same_answer));
    bool has_arrived = false;
    const bool in_time = ends_in_time([&] { has_arrived = arrives_on_trial(walk, problem.powers); });
    if (has_arrived || !in_time) simplex.adopt(walk.forest().basis());
    if (!in_time) throw TimeUp();
    return has_arrived;
}

double longest_arc(const Basis& basis, Mass least_flow) {
    double longest = 0;
    for (const BasisNode& node : basis) {
        if (node.parent >= 0 && node.flow > least_flow) longest = std::max(longest, node.arc_cost);
    }
    return longest;
}

// Potentials carry the rounding of λ, so beside a λ that is far larger than what the plan pays they prove little.
// Solves at smaller λ, just large enough for everything to move, tell apart what is cheap. False if that takes more
// work than is allowed.
bool sharpen(FixedSimplex& simplex, const PowerProblem& problem, double most_work) {
    const auto moves_all = [&] { return simplex.point().unmoved == 0; };
    const auto fine_enough = [&] { return far_larger * simplex.point().cost_p; };
    while (moves_all() && simplex.lambda() > fine_enough()) {
        const double largest = simplex.lambda();
        double lambda = step_of_lambda * longest_arc(simplex.basis(), problem.masses.negligible());
        if (lambda == 0 || lambda >= largest / step_of_lambda) return true;
        lambda = std::max(lambda, std::min(fine_enough(), largest / step_of_lambda));
        for (; lambda < largest; lambda *= step_of_lambda) {
            if (!simplex.solve(lambda, most_work)) return false;
            if (moves_all()) break;
        }
        if (lambda >= largest) return simplex.solve(largest, most_work);
    }
    return true;
}

// Up to a λ at which everything moves, which may exceed the dearest pair, and down to the least of those: the slope at
// the end of the profile. Every larger one proves the cost too.
bool find_slope(FixedSimplex& simplex, double most_work) {
    const auto leaves = [&] { return simplex.point().unmoved > 0; };
    while (leaves() && simplex.lambda() < dearest_path) {
        const double lambda = simplex.lambda();
        if (!simplex.solve(lambda > 0 ? step_of_lambda * lambda : 1, most_work)) return false;
    }
    for (double least = simplex.least_lambda(); least < simplex.lambda(); least = simplex.least_lambda()) {
        const double enough = simplex.lambda();
        if (!simplex.solve(least, most_work)) return false;
        if (leaves()) return simplex.solve(enough, most_work);
    }
    return true;
}

}  // namespace

// Once a unit more costs as much as the dearest pair, all that is left may take any way at that price: the cheapest
// plan at that multiplier, with the rest at that price, is as good as any that moves everything.
Transport transport_all(const PowerProblem& problem, double price, bool with_slope, Pulse& pulse, double patience) {
    const Powers& cost = problem.powers;
    const double most_work = patience * (static_cast<double>(cost.size()) + cost.rows + cost.columns);
    FixedSimplex simplex(problem, pulse);
    Transport found;
    const bool in_time = ends_in_time([&] {
        if (may_pay_to_walk(problem) && try_walk(problem, price, simplex, pulse)) found.solver = Solver::walk;
        found.is_done = simplex.solve(price, most_work) && sharpen(simplex, problem, most_work) &&
                        (!with_slope || find_slope(simplex, most_work));
    });
    const ProfilePoint end = simplex.point();
    if (!in_time) found.status = Status::time_limit;
    found.unmoved = end.unmoved;
    found.cost_p = end.cost_p;
    found.upper_p = end.cost_p + price * end.unmoved;
    found.proof = simplex.basis();
    found.lambda = in_time ? end.lambda : price;
    found.is_sharp = found.upper_p == 0 || end.lambda <= sharp_lambda * found.upper_p;
    found.pivots = simplex.pivots();
    return found;
}

}  // namespace rpw
