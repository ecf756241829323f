// The cheapest plan at a fixed multiplier between points, without a matrix: the simplex over a list of arcs that are
// nearly tight, and trees that tell which arcs are missing there. docs/proofs/points.md, "Coarse to fine", says from
// where it starts.
#pragma once

#include <vector>

#include "points/tree_partners.hpp"
#include "simplex/fixed_simplex.hpp"

namespace rpw {

// How far a plan and potentials are from proving each other at λ: by how much the arcs of the plan miss being tight, in
// the mean. 0 if both are optimal.
double slack_per_mass(const Basis& basis, const std::vector<double>& u, const std::vector<double>& v, double lambda);

class PointSimplex {
public:
    // A basis, and potentials of all rows and columns that are near those of an optimal one at λ.
    PointSimplex(const PointProblem& problem, const Basis& basis, const std::vector<double>& u,
                 const std::vector<double>& v, double lambda, Pulse& pulse);

    // Finds a basis that is optimal at λ among all pairs, from the present one; false if that takes more work in all,
    // or leads nowhere. Then, and after TimeUp, the basis is feasible, not optimal.
    bool solve(double lambda, double most_work = unreachable);
    // Goes on from another basis.
    void adopt(const Basis& basis) { simplex_.adopt(basis); }

    Basis basis() const { return simplex_.basis(); }
    ProfilePoint point() const { return simplex_.point(); }
    long pivots() const { return simplex_.pivots(); }
    // In steps of the simplex, lists included.
    double work() const { return simplex_.work() + work_of_lists_; }

private:
    void list_arcs(const std::vector<double>& of_lines, double lambda);
    bool lacks_arcs(const std::vector<double>& of_lines, double lambda) const;

    const PointProblem& problem_;
    Pulse& pulse_;
    Node rows_;
    bool are_columns_;  // the lines: the larger side, so that a pivot re-labels nodes of the smaller one
    const PointTree& lines_;
    ArcList arcs_;
    WeightedTree kept_;  // its weights are the potentials
    double margin_;      // arcs that are so near to being tight are listed
    double work_of_lists_ = 0;
    FixedSimplexOver<ListedStrips> simplex_;
};

}  // namespace rpw
