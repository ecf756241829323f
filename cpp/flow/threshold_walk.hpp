// The profile at p = ∞, walked upwards: W_{∞,α} ≤ t exactly when the maximum flow over pairs with c_ij ≤ t is at least
// α.
//
// Pairs enter in the order of their length. What free rows can reach is kept from one pair to the next, so a pair that
// opens no path costs O(1); pairs are single bits, so a search that starts afresh looks at 64 of them at once.
// (Paper, section 4, the relation to Lévy–Prokhorov; docs/theory.md, "The profile at p = ∞".)
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "flow/inflow.hpp"

namespace rpw {

class ThresholdWalk {
public:
    // Only pairs with cost ≤ longest are used.
    ThresholdWalk(const LengthProblem& problem, double longest, Pulse& pulse);

    // Goes on to the next threshold at which the flow grows; false if it never does again. After TimeUp, all that
    // follows is as true as before it.
    bool next();

    double threshold() const { return threshold_; }
    double unmoved() const { return share_of(total_ - moved_, total_); }
    // Unmoved mass of a row or column.
    Mass left_at(Node x) const { return x < cost_.rows ? left_at_row_[x] : room_in_column_[x - cost_.rows]; }
    long augmentations() const { return augmentations_; }
    std::vector<PlanEntry> plan() const;

private:
    using Word = std::uint64_t;
    struct Arc {
        double length;
        Node row;
        Node column;
    };

    bool enter_next_length();
    void refill();
    bool enter_horizon();
    void enter(Node row, Node column);
    void start_search();
    Node expand();
    Node reach_from(Node row);
    void reach_rows(Node column);
    bool augment(Node column);
    void add_inflow(Node row, Node column, Mass amount);
    void merge_inflows();

    Distances cost_;
    double longest_;
    Pulse& pulse_;
    std::vector<Mass> left_at_row_;
    std::vector<Mass> room_in_column_;
    std::vector<std::vector<Inflow>> into_;  // what flows into each column
    std::vector<Node> grown_;                // columns whose list may name a row twice
    std::vector<std::size_t> place_;
    std::vector<Arc> waiting_;
    std::size_t position_ = 0;
    double horizon_ = -1;
    bool is_horizon_open_ = false;  // pairs of this length have not entered yet
    double length_ = -1;            // of the last pairs that have
    double target_;
    double most_waiting_;
    std::size_t words_per_row_;
    std::vector<Word> pairs_;             // a bit for each pair that has entered
    std::vector<Word> unreached_;         // a bit for each column
    std::vector<char> reached_;           // rows
    std::vector<Node> column_by_;         // the row from which a column was reached
    std::vector<Node> row_by_;            // the column from which a row was reached; -1: it has mass left
    std::vector<std::size_t> inflow_by_;  // and the place of its flow in the list of that column
    std::vector<Node> frontier_;          // rows from which columns may be unreached yet,
    std::size_t head_ = 0;                // from this place on
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    double threshold_ = 0;
    long augmentations_ = 0;
};

}  // namespace rpw
