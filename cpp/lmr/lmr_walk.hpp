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

#include "base/masses.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"

namespace rpw {

// Integer costs of all pairs, row by row, rounded up. Pairs whose cost is `cap` stand for any higher cost and are never
// used; the walk ends at λ = cap. The largest number of the type means that there is no cap.
template <class Cost>
struct RoundedProblem {
    const Cost* cost;
    Masses masses;
    Cost cap;
};

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
    double unmoved() const { return share_of(total_ - moved_, total_); }
    double cost() const { return static_cast<double>(cost_sum_ / total_); }
    long phases() const { return phases_; }
    // F(α) ≥ λ' α - dual_sum() in units, with λ' = λ - 2: one unit of 1-feasibility, one of rounding.
    double dual_slope() const { return static_cast<double>(std::max<std::int64_t>(0, lambda_ - 2)); }
    double dual_sum() const;
    std::vector<double> u() const;
    std::vector<double> v() const;
    std::vector<PlanEntry> plan() const;

private:
    struct Arc {
        Cost cost;
        Node column;
    };
    struct Inflow {  // mass that a column receives from a row
        Node row;
        Mass mass;
    };

    void widen(std::int64_t least);
    std::int64_t next_horizon(std::int64_t least) const;
    void list_row(Node i, std::int64_t low);
    bool search();
    void start_search();
    std::int64_t trusted_distance() const;
    std::int64_t nearest_free_column(std::int64_t trusted);
    void scan_row(Node row, std::int64_t distance, std::int64_t trusted);
    void scan_column(Node column, std::int64_t distance);
    void raise_duals(std::int64_t distance);
    void relax(Node node, std::int64_t distance);
    void augment_all(const Allow& allow);
    bool find_path(Node row);
    Node step_from_row(Node row);
    Node step_from_column(Node column);
    bool move_along_path(const Allow& allow);
    std::int64_t cost_at(Node i, Node j) const { return cost_[static_cast<std::size_t>(i) * columns_ + j]; }
    Mass& inflow(Node row, Node column);

    const Cost* cost_;
    Masses masses_;
    Node rows_;
    Node columns_;
    std::int64_t cap_;
    bool is_capped_;
    Pulse& pulse_;
    std::vector<Mass> free_a_;
    std::vector<Mass> free_b_;
    std::vector<std::int64_t> r_;
    std::vector<std::int64_t> v_;
    std::vector<std::vector<Arc>> arcs_;  // of each row, by cost, up to the horizon
    std::int64_t horizon_ = -1;
    std::vector<Arc> found_;
    std::vector<std::size_t> count_;
    std::vector<std::vector<Inflow>> inflow_;
    // the search
    std::vector<std::int64_t> distance_;  // rows, then columns
    std::vector<Node> touched_;
    std::vector<std::pair<std::int64_t, Node>> heap_;
    // the depth-first pass
    std::vector<std::size_t> next_arc_;
    std::vector<std::size_t> next_inflow_;
    std::vector<std::uint8_t> on_path_;
    std::vector<std::uint8_t> is_dead_;
    std::vector<Node> path_;
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    long double cost_sum_ = 0;
    std::int64_t lambda_ = 0;
    long phases_ = 0;
    bool ended_ = false;
};

}  // namespace rpw
