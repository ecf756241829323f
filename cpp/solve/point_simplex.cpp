// See point_simplex.hpp.
#include "solve/point_simplex.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "points/near_arcs.hpp"

namespace rpw {

using namespace tuning;

PointSimplex::PointSimplex(const PointProblem& problem, const Basis& basis, const std::vector<double>& u,
                           const std::vector<double>& v, double lambda, Pulse& pulse)
    : problem_(problem),
      pulse_(pulse),
      rows_(problem.rows.size()),
      columns_(problem.columns, problem.costs),
      margin_(std::max(slack_per_mass(basis, u, v, lambda), a_little * lambda)),
      simplex_({problem.masses, arcs_}, pulse) {
    columns_.set_all([&](Node j) { return v[j]; });
    simplex_.adopt(basis);
    list_arcs(u, lambda);
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
    for (int round = 0; round < most_rounds_of_lists; ++round) {
        const long before = simplex_.pivots();
        if (!simplex_.solve(lambda, most_work - work_of_lists_)) return false;
        if (round > 0 && simplex_.pivots() == before) return true;  // what was missing was rounding
        for (Node i = 0; i < rows_; ++i) u[i] = simplex_.potential(i);
        columns_.set_all([&](Node j) { return simplex_.potential(rows_ + j); });
        list_arcs(u, lambda);
        if (!lacks_arcs(u, lambda)) return true;
    }
    return false;
}

// The arcs that gain, and those that are nearly tight: of each row the best, as many as there is room for. Where whole
// clusters gain together, as they do with p = 1, a row has far more, and when the best have entered few of the others
// gain.
void PointSimplex::list_arcs(const std::vector<double>& u, double lambda) {
    const std::size_t nodes = std::size_t{0} + rows_ + problem_.columns.size();
    const std::size_t most_of_row =
        std::max(std::size_t{1}, std::min(arcs_per_node_of_simplex * nodes, most_arcs_of_simplex) / rows_);
    arcs_.partner.reserve(rows_ * most_of_row);  // what is not used takes no memory, and growing by copies would
    arcs_.cost.reserve(rows_ * most_of_row);
    std::vector<double> beyond(rows_);
    for (Node i = 0; i < rows_; ++i) beyond[i] = lambda - u[i] + margin_;
    std::size_t boxes = 0;
    list_nearest_arcs(problem_.rows, columns_, beyond, most_of_row, arcs_, boxes, pulse_);
    work_of_list_ = problem_.costs.work_of_eight() * static_cast<double>(boxes);
    work_of_lists_ += work_of_list_;
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
