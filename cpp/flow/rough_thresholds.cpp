// See rough_thresholds.hpp.
#include "flow/rough_thresholds.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/steps.hpp"
#include "flow/max_flow.hpp"

namespace rpw {

namespace {

// All pairs up to a length, of which more and more enter, the shorter ones first.
class EnteringPairs {
public:
    EnteringPairs(const Distances& cost, double longest, Pulse& pulse) : cost_(cost), pulse_(pulse) {
        for (Node i = 0; i < cost.rows; ++i) {
            begin_.push_back(columns_.size());
            const double* row = cost.row(i);
            for (Node j = 0; j < cost.columns; ++j) {
                if (row[j] <= longest) columns_.push_back(j);
            }
            end_.push_back(columns_.size());
            pulse.note(static_cast<std::size_t>(cost.columns));
        }
        entered_ = begin_;
    }

    Neighbours entered() const { return {columns_.data(), begin_.data(), entered_.data()}; }

    // Of the pairs that have not entered.
    double shortest() const {
        double least = unreachable;
        for (Node i = 0; i < cost_.rows; ++i) {
            const double* row = cost_.row(i);
            for (std::size_t e = entered_[i]; e < end_[i]; ++e) least = std::min(least, row[columns_[e]]);
            pulse_.note(end_[i] - entered_[i]);
        }
        return least;
    }

    // Lets pairs up to the threshold enter. The longest of them.
    double enter(double threshold) {
        double longest = 0;
        for (Node i = 0; i < cost_.rows; ++i) {
            const double* row = cost_.row(i);
            for (std::size_t e = entered_[i]; e < end_[i]; ++e) {
                const double length = row[columns_[e]];
                if (length > threshold) continue;
                longest = std::max(longest, length);
                std::swap(columns_[e], columns_[entered_[i]++]);
            }
            pulse_.note(end_[i] - entered_[i]);
        }
        return longest;
    }

private:
    Distances cost_;
    Pulse& pulse_;
    std::vector<Node> columns_;
    std::vector<std::size_t> begin_, entered_, end_;
};

}  // namespace

Band rough_thresholds(const LengthProblem& problem, double longest, double tol, Pulse& pulse) {
    EnteringPairs pairs(problem.distances, longest, pulse);
    MaxFlow flow(problem.masses, pulse);
    Steps steps(Solver::infinity, tol);
    for (double low = 0; low < unreachable && flow.unmoved() > 0; low = pairs.shortest()) {
        const double high = pairs.enter(low > 0 ? low + tol : 0);  // a step at 0 stays by itself
        flow.augment(pairs.entered(), 0);
        steps.add(low, high, flow.unmoved());
    }
    return steps.take();
}

}  // namespace rpw
