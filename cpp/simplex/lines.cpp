// See lines.hpp.
#include "simplex/lines.hpp"

#include <algorithm>

#include "base/least.hpp"
#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

MatrixLines::MatrixLines(const PowerProblem& problem)
    : cost_(problem.powers),
      are_columns_(cost_.rows <= few_points && cost_.columns / many_per_few >= cost_.rows),
      gathered_(are_columns_ ? cost_.rows : 0) {}

// With one kept node a line has one arc, which enters once, whatever the order.
Node MatrixLines::per_bundle() const {
    const auto [lines, arcs] =
        are_columns_ ? std::pair(cost_.columns, cost_.rows) : std::pair(cost_.rows, cost_.columns);
    if (arcs == 1 || lines / many_per_few < arcs) return 1;
    return std::clamp<Node>(arcs_per_bundle / arcs, 1, lines_per_bundle);
}

double MatrixLines::least(Node line, const double* kept) {
    const double* entry = cost_.data + line;
    for (double& number : gathered_) number = *entry, entry += cost_.columns;
    return least_sum(costs(line), kept, degree(line));
}

LineArc MatrixLines::arc_of_least(Node line, const double* kept, double least) const {
    const Node k = find_sum(costs(line), kept, degree(line), least);
    return {k, costs(line)[k]};
}

Node ListedLines::per_bundle() const { return lines_per_bundle; }

double ListedLines::least(Node line, const double* kept) const {
    double least = unreachable;
    for (std::size_t e = arcs_.start[line]; e < arcs_.start[line + 1]; ++e) {
        const double here = sum(e, kept);
        least = here < least ? here : least;
    }
    return least;
}

LineArc ListedLines::arc_of_least(Node line, const double* kept, double least) const {
    std::size_t e = arcs_.start[line];
    while (sum(e, kept) > least) ++e;
    return {arcs_.partner[e], arcs_.cost[e]};
}

}  // namespace rpw
