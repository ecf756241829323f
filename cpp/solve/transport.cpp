// See transport.hpp.
#include "solve/transport.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "base/least.hpp"
#include "base/simd.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "simplex/fixed_simplex.hpp"
#include "walk/certificate.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

using namespace tuning;

namespace {

struct Duals {
    std::vector<double> f;
    std::vector<double> g;
    double value = 0;  // Σ a f + Σ b g, a lower bound on the cost
};

RPW_SIMD void lower_to(const double* cost, double f, Node size, double* g) {
    for (Node j = 0; j < size; ++j) {
        const double room = cost[j] - f;
        g[j] = room < g[j] ? room : g[j];
    }
}

// What is no larger than the rounding of the subtraction becomes 0: a walk over such differences would be long and
// idle.
RPW_SIMD void subtract(const double* cost, const double* g, double f, Node size, double* out) {
    for (Node j = 0; j < size; ++j) {
        const double reduced = cost[j] - f - g[j];
        out[j] = reduced > 4e-15 * cost[j] ? reduced : 0;
    }
}

// The best f for a guess g, then the best g for that f.
Duals complete(const PowerProblem& problem, std::vector<double> guess) {
    const Powers& cost = problem.powers;
    for (double& g : guess) g = -g;
    Duals duals{std::vector<double>(cost.rows), std::vector<double>(cost.columns, unreachable)};
    for (Node i = 0; i < cost.rows; ++i) duals.f[i] = least_sum(cost.row(i), guess.data(), cost.columns);
    for (Node i = 0; i < cost.rows; ++i) lower_to(cost.row(i), duals.f[i], cost.columns, duals.g.data());
    for (Node i = 0; i < cost.rows; ++i) duals.value += duals.f[i] * static_cast<double>(problem.masses.a[i]);
    for (Node j = 0; j < cost.columns; ++j) duals.value += duals.g[j] * static_cast<double>(problem.masses.b[j]);
    return duals;
}

std::vector<double> column_means(const Powers& cost) {
    std::vector<double> means(cost.columns, 0.0);
    for (Node i = 0; i < cost.rows; ++i) {
        const double* row = cost.row(i);
        for (Node j = 0; j < cost.columns; ++j) means[j] += row[j];
    }
    for (double& mean : means) mean /= cost.rows;
    return means;
}

// How many times as much it costs to move a row anywhere as to its nearest column.
double contrast(const Powers& cost) {
    double nearest = 0, anywhere = 0;
    const Node step = std::max<Node>(1, cost.rows / 32);
    for (Node i = 0; i < cost.rows; i += step) {
        const double* row = cost.row(i);
        nearest += *std::min_element(row, row + cost.columns);
        anywhere += std::accumulate(row, row + cost.columns, 0.0) / cost.columns;
    }
    return anywhere / nearest;
}

// Measures lie apart where every row has a long way to go.
bool lie_apart(const Powers& cost) { return contrast(cost) < 5; }

// Whether a good part of the costs is this one: the largest after truncation, or nothing but rounding.
bool has_many(double value, const double* costs, std::size_t size) {
    const auto ties = std::count(costs, costs + size, value);
    return ties > static_cast<std::ptrdiff_t>(size / 8);
}

// True if nothing is left to do below the walk's limit.
bool arrives_on_trial(ProfileWalk& walk, const Powers& cost) {
    double before = 1;
    for (double steps = 1; steps <= most_steps; ++steps) {
        const double most_work = steps * static_cast<double>(cost.size());
        walk.allow(most_work);
        while (walk.find_edge()) walk.take_edge();
        if (walk.work() < most_work) return true;
        const double unmoved = walk.unmoved(), rate = std::log(before / unmoved);
        const double rest = std::log(unmoved * cost.rows) / rate;  // until one point is left
        const bool pays = steps == 1 ? unmoved <= 1 - little_moved : rest <= much_before_it;
        if (!pays) return false;
        before = unmoved;
    }
    return false;
}

// What a basis proves about the cost of moving everything.
double dual_bound(const PowerProblem& problem, const Forest& forest, double lambda) {
    std::vector<double> u, v;
    return lambda - certify(problem, forest, lambda, u, v);
}

double longest_arc(const FixedSimplex& simplex, Mass least_flow) {
    double longest = 0;
    for (const BasisNode& node : simplex.basis()) {
        if (node.parent >= 0 && node.flow > least_flow) longest = std::max(longest, node.arc_cost);
    }
    return longest;
}

double cost_of_moved(const FixedSimplex& simplex, const Masses& masses) {
    return static_cast<double>(simplex.cost() / masses.total());
}

// Whether the potentials prove what the plan pays. Their sum carries the rounding of λ: beside a far larger λ it proves
// nothing.
bool is_proven(const PowerProblem& problem, const FixedSimplex& simplex) {
    const double cost = cost_of_moved(simplex, problem.masses);
    if (simplex.lambda() > far_larger * cost) return false;
    const Forest forest(problem.masses, simplex.basis());
    return dual_bound(problem, forest, simplex.lambda()) >= (1 - same_answer) * cost;
}

// Potentials carry the rounding of λ. Where λ is much larger than what the plan pays, and they do not prove it, solves
// at smaller λ, just large enough for everything to move, tell apart what is cheap. False if that takes more work than
// is allowed.
bool sharpen(FixedSimplex& simplex, const PowerProblem& problem, double most_work) {
    constexpr double much_larger = 100, step = 4;
    const Masses& masses = problem.masses;
    const Mass most_left = masses.negligible();
    const auto moves_all = [&] { return masses.total() - simplex.moved() <= most_left; };
    const auto fine_enough = [&] { return much_larger * cost_of_moved(simplex, masses); };
    while (moves_all() && simplex.lambda() > fine_enough() && !is_proven(problem, simplex)) {
        const double largest = simplex.lambda();
        double lambda = step * longest_arc(simplex, most_left);
        if (lambda == 0 || lambda >= largest / step) return true;
        lambda = std::max(lambda, std::min(fine_enough(), largest / step));
        for (; lambda < largest; lambda *= step) {
            if (!simplex.solve(lambda, most_work)) return false;
            if (moves_all()) break;
        }
        if (lambda >= largest) return simplex.solve(largest, most_work);
    }
    return true;
}

// Up to a λ at which everything moves, which may exceed the dearest pair, and down to the least of those: the slope at
// the end of the profile. Every larger one proves the cost too.
bool find_slope(FixedSimplex& simplex, const Masses& masses, double most_work) {
    constexpr double step = 4;
    const auto leaves = [&] { return masses.total() - simplex.moved() > masses.negligible(); };
    while (leaves() && simplex.lambda() < dearest_path) {
        const double lambda = simplex.lambda();
        if (!simplex.solve(lambda > 0 ? step * lambda : 1, most_work)) return false;
    }
    for (double least = simplex.least_lambda(); least < simplex.lambda(); least = simplex.least_lambda()) {
        const double enough = simplex.lambda();
        if (!simplex.solve(least, most_work)) return false;
        if (leaves()) return simplex.solve(enough, most_work);
    }
    return true;
}

// The basis of a walk, and what its arcs cost in truth.
Basis basis_of(const ProfileWalk& walk, const Powers& cost) {
    Basis basis = walk.forest().basis();
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const Node parent = basis[x].parent;
        if (parent >= 0) basis[x].arc_cost = cost.at(std::min(x, parent), std::max(x, parent) - cost.rows);
    }
    return basis;
}

// The simplex goes on from where a walk has arrived; false if the walk is given up.
bool try_walk(ProfileWalk& walk, const Powers& cost, FixedSimplex& simplex) {
    bool has_arrived = false;
    const bool in_time = ends_in_time([&] { has_arrived = arrives_on_trial(walk, cost); });
    if (has_arrived || !in_time) simplex.adopt(basis_of(walk, cost));
    if (!in_time) throw TimeUp();
    return has_arrived;
}

// The same on costs C_ij - f_i - g_j.
bool try_reduced_walk(const PowerProblem& problem, FixedSimplex& simplex, Pulse& pulse) {
    const Powers& cost = problem.powers;
    Duals duals = complete(problem, std::vector<double>(cost.columns, 0.0));
    if (Duals other = complete(problem, column_means(cost)); other.value > duals.value) duals = std::move(other);
    std::vector<double> reduced(cost.size());
    for (Node i = 0; i < cost.rows; ++i) {
        const std::size_t begin = static_cast<std::size_t>(i) * cost.columns;
        subtract(cost.row(i), duals.g.data(), duals.f[i], cost.columns, reduced.data() + begin);
        pulse.note(static_cast<std::size_t>(cost.columns));
    }
    if (has_many(0, reduced.data(), reduced.size())) return false;
    const PowerProblem rest{{{reduced.data(), cost.rows, cost.columns}}, problem.masses};
    ProfileWalk walk(rest, pulse);
    return try_walk(walk, cost, simplex);
}

bool try_walks(const PowerProblem& problem, double largest, FixedSimplex& simplex, Pulse& pulse) {
    const Powers& cost = problem.powers;
    if (lie_apart(cost) && !has_many(largest, cost.data, cost.size())) return try_reduced_walk(problem, simplex, pulse);
    ProfileWalk walk(problem, pulse, largest * (1 - 1e-12));
    return try_walk(walk, cost, simplex);
}

// Between equal masses most pivots of the simplex move nothing, while every edge of a walk moves a point or more.
bool are_equal(const Masses& masses) {
    const Mass first = masses.a[0];
    const auto is_first = [&](Mass mass) { return mass == first; };
    return masses.a.size() == masses.b.size() && std::all_of(masses.a.begin(), masses.a.end(), is_first) &&
           std::all_of(masses.b.begin(), masses.b.end(), is_first);
}

// Among n points in d dimensions the contrast is about n^(p/d). Where it is large, near a plane or a curve, the walk is
// long; but the simplex has to read a matrix that is larger than the caches again and again.
bool may_pay_to_walk(const PowerProblem& problem) {
    const Powers& cost = problem.powers;
    if (!are_equal(problem.masses)) return false;
    return cost.rows >= many_points || contrast(cost) <= std::pow(cost.rows, low_dimension);
}

}  // namespace

// Once a unit more costs as much as the dearest pair, all that is left may take any way at that price: the cheapest
// plan at that multiplier, with the rest at that price, is as good as any that moves everything.
Transport transport_all(const PowerProblem& problem, bool with_slope, Pulse& pulse, double patience) {
    const Powers& cost = problem.powers;
    const Mass total = problem.masses.total();
    const double largest = range_of(cost.data, cost.size()).largest;
    const double most_work = patience * (static_cast<double>(cost.size()) + cost.rows + cost.columns);
    FixedSimplex simplex(problem, pulse);
    Transport found;
    const bool in_time = ends_in_time([&] {
        if (may_pay_to_walk(problem) && try_walks(problem, largest, simplex, pulse)) found.solver = Solver::walk;
        found.is_done = simplex.solve(largest, most_work) && sharpen(simplex, problem, most_work) &&
                        (!with_slope || find_slope(simplex, problem.masses, most_work));
    });
    if (!in_time) found.status = Status::time_limit;
    const Mass left = total - simplex.moved();
    const double rest = left > problem.masses.negligible() || !in_time ? largest * share_of(left, total) : 0;
    found.basis = simplex.basis();
    found.lambda = in_time ? simplex.lambda() : largest;
    found.upper_p = cost_of_moved(simplex, problem.masses) + rest;
    found.is_sharp = found.upper_p == 0 || simplex.lambda() <= sharp_lambda * found.upper_p;
    found.pivots = simplex.pivots();
    return found;
}

}  // namespace rpw
