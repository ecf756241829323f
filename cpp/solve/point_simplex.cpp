// See point_simplex.hpp.
#include "solve/point_simplex.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "points/c_transform.hpp"
#include "points/near_arcs.hpp"

namespace rpw {

using namespace tuning;

PointSimplex::PointSimplex(const PointProblem& problem, const Basis& basis, const std::vector<double>& u,
                           const std::vector<double>& v, double lambda, Pulse& pulse)
    : problem_(problem),
      pulse_(pulse),
      rows_(problem.rows.size()),
      columns_(problem.columns, problem.costs),
      widest_margin_(std::max(slack_per_mass(basis, u, v, lambda), a_little * lambda)),
      margin_(widest_margin_),
      simplex_({problem.masses, arcs_}, pulse) {
    columns_.set_all([&](Node j) { return v[j]; });
    simplex_.adopt(basis);
    has_list_ = list_arcs(u, lambda);
}

// How far plan and potentials are from proving each other: what separates the arcs of an optimal plan from being tight,
// in the mean.
double PointSimplex::slack_per_mass(const Basis& basis, const std::vector<double>& u, const std::vector<double>& v,
                                    double lambda) const {
    long double slack = 0, moved = 0;
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const auto [parent, flow, cost] = basis[x];
        if (parent < 0) {
            slack += static_cast<long double>(flow) * (x < rows_ ? u[x] : v[x - rows_]);
        } else {
            slack += static_cast<long double>(flow) *
                     (cost + u[std::min(x, parent)] + v[std::max(x, parent) - rows_] - lambda);
            moved += flow;
        }
    }
    return moved > 0 ? static_cast<double>(slack / moved) : 0.0;
}

bool PointSimplex::solve(double lambda, double most_work) {
    std::vector<double> u(rows_);
    // Rounding could make pivots go round in circles; this has not been seen.
    const double nodes = static_cast<double>(rows_) + problem_.columns.size();
    most_work = std::min(most_work, work() + simplex_patience * nodes * std::sqrt(nodes));
    for (int round = 0; has_list_ && round < most_rounds_of_lists; ++round) {
        const long before = simplex_.pivots();
        if (!simplex_.solve(lambda, most_work - static_cast<double>(boxes_))) return false;
        if (round > 0 && simplex_.pivots() == before) return true;  // what was missing was rounding
        for (Node i = 0; i < rows_; ++i) u[i] = simplex_.potential(i);
        columns_.set_all([&](Node j) { return simplex_.potential(rows_ + j); });
        has_list_ = list_arcs(u, lambda);
        if (has_list_ && !lacks_arcs(u, lambda)) return true;
    }
    return false;
}

// All arcs that gain, and those that are nearly tight. If they are too many, because whole clusters gain together (as
// they do with p = 1), for each row that gains the arcs that are nearly as good as its best one: when they have
// entered, the others fit again.
bool PointSimplex::list_arcs(const std::vector<double>& u, double lambda) {
    if (2 * arcs_.partner.size() < most_arcs()) margin_ = std::min(2 * margin_, widest_margin_);
    std::vector<double> tight(rows_);
    for (Node i = 0; i < rows_; ++i) tight[i] = lambda - u[i];
    for (double margin = margin_; margin > least_part_of_margin * margin_; margin /= 2) {
        if (list_arcs_within(margin, tight)) {
            margin_ = margin;
            return true;
        }
    }
    std::vector<double> v(problem_.columns.size());
    for (Node j = 0; j < problem_.columns.size(); ++j) v[j] = columns_.weight(j);
    const auto least = least_sums(problem_.columns, v, problem_.rows, problem_.costs, lambda, pulse_);
    for (Node i = 0; i < rows_; ++i) tight[i] = std::min(tight[i], least[i]);
    for (double margin = margin_; margin > rounding_of_price * lambda; margin /= 2) {
        if (list_arcs_within(margin, tight)) return true;
    }
    return false;
}

bool PointSimplex::list_arcs_within(double margin, const std::vector<double>& tight) {
    arcs_.partner.reserve(most_arcs());  // what is not used takes no memory, and growing by copies would
    arcs_.cost.reserve(most_arcs());
    std::vector<double> beyond(rows_);
    for (Node i = 0; i < rows_; ++i) beyond[i] = tight[i] + margin;
    boxes_of_list_ = 0;
    const bool fits = list_near_arcs(problem_.rows, columns_, beyond, most_arcs(), arcs_, boxes_of_list_, pulse_);
    boxes_ += boxes_of_list_;
    return fits;
}

std::size_t PointSimplex::most_arcs() const {
    return std::min(arcs_per_node * (std::size_t{0} + rows_ + problem_.columns.size()), most_arcs_of_simplex);
}

bool PointSimplex::lacks_arcs(const std::vector<double>& u, double lambda) const {
    for (Node i = 0; i < rows_; ++i) {
        for (std::size_t e = arcs_.start[i]; e < arcs_.start[i + 1]; ++e) {
            const double gain = lambda - u[i] - (arcs_.cost[e] + columns_.weight(arcs_.partner[e] - rows_));
            if (gain > rounding_of_price * lambda) return true;
        }
    }
    return false;
}

}  // namespace rpw
