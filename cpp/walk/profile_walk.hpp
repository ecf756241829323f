// The exact OT-profile, walked upwards from mass 0 (finite p).
//
// F(α) = min Σ γ_ij C_ij over plans γ of mass α within the marginals, C = c^p. F is convex and piecewise linear; each
// edge is one augmenting path source → row → column → sink, its slope λ the length of that path (paper, section 5,
// "computing through the OT-profile", made exact). The walk is a parametric network simplex: the basis is a Forest, the
// next path is found through a Shortlist and an EventQueue. docs/theory.md, "The exact algorithm", has the proofs.
#pragma once

#include <algorithm>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "walk/event_queue.hpp"
#include "walk/forest.hpp"
#include "walk/shortlist.hpp"

namespace rpw {

// One edge of the profile, before it is taken: mass `amount` can move at the price `slope` per unit.
struct Edge {
    double slope = 0;
    Mass amount = 0;
};

class ProfileWalk {
public:
    // Walks as long as an edge costs less than `limit` per unit.
    ProfileWalk(const PowerProblem& problem, Pulse& pulse, double limit = unreachable);
    // Goes on from a basis that is optimal at λ.
    ProfileWalk(const PowerProblem& problem, Pulse& pulse, const Basis& basis, double lambda, double limit);

    // Finds the next edge; false if no more mass can be moved below the limit, or if all the work that was allowed is
    // done. After TimeUp, here or in `take_edge`,
    // all that follows is as true as before it.
    bool find_edge();
    const Edge& edge() const { return edge_; }
    void take_edge();

    // Elementary steps so far, passes over the costs included; and how many there may be.
    double work() const { return static_cast<double>(work_ + pass_work_); }
    void allow(double most_work) { most_work_ = most_work; }

    Mass total() const { return total_; }
    Mass moved() const { return moved_; }
    // 1 - α at the current vertex, exact to rounding even when it is tiny.
    double unmoved() const { return share(total_ - moved_); }
    // F(α) at the current vertex, summed along the walk.
    double cost_p() const { return static_cast<double>(cost_p_); }
    // The same, summed afresh over the plan.
    double plan_cost_p() const;
    double lambda() const { return lambda_; }
    // Where no edge was found below the limit: to any price up to it.
    long pivots() const { return pivots_; }
    double share(Mass mass) const { return share_of(mass, total_); }

    // The two nodes from which the found edge takes unmoved mass, and how much of theirs is left after it.
    struct Ends {
        Node row, column;
        Mass left_of_row, left_of_column;
    };
    Ends ends_of_edge() const;

    // The plan at the current vertex, plus `partial` (a share of the total) along the edge that was found.
    std::vector<PlanEntry> plan(double partial) const;

    // The basis, optimal at λ.
    const Forest& forest() const { return forest_; }

private:
    bool refresh();
    void schedule(Node x);
    void weigh(Node x);
    bool advance_to_tight_arc();
    void pivot();

    Powers cost_;
    Pulse& pulse_;
    Forest forest_;
    Shortlist shortlist_;
    EventQueue queue_;
    std::vector<double> weight_;  // distance of active nodes, +inf for the others
    Pivot pending_;
    Node origin_ = -1;  // the node whose event is pending
    Edge edge_;
    double limit_;
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    long double cost_p_ = 0;
    double lambda_ = 0;
    double target_;
    double most_work_ = unreachable;
    std::size_t pass_work_ = 0;
    std::size_t work_ = 0;
    std::size_t work_at_refresh_ = 0;
    long pivots_ = 0;
    bool listed_ = false;
};

}  // namespace rpw
