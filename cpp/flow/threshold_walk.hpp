// The profile at p = ∞, walked upwards: W_{∞,α} ≤ t exactly when the maximum flow over pairs with c_ij ≤ t is at least
// α.
//
// Pairs enter in the order of their length. What free rows can reach is kept from one pair to the next, so a pair that
// opens no path costs O(1); pairs are single bits, so a search that starts afresh looks at 64 of them at once.
// (Paper, section 4, the relation to Lévy–Prokhorov; docs/proofs/infinity.md, "The profile at p = ∞".)
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "flow/flow.hpp"
#include "flow/pair_queue.hpp"

namespace rpw {

class ThresholdWalk {
public:
    ThresholdWalk(const LengthProblem& problem, Pulse& pulse);

    // Goes on to the next threshold at which the flow grows; false if it never does again.
    bool next();

    double threshold() const { return threshold_; }
    const Flow& flow() const { return flow_; }

private:
    using Word = std::uint64_t;

    void enter(Node row, Node column);
    void start_search();
    Node expand();
    Node reach_from(Node row);
    void reach_rows(Node column);
    bool augment(Node column);

    Pulse& pulse_;
    Flow flow_;
    PairQueue queue_;
    double threshold_ = 0;
    std::size_t words_per_row_;
    std::vector<Word> pairs_;             // a bit for each pair that has entered
    std::vector<Word> unreached_;         // a bit for each column
    std::vector<char> reached_;           // rows
    std::vector<Node> column_by_;         // the row from which a column was reached
    std::vector<Node> row_by_;            // the column from which a row was reached; -1: it has mass left
    std::vector<std::size_t> inflow_by_;  // and the place of its flow in the list of that column
    std::vector<Node> frontier_;          // rows from which columns may be unreached yet,
    std::size_t head_ = 0;                // from this place on
};

}  // namespace rpw
