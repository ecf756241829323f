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
#include "base/nearest.hpp"
#include "base/pulse.hpp"
#include "flow/max_flow.hpp"
#include "flow/pair_list.hpp"

namespace rpw {

// A flow over pairs no longer than the threshold.
struct FlowAt {
    double threshold;
    double unmoved = 1;
    Mass moved = 0;
    std::vector<FlowEntry> entries{};
};

// Closes in on the least entry t of the matrix with 1 - A(t) ≤ enough(t), where enough(t) does not fall.
class ThresholdSearch {
public:
    using Enough = std::function<double(double)>;

    // Only entries up to `longest` are looked at.
    ThresholdSearch(const LengthProblem& problem, double longest, Enough enough, Pulse& pulse);

    // Tries one more entry; false if there is none left to try.
    bool step();
    void run();  // until there is none left
    // Asks for more than before, up to a length that is no shorter: what was found stays of use.
    void go_on(double longest, Enough enough);
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

private:
    void list_more();
    double first_guess();
    double guess_from(const std::vector<double>& nearest, std::span<const Mass> masses) const;
    void try_at(double threshold);
    std::vector<FlowEntry> best_start(double threshold) const;
    FlowAt flow_at(double threshold);
    void lower_above(FlowAt found);
    void drop_above();
    double longest_used(const FlowAt& at) const;

    Masses masses_;
    Distances cost_;
    double longest_;
    Enough enough_;
    Pulse& pulse_;
    MaxFlow flow_;
    PairList pairs_;
    double listed_up_to_ = -1;  // a length
    bool is_guess_due_ = true;  // nothing has been listed for this question
    Nearest nearest_;
    std::optional<double> tried_;  // the threshold whose flow is being made
    FlowAt floor_{-1};             // the last threshold with a smaller flow than below()
    FlowAt below_{-1};
    FlowAt above_{unreachable};
};

}  // namespace rpw
