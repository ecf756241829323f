// See threshold_walk.hpp.
#include "flow/threshold_walk.hpp"

#include <algorithm>

#include "flow/horizon.hpp"

namespace rpw {

namespace {
constexpr std::size_t no_arc = static_cast<std::size_t>(-1);
}  // namespace

ThresholdWalk::ThresholdWalk(const LengthProblem& problem, double longest, Pulse& pulse)
    : cost_(problem.distances),
      longest_(longest),
      pulse_(pulse),
      free_(problem.masses.a.begin(), problem.masses.a.end()),
      target_(16.0 * (cost_.rows + cost_.columns)),
      at_(problem.masses.a.size() + problem.masses.b.size()),
      reached_(at_.size()),
      by_(at_.size(), no_arc),
      total_(problem.masses.total()),
      negligible_(problem.masses.negligible()) {
    free_.insert(free_.end(), problem.masses.b.begin(), problem.masses.b.end());
    start_search();
    frontier_.clear();  // there are no arcs yet that could lead anywhere
}

bool ThresholdWalk::next() {
    const Mass before = moved_;
    while (moved_ < total_) {
        pulse_.note(64);
        if (position_ == waiting_.size() && !refill()) return false;
        const double length = waiting_[position_].length;
        if (length > longest_) return false;
        Node open = -1;
        while (position_ < waiting_.size() && waiting_[position_].length == length) {
            add_arc(waiting_[position_]);
            const FlowArc& arc = arcs_.back();
            if (open < 0 && reached_[arc.row] && !reached_[arc.column]) {
                open = reach(arc.column, arcs_.size() - 1) ? arc.column : expand();
            }
            ++position_;
        }
        if (open >= 0) threshold_ = length;
        while (open >= 0) {
            augment(open);
            open = moved_ < total_ ? search() : -1;
        }
        if (moved_ > before) return true;
    }
    return false;
}

// Collects and sorts the arcs up to the next horizon; false if there are none.
bool ThresholdWalk::refill() {
    waiting_.clear();
    position_ = 0;
    while (waiting_.empty()) {
        if (horizon_ >= longest_) return false;
        const double low = horizon_;
        horizon_ = std::min(length_beyond(cost_, low, target_, longest_), longest_);
        for (Node i = 0; i < cost_.rows; ++i) {
            const double* row = cost_.row(i);
            for (Node j = 0; j < cost_.columns; ++j) {
                if (row[j] > low && row[j] <= horizon_) waiting_.push_back({row[j], i, cost_.rows + j});
            }
            pulse_.note(static_cast<std::size_t>(cost_.columns));
        }
        target_ *= 2;
    }
    std::sort(waiting_.begin(), waiting_.end(), [](const Arc& x, const Arc& y) { return x.length < y.length; });
    return true;
}

void ThresholdWalk::add_arc(const Arc& arc) {
    at_[arc.row].push_back(arcs_.size());
    at_[arc.column].push_back(arcs_.size());
    arcs_.push_back({arc.row, arc.column, 0});
}

// Marks a column as reached and queues the rows whose flow into it could be taken back. True if it has room left.
bool ThresholdWalk::reach(Node column, std::size_t by) {
    reached_[column] = 1;
    by_[column] = by;
    if (free_[column] > 0) return true;
    for (std::size_t e : at_[column]) {
        const FlowArc& arc = arcs_[e];
        if (arc.flow == 0 || reached_[arc.row]) continue;
        reached_[arc.row] = 1;
        by_[arc.row] = e;
        frontier_.push_back(arc.row);
    }
    return false;
}

// Follows the queued rows to a column with room left; -1 if there is none.
Node ThresholdWalk::expand() {
    while (!frontier_.empty()) {
        const Node row = frontier_.back();
        frontier_.pop_back();
        pulse_.note(at_[row].size());
        for (std::size_t e : at_[row]) {
            const Node column = arcs_[e].column;
            if (reached_[column]) continue;
            if (reach(column, e)) return column;
        }
    }
    return -1;
}

// Queues every row with unmoved mass, and forgets what was reached.
void ThresholdWalk::start_search() {
    std::fill(reached_.begin(), reached_.end(), char{0});
    frontier_.clear();
    for (Node i = 0; i < cost_.rows; ++i) {
        if (free_[i] == 0) continue;
        reached_[i] = 1;
        by_[i] = no_arc;
        frontier_.push_back(i);
    }
}

Node ThresholdWalk::search() {
    start_search();
    return expand();
}

void ThresholdWalk::augment(Node column) {
    Mass amount = free_[column];
    Node x = column;
    while (by_[x] != no_arc) {
        const FlowArc& arc = arcs_[by_[x]];
        if (x == arc.row) amount = std::min(amount, arc.flow);
        x = x == arc.row ? arc.column : arc.row;
    }
    amount = std::min(amount, free_[x]);
    free_[x] -= amount;
    free_[column] -= amount;
    for (x = column; by_[x] != no_arc;) {
        FlowArc& arc = arcs_[by_[x]];
        arc.flow += x == arc.row ? -amount : amount;
        x = x == arc.row ? arc.column : arc.row;
    }
    moved_ += amount;
    if (total_ - moved_ <= negligible_) moved_ = total_;
    ++augmentations_;
}

std::vector<PlanEntry> ThresholdWalk::plan() const {
    std::vector<PlanEntry> entries;
    for (const FlowArc& arc : arcs_) {
        if (arc.flow == 0) continue;
        entries.push_back({arc.row, arc.column - cost_.rows, share_of(arc.flow, total_)});
    }
    return entries;
}

}  // namespace rpw
