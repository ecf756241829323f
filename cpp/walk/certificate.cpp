// See certificate.hpp.
#include "walk/certificate.hpp"

#include <algorithm>

#include "base/least.hpp"

namespace rpw {

namespace {

Pulse without_deadline(Pulse* pulse) { return pulse ? pulse->without_deadline() : Pulse(nullptr, unreachable); }

// Distances in a forest, which do not change with λ (docs/proofs/profile.md, "The cut and the certificate"): of active
// nodes, whose potential is the distance, and of the others, whose potential is λ less the distance.
class VertexDistances {
public:
    VertexDistances(const PowerProblem& problem, const Forest& forest, Pulse* pulse)
        : problem_(problem),
          forest_(forest),
          pulse_(without_deadline(pulse)),
          active_(problem.powers.columns, unreachable),
          passive_(active_) {
        const Powers& cost = problem.powers;
        for (Node j = 0; j < cost.columns; ++j) {
            const double distance = forest[cost.rows + j].distance;
            if (forest.is_active(cost.rows + j)) active_[j] = std::max(0.0, distance);
        }
        for (Node i = 0; i < cost.rows; ++i) rows_.push_back(row_distance(i));
        for (Node i = 0; i < cost.rows; ++i) {
            pulse_.note(static_cast<std::size_t>(cost.columns));
            if (forest.is_active(i)) lower_to_sums(cost.row(i), rows_[i], cost.columns, passive_.data());
        }
        for (Node j = 0; j < cost.columns; ++j) {
            const bool is_active = forest.is_active(cost.rows + j);
            passive_[j] = is_active ? unreachable : -std::min(passive_[j], forest[cost.rows + j].distance);
        }
    }

    VertexProof proof() {
        const Powers& cost = problem_.powers;
        long double sum = 0;
        double least = 0, largest = unreachable;
        for (Node i = 0; i < cost.rows; ++i) {
            pulse_.note(static_cast<std::size_t>(cost.columns));
            const double distance = rows_[i];
            const auto mass = static_cast<long double>(problem_.masses.a[i]);
            sum += forest_.is_active(i) ? -mass * distance : mass * distance;
            if (forest_.is_active(i)) {
                largest = std::min(largest, distance + least_sum(cost.row(i), active_.data(), cost.columns));
            } else {
                const double of_pairs = distance - least_sum(cost.row(i), passive_.data(), cost.columns);
                least = std::max({least, distance, of_pairs});
            }
        }
        for (Node j = 0; j < cost.columns; ++j) {
            const bool is_active = forest_.is_active(cost.rows + j);
            sum -= static_cast<long double>(problem_.masses.b[j]) * (is_active ? active_[j] : passive_[j]);
            if (!is_active) least = std::max(least, -passive_[j]);
        }
        return {static_cast<double>(sum / problem_.masses.total()), least, largest};
    }

private:
    // Rounding may have made a way longer than the one over another column.
    double row_distance(Node i) {
        pulse_.note(static_cast<std::size_t>(problem_.powers.columns));
        const double distance = forest_[i].distance;
        if (forest_.is_active(i)) return std::max(0.0, distance);
        return std::min(distance, least_sum(problem_.powers.row(i), active_.data(), problem_.powers.columns));
    }

    const PowerProblem& problem_;
    const Forest& forest_;
    Pulse pulse_;
    std::vector<double> rows_;
    std::vector<double> active_;   // of columns; infinite for the others
    std::vector<double> passive_;  // the same, with the other sign
};

}  // namespace

VertexProof prove_vertex(const PowerProblem& problem, const Forest& forest, Pulse* pulse) {
    return VertexDistances(problem, forest, pulse).proof();
}

double certify(const PowerProblem& problem, const Forest& forest, double lambda, std::vector<double>& u,
               std::vector<double>& v, Pulse* pulse) {
    const Powers& cost = problem.powers;
    Pulse after = without_deadline(pulse);
    v = column_potentials(forest, lambda);
    const auto least_of_row = [&](Node i) {
        after.note(static_cast<std::size_t>(cost.columns));
        return least_sum(cost.row(i), v.data(), cost.columns);
    };
    return certify_rows(problem.masses, forest, lambda, v, least_of_row, u);
}

double certify_rows(const Masses& masses, const Forest& forest, double lambda, const std::vector<double>& v,
                    const std::function<double(Node)>& least_of_row, std::vector<double>& u) {
    u = row_potentials(forest, lambda);
    long double sum = 0;
    for (Node i = 0; i < forest.rows(); ++i) {
        u[i] = std::max(u[i], lambda - least_of_row(i));
        sum += static_cast<long double>(u[i]) * masses.a[i];
    }
    for (std::size_t j = 0; j < v.size(); ++j) sum += static_cast<long double>(v[j]) * masses.b[j];
    return static_cast<double>(sum / masses.total());
}

std::vector<double> row_potentials(const Forest& forest, double lambda) {
    std::vector<double> u(forest.rows());
    for (Node i = 0; i < forest.rows(); ++i) u[i] = std::max(0.0, forest.potential(i, lambda));
    return u;
}

std::vector<double> column_potentials(const Forest& forest, double lambda) {
    std::vector<double> v(forest.size() - forest.rows());
    for (Node j = 0; j < static_cast<Node>(v.size()); ++j) {
        v[j] = std::max(0.0, forest.potential(forest.rows() + j, lambda));
    }
    return v;
}

}  // namespace rpw
