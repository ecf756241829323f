// See pair_solver.hpp.
#include "many/pair_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/crossing.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/solve_line.hpp"
#include "solve/solve.hpp"

namespace rpw {

Outcome PairSolver::solve(std::size_t s, std::size_t t, double cutoff, Pulse& pulse) {
    Outcome outcome = rpw::solve(batch_.pair(s, t), batch_.question.with_cutoff(cutoff), room_, pulse);
    if (outcome.status == Status::time_limit) throw TimeUp();
    return outcome;
}

double PairSolver::neighbour_bound(std::size_t s, std::size_t t, Pulse& pulse) {
    const Pair pair = batch_.pair(s, t);
    if (batch_.question.truncation == unreachable && nearest_on_line(pair, nearest_a_, nearest_b_)) {
        return std::max(bound_one_way(pair.a.mass, nearest_a_), bound_one_way(pair.b.mass, nearest_b_));
    }
    const Distances distances = distances_of(pair, batch_.question.truncation, room_, pulse);
    nearest_a_.assign(distances.rows, unreachable);
    nearest_b_.assign(distances.columns, unreachable);
    for (Node i = 0; i < distances.rows; ++i) {
        const double* row = distances.row(i);
        double least = unreachable;
        for (Node j = 0; j < distances.columns; ++j) {
            least = std::min(least, row[j]);
            nearest_b_[j] = std::min(nearest_b_[j], row[j]);
        }
        nearest_a_[i] = least;
    }
    return std::max(bound_one_way(pair.a.mass, nearest_a_), bound_one_way(pair.b.mass, nearest_b_));
}

// The profile of "everybody to the nearest" is convex and piecewise linear; its crossing with (κ ε)^p is the bound.
double PairSolver::bound_one_way(std::span<const Mass> masses, std::span<const double> nearest) {
    const Question& question = batch_.question;
    order_.resize(masses.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](auto x, auto y) { return nearest[x] < nearest[y]; });
    const auto total = static_cast<double>(std::accumulate(masses.begin(), masses.end(), Mass{0}));
    if (std::isinf(question.p)) {
        Mass moved = 0;
        for (auto x : order_) {
            const double unmoved = 1 - static_cast<double>(moved) / total;
            if (nearest[x] >= question.kappa * unmoved) return unmoved;
            moved += masses[x];
            const double after = 1 - static_cast<double>(moved) / total;
            if (nearest[x] >= question.kappa * after) return nearest[x] / question.kappa;
        }
        return 0;
    }
    double unmoved = 1, cost = 0;
    for (auto x : order_) {
        const double share = static_cast<double>(masses[x]) / total;
        const double slope = std::min(power(nearest[x] / question.kappa, question.p), largest_power);
        if (unmoved - share <= root(cost + slope * share, question.p)) {
            return crossing(cost + slope * unmoved, slope, 1.0, question.p);
        }
        unmoved -= share;
        cost += slope * share;
    }
    return 0;
}

}  // namespace rpw
