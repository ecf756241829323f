// See pair_list.hpp.
#include "flow/pair_list.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/sample.hpp"
#include "base/tuning.hpp"

namespace rpw {

void PairList::list(double longest) {
    begin_.assign(cost_.rows, 0);
    end_.assign(cost_.rows, 0);
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        begin_[i] = count;
        std::size_t in_row = 0;
        for (Node j = 0; j < cost_.columns; ++j) in_row += row[j] <= longest;
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
            place += row[j] <= longest;
        }
        pulse_.note(cost_.columns);
    }
    open_ = begin_;
}

void PairList::split(double threshold) {
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

double PairList::shortest() const {
    double least = unreachable;
    for_each_in_question([&](double length) { least = std::min(least, length); });
    return least;
}

double PairList::longest_below(double limit) const {
    double longest = -1;
    for_each_in_question([&](double length) { longest = length < limit && length > longest ? length : longest; });
    return longest;
}

double PairList::middle_below(double limit) {
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) count += end_[i] - open_[i];
    const std::size_t step = 1 + count / tuning::pairs_in_sample;
    sample_.clear();
    std::size_t until = step / 2;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        const std::size_t here = end_[i] - open_[i];
        for (; until < here; until += step) {
            const double length = row[columns_[open_[i] + until]];
            if (length < limit) sample_.push_back(length);
        }
        until -= here;
    }
    if (!sample_.empty()) return entry_of_rank(sample_, sample_.size() / 2);
    return step == 1 ? -1 : longest_below(limit);
}

double length_beyond(const Distances& distances, double beyond, double wanted, double longest) {
    const Node count = std::min(distances.rows, tuning::rows_in_sample);
    std::vector<double> sample;
    for (Node s = 0; s < count; ++s) {
        const double* row = distances.row(static_cast<Node>(static_cast<std::int64_t>(s) * distances.rows / count));
        std::copy_if(row, row + distances.columns, std::back_inserter(sample), [=](double c) { return c > beyond; });
    }
    const auto rank = static_cast<std::size_t>(wanted / distances.rows * count);
    return rank < sample.size() ? entry_of_rank(sample, rank) : longest;
}

}  // namespace rpw
