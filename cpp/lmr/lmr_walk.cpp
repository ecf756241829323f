// See lmr_walk.hpp.
#include "lmr/lmr_walk.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/sample.hpp"

namespace rpw {

namespace {
constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max();
constexpr double arcs_per_row = 12;
constexpr std::size_t sample_size = 4096;
}  // namespace

template <class Cost>
LmrWalk<Cost>::LmrWalk(const RoundedProblem<Cost>& problem, Pulse& pulse)
    : cost_(problem.cost),
      masses_(problem.masses),
      rows_(static_cast<Node>(masses_.a.size())),
      columns_(static_cast<Node>(masses_.b.size())),
      cap_(problem.cap),
      is_capped_(problem.cap < std::numeric_limits<Cost>::max()),
      pulse_(pulse),
      free_a_(masses_.a.begin(), masses_.a.end()),
      free_b_(masses_.b.begin(), masses_.b.end()),
      r_(rows_, 0),
      v_(columns_, 0),
      arcs_(rows_),
      inflow_(columns_),
      distance_(masses_.a.size() + masses_.b.size(), far_away),
      next_arc_(rows_),
      next_inflow_(columns_),
      on_path_(distance_.size()),
      is_dead_(distance_.size()),
      total_(masses_.total()),
      negligible_(masses_.negligible()) {}

template <class Cost>
bool LmrWalk<Cost>::phase(const Allow& allow) {
    if (ended_ || moved_ >= total_) return false;
    ++phases_;
    if (!search()) return false;
    augment_all(allow);
    return true;
}

// Lists the arcs of every row up to the next horizon, in the order of their cost.
template <class Cost>
void LmrWalk<Cost>::widen(std::int64_t least) {
    const std::int64_t low = horizon_;
    horizon_ = next_horizon(least);
    for (Node i = 0; i < rows_; ++i) {
        pulse_.note(static_cast<std::size_t>(columns_));
        list_row(i, low);
    }
}

// A cost such that about `arcs_per_row` more arcs of each row are no dearer, judged from a sample.
template <class Cost>
std::int64_t LmrWalk<Cost>::next_horizon(std::int64_t least) const {
    const std::size_t size = static_cast<std::size_t>(rows_) * columns_;
    const std::size_t stride = std::max<std::size_t>(1, size / sample_size) | 1;
    std::vector<std::int64_t> sample;
    for (std::size_t e = stride / 2; e < size; e += stride) {
        if (cost_[e] > horizon_) sample.push_back(cost_[e]);
    }
    const auto rank = static_cast<std::size_t>(arcs_per_row / columns_ * static_cast<double>(size / stride));
    if (rank >= sample.size()) return cap_ - 1;
    return std::min(cap_ - 1, std::max(entry_of_rank(sample, rank), least));
}

// Appends the arcs of a row with costs in (low, horizon], sorted.
template <class Cost>
void LmrWalk<Cost>::list_row(Node i, std::int64_t low) {
    found_.clear();
    const Cost* row = cost_ + static_cast<std::size_t>(i) * columns_;
    for (Node j = 0; j < columns_; ++j) {
        if (row[j] > low && row[j] <= horizon_) found_.push_back({row[j], j});
    }
    auto& arcs = arcs_[i];
    const std::size_t listed = arcs.size();
    arcs.resize(listed + found_.size());
    if (horizon_ - low > 2 * static_cast<std::int64_t>(found_.size()) + 64) {
        std::sort(found_.begin(), found_.end(), [](const Arc& x, const Arc& y) { return x.cost < y.cost; });
        std::copy(found_.begin(), found_.end(), arcs.begin() + static_cast<std::ptrdiff_t>(listed));
        return;
    }
    count_.assign(static_cast<std::size_t>(horizon_ - low) + 1, 0);  // few different costs: count them
    for (const Arc& arc : found_) ++count_[arc.cost - low];
    std::partial_sum(count_.begin(), count_.end(), count_.begin());
    for (const Arc& arc : found_) arcs[listed + count_[arc.cost - low - 1]++] = arc;
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
        if (horizon_ >= cap_ - 1) {
            // Everything below the cap is exhausted. The duals may rise until a pair at the cap would matter.
            if (is_capped_ && lambda_ < cap_) raise_duals(cap_ - lambda_);
            return false;
        }
        widen(2 * lambda_ + 2);
    }
}

template <class Cost>
void LmrWalk<Cost>::start_search() {
    for (Node x : touched_) distance_[x] = far_away;
    touched_.clear();
    heap_.clear();
    for (Node i = 0; i < rows_; ++i) {
        if (free_a_[i] > 0) relax(i, 0);
    }
}

// An arc that is not listed has a slack of at least horizon + 2 - λ, so a column that is found no farther away than
// this is the nearest.
template <class Cost>
std::int64_t LmrWalk<Cost>::trusted_distance() const {
    const bool is_all_listed = horizon_ >= cap_ - 1;
    return is_all_listed && !is_capped_ ? far_away - 1 : horizon_ + 1 - lambda_;
}

// Dijkstra's search over slacks from all free rows.
template <class Cost>
std::int64_t LmrWalk<Cost>::nearest_free_column(std::int64_t trusted) {
    while (!heap_.empty() && heap_.front().first <= trusted) {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        const auto [distance, x] = heap_.back();
        heap_.pop_back();
        if (distance > distance_[x]) continue;
        if (x < rows_) {
            scan_row(x, distance, trusted);
        } else {
            if (free_b_[x - rows_] > 0) return distance;
            scan_column(x - rows_, distance);
        }
    }
    return far_away;
}

template <class Cost>
void LmrWalk<Cost>::scan_row(Node row, std::int64_t distance, std::int64_t trusted) {
    const std::int64_t reach = trusted - distance;  // longer arcs lead beyond what is trusted
    std::size_t scanned = 0;
    for (const Arc& arc : arcs_[row]) {
        ++scanned;
        const std::int64_t slack = static_cast<std::int64_t>(arc.cost) + 1 - r_[row];
        if (slack > reach) break;
        relax(rows_ + arc.column, distance + slack + v_[arc.column]);
    }
    pulse_.note(scanned + 8);
}

template <class Cost>
void LmrWalk<Cost>::scan_column(Node column, std::int64_t distance) {
    for (const Inflow& in : inflow_[column]) {
        if (in.mass > 0) relax(in.row, distance + r_[in.row] - v_[column] - cost_at(in.row, column));
    }
}

template <class Cost>
void LmrWalk<Cost>::relax(Node x, std::int64_t distance) {
    if (distance >= distance_[x]) return;
    if (distance_[x] == far_away) touched_.push_back(x);
    distance_[x] = distance;
    heap_.emplace_back(distance, x);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

template <class Cost>
void LmrWalk<Cost>::raise_duals(std::int64_t distance) {
    for (Node x : touched_) {
        if (distance_[x] >= distance) continue;
        const std::int64_t rise = distance - distance_[x];
        if (x < rows_) {
            r_[x] += rise;
        } else {
            v_[x - rows_] += rise;
        }
    }
    lambda_ += distance;
}

template <class Cost>
void LmrWalk<Cost>::augment_all(const Allow& allow) {
    std::fill(next_arc_.begin(), next_arc_.end(), 0);
    std::fill(next_inflow_.begin(), next_inflow_.end(), 0);
    std::fill(is_dead_.begin(), is_dead_.end(), std::uint8_t{0});
    for (Node i = 0; i < rows_; ++i) {
        while (free_a_[i] > 0 && !is_dead_[i] && find_path(i)) {
            if (!move_along_path(allow)) return;
        }
    }
    for (auto& inflow : inflow_) {
        std::erase_if(inflow, [](const Inflow& in) { return in.mass == 0; });
    }
}

// Depth-first search over tight arcs; leaves the path on `path_`.
template <class Cost>
bool LmrWalk<Cost>::find_path(Node row) {
    path_.assign(1, row);
    on_path_[row] = 1;
    while (!path_.empty()) {
        const Node x = path_.back();
        if (x >= rows_ && free_b_[x - rows_] > 0) {
            for (Node y : path_) on_path_[y] = 0;
            return true;
        }
        const Node next = x < rows_ ? step_from_row(x) : step_from_column(x - rows_);
        if (next >= 0) {
            path_.push_back(next);
            on_path_[next] = 1;
        } else {
            is_dead_[x] = 1;
            on_path_[x] = 0;
            path_.pop_back();
        }
    }
    return false;
}

template <class Cost>
Node LmrWalk<Cost>::step_from_row(Node row) {
    const auto& arcs = arcs_[row];
    std::size_t& next = next_arc_[row];
    for (; next < arcs.size() && static_cast<std::int64_t>(arcs[next].cost) + 1 <= r_[row]; ++next) {
        const Node j = arcs[next].column;
        if (r_[row] - v_[j] != static_cast<std::int64_t>(arcs[next].cost) + 1) continue;
        if (!is_dead_[rows_ + j] && !on_path_[rows_ + j]) return rows_ + j;
    }
    return -1;
}

template <class Cost>
Node LmrWalk<Cost>::step_from_column(Node column) {
    const auto& inflow = inflow_[column];
    for (std::size_t& next = next_inflow_[column]; next < inflow.size(); ++next) {
        const Node i = inflow[next].row;
        if (inflow[next].mass == 0 || r_[i] - v_[column] != cost_at(i, column)) continue;
        if (!is_dead_[i] && !on_path_[i]) return i;
    }
    return -1;
}

template <class Cost>
Mass& LmrWalk<Cost>::inflow(Node row, Node column) {
    for (Inflow& in : inflow_[column]) {
        if (in.row == row) return in.mass;
    }
    inflow_[column].push_back({row, 0});
    return inflow_[column].back().mass;
}

// Moves mass along `path_`; false if that ended the walk.
template <class Cost>
bool LmrWalk<Cost>::move_along_path(const Allow& allow) {
    const Node first = path_.front(), last = path_.back() - rows_;
    Mass available = std::min(free_a_[first], free_b_[last]);
    std::int64_t path_cost = 0;
    for (std::size_t s = 0; s < path_.size(); s += 2) {
        const Node j = path_[s + 1] - rows_;
        path_cost += cost_at(path_[s], j);
        if (s + 2 < path_.size()) {
            available = std::min(available, inflow(path_[s + 2], j));
            path_cost -= cost_at(path_[s + 2], j);
        }
    }
    const Mass amount = allow(path_cost, available);
    for (std::size_t s = 0; s < path_.size(); s += 2) {
        const Node j = path_[s + 1] - rows_;
        inflow(path_[s], j) += amount;
        if (s + 2 < path_.size()) inflow(path_[s + 2], j) -= amount;
    }
    free_a_[first] -= amount;
    free_b_[last] -= amount;
    moved_ += amount;
    cost_sum_ += static_cast<long double>(path_cost) * amount;
    ended_ = amount < available;
    if (total_ - moved_ <= negligible_ && !ended_) moved_ = total_;
    pulse_.note(path_.size() * 4);
    return !ended_ && moved_ < total_;
}

template <class Cost>
double LmrWalk<Cost>::dual_sum() const {
    long double sum = 0;
    for (Node i = 0; i < rows_; ++i) sum += static_cast<long double>(lambda_ - r_[i]) * masses_.a[i];
    for (Node j = 0; j < columns_; ++j) sum += static_cast<long double>(v_[j]) * masses_.b[j];
    return static_cast<double>(sum / total_);
}

template <class Cost>
std::vector<double> LmrWalk<Cost>::u() const {
    std::vector<double> u(rows_);
    for (Node i = 0; i < rows_; ++i) u[i] = static_cast<double>(lambda_ - r_[i]);
    return u;
}

template <class Cost>
std::vector<double> LmrWalk<Cost>::v() const {
    return {v_.begin(), v_.end()};
}

template <class Cost>
std::vector<PlanEntry> LmrWalk<Cost>::plan() const {
    std::vector<PlanEntry> entries;
    for (Node j = 0; j < columns_; ++j) {
        for (const Inflow& in : inflow_[j]) {
            if (in.mass > 0) entries.push_back({in.row, j, share_of(in.mass, total_)});
        }
    }
    return entries;
}

template class LmrWalk<std::int32_t>;
template class LmrWalk<std::int64_t>;

}  // namespace rpw
