// The LMR algorithm on the OT-profile, with a bounded error (paper, section 5 and appendix; docs/proofs/lmr.md, "LMR").
//
// Costs are rounded up to integers c in units chosen from the promised error. Rows carry r_i ≤ λ (free rows: = λ),
// columns v_j ≥ 0 (free columns: = 0), and the pair is 1-feasible:
//     r_i - v_j ≤ c_ij + 1  for every pair,      r_i - v_j ≥ c_ij  where mass flows.
// A phase is one search from all free rows, which raises λ until some free column can be reached over tight arcs, and
// one depth-first pass that moves mass along such paths until none is left. The phases walk the profile upwards from
// mass 0.
#pragma once

#include <algorithm>
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

    LmrWalk(const RoundedProblem<Cost>& problem, Pulse& pulse)
        : problem_(problem),
          rows_(problem.rows()),
          total_(problem.masses.total()),
          pulse_(pulse),
          flow_(problem.masses),
          arcs_(problem, pulse),
          queue_(problem.masses.a.size() + problem.masses.b.size()),
          r_(problem.masses.a.size(), 0),
          v_(problem.masses.b.size(), 0),
          next_arc_(r_.size()),
          next_inflow_(v_.size()),
          state_(r_.size() + v_.size()) {}

    // One phase; false if nothing can be moved below the cap, or the walk was ended by `allow`. After TimeUp, all that
    // follows is as true as before it.
    bool phase(const Allow& allow) {
        if (ended_ || flow_.is_whole()) return false;
        ++phases_;
        if (!search()) return false;
        augment_all(allow);
        return true;
    }

    bool ended() const { return ended_; }
    Mass total() const { return total_; }
    double unmoved() const { return flow_.unmoved(); }
    double cost() const { return static_cast<double>(cost_sum_ / total_); }
    long phases() const { return phases_; }
    // F(α) ≥ λ' α - dual_sum() in units, with λ' = λ - 2: one unit of 1-feasibility, one of rounding.
    double dual_slope() const { return static_cast<double>(std::max<std::int64_t>(0, lambda_ - 2)); }
    double dual_sum() const {
        long double sum = 0;
        for (std::size_t i = 0; i < r_.size(); ++i) {
            sum += static_cast<long double>(lambda_ - r_[i]) * problem_.masses.a[i];
        }
        for (std::size_t j = 0; j < v_.size(); ++j) sum += static_cast<long double>(v_[j]) * problem_.masses.b[j];
        return static_cast<double>(sum / total_);
    }
    std::vector<double> u() const {
        std::vector<double> u;
        for (const std::int64_t r : r_) u.push_back(static_cast<double>(lambda_ - r));
        return u;
    }
    std::vector<double> v() const { return {v_.begin(), v_.end()}; }
    std::vector<PlanEntry> plan() { return plan_of(flow_.entries(), total_); }

private:
    // Of a node in the depth-first pass.
    enum class State : std::uint8_t { fresh, on_path, dead };

    // Raises λ until a free column can be reached over tight arcs; false if there is none below the cap.
    bool search() {
        for (;;) {
            start_search();
            const std::int64_t nearest = nearest_free_column(trusted_distance());
            if (nearest != far_away) {
                raise_duals(nearest);
                return true;
            }
            if (arcs_.is_whole()) {
                // Everything below the cap is exhausted. The duals may rise until a pair at the cap would matter.
                if (problem_.is_capped() && lambda_ < problem_.cap) raise_duals(problem_.cap - lambda_);
                return false;
            }
            arcs_.widen(2 * lambda_ + 2);
        }
    }

    void start_search() {
        queue_.clear();
        for (Node i = 0; i < rows_; ++i) {
            if (flow_.left_at_row[i] > 0) queue_.relax(i, 0);
        }
    }

    // An arc that is not listed costs more than H, the last cost that is, so its slack is at least H + 2 - λ: a column
    // that is found no farther away than H + 1 - λ is the nearest.
    std::int64_t trusted_distance() const {
        const bool is_all = arcs_.is_whole() && !problem_.is_capped();
        return is_all ? far_away - 1 : arcs_.listed_up_to() + 1 - lambda_;
    }

    // Dijkstra's search over slacks from all free rows.
    std::int64_t nearest_free_column(std::int64_t trusted) {
        while (const auto nearest = queue_.next(trusted)) {
            const auto [distance, x] = *nearest;
            if (x < rows_) {
                scan_row(x, distance, trusted);
            } else {
                if (flow_.room_in_column[x - rows_] > 0) return distance;
                scan_column(x - rows_, distance);
            }
        }
        return far_away;
    }

    void scan_row(Node row, std::int64_t distance, std::int64_t trusted) {
        const std::int64_t reach = trusted - distance;  // longer arcs lead beyond what is trusted
        std::size_t scanned = 0;
        for (const auto& arc : arcs_.of(row)) {
            ++scanned;
            const std::int64_t slack = static_cast<std::int64_t>(arc.cost) + 1 - r_[row];
            if (slack > reach) break;
            queue_.relax(rows_ + arc.column, distance + slack + v_[arc.column]);
        }
        pulse_.note(scanned + 8);
    }

    void scan_column(Node column, std::int64_t distance) {
        for (const Inflow& in : flow_.into[column]) {
            if (in.mass > 0) queue_.relax(in.row, distance + r_[in.row] - v_[column] - problem_.at(in.row, column));
        }
    }

    void raise_duals(std::int64_t distance) {
        for (const Node x : queue_.touched()) {
            const std::int64_t rise = std::max<std::int64_t>(0, distance - queue_.distance(x));
            (x < rows_ ? r_[x] : v_[x - rows_]) += rise;
        }
        lambda_ += distance;
    }

    void augment_all(const Allow& allow) {
        flow_.merge();
        std::fill(next_arc_.begin(), next_arc_.end(), 0);
        std::fill(next_inflow_.begin(), next_inflow_.end(), 0);
        std::fill(state_.begin(), state_.end(), State::fresh);
        for (Node i = 0; i < rows_; ++i) {
            while (flow_.left_at_row[i] > 0 && state_[i] != State::dead && find_path(i)) {
                if (!move_along_path(allow)) return;
            }
        }
    }

    // Depth-first search over tight arcs; leaves the path on `path_`.
    bool find_path(Node row) {
        path_.assign(1, row);
        state_[row] = State::on_path;
        while (!path_.empty()) {
            const Node x = path_.back();
            if (x >= rows_ && flow_.room_in_column[x - rows_] > 0) {
                for (const Node y : path_) state_[y] = State::fresh;
                return true;
            }
            const Node next = x < rows_ ? step_from_row(x) : step_from_column(x - rows_);
            if (next >= 0) {
                path_.push_back(next);
                state_[next] = State::on_path;
            } else {
                state_[x] = State::dead;
                path_.pop_back();
            }
        }
        return false;
    }

    Node step_from_row(Node row) {
        const auto& arcs = arcs_.of(row);
        std::size_t& next = next_arc_[row];
        for (; next < arcs.size() && static_cast<std::int64_t>(arcs[next].cost) + 1 <= r_[row]; ++next) {
            const Node j = arcs[next].column;
            if (r_[row] - v_[j] != static_cast<std::int64_t>(arcs[next].cost) + 1) continue;
            if (state_[rows_ + j] == State::fresh) return rows_ + j;
        }
        return -1;
    }

    Node step_from_column(Node column) {
        const auto& inflows = flow_.into[column];
        for (std::size_t& next = next_inflow_[column]; next < inflows.size(); ++next) {
            const Node i = inflows[next].row;
            if (inflows[next].mass == 0 || r_[i] - v_[column] != problem_.at(i, column)) continue;
            if (state_[i] == State::fresh) return i;
        }
        return -1;
    }

    // Moves mass along `path_`; false if that ended the walk.
    bool move_along_path(const Allow& allow) {
        const Node first = path_.front(), last = path_.back() - rows_;
        Mass available = std::min(flow_.left_at_row[first], flow_.room_in_column[last]);
        std::int64_t path_cost = 0;
        for (std::size_t s = 0; s < path_.size(); s += 2) {
            const Node j = path_[s + 1] - rows_;
            path_cost += problem_.at(path_[s], j);
            if (j == last) break;
            available = std::min(available, flow_.into[j][next_inflow_[j]].mass);
            path_cost -= problem_.at(path_[s + 2], j);
        }
        const Mass amount = allow(path_cost, available);
        for (std::size_t s = 0; s < path_.size(); s += 2) {
            const Node j = path_[s + 1] - rows_;
            if (j != last) flow_.take_back(j, next_inflow_[j], amount);
            flow_.add(path_[s], j, amount);
        }
        flow_.finish_path(first, last, amount);
        cost_sum_ += static_cast<long double>(path_cost) * amount;
        ended_ = amount < available;
        pulse_.note(path_.size() * 4);
        return !ended_ && !flow_.is_whole();
    }

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
