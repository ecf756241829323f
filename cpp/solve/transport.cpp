// See transport.hpp.
#include "solve/transport.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/least.hpp"
#include "base/simd.hpp"
#include "simplex/fixed_simplex.hpp"
#include "walk/certificate.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

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

// Measures lie apart where moving every row to its nearest column costs a good part of what moving it anywhere does.
bool lie_apart(const Powers& cost) {
    double nearest = 0, anywhere = 0;
    const Node step = std::max<Node>(1, cost.rows / 32);
    for (Node i = 0; i < cost.rows; i += step) {
        const double* row = cost.row(i);
        nearest += *std::min_element(row, row + cost.columns);
        anywhere += std::accumulate(row, row + cost.columns, 0.0) / cost.columns;
    }
    return nearest > 0.2 * anywhere;
}

// Whether a good part of the costs is the largest one, as after truncation.
bool is_truncated(const Powers& cost, double largest) {
    const auto ties = std::count(cost.data, cost.data + cost.size(), largest);
    return ties > static_cast<std::ptrdiff_t>(cost.size() / 8);
}

double cost_of(const std::vector<PlanEntry>& plan, const Powers& cost) {
    long double sum = 0;
    for (const PlanEntry& entry : plan) {
        sum += static_cast<long double>(entry.mass) * cost.at(entry.row, entry.column);
    }
    return static_cast<double>(sum);
}

// A walk may take this many steps per pair before it hands over; on clouds of equal weights it needs no more. One that
// has moved little after the first half is given up there.
constexpr double walk_steps_per_pair = 3.5;
constexpr double much_unmoved = 0.3;

// Walks as far as it pays; true if nothing is left to do below the limit.
bool walk_all_edges(ProfileWalk& walk, double size) {
    for (const double part : {0.5, 1.0}) {
        const double most_work = part * walk_steps_per_pair * size;
        walk.allow(most_work);
        while (walk.find_edge()) walk.take_edge();
        if (walk.work() < most_work) return true;
        if (walk.unmoved() > much_unmoved) break;
    }
    return false;
}

// What a basis proves about the cost of moving everything.
double dual_bound(const PowerProblem& problem, const Forest& forest, double lambda) {
    std::vector<double> u, v;
    return lambda - certify(problem, forest, lambda, u, v);
}

double cost_of(const FixedSimplex& simplex, const Masses& masses, double largest) {
    const Mass total = masses.total();
    return static_cast<double>(simplex.cost() / total) + largest * share_of(total - simplex.moved(), total);
}

// The arcs of the walk's forest, at the prices of the problem.
Basis with_costs_of(const Powers& cost, Basis basis) {
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const Node parent = basis[x].parent;
        if (parent >= 0) basis[x].arc_cost = cost.at(std::min(x, parent), std::max(x, parent) - cost.rows);
    }
    return basis;
}

double longest_arc(const FixedSimplex& simplex, Mass least_flow) {
    double longest = 0;
    for (const BasisNode& node : simplex.basis()) {
        if (node.parent >= 0 && node.flow > least_flow) longest = std::max(longest, node.arc_cost);
    }
    return longest;
}

// Potentials carry the rounding of λ. Where λ is far larger than what the plan pays, solves at ever smaller λ, each
// just large enough for everything to move, tell apart what is cheap.
void sharpen(FixedSimplex& simplex, const Masses& masses) {
    constexpr double much_larger = 100, step = 4;
    const Mass total = masses.total(), most_left = masses.negligible();
    const auto moves_all = [&] { return total - simplex.moved() <= most_left; };
    while (moves_all() && simplex.lambda() > much_larger * static_cast<double>(simplex.cost() / total)) {
        const double largest = simplex.lambda();
        double lambda = step * longest_arc(simplex, most_left);
        if (lambda == 0 || lambda >= largest / step) return;
        for (; lambda < largest; lambda *= step) {
            simplex.solve(lambda);
            if (moves_all()) break;
        }
        if (lambda >= largest) {
            simplex.solve(largest);
            return;
        }
    }
}

// Once a unit more costs as much as the dearest pair, all that is left may take any way at that price: the cheapest
// plan at that multiplier, with the rest at that price, is as good as any that moves everything.
TransportBounds finish_at_dearest(const PowerProblem& problem, const Basis& basis, double largest, Pulse& pulse) {
    FixedSimplex simplex(problem, pulse);
    simplex.adopt(basis);
    const bool is_exact = ends_in_time([&] {
        simplex.solve(largest);
        sharpen(simplex, problem.masses);
    });
    const double upper = cost_of(simplex, problem.masses, largest);
    const Forest forest(problem.masses, simplex.basis());
    return {is_exact, is_exact ? upper : dual_bound(problem, forest, largest), upper, Solver::simplex};
}

TransportBounds walk_to_end(const PowerProblem& problem, double largest, Pulse& pulse) {
    ProfileWalk walk(problem, pulse, largest * (1 - 1e-12));
    bool is_done = false;
    const bool in_time =
        ends_in_time([&] { is_done = walk_all_edges(walk, static_cast<double>(problem.powers.size())); });
    if (in_time && !is_done) return finish_at_dearest(problem, walk.forest().basis(), largest, pulse);
    const double upper = walk.plan_cost_p() + largest * walk.unmoved();
    return {in_time, in_time ? upper : dual_bound(problem, walk.forest(), walk.lambda()), upper, Solver::walk};
}

// The same on costs C_ij - f_i - g_j.
TransportBounds walk_reduced_to_end(const PowerProblem& problem, double largest, Pulse& pulse) {
    const Powers& cost = problem.powers;
    Duals duals = complete(problem, std::vector<double>(cost.columns, 0.0));
    if (Duals other = complete(problem, column_means(cost)); other.value > duals.value) duals = std::move(other);
    std::vector<double> reduced(cost.size());
    for (Node i = 0; i < cost.rows; ++i) {
        const std::size_t begin = static_cast<std::size_t>(i) * cost.columns;
        subtract(cost.row(i), duals.g.data(), duals.f[i], cost.columns, reduced.data() + begin);
        pulse.note(static_cast<std::size_t>(cost.columns));
    }
    const PowerProblem rest{{{reduced.data(), cost.rows, cost.columns}}, problem.masses};
    ProfileWalk walk(rest, pulse);
    bool is_done = false;
    const bool in_time = ends_in_time([&] { is_done = walk_all_edges(walk, static_cast<double>(cost.size())); });
    if (in_time && !is_done) {
        reduced = {};
        return finish_at_dearest(problem, with_costs_of(cost, walk.forest().basis()), largest, pulse);
    }
    const double of_plan = cost_of(walk.plan(0), cost);
    if (in_time) return {true, of_plan, of_plan, Solver::walk};
    const double common = duals.value / static_cast<double>(problem.masses.total());
    const double proven = common + dual_bound(rest, walk.forest(), walk.lambda());
    return {false, proven, of_plan + largest * walk.unmoved(), Solver::walk};
}

// A pivot of the walk may re-label the larger side where that is far larger.
bool are_few_against_many(const Powers& cost) {
    constexpr Node many_per_few = 4;
    return std::max(cost.rows, cost.columns) / many_per_few >= std::min(cost.rows, cost.columns);
}

}  // namespace

TransportBounds transport_cost(const PowerProblem& problem, Pulse& pulse) {
    const Powers& cost = problem.powers;
    const double largest = *std::max_element(cost.data, cost.data + cost.size());
    if (are_few_against_many(cost)) {
        const Basis nothing_moved = Forest(problem.masses).basis();
        return finish_at_dearest(problem, nothing_moved, largest, pulse);
    }
    if (lie_apart(cost) && !is_truncated(cost, largest)) return walk_reduced_to_end(problem, largest, pulse);
    return walk_to_end(problem, largest, pulse);
}

}  // namespace rpw
