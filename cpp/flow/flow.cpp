// See flow.hpp.
#include "flow/flow.hpp"

namespace rpw {

namespace {

// What is in `place` does not matter.
void merge_rows(std::vector<Inflow>& inflows, std::vector<std::size_t>& place) {
    std::size_t kept = 0;
    for (const Inflow inflow : inflows) {
        if (inflow.mass == 0) continue;
        const std::size_t known = place[inflow.row];
        if (known < kept && inflows[known].row == inflow.row) {
            inflows[known].mass += inflow.mass;
        } else {
            place[inflow.row] = kept;
            inflows[kept++] = inflow;
        }
    }
    inflows.resize(kept);
}

}  // namespace

std::vector<PlanEntry> plan_of(const std::vector<FlowEntry>& entries, Mass total) {
    std::vector<PlanEntry> plan;
    for (const FlowEntry& entry : entries) plan.push_back({entry.row, entry.column, share_of(entry.mass, total)});
    return plan;
}

Flow::Flow(const Masses& masses)
    : left_at_row(masses.a.begin(), masses.a.end()),
      room_in_column(masses.b.begin(), masses.b.end()),
      into(masses.b.size()),
      masses_(masses),
      total_(masses.total()),
      negligible_(masses.negligible()),
      is_marked_(masses.b.size()),
      place_(masses.a.size()) {}

void Flow::start_from(const std::vector<FlowEntry>& entries) {
    left_at_row.assign(masses_.a.begin(), masses_.a.end());
    room_in_column.assign(masses_.b.begin(), masses_.b.end());
    for (auto& inflows : into) inflows.clear();
    moved_ = 0;
    for (const FlowEntry& entry : entries) {
        into[entry.column].push_back({entry.row, entry.mass});
        finish_path(entry.row, entry.column, entry.mass);
    }
}

void Flow::add(Node row, Node column, Mass mass) {
    auto& inflows = into[column];
    if (!inflows.empty() && inflows.back().row == row) {
        inflows.back().mass += mass;
        return;
    }
    inflows.push_back({row, mass});
    mark(column);
}

Mass Flow::take_back(Node column, std::size_t place, Mass mass) {
    const Mass left = into[column][place].mass -= mass;
    if (left == 0) mark(column);
    return left;
}

void Flow::mark(Node column) {
    if (!is_marked_[column]) marked_.push_back(column);
    is_marked_[column] = 1;
}

void Flow::finish_path(Node row, Node column, Mass mass) {
    left_at_row[row] -= mass;
    room_in_column[column] -= mass;
    moved_ += mass;
}

void Flow::merge() {
    for (const Node column : marked_) {
        merge_rows(into[column], place_);
        is_marked_[column] = 0;
    }
    marked_.clear();
}

std::vector<FlowEntry> Flow::entries() {
    std::vector<FlowEntry> entries;
    merge();
    for (std::size_t j = 0; j < into.size(); ++j) {
        for (const Inflow& inflow : into[j]) entries.push_back({inflow.row, static_cast<Node>(j), inflow.mass});
    }
    return entries;
}

}  // namespace rpw
