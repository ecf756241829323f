// One maximum flow over a list of pairs (Dinic's algorithm).
#pragma once

#include <vector>

#include "base/masses.hpp"
#include "base/pulse.hpp"
#include "flow/inflow.hpp"

namespace rpw {

// Row i may send to columns[begin[i]], …, columns[end[i] - 1] (counted from 0).
struct Neighbours {
    const Node* columns;
    const std::size_t* begin;
    const std::size_t* end;
};

struct FlowEntry {
    Node row;
    Node column;
    Mass mass;
};

// One maximum flow, from any flow to start with. The pairs have no capacities, so only what flows into each column is
// kept: that is what may be taken back.
class MaxFlow {
public:
    MaxFlow(const Masses& masses, Pulse& pulse);

    void start_from(const std::vector<FlowEntry>& flow);
    // Augments until nothing more can be moved, or no more than `enough` is left. After TimeUp the flow is a smaller
    // one.
    void augment(const Neighbours& pairs, double enough);

    std::vector<FlowEntry> flow();
    Mass moved() const { return moved_; }
    double unmoved() const;  // as a share; a negligible remainder counts as moved
    long augmentations() const { return augmentations_; }

private:
    bool find_levels(const Neighbours& pairs);
    void start_levels();
    bool reach_columns(const Neighbours& pairs, Node level);
    void reach_rows(Node level);
    void block(const Neighbours& pairs, Node source);
    bool step_to_column(const Neighbours& pairs);
    void step_to_row();
    std::size_t push_along_path();

    Masses masses_;
    Pulse& pulse_;
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    std::vector<Mass> left_at_row_;
    std::vector<Mass> room_in_column_;
    std::vector<std::vector<Inflow>> into_;
    std::vector<std::size_t> next_pair_;    // of each row, in this phase
    std::vector<std::size_t> next_inflow_;  // of each column
    std::vector<Node> row_level_;
    std::vector<Node> column_level_;
    Node last_level_ = 0;
    std::size_t unseen_columns_ = 0;
    std::vector<Node> rows_;     // of a search, or of a path
    std::vector<Node> columns_;  // the same
    std::vector<std::size_t> place_;
    long augmentations_ = 0;
};

}  // namespace rpw
