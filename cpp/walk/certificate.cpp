// See certificate.hpp.
#include "walk/certificate.hpp"

#include <algorithm>

#include "base/least.hpp"

namespace rpw {

double certify(const PowerProblem& problem, const Forest& forest, double lambda, std::vector<double>& u,
               std::vector<double>& v) {
    const Powers& cost = problem.powers;
    v.resize(cost.columns);
    for (Node j = 0; j < cost.columns; ++j) v[j] = std::max(0.0, forest.potential(cost.rows + j, lambda));
    u = row_potentials(forest, lambda);
    long double sum = 0;
    for (Node i = 0; i < cost.rows; ++i) {
        u[i] = std::max(u[i], lambda - least_sum(cost.row(i), v.data(), cost.columns));
        sum += static_cast<long double>(u[i]) * problem.masses.a[i];
    }
    for (Node j = 0; j < cost.columns; ++j) sum += static_cast<long double>(v[j]) * problem.masses.b[j];
    return static_cast<double>(sum / problem.masses.total());
}

std::vector<double> row_potentials(const Forest& forest, double lambda) {
    std::vector<double> u(forest.rows());
    for (Node i = 0; i < forest.rows(); ++i) u[i] = std::max(0.0, forest.potential(i, lambda));
    return u;
}

}  // namespace rpw
