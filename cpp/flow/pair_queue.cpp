// See pair_queue.hpp.
#include "flow/pair_queue.hpp"

#include <algorithm>

#include "base/tuning.hpp"
#include "flow/pair_list.hpp"

namespace rpw {

PairQueue::PairQueue(const Distances& cost, Pulse& pulse)
    : cost_(cost),
      pulse_(pulse),
      wanted_(tuning::first_pairs_per_node * (cost.rows + cost.columns)),
      most_waiting_(std::max(wanted_, tuning::most_waiting * static_cast<double>(cost.size()))) {}

void PairQueue::refill() {
    waiting_.clear();
    position_ = 0;
    const double begin = end_;
    end_ = length_beyond(cost_, begin, wanted_, unreachable);
    is_end_open_ = end_ < unreachable;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        for (Node j = 0; j < cost_.columns; ++j) {
            const double length = row[j];  // read once: the caller may write to it, and no NaN must be sorted
            if (length > begin && length < end_) waiting_.push_back({length, i, j});
        }
        pulse_.note(static_cast<std::size_t>(cost_.columns));
    }
    wanted_ = std::min(2 * wanted_, most_waiting_);
    std::sort(waiting_.begin(), waiting_.end(), [](const Arc& x, const Arc& y) { return x.length < y.length; });
}

}  // namespace rpw
