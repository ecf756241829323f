// See lmr_walk.hpp.
#include "lmr/lmr_walk.hpp"

#include <algorithm>

namespace rpw {

template <class Cost>
LmrWalk<Cost>::LmrWalk(const RoundedProblem<Cost>& problem, Pulse& pulse)
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

template <class Cost>
bool LmrWalk<Cost>::phase(const Allow& allow) {
    if (ended_ || flow_.is_whole()) return false;
    ++phases_;
    if (!search()) return false;
    augment_all(allow);
    return true;
}

// Raises λ until a free column can be reached over tight arcs; false if there is none below the cap.
template <class Cost>
bool LmrWalk<Cost>::search() {
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

template <class Cost>
void LmrWalk<Cost>::start_search() {
    queue_.clear();
    for (Node i = 0; i < rows_; ++i) {
        if (flow_.left_at_row[i] > 0) queue_.relax(i, 0);
    }
}

// An arc that is not listed costs more than H, the last cost that is, so its slack is at least H + 2 - λ: a column that
// is found no farther away than H + 1 - λ is the nearest.
template <class Cost>
std::int64_t LmrWalk<Cost>::trusted_distance() const {
    const bool is_all = arcs_.is_whole() && !problem_.is_capped();
    return is_all ? far_away - 1 : arcs_.listed_up_to() + 1 - lambda_;
}

// Dijkstra's search over slacks from all free rows.
template <class Cost>
std::int64_t LmrWalk<Cost>::nearest_free_column(std::int64_t trusted) {
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

template <class Cost>
void LmrWalk<Cost>::scan_row(Node row, std::int64_t distance, std::int64_t trusted) {
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

template <class Cost>
void LmrWalk<Cost>::scan_column(Node column, std::int64_t distance) {
    for (const Inflow& in : flow_.into[column]) {
        if (in.mass > 0) queue_.relax(in.row, distance + r_[in.row] - v_[column] - problem_.at(in.row, column));
    }
}

template <class Cost>
void LmrWalk<Cost>::raise_duals(std::int64_t distance) {
    for (const Node x : queue_.touched()) {
        const std::int64_t rise = std::max<std::int64_t>(0, distance - queue_.distance(x));
        (x < rows_ ? r_[x] : v_[x - rows_]) += rise;
    }
    lambda_ += distance;
}

template <class Cost>
void LmrWalk<Cost>::augment_all(const Allow& allow) {
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
template <class Cost>
bool LmrWalk<Cost>::find_path(Node row) {
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

template <class Cost>
Node LmrWalk<Cost>::step_from_row(Node row) {
    const auto& arcs = arcs_.of(row);
    std::size_t& next = next_arc_[row];
    for (; next < arcs.size() && static_cast<std::int64_t>(arcs[next].cost) + 1 <= r_[row]; ++next) {
        const Node j = arcs[next].column;
        if (r_[row] - v_[j] != static_cast<std::int64_t>(arcs[next].cost) + 1) continue;
        if (state_[rows_ + j] == State::fresh) return rows_ + j;
    }
    return -1;
}

template <class Cost>
Node LmrWalk<Cost>::step_from_column(Node column) {
    const auto& inflows = flow_.into[column];
    for (std::size_t& next = next_inflow_[column]; next < inflows.size(); ++next) {
        const Node i = inflows[next].row;
        if (inflows[next].mass == 0 || r_[i] - v_[column] != problem_.at(i, column)) continue;
        if (state_[i] == State::fresh) return i;
    }
    return -1;
}

// Moves mass along `path_`; false if that ended the walk.
template <class Cost>
bool LmrWalk<Cost>::move_along_path(const Allow& allow) {
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

template <class Cost>
double LmrWalk<Cost>::dual_sum() const {
    long double sum = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) sum += static_cast<long double>(lambda_ - r_[i]) * problem_.masses.a[i];
    for (std::size_t j = 0; j < v_.size(); ++j) sum += static_cast<long double>(v_[j]) * problem_.masses.b[j];
    return static_cast<double>(sum / total_);
}

template <class Cost>
std::vector<double> LmrWalk<Cost>::u() const {
    std::vector<double> u;
    for (const std::int64_t r : r_) u.push_back(static_cast<double>(lambda_ - r));
    return u;
}

template <class Cost>
std::vector<PlanEntry> LmrWalk<Cost>::plan() {
    return plan_of(flow_.entries(), total_);
}

template class LmrWalk<std::int32_t>;
template class LmrWalk<std::int64_t>;

}  // namespace rpw
