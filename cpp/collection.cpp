// See collection.hpp.
#include "collection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "blocks.hpp"
#include "crossing.hpp"
#include "powers.hpp"
#include "scale.hpp"
#include "transport.hpp"

namespace rpw {

Problem PairSolver::distances(std::size_t s, std::size_t t) {
    const auto masses_a = a_.masses(s), masses_b = b_.masses(t);
    const auto rows = static_cast<Node>(masses_a.size()), columns = static_cast<Node>(masses_b.size());
    matrix_.resize(static_cast<std::size_t>(rows) * columns);
    if (a_.points != nullptr) {
        const Points x = a_.points_of(s), y = b_.points_of(t);
        const double unit = length_unit(x, y);
        if (unit == unreachable)
            throw std::range_error("the points are too far apart: their distance is not a float64");
        fill_distances(x, y, task_.metric, unit, matrix_.data());
    } else {
        const auto from = a_.places(s), to = b_.places(t);
        double* out = matrix_.data();
        for (Node i = 0; i < rows; ++i) {
            const double* row = task_.shared.row(from[i]);
            for (Node j = 0; j < columns; ++j) *out++ = row[to[j]];
        }
    }
    if (task_.truncation < unreachable) {
        for (double& length : matrix_) length = std::min(length, task_.truncation);
    }
    return {{matrix_.data(), rows, columns}, masses_a, masses_b};
}

Value PairSolver::value(std::size_t s, std::size_t t, double cutoff, Pulse& pulse) {
    if (task_.quantity == Quantity::shared && !a_.label.empty()) {
        const auto labels_a = a_.labels(s), labels_b = b_.labels(t);
        return {shared_by_labels(a_.masses(s), b_.masses(t), labels_a, labels_b), Status::exact};
    }
    const Problem problem = distances(s, t);
    if (task_.quantity == Quantity::shared) return {unshared_mass(problem, pulse), Status::exact};
    if (std::isinf(task_.p)) {
        if (task_.quantity == Quantity::mass) return {threshold_at(problem, task_.unmoved, pulse).cost, Status::exact};
        const Outcome outcome = cross_thresholds(problem, task_.kappa, 0, pulse);
        return {outcome.unmoved, outcome.status};
    }
    const bool crosses = task_.quantity == Quantity::crossing;
    const double scale = crosses ? scale_for_crossing(problem, task_.kappa, task_.p, pulse)
                                 : scale_for_mass(problem, task_.unmoved, task_.p, pulse);
    scaled_powers(matrix_.data(), matrix_.size(), scale, task_.p, matrix_.data());
    if (crosses) {
        const Price price = scaled_price(task_.kappa, scale);
        Value value = cross_profile_value(problem, price.kappa, task_.p, std::min(1.0, cutoff / price.shrink), pulse);
        if (value.status == Status::exact) remember(s, value, power(task_.kappa / scale, task_.p));
        value.distance *= price.shrink;
        return value;
    }
    const double cost_p =
        task_.unmoved == 0 ? transport_cost(problem, pulse) : profile_value_at(problem, task_.unmoved, pulse);
    return {scale * root(cost_p, task_.p), Status::exact};
}

void PairSolver::remember(std::size_t s, const Value& value, double unit_p) {
    solved_row_ = s;
    solved_multiplier_ = value.multiplier / unit_p;
    solved_u_ = value.u;
    for (double& u : solved_u_) u /= unit_p;
}

// Any u ≥ 0 and λ ≥ 0 give a line below the profile with v_j = max(0, max_i λ - C_ij - u_i): docs/theory.md, "Search".
double PairSolver::potential_bound(std::size_t s, std::size_t t) {
    if (s != solved_row_ || !std::isfinite(solved_multiplier_)) return 0;
    const Problem problem = distances(s, t);
    scaled_powers(matrix_.data(), matrix_.size(), task_.kappa, task_.p, matrix_.data());
    nearest_b_.assign(problem.cost.columns, unreachable);
    for (Node i = 0; i < problem.cost.rows; ++i) {
        const double* row = problem.cost.row(i);
        for (Node j = 0; j < problem.cost.columns; ++j) nearest_b_[j] = std::min(nearest_b_[j], row[j] + solved_u_[i]);
    }
    long double used = 0;
    for (Node i = 0; i < problem.cost.rows; ++i) used += static_cast<long double>(solved_u_[i]) * problem.a[i];
    for (Node j = 0; j < problem.cost.columns; ++j) {
        used += static_cast<long double>(std::max(0.0, solved_multiplier_ - nearest_b_[j])) * problem.b[j];
    }
    const double height = solved_multiplier_ - static_cast<double>(used / problem.total());
    return crossing(height, solved_multiplier_, 1.0, task_.p);
}

double PairSolver::neighbour_bound(std::size_t s, std::size_t t) {
    const Problem problem = distances(s, t);
    const Node rows = problem.cost.rows, columns = problem.cost.columns;
    nearest_a_.assign(rows, unreachable);
    nearest_b_.assign(columns, unreachable);
    for (Node i = 0; i < rows; ++i) {
        const double* row = problem.cost.row(i);
        double least = unreachable;
        for (Node j = 0; j < columns; ++j) {
            least = std::min(least, row[j]);
            nearest_b_[j] = std::min(nearest_b_[j], row[j]);
        }
        nearest_a_[i] = least;
    }
    return std::max(bound_one_way(problem.a, nearest_a_), bound_one_way(problem.b, nearest_b_));
}

// The profile of "everybody to the nearest" is convex and piecewise linear; its crossing with (κ ε)^p is the bound.
double PairSolver::bound_one_way(std::span<const Mass> masses, std::span<const double> nearest) {
    order_.resize(masses.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](auto x, auto y) { return nearest[x] < nearest[y]; });
    const auto total = static_cast<double>(std::accumulate(masses.begin(), masses.end(), Mass{0}));
    if (std::isinf(task_.p)) {
        Mass moved = 0;
        for (auto x : order_) {
            const double unmoved = 1 - static_cast<double>(moved) / total;
            if (nearest[x] >= task_.kappa * unmoved) return unmoved;
            moved += masses[x];
            const double after = 1 - static_cast<double>(moved) / total;
            if (nearest[x] >= task_.kappa * after) return nearest[x] / task_.kappa;
        }
        return 0;
    }
    double unmoved = 1, cost = 0;
    for (auto x : order_) {
        const double share = static_cast<double>(masses[x]) / total;
        const double slope = std::min(power(nearest[x] / task_.kappa, task_.p), largest_power);
        if (unmoved - share <= root(cost + slope * share, task_.p)) {
            return crossing(cost + slope * unmoved, slope, 1.0, task_.p);
        }
        unmoved -= share;
        cost += slope * share;
    }
    return 0;
}

}  // namespace rpw
