// Maximum flows over the pairs no longer than a threshold, and the search for the threshold that decides.
//
// A(t), the largest flow over pairs with c_ij ≤ t, is a step function that grows with t. What is asked at p = ∞ is the
// least entry t of the matrix at which A(t) is large enough (docs/theory.md, "p = ∞"): a bisection over the entries,
// with one maximum flow (Dinic's algorithm) for each that is tried.
#pragma once

#include <functional>
#include <vector>

#include "problem.hpp"
#include "profile_walk.hpp"

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
    MaxFlow(const Problem& problem, Pulse& pulse);

    void start_from(const std::vector<FlowEntry>& flow);
    // Augments until nothing more can be moved, or no more than `enough` is left; false if the deadline passed.
    bool augment(const Neighbours& pairs, double enough);

    std::vector<FlowEntry> flow();
    Mass moved() const { return moved_; }
    double unmoved() const;  // as a share; a negligible remainder counts as moved
    long augmentations() const { return augmentations_; }

private:
    struct Inflow {
        Node row;
        Mass mass;
    };

    bool find_levels(const Neighbours& pairs);
    bool block(const Neighbours& pairs, Node source);
    std::size_t push_along_path();
    void merge_inflows();

    const Problem problem_;
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
    std::vector<Node> rows_;     // of a search, or of a path
    std::vector<Node> columns_;  // the same
    std::vector<std::size_t> place_;
    long augmentations_ = 0;
    bool stopped_ = false;
};

// A flow over pairs no longer than the threshold.
struct FlowAt {
    double threshold;
    double unmoved = 1;
    Mass moved = 0;
    std::vector<FlowEntry> flow;
};

// Closes in on the least entry t of the matrix with 1 - A(t) ≤ enough(t), where enough(t) does not fall. Costs are
// never sorted: the pairs in question are split at the threshold that is tried, and half of them drop out.
class ThresholdSearch {
public:
    using Enough = std::function<double(double)>;

    // Only entries up to `longest` are looked at.
    ThresholdSearch(const Problem& problem, double longest, Enough enough, Pulse& pulse);

    // Tries one more entry; false if there is none left to try, or the deadline passed.
    bool step();
    // Searches anew, for the least entry that has as large a flow as below().
    void find_start_of_step();
    // Makes above() a maximum flow up to `enough`, instead of one that is just enough.
    void complete(double enough);

    bool stopped() const { return stopped_; }
    // A threshold that is too low (-1: none is known), with a maximum flow. If the search was stopped, the flow may be
    // a larger one at a higher threshold t, but still leaves more than enough(t).
    const FlowAt& below() const { return below_; }
    // The least entry known to be high enough (+inf: none is known), with a flow that proves it.
    const FlowAt& above() const { return above_; }
    long augmentations() const { return flow_.augmentations(); }
    std::vector<PlanEntry> plan(const FlowAt& at) const;

private:
    void note(std::size_t work) { stopped_ = pulse_.expired(work) || stopped_; }
    double first_guess();
    double guess_from(std::span<const double> nearest, std::span<const Mass> masses) const;
    double next_horizon() const;
    void collect(double horizon);
    double longest_collected();
    double candidate();
    void split(double threshold);
    void try_at(double threshold);
    void drop_above();
    double longest_used(const FlowAt& at) const;

    const Problem problem_;
    const CostMatrix cost_;
    double longest_;
    Enough enough_;
    Pulse& pulse_;
    MaxFlow flow_;
    double horizon_ = -1;  // pairs up to here are collected
    std::vector<Node> columns_;
    std::vector<std::size_t> begin_;  // of each row: pairs up to below().threshold,
    std::vector<std::size_t> open_;   // pairs in question,
    std::vector<std::size_t> split_;  // those of them that are longer than what is tried,
    std::vector<std::size_t> end_;    // and the end
    std::vector<double> sample_;
    FlowAt floor_{-1, 1, 0, {}};  // the last threshold with a smaller flow than below()
    FlowAt below_{-1, 1, 0, {}};
    FlowAt above_{unreachable, 1, 0, {}};
    bool stopped_ = false;
};

}  // namespace rpw
