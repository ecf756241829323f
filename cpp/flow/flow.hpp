// A flow from rows to columns.
#pragma once

#include <cstddef>
#include <vector>

#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

struct FlowEntry {
    Node row;
    Node column;
    Mass mass;
};

// The same in shares of a total.
std::vector<PlanEntry> plan_of(const std::vector<FlowEntry>& entries, Mass total);

struct Inflow {
    Node row;
    Mass mass;
};

// Pairs have no capacities, so only what flows into each column is kept: that is what may be taken back.
class Flow {
public:
    explicit Flow(const Masses& masses);

    void start_from(const std::vector<FlowEntry>& entries);
    // Lets more flow into a column, which may list a row more than once until it is merged.
    void add(Node row, Node column, Mass mass);
    // Takes mass back from an entry of a column, by its place in the list. What is left of it.
    Mass take_back(Node column, std::size_t place, Mass mass);
    // Counts mass as moved between the ends of a path whose pairs have been changed.
    void finish_path(Node row, Node column, Mass mass);
    // One entry for each pair that carries mass. Places in the lists are others then.
    void merge();

    std::vector<FlowEntry> entries();
    Mass moved() const { return moved_; }
    // All mass has moved but what may be rounding.
    bool is_whole() const { return total_ - moved_ <= negligible_; }
    double unmoved() const { return is_whole() ? 0.0 : share_of(total_ - moved_, total_); }

    std::vector<Mass> left_at_row;
    std::vector<Mass> room_in_column;
    std::vector<std::vector<Inflow>> into;  // each column

private:
    Masses masses_;
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    void mark(Node column);
    std::vector<Node> marked_;        // columns that may list a row twice, or one without mass
    std::vector<char> is_marked_;     // of each column
    std::vector<std::size_t> place_;  // of each row in the list that is being merged
};

}  // namespace rpw
