// The LMR algorithm on the OT-profile, with a bounded error (paper, section 5 and appendix; docs/theory.md, "LMR").
//
// Costs are rounded up to integers c in units chosen from the promised error. Rows carry r_i ≤ λ (free rows: = λ),
// columns v_j ≥ 0 (free columns: = 0), and the pair is 1-feasible:
//     r_i - v_j ≤ c_ij + 1  for every pair,      r_i - v_j ≥ c_ij  where mass flows.
// A phase is one search from all free rows, which raises λ until some free column can be reached over tight arcs, and
// one depth-first pass that moves mass along such paths until none is left. The phases walk the profile upwards from
// mass 0.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "flow/flow.hpp"
#include "lmr/node_queue.hpp"
#include "lmr/rounded_arcs.hpp"

namespace rpw {

template <class Cost>
class LmrWalk {
public:
    // How much of `available` may be moved along a path of this cost; less than all of it ends the walk.
    using Allow = std::function<Mass(std::int64_t path_cost, Mass available)>;

    LmrWalk(const RoundedProblem<Cost>& problem, Pulse& pulse);

    // One phase; false if nothing can be moved below the cap, or the walk was ended by `allow`. After TimeUp, all that
    // follows is as true as before it.
    bool phase(const Allow& allow);

    bool ended() const { return ended_; }
    Mass total() const { return total_; }
    double unmoved() const { return flow_.unmoved(); }
    double cost() const { return static_cast<double>(cost_sum_ / total_); }
    long phases() const { return phases_; }
    // F(α) ≥ λ' α - dual_sum() in units, with λ' = λ - 2: one unit of 1-feasibility, one of rounding.
    double dual_slope() const { return static_cast<double>(std::max<std::int64_t>(0, lambda_ - 2)); }
    double dual_sum() const;
    std::vector<double> u() const;
    std::vector<double> v() const { return {v_.begin(), v_.end()}; }
    std::vector<PlanEntry> plan();

private:
    // Of a node in the depth-first pass.
    enum class State : std::uint8_t { fresh, on_path, dead };

    bool search();
    void start_search();
    std::int64_t trusted_distance() const;
    std::int64_t nearest_free_column(std::int64_t trusted);
    void scan_row(Node row, std::int64_t distance, std::int64_t trusted);
    void scan_column(Node column, std::int64_t distance);
    void raise_duals(std::int64_t distance);
    void augment_all(const Allow& allow);
    bool find_path(Node row);
    Node step_from_row(Node row);
    Node step_from_column(Node column);
    bool move_along_path(const Allow& allow);

    RoundedProblem<Cost> problem_;
    Node rows_;
    Mass total_;
    Pulse& pulse_;
    Flow flow_;
    RoundedArcs<Cost> arcs_;
    NodeQueue queue_;  // rows, then columns, as in all that is said of nodes
    std::vector<std::int64_t> r_;
    std::vector<std::int64_t> v_;
    std::int64_t lambda_ = 0;
    long double cost_sum_ = 0;
    long phases_ = 0;
    bool ended_ = false;
    // the depth-first pass
    std::vector<std::size_t> next_arc_;     // of each row
    std::vector<std::size_t> next_inflow_;  // of each column
    std::vector<State> state_;
    std::vector<Node> path_;
};

}  // namespace rpw
