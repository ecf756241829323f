// See threshold_search.hpp.
#include "flow/threshold_search.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/sample.hpp"
#include "flow/horizon.hpp"

namespace rpw {

namespace {
constexpr std::size_t sampled_pairs = 1 << 12;
}  // namespace

ThresholdSearch::ThresholdSearch(const LengthProblem& problem, double longest, Enough enough, Pulse& pulse)
    : masses_(problem.masses),
      cost_(problem.distances),
      longest_(longest),
      enough_(std::move(enough)),
      pulse_(pulse),
      flow_(problem.masses, pulse) {}

bool ThresholdSearch::step() {
    pulse_.note(0);
    if (above_.threshold < unreachable || horizon_ >= longest_) {
        const double threshold = candidate();
        if (threshold < 0) return false;
        split(threshold);
        try_at(threshold);
    } else {
        const auto collected = static_cast<double>(columns_.size());  // about twice as many pairs come next
        const double horizon = is_horizon_new_ ? std::max(first_guess(enough_), horizon_)
                                               : length_beyond(cost_, horizon_, collected, longest_);
        is_horizon_new_ = false;
        collect(std::min(horizon, longest_));
        const double threshold = longest_collected_below(unreachable);
        if (threshold < 0) return horizon_ < longest_;
        split_ = end_;
        try_at(threshold);
    }
    return true;
}

// below() leaves more than it did for the last question, and so for this one. above() may be too little now.
void ThresholdSearch::go_on(double longest, Enough enough) {
    longest_ = longest;
    enough_ = std::move(enough);
    if (above_.threshold < unreachable && above_.unmoved <= enough_(above_.threshold)) return;
    above_.threshold = unreachable;
    is_horizon_new_ = true;
}

void ThresholdSearch::try_at(double threshold) {
    flow_.start_from(best_start(threshold));
    tried_ = threshold;
    flow_.augment({columns_.data(), begin_.data(), split_.data()}, enough_(threshold));
    tried_.reset();
    FlowAt found = flow_at(threshold);
    if (found.unmoved <= enough_(threshold)) {
        lower_above(std::move(found));
        drop_above();
    } else {
        raise_below(std::move(found));
        open_ = split_;
    }
}

// A flow that went too far may, without its longer pairs, still be the better one to start from.
std::vector<FlowEntry> ThresholdSearch::best_start(double threshold) const {
    std::vector<FlowEntry> short_part;
    Mass mass = 0;
    for (const FlowEntry& entry : above_.flow) {
        if (cost_.at(entry.row, entry.column) > threshold) continue;
        short_part.push_back(entry);
        mass += entry.mass;
    }
    return mass > below_.moved ? short_part : below_.flow;
}

FlowAt ThresholdSearch::flow_at(double threshold) { return {threshold, flow_.unmoved(), flow_.moved(), flow_.flow()}; }

void ThresholdSearch::lower_above(FlowAt found) {
    const double used = longest_used(found);
    if (used > below_.threshold && found.unmoved <= enough_(used)) found.threshold = used;
    above_ = std::move(found);
}

void ThresholdSearch::raise_below(FlowAt found) {
    if (found.moved > below_.moved) floor_ = std::move(below_);
    below_ = std::move(found);
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
    open_ = begin_;
    drop_above();
    split(below_.threshold);
    open_ = split_;
}

void ThresholdSearch::complete(double enough) {
    if (above_.unmoved <= enough) return;
    flow_.start_from(above_.flow);
    flow_.augment({columns_.data(), begin_.data(), end_.data()}, enough);
    above_ = flow_at(above_.threshold);
}

double ThresholdSearch::longest_used(const FlowAt& at) const {
    double longest = 0;
    for (const FlowEntry& entry : at.flow) longest = std::max(longest, cost_.at(entry.row, entry.column));
    return longest;
}

// If every row could send all its mass to the nearest column, and every column be filled from the nearest row.
double ThresholdSearch::first_guess(const Enough& enough) {
    if (nearest_of_row_.empty()) find_nearest();
    return std::max(guess_from(nearest_of_row_, masses_.a, enough), guess_from(nearest_of_column_, masses_.b, enough));
}

void ThresholdSearch::find_nearest() {
    std::vector<double> of_row(cost_.rows, unreachable), of_column(cost_.columns, unreachable);
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        double least = unreachable;
        for (Node j = 0; j < cost_.columns; ++j) {
            least = std::min(least, row[j]);
            of_column[j] = std::min(of_column[j], row[j]);
        }
        of_row[i] = least;
        pulse_.note(cost_.columns);
    }
    nearest_of_row_ = std::move(of_row);
    nearest_of_column_ = std::move(of_column);
}

double ThresholdSearch::guess_from(std::span<const double> nearest, std::span<const Mass> masses,
                                   const Enough& enough) const {
    std::vector<Node> order(nearest.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Node x, Node y) { return nearest[x] < nearest[y]; });
    const Mass total = masses_.total();
    Mass left = total;
    for (const Node x : order) {
        left = std::max<Mass>(left - masses[x], 0);
        if (share_of(left, total) <= enough(nearest[x])) return nearest[x];
    }
    return nearest[order.back()];
}

void ThresholdSearch::gather_for(const Enough& later) {
    gathered_up_to_ = first_guess(later);
    list_all(gathered_up_to_);
    gathered_ = columns_;
    gathered_end_ = end_;
}

// Lists the pairs up to the horizon.
void ThresholdSearch::collect(double horizon) {
    if (horizon <= gathered_up_to_) {
        list_gathered(horizon);
    } else {
        list_all(horizon);
    }
    horizon_ = horizon;
    open_ = begin_;
    split(below_.threshold);
    open_ = split_;
}

void ThresholdSearch::list_gathered(double horizon) {
    columns_.clear();
    std::size_t e = 0;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        begin_[i] = columns_.size();
        pulse_.note(gathered_end_[i] - e);
        for (; e < gathered_end_[i]; ++e) {
            if (row[gathered_[e]] <= horizon) columns_.push_back(gathered_[e]);
        }
        end_[i] = columns_.size();
    }
}

void ThresholdSearch::list_all(double horizon) {
    begin_.assign(cost_.rows, 0);
    end_.assign(cost_.rows, 0);
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        begin_[i] = count;
        std::size_t in_row = 0;
        for (Node j = 0; j < cost_.columns; ++j) in_row += row[j] <= horizon;
        count += in_row;
        end_[i] = count;
        pulse_.note(cost_.columns);
    }
    columns_.clear();
    columns_.resize(count);
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        std::size_t place = begin_[i];
        for (Node j = 0; place < end_[i]; ++j) {
            columns_[place] = j;
            place += row[j] <= horizon;
        }
        pulse_.note(cost_.columns);
    }
}

// The longest pair in question that is shorter than the limit; -1 if there is none.
double ThresholdSearch::longest_collected_below(double limit) {
    double longest = -1;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        for (std::size_t e = open_[i]; e < end_[i]; ++e) {
            const double length = row[columns_[e]];
            longest = length < limit && length > longest ? length : longest;
        }
        pulse_.note(end_[i] - open_[i]);
    }
    return longest;
}

// A length in the middle of those in question; -1 if there is none.
double ThresholdSearch::candidate() {
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) count += end_[i] - open_[i];
    const std::size_t step = 1 + count / sampled_pairs;
    sample_.clear();
    std::size_t until = step / 2;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        const std::size_t here = end_[i] - open_[i];
        for (; until < here; until += step) {
            const double length = row[columns_[open_[i] + until]];
            if (length < above_.threshold) sample_.push_back(length);
        }
        until -= here;
    }
    if (!sample_.empty()) return entry_of_rank(sample_, sample_.size() / 2);
    return step == 1 ? -1 : longest_collected_below(above_.threshold);
}

// Sorts the pairs in question into those up to the threshold and those above it.
void ThresholdSearch::split(double threshold) {
    split_.resize(cost_.rows);
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        const auto first = columns_.begin() + static_cast<std::ptrdiff_t>(open_[i]);
        const auto last = columns_.begin() + static_cast<std::ptrdiff_t>(end_[i]);
        const auto middle = std::partition(first, last, [&](Node j) { return row[j] <= threshold; });
        split_[i] = static_cast<std::size_t>(middle - columns_.begin());
        pulse_.note(end_[i] - open_[i]);
    }
}

void ThresholdSearch::drop_above() {
    split(above_.threshold);
    end_ = split_;
}

std::vector<PlanEntry> ThresholdSearch::plan(const FlowAt& at) const {
    std::vector<FlowEntry> entries = at.flow;
    const auto key = [&](const FlowEntry& entry) {
        return std::tuple(cost_.at(entry.row, entry.column), entry.row, entry.column);
    };
    std::sort(entries.begin(), entries.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
    std::vector<PlanEntry> plan;
    const Mass total = masses_.total();
    for (const FlowEntry& entry : entries) {
        plan.push_back({entry.row, entry.column, share_of(entry.mass, total)});
    }
    return plan;
}

}  // namespace rpw
