// See strips.hpp.
#include "simplex/strips.hpp"

#include <algorithm>

#include "base/least.hpp"
#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

MatrixStrips::MatrixStrips(const PowerProblem& problem)
    : cost_(problem.powers),
      are_columns_(cost_.rows <= few_points && cost_.columns / many_per_few >= cost_.rows),
      gathered_(are_columns_ ? cost_.rows : 0) {}

// With one kept node a strip has one arc, which enters once, whatever the order.
Node MatrixStrips::per_bundle() const {
    const auto [strips, arcs] =
        are_columns_ ? std::pair(cost_.columns, cost_.rows) : std::pair(cost_.rows, cost_.columns);
    if (arcs == 1 || strips / many_per_few < arcs) return 1;
    return std::clamp<Node>(arcs_per_bundle / arcs, 1, strips_per_bundle);
}

double MatrixStrips::least(Node strip, const double* kept) {
    const double* entry = cost_.data + strip;
    for (double& number : gathered_) number = *entry, entry += cost_.columns;
    return least_sum(costs(strip), kept, degree(strip));
}

StripArc MatrixStrips::arc_of_least(Node strip, const double* kept, double least) const {
    const Node k = find_sum(costs(strip), kept, degree(strip), least);
    return {k, costs(strip)[k]};
}

Node ListedStrips::per_bundle() const { return strips_per_bundle; }

double ListedStrips::least(Node strip, const double* kept) const {
    double least = unreachable;
    for (std::size_t e = arcs_.start[strip]; e < arcs_.start[strip + 1]; ++e) {
        const double here = sum(e, kept);
        least = here < least ? here : least;
    }
    return least;
}

StripArc ListedStrips::arc_of_least(Node strip, const double* kept, double least) const {
    std::size_t e = arcs_.start[strip];
    while (sum(e, kept) > least) ++e;
    return {arcs_.partner[e], arcs_.cost[e]};
}

}  // namespace rpw
