// A place on the profile of two measures on points, without a matrix: the walk over trees, and the proof of what it has
// found. What ProfileSearch is for a matrix.
#pragma once

#include <optional>
#include <vector>

#include "base/pulse.hpp"
#include "ground/measure.hpp"
#include "points/tree_partners.hpp"
#include "search/bracket.hpp"

namespace rpw {

// Trees over both measures, with costs (distance / scale)^p.
PointProblem point_problem(const Pair& pair, double scale, double p, Pulse& pulse);

// Numbers for the nodes of a tree, in the order of the points as they were given.
std::vector<double> as_given(const std::vector<double>& in_tree, const PointTree& tree);
// Entries for the nodes of the trees, for the points as they were given, sorted.
std::vector<PlanEntry> as_given(std::vector<PlanEntry> in_trees, const PointProblem& problem);

class PointSearch {
public:
    // Nothing that costs more than `limit` per unit is moved. The problem must outlive the search.
    PointSearch(const PointProblem& problem, const Goal& goal, Pulse& pulse, double limit = unreachable);

    // How many steps there may be.
    void allow(double most_work) { most_work_ = most_work, walk_.allow(most_work); }
    // The goal, or as near to it as the limits ask for; nothing if that takes more work. If time is up, what follows
    // tells the best that is known.
    std::optional<Status> run(const Limits& limits = {});
    // The exact RPW at a larger κ, from where the walk has arrived.
    std::optional<Status> go_on(const Goal& goal);

    double unmoved() const { return bracket_.answer().unmoved; }
    double lower() const { return bracket_.lower(); }
    double cost_p() const { return bracket_.cost_p(); }
    double lambda() const { return bracket_.proof().lambda; }
    // In the order of the atoms as they were given. The last one: the height of the line, F(1 - ε) ≥ height - λ ε.
    std::vector<PlanEntry> plan() const;
    std::vector<double> row_potentials() const { return as_given(row_potentials_in_tree(), problem_.rows); }
    std::vector<double> row_potentials_in_tree() const;
    double certify(std::vector<double>& u, std::vector<double>& v) const;

    long pivots() const { return walk_.pivots(); }
    Solver solver() const { return Solver::points; }

private:
    std::optional<Status> walk_on(const Limits& limits);

    const PointProblem& problem_;
    Pulse& pulse_;
    PointWalk walk_;
    Bracket<Basis> bracket_;
    double limit_;
    double most_work_ = unreachable;
};

}  // namespace rpw
