// The search for the threshold that decides at p = ∞.
//
// A(t), the largest flow over pairs with c_ij ≤ t, is a step function that grows with t. What is asked at p = ∞ is the
// least entry t of the matrix at which A(t) is large enough (docs/proofs/infinity.md, "p = ∞"): a bisection over the
// entries, with one maximum flow for each that is tried.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
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

using Enough = std::function<double(double)>;

// Closes in on the least entry t of the matrix with 1 - A(t) ≤ enough(t), where enough(t) does not fall.
template <class Lengths>
class ThresholdSearch {
public:
    // Only entries up to `longest` are looked at.
    ThresholdSearch(const Lengths& lengths, const Masses& masses, double longest, Enough enough, Pulse& pulse);

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
    Lengths cost_;
    double longest_;
    Enough enough_;
    Pulse& pulse_;
    MaxFlow flow_;
    PairList<Lengths> pairs_;
    double listed_up_to_ = -1;  // a length
    bool is_guess_due_ = true;  // nothing has been listed for this question
    Nearest nearest_;
    std::optional<double> tried_;  // the threshold whose flow is being made
    FlowAt floor_{-1};             // the last threshold with a smaller flow than below()
    FlowAt below_{-1};
    FlowAt above_{unreachable};
};

template <class Lengths>
ThresholdSearch<Lengths>::ThresholdSearch(const Lengths& lengths, const Masses& masses, double longest, Enough enough,
                                          Pulse& pulse)
    : masses_(masses),
      cost_(lengths),
      longest_(longest),
      enough_(std::move(enough)),
      pulse_(pulse),
      flow_(masses, pulse),
      pairs_(lengths, pulse) {}

template <class Lengths>
bool ThresholdSearch<Lengths>::step() {
    pulse_.note(0);
    const bool is_listed = above_.threshold < unreachable || listed_up_to_ >= longest_;
    if (!is_listed) list_more();
    const double threshold = is_listed ? pairs_.middle_below(above_.threshold) : pairs_.longest_below(unreachable);
    if (threshold >= 0) try_at(threshold);
    return threshold >= 0 || (!is_listed && listed_up_to_ < longest_);
}

template <class Lengths>
void ThresholdSearch<Lengths>::run() {
    while (step()) {
    }
}

// below() leaves more than it did for the last question, and so for this one. above() may be too little now.
template <class Lengths>
void ThresholdSearch<Lengths>::go_on(double longest, Enough enough) {
    longest_ = longest;
    enough_ = std::move(enough);
    if (above_.threshold < unreachable && above_.unmoved <= enough_(above_.threshold)) return;
    above_.threshold = unreachable;
    is_guess_due_ = true;
}

// At first up to a guess, then about twice as many pairs each time.
template <class Lengths>
void ThresholdSearch<Lengths>::list_more() {
    const double up_to = is_guess_due_
                             ? std::max(first_guess(), listed_up_to_)
                             : length_beyond(cost_, listed_up_to_, static_cast<double>(pairs_.size()), longest_);
    is_guess_due_ = false;
    listed_up_to_ = std::min(up_to, longest_);
    pairs_.list(listed_up_to_);
    pairs_.split(below_.threshold);
    pairs_.take_shorter();
}

// If every row could send all its mass to the nearest column, and every column be filled from the nearest row.
template <class Lengths>
double ThresholdSearch<Lengths>::first_guess() {
    if (nearest_.of_row.empty()) nearest_ = nearest_partners(cost_, pulse_);
    return std::max(guess_from(nearest_.of_row, masses_.a), guess_from(nearest_.of_column, masses_.b));
}

template <class Lengths>
double ThresholdSearch<Lengths>::guess_from(const std::vector<double>& nearest, std::span<const Mass> masses) const {
    const Mass total = masses_.total();
    Mass left = total;
    double length = 0;
    for (const Node x : in_order(nearest)) {
        length = nearest[x];
        left = std::max<Mass>(left - masses[x], 0);
        if (share_of(left, total) <= enough_(length)) break;
    }
    return length;
}

template <class Lengths>
void ThresholdSearch<Lengths>::try_at(double threshold) {
    pairs_.split(threshold);
    flow_.start_from(best_start(threshold));
    tried_ = threshold;
    flow_.augment(pairs_.up_to_split(), enough_(threshold));
    tried_.reset();
    FlowAt found = flow_at(threshold);
    if (found.unmoved <= enough_(threshold)) {
        lower_above(std::move(found));
        drop_above();
    } else {
        if (found.moved > below_.moved) floor_ = std::move(below_);
        below_ = std::move(found);
        pairs_.take_shorter();
    }
}

// A flow that went too far may, without its longer pairs, still be the better one to start from.
template <class Lengths>
std::vector<FlowEntry> ThresholdSearch<Lengths>::best_start(double threshold) const {
    std::vector<FlowEntry> short_part;
    Mass mass = 0;
    for (const FlowEntry& entry : above_.entries) {
        if (cost_.at(entry.row, entry.column) > threshold) continue;
        short_part.push_back(entry);
        mass += entry.mass;
    }
    return mass > below_.moved ? short_part : below_.entries;
}

template <class Lengths>
FlowAt ThresholdSearch<Lengths>::flow_at(double threshold) {
    return {threshold, flow_.unmoved(), flow_.moved(), flow_.entries()};
}

template <class Lengths>
void ThresholdSearch<Lengths>::lower_above(FlowAt found) {
    const double used = longest_used(found);
    if (used > below_.threshold && found.unmoved <= enough_(used)) found.threshold = used;
    above_ = std::move(found);
}

template <class Lengths>
void ThresholdSearch<Lengths>::drop_above() {
    pairs_.split(above_.threshold);
    pairs_.drop_longer();
}

template <class Lengths>
void ThresholdSearch<Lengths>::keep_unfinished_flow() {
    if (!tried_) return;
    FlowAt found = flow_at(*tried_);
    if (found.unmoved <= enough_(*tried_)) {
        lower_above(std::move(found));
    } else {
        found.threshold = below_.threshold;  // not a maximum flow: it says nothing about the threshold
        below_ = std::move(found);
    }
}

template <class Lengths>
void ThresholdSearch<Lengths>::find_start_of_step() {
    const double as_much = below_.unmoved;
    enough_ = [as_much](double) { return as_much; };
    above_ = std::move(below_);
    below_ = std::move(floor_);
    above_.threshold = longest_used(above_);
    pairs_.reopen();
    drop_above();
    pairs_.split(below_.threshold);
    pairs_.take_shorter();
    run();
}

template <class Lengths>
void ThresholdSearch<Lengths>::complete(double enough) {
    if (above_.unmoved <= enough) return;
    flow_.start_from(above_.entries);
    flow_.augment(pairs_.all(), enough);
    above_ = flow_at(above_.threshold);
}

template <class Lengths>
double ThresholdSearch<Lengths>::longest_used(const FlowAt& at) const {
    double longest = 0;
    for (const FlowEntry& entry : at.entries) longest = std::max(longest, cost_.at(entry.row, entry.column));
    return longest;
}

}  // namespace rpw
