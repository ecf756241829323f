// See point_simplex.hpp.
#include "points/point_simplex.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "points/near_arcs.hpp"

namespace rpw {

using namespace tuning;

double slack_per_mass(const Basis& basis, const std::vector<double>& u, const std::vector<double>& v, double lambda) {
    const auto rows = static_cast<Node>(u.size());
    long double slack = 0, moved = 0;
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const auto [parent, flow, cost] = basis[x];
        if (parent < 0) {
            slack += static_cast<long double>(flow) * (x < rows ? u[x] : v[x - rows]);
        } else {
            slack += static_cast<long double>(flow) *
                     (cost + u[std::min(x, parent)] + v[std::max(x, parent) - rows] - lambda);
            moved += flow;
        }
    }
    return moved > 0 ? static_cast<double>(slack / moved) : 0.0;
}

PointSimplex::PointSimplex(const PointProblem& problem, const Basis& basis, const std::vector<double>& u,
                           const std::vector<double>& v, double lambda, Pulse& pulse)
    : problem_(problem),
      pulse_(pulse),
      rows_(problem.rows.size()),
      are_columns_(problem.columns.size() > rows_),
      lines_(are_columns_ ? problem.columns : problem.rows),
      kept_(are_columns_ ? problem.rows : problem.columns, problem.costs),
      margin_(std::max(slack_per_mass(basis, u, v, lambda), a_little * lambda)),
      simplex_({problem.masses, arcs_, are_columns_}, pulse) {
    kept_.set_all([&](Node k) { return are_columns_ ? u[k] : v[k]; });
    simplex_.adopt(basis);
    list_arcs(are_columns_ ? v : u, lambda);
}

bool PointSimplex::solve(double lambda, double most_work) {
    const Node first_line = are_columns_ ? rows_ : 0, first_kept = are_columns_ ? 0 : rows_;
    std::vector<double> of_lines(lines_.size());
    // Between few points and many few arcs are nearly tight. If lists did not reach further and further, these would
    // have their turns without end: W of 100 against 100,000 points on a curve took 60 times as long.
    const bool keeps_few = lines_.size() / many_per_few >= std::min(rows_, problem_.columns.size());
    // Rounding could make pivots go round in circles; this has not been seen.
    const double nodes = static_cast<double>(rows_) + problem_.columns.size();
    most_work = std::min(most_work, work() + simplex_patience * nodes * std::sqrt(nodes));
    for (int round = 0; round < most_rounds_of_lists; ++round) {
        const long before = simplex_.pivots();
        if (!simplex_.solve(lambda, most_work - work_of_lists_)) return false;
        if (round > 0 && simplex_.pivots() == before) return true;  // what was missing was rounding
        for (Node line = 0; line < lines_.size(); ++line) of_lines[line] = simplex_.potential(first_line + line);
        kept_.set_all([&](Node k) { return simplex_.potential(first_kept + k); });
        if (round > 0 && keeps_few) margin_ *= 2;
        list_arcs(of_lines, lambda);
        if (!lacks_arcs(of_lines, lambda)) return true;
    }
    return false;
}

// The arcs that gain, and those that are nearly tight: of each line the best, as many as there is room for. Where whole
// clusters gain together, as they do with p = 1, a line has far more, and when the best have entered few of the others
// gain.
void PointSimplex::list_arcs(const std::vector<double>& of_lines, double lambda) {
    const std::size_t lines = of_lines.size(), nodes = std::size_t{0} + rows_ + problem_.columns.size();
    const std::size_t most_of_line =
        std::max(std::size_t{1}, std::min(arcs_per_node_of_simplex * nodes, most_arcs_of_simplex) / lines);
    arcs_.partner.reserve(lines * most_of_line);  // what is not used takes no memory, and growing by copies would
    arcs_.cost.reserve(lines * most_of_line);
    std::vector<double> beyond(lines);
    for (std::size_t line = 0; line < lines; ++line) beyond[line] = lambda - of_lines[line] + margin_;
    std::size_t boxes = 0;
    list_near_arcs(lines_, kept_, beyond, {.of_row = most_of_line}, 0, arcs_, boxes, pulse_);
    work_of_lists_ += problem_.costs.work_of_eight() * static_cast<double>(boxes);
}

bool PointSimplex::lacks_arcs(const std::vector<double>& of_lines, double lambda) const {
    for (std::size_t line = 0; line < of_lines.size(); ++line) {
        for (std::size_t e = arcs_.start[line]; e < arcs_.start[line + 1]; ++e) {
            const double gain = lambda - of_lines[line] - (arcs_.cost[e] + kept_.weight(arcs_.partner[e]));
            if (gain > rounding_of_lambda * lambda) return true;
        }
    }
    return false;
}

}  // namespace rpw
