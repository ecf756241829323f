// See threshold_walk.hpp.
#include "threshold_walk.hpp"

#include <algorithm>

namespace rpw {

namespace {
constexpr std::size_t no_arc = static_cast<std::size_t>(-1);
constexpr Node sampled_rows = 24;
}  // namespace

ThresholdWalk::ThresholdWalk(const Problem& problem, double longest, Pulse& pulse)
    : cost_(problem.cost),
      longest_(longest),
      pulse_(pulse),
      free_(problem.a.begin(), problem.a.end()),
      target_(16.0 * (cost_.rows + cost_.columns)),
      at_(problem.a.size() + problem.b.size()),
      reached_(at_.size()),
      by_(at_.size(), no_arc),
      total_(problem.total()),
      negligible_(problem.negligible()) {
    free_.insert(free_.end(), problem.b.begin(), problem.b.end());
    search();
}

bool ThresholdWalk::next() {
    const Mass before = moved_;
    while (!stopped_ && moved_ < total_) {
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
        while (open >= 0) {
            augment(open);
            open = moved_ < total_ ? search() : -1;
            if (stopped_) return false;
        }
        if (pulse_.expired(64)) stopped_ = true;
        if (moved_ > before) {
            threshold_ = length;
            return true;
        }
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
        horizon_ = std::min(choose_horizon(), longest_);
        for (Node i = 0; i < cost_.rows; ++i) {
            const double* row = cost_.row(i);
            for (Node j = 0; j < cost_.columns; ++j) {
                if (row[j] > low && row[j] <= horizon_) waiting_.push_back({row[j], i, cost_.rows + j});
            }
            if (pulse_.expired(static_cast<std::size_t>(cost_.columns))) {
                stopped_ = true;
                return false;
            }
        }
        target_ *= 2;
    }
    std::sort(waiting_.begin(), waiting_.end(), [](const Arc& x, const Arc& y) { return x.length < y.length; });
    return true;
}

double ThresholdWalk::choose_horizon() const {
    const Node count = std::min(cost_.rows, sampled_rows);
    std::vector<double> sample;
    for (Node s = 0; s < count; ++s) {
        const double* row = cost_.row(static_cast<Node>(static_cast<std::int64_t>(s) * cost_.rows / count));
        std::copy_if(row, row + cost_.columns, std::back_inserter(sample), [&](double c) { return c > horizon_; });
    }
    const auto rank = static_cast<std::size_t>(target_ / cost_.rows * count);
    if (rank >= sample.size()) return longest_;
    std::nth_element(sample.begin(), sample.begin() + rank, sample.end());
    return sample[rank];
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
        if (pulse_.expired(at_[row].size())) {
            stopped_ = true;
            return -1;
        }
        for (std::size_t e : at_[row]) {
            const Node column = arcs_[e].column;
            if (reached_[column]) continue;
            if (reach(column, e)) return column;
        }
    }
    return -1;
}

// A fresh search from every row with unmoved mass.
Node ThresholdWalk::search() {
    std::fill(reached_.begin(), reached_.end(), char{0});
    frontier_.clear();
    for (Node i = 0; i < cost_.rows; ++i) {
        if (free_[i] == 0) continue;
        reached_[i] = 1;
        by_[i] = no_arc;
        frontier_.push_back(i);
    }
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
        const double mass = static_cast<double>(arc.flow) / static_cast<double>(total_);
        entries.push_back({arc.row, arc.column - cost_.rows, mass});
    }
    return entries;
}

}  // namespace rpw
