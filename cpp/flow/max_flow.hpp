// One maximum flow over a list of pairs (Dinic's algorithm).
#pragma once

#include <vector>

#include "base/masses.hpp"
#include "base/pulse.hpp"
#include "flow/flow.hpp"
#include "flow/pair_list.hpp"

namespace rpw {

// One maximum flow, from any flow to start with.
class MaxFlow {
public:
    MaxFlow(const Masses& masses, Pulse& pulse);

    void start_from(const std::vector<FlowEntry>& entries) { flow_.start_from(entries); }
    // Augments until nothing more can be moved, or no more than `enough` is left. After TimeUp the flow is a smaller
    // one.
    void augment(const Neighbours& pairs, double enough);

    std::vector<FlowEntry> entries() { return flow_.entries(); }
    Mass moved() const { return flow_.moved(); }
    double unmoved() const { return flow_.unmoved(); }
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

    Flow flow_;
    Pulse& pulse_;
    std::vector<std::size_t> next_pair_;    // of each row, in this phase
    std::vector<std::size_t> next_inflow_;  // of each column
    std::vector<Node> row_level_;
    std::vector<Node> column_level_;
    Node last_level_ = 0;
    std::size_t unseen_columns_ = 0;
    std::vector<Node> rows_;     // of a search, or of a path
    std::vector<Node> columns_;  // the same
    long augmentations_ = 0;
};

}  // namespace rpw
