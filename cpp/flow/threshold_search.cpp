// See threshold_search.hpp.
#include "flow/threshold_search.hpp"

#include <algorithm>
#include <utility>

namespace rpw {

ThresholdSearch::ThresholdSearch(const LengthProblem& problem, double longest, Enough enough, Pulse& pulse)
    : masses_(problem.masses),
      cost_(problem.distances),
      longest_(longest),
      enough_(std::move(enough)),
      pulse_(pulse),
      flow_(problem.masses, pulse),
      pairs_(problem.distances, pulse) {}

bool ThresholdSearch::step() {
    pulse_.note(0);
    const bool is_listed = above_.threshold < unreachable || listed_up_to_ >= longest_;
    if (!is_listed) list_more();
    const double threshold = is_listed ? pairs_.middle_below(above_.threshold) : pairs_.longest_below(unreachable);
    if (threshold >= 0) try_at(threshold);
    return threshold >= 0 || (!is_listed && listed_up_to_ < longest_);
}

void ThresholdSearch::run() {
    while (step()) {
    }
}

// below() leaves more than it did for the last question, and so for this one. above() may be too little now.
void ThresholdSearch::go_on(double longest, Enough enough) {
    longest_ = longest;
    enough_ = std::move(enough);
    if (above_.threshold < unreachable && above_.unmoved <= enough_(above_.threshold)) return;
    above_.threshold = unreachable;
    is_guess_due_ = true;
}

// At first up to a guess, then about twice as many pairs each time.
void ThresholdSearch::list_more() {
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
double ThresholdSearch::first_guess() {
    if (nearest_.of_row.empty()) nearest_ = nearest_partners(cost_, pulse_);
    return std::max(guess_from(nearest_.of_row, masses_.a), guess_from(nearest_.of_column, masses_.b));
}

double ThresholdSearch::guess_from(const std::vector<double>& nearest, std::span<const Mass> masses) const {
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

void ThresholdSearch::try_at(double threshold) {
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
std::vector<FlowEntry> ThresholdSearch::best_start(double threshold) const {
    std::vector<FlowEntry> short_part;
    Mass mass = 0;
    for (const FlowEntry& entry : above_.entries) {
        if (cost_.at(entry.row, entry.column) > threshold) continue;
        short_part.push_back(entry);
        mass += entry.mass;
    }
    return mass > below_.moved ? short_part : below_.entries;
}

FlowAt ThresholdSearch::flow_at(double threshold) {
    return {threshold, flow_.unmoved(), flow_.moved(), flow_.entries()};
}

void ThresholdSearch::lower_above(FlowAt found) {
    const double used = longest_used(found);
    if (used > below_.threshold && found.unmoved <= enough_(used)) found.threshold = used;
    above_ = std::move(found);
}

void ThresholdSearch::drop_above() {
    pairs_.split(above_.threshold);
    pairs_.drop_longer();
}

void ThresholdSearch::keep_unfinished_flow() {
    if (!tried_) return;
    FlowAt found = flow_at(*tried_);
    if (found.unmoved <= enough_(*tried_)) {
        lower_above(std::move(found));
    } else {
        found.threshold = below_.threshold;  // not a maximum flow: it says nothing about the threshold
        below_ = std::move(found);
    }
}

void ThresholdSearch::find_start_of_step() {
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

void ThresholdSearch::complete(double enough) {
    if (above_.unmoved <= enough) return;
    flow_.start_from(above_.entries);
    flow_.augment(pairs_.all(), enough);
    above_ = flow_at(above_.threshold);
}

double ThresholdSearch::longest_used(const FlowAt& at) const {
    double longest = 0;
    for (const FlowEntry& entry : at.entries) longest = std::max(longest, cost_.at(entry.row, entry.column));
    return longest;
}

}  // namespace rpw
