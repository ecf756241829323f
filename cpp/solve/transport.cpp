// See transport.hpp.
#include "solve/transport.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/least.hpp"
#include "base/simd.hpp"
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

bool walk_all_edges(ProfileWalk& walk) {
    return ends_in_time([&] {
        while (walk.find_edge()) walk.take_edge();
    });
}

// What the walk has proven about the cost of moving everything.
double dual_bound(const ProfileWalk& walk) {
    std::vector<double> u, v;
    return walk.lambda() - walk.certificate(u, v);
}

// Once a unit more costs as much as the dearest pair, all that is left may take any way at that price.
TransportBounds walk_to_end(const PowerProblem& problem, double largest, Pulse& pulse) {
    ProfileWalk walk(problem, pulse, largest * (1 - 1e-12));
    const bool is_exact = walk_all_edges(walk);
    const double upper = walk.plan_cost_p() + largest * walk.unmoved();
    return {is_exact, is_exact ? upper : dual_bound(walk), upper};
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
    ProfileWalk walk({{{reduced.data(), cost.rows, cost.columns}}, problem.masses}, pulse);
    const bool is_exact = walk_all_edges(walk);
    const double of_plan = cost_of(walk.plan(0), cost);
    if (is_exact) return {true, of_plan, of_plan};
    const double common = duals.value / static_cast<double>(problem.masses.total());
    return {false, common + dual_bound(walk), of_plan + largest * walk.unmoved()};
}

}  // namespace

TransportBounds transport_cost(const PowerProblem& problem, Pulse& pulse) {
    const Powers& cost = problem.powers;
    const double largest = *std::max_element(cost.data, cost.data + cost.size());
    if (lie_apart(cost) && !is_truncated(cost, largest)) return walk_reduced_to_end(problem, largest, pulse);
    return walk_to_end(problem, largest, pulse);
}

}  // namespace rpw
