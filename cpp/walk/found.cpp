// See found.hpp.
#include "walk/found.hpp"

#include <algorithm>

#include "base/merge_pairs.hpp"
#include "walk/certificate.hpp"

namespace rpw {

namespace {

// Adds `weight` of the plan of a basis.
void add_entries(std::vector<PlanEntry>& entries, const Basis& basis, double weight, const Masses& masses) {
    const Mass total = masses.total();
    const auto rows = static_cast<Node>(masses.a.size());
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        const BasisNode& node = basis[x];
        if (node.parent < 0 || node.flow == 0) continue;
        entries.push_back(
            {std::min(x, node.parent), std::max(x, node.parent) - rows, weight * share_of(node.flow, total)});
    }
}

}  // namespace

std::vector<PlanEntry> Found::plan(const Masses& masses) const {
    std::vector<PlanEntry> entries;
    if (weight < 1) add_entries(entries, left.is_given() ? left : proof, 1 - weight, masses);
    if (weight > 0) add_entries(entries, right, weight, masses);
    merge_pairs(entries);
    return entries;
}

double FoundOnMatrix::certify(std::vector<double>& u, std::vector<double>& v) const {
    return lambda - rpw::certify(problem, Forest(problem.masses, proof), lambda, u, v, &pulse);
}

std::vector<double> FoundOnMatrix::row_potentials() const {
    return rpw::row_potentials(Forest(problem.masses, proof), lambda);
}

}  // namespace rpw
