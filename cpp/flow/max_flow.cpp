// See max_flow.hpp.
#include "flow/max_flow.hpp"

#include <algorithm>

namespace rpw {

namespace {
constexpr Node unseen = -1;
}  // namespace

MaxFlow::MaxFlow(const Masses& masses, Pulse& pulse)
    : flow_(masses),
      pulse_(pulse),
      next_pair_(masses.a.size()),
      next_inflow_(masses.b.size()),
      row_level_(masses.a.size()),
      column_level_(masses.b.size()) {}

void MaxFlow::augment(const Neighbours& pairs, double enough) {
    while (unmoved() > enough && !flow_.is_whole()) {
        flow_.merge();
        if (!find_levels(pairs)) break;
        std::copy(pairs.begin, pairs.begin + next_pair_.size(), next_pair_.begin());
        std::fill(next_inflow_.begin(), next_inflow_.end(), std::size_t{0});
        for (std::size_t i = 0; i < flow_.left_at_row.size(); ++i) {
            if (flow_.left_at_row[i] > 0) block(pairs, static_cast<Node>(i));
        }
    }
}

// From the rows of the last level to the columns of this one; whether any of them has room.
inline bool MaxFlow::reach_columns(const Neighbours& pairs, Node level) {
    bool found = false;
    columns_.clear();
    for (const Node row : rows_) {
        if (unseen_columns_ == 0) break;
        for (std::size_t e = pairs.begin[row]; e < pairs.end[row]; ++e) {
            const Node column = pairs.columns[e];
            if (column_level_[column] != unseen) continue;
            column_level_[column] = level;
            columns_.push_back(column);
            --unseen_columns_;
            if (flow_.room_in_column[column] > 0) found = true;
        }
        pulse_.note(1 + pairs.end[row] - pairs.begin[row]);
    }
    return found;
}

// A breadth-first search from all rows with mass left, up to the first level of columns where there is room. False if
// there is no such level.
bool MaxFlow::find_levels(const Neighbours& pairs) {
    start_levels();
    for (Node level = 1; !rows_.empty(); level += 2) {
        const bool found = reach_columns(pairs, level);
        last_level_ = level;
        if (found) return true;
        reach_rows(level + 1);
    }
    return false;
}

void MaxFlow::start_levels() {
    std::fill(row_level_.begin(), row_level_.end(), unseen);
    std::fill(column_level_.begin(), column_level_.end(), unseen);
    unseen_columns_ = column_level_.size();
    rows_.clear();
    for (std::size_t i = 0; i < flow_.left_at_row.size(); ++i) {
        if (flow_.left_at_row[i] == 0) continue;
        row_level_[i] = 0;
        rows_.push_back(static_cast<Node>(i));
    }
}

// From the columns of the last level to the rows whose flow into them could be taken back.
void MaxFlow::reach_rows(Node level) {
    rows_.clear();
    for (const Node column : columns_) {
        for (const Inflow& inflow : flow_.into[column]) {
            if (row_level_[inflow.row] != unseen) continue;
            row_level_[inflow.row] = level;
            rows_.push_back(inflow.row);
        }
    }
}

// Goes on from the last row of the path to a column, or back to the column before it; false if there is none.
inline bool MaxFlow::step_to_column(const Neighbours& pairs) {
    const Node row = rows_.back();
    std::size_t& pair = next_pair_[row];
    const std::size_t before = pair, end = pairs.end[row];
    while (pair < end && column_level_[pairs.columns[pair]] != row_level_[row] + 1) ++pair;
    pulse_.note(1 + pair - before);
    if (pair < end) {
        columns_.push_back(pairs.columns[pair]);
        return true;
    }
    row_level_[row] = unseen;
    rows_.pop_back();
    if (rows_.empty()) return false;
    ++next_inflow_[columns_.back()];
    return true;
}

// Goes on from the last column of the path to a row, or back to the row before it.
inline void MaxFlow::step_to_row() {
    const Node column = columns_.back();
    const auto& inflows = flow_.into[column];
    std::size_t& next = next_inflow_[column];
    const Node wanted = column_level_[column] + 1;
    if (column_level_[column] == last_level_) {
        next = inflows.size();
    } else {
        while (next < inflows.size() && (inflows[next].mass == 0 || row_level_[inflows[next].row] != wanted)) ++next;
    }
    if (next < inflows.size()) {
        rows_.push_back(inflows[next].row);
    } else {
        column_level_[column] = unseen;
        columns_.pop_back();
    }
}

// Moves what can be moved from one row along paths that rise by one level with each step, depth first. What turned out
// to lead nowhere is not looked at again in this phase.
void MaxFlow::block(const Neighbours& pairs, Node source) {
    rows_.assign(1, source);
    columns_.clear();
    while (step_to_column(pairs)) {
        const Node column = columns_.back();
        if (column_level_[column] == last_level_ && flow_.room_in_column[column] > 0) {
            const std::size_t kept = push_along_path();
            if (flow_.left_at_row[source] == 0) return;
            columns_.resize(kept);
            rows_.resize(kept);
        }
        step_to_row();
    }
}

// Returns how much of the path, in columns, stays usable up to the first pair that has nothing left to take back.
std::size_t MaxFlow::push_along_path() {
    const Node source = rows_.front(), target = columns_.back();
    Mass amount = std::min(flow_.left_at_row[source], flow_.room_in_column[target]);
    for (std::size_t s = 0; s + 1 < columns_.size(); ++s) {
        amount = std::min(amount, flow_.into[columns_[s]][next_inflow_[columns_[s]]].mass);
    }
    std::size_t kept = columns_.size();
    for (std::size_t s = columns_.size(); s-- > 0;) {
        const bool is_last = s + 1 == columns_.size();
        if (!is_last && flow_.take_back(columns_[s], next_inflow_[columns_[s]], amount) == 0) kept = s + 1;
        flow_.add(rows_[s], columns_[s], amount);
    }
    flow_.finish_path(source, target, amount);
    ++augmentations_;
    return kept;
}

}  // namespace rpw
