// The search for the threshold that decides at p = ∞.
//
// A(t), the largest flow over pairs with c_ij ≤ t, is a step function that grows with t. What is asked at p = ∞ is the
// least entry t of the matrix at which A(t) is large enough (docs/theory.md, "p = ∞"): a bisection over the entries,
// with one maximum flow for each that is tried.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "flow/max_flow.hpp"

namespace rpw {

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
    ThresholdSearch(const LengthProblem& problem, double longest, Enough enough, Pulse& pulse);

    // Tries one more entry; false if there is none left to try.
    bool step();
    // Asks for more than before, up to a length that is no shorter: what was found stays of use.
    void go_on(double longest, Enough enough);
    // Before the first step: lists the pairs that a later question is expected to need, so that those before it need
    // not look at all pairs.
    void gather_for(const Enough& later);
    // After TimeUp: takes the flow that was being made into account.
    void keep_unfinished_flow();
    // Searches anew, for the least entry that has as large a flow as below().
    void find_start_of_step();
    // Makes above() a maximum flow up to `enough`, instead of one that is just enough.
    void complete(double enough);

    // A threshold that is too low (-1: none is known), with a maximum flow. After TimeUp, the flow may be a larger one
    // at a higher threshold t, but still leaves more than enough(t).
    const FlowAt& below() const { return below_; }
    // The least entry known to be high enough, with a flow that proves it (+inf: none is known, and the flow is a
    // start).
    const FlowAt& above() const { return above_; }
    long augmentations() const { return flow_.augmentations(); }
    // Sorted by length.
    std::vector<PlanEntry> plan(const FlowAt& at) const;

private:
    double first_guess(const Enough& enough);
    void find_nearest();
    double guess_from(std::span<const double> nearest, std::span<const Mass> masses, const Enough& enough) const;
    void collect(double horizon);
    void list_all(double horizon);
    void list_gathered(double horizon);
    double longest_collected_below(double limit);
    double candidate();
    void split(double threshold);
    void try_at(double threshold);
    std::vector<FlowEntry> best_start(double threshold) const;
    FlowAt flow_at(double threshold);
    void raise_below(FlowAt found);
    void lower_above(FlowAt found);
    void drop_above();
    double longest_used(const FlowAt& at) const;

    Masses masses_;
    Distances cost_;
    double longest_;
    Enough enough_;
    Pulse& pulse_;
    MaxFlow flow_;
    double horizon_ = -1;         // pairs up to here are collected
    bool is_horizon_new_ = true;  // to this question: no guess has been made for it
    std::vector<double> nearest_of_row_, nearest_of_column_;
    std::vector<Node> columns_;
    std::vector<std::size_t> begin_;  // of each row: pairs up to below().threshold,
    std::vector<std::size_t> open_;   // pairs in question,
    std::vector<std::size_t> split_;  // those of them that are longer than what is tried,
    std::vector<std::size_t> end_;    // and the end
    double gathered_up_to_ = -1;      // a length: pairs up to it are listed once and for all
    std::vector<Node> gathered_;
    std::vector<std::size_t> gathered_end_;  // of each row
    std::vector<double> sample_;
    std::optional<double> tried_;  // the threshold whose flow is being made
    FlowAt floor_{-1, 1, 0, {}};   // the last threshold with a smaller flow than below()
    FlowAt below_{-1, 1, 0, {}};
    FlowAt above_{unreachable, 1, 0, {}};
};

}  // namespace rpw
