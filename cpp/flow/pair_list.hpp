// Pairs up to some length, row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "base/sample.hpp"
#include "base/tuning.hpp"

namespace rpw {

// Row i may send to columns[begin[i]], …, columns[end[i] - 1] (counted from 0).
struct Neighbours {
    const Node* columns;
    const std::size_t* begin;
    const std::size_t* end;
};

// Those up to a length: where the columns of each row begin and end, and the columns, in their order. Lengths that do
// not come from a matrix have a function of this name too.
struct ListedPairs {
    std::vector<std::size_t> begin;
    std::vector<std::size_t> end;
    std::vector<Node> columns;
};
void list_pairs(const Distances& cost, double longest, ListedPairs& listed, Pulse& pulse);

// In each row come those that are known to be short enough, then those in question. Costs are never sorted: those in
// question are split at a threshold, and one part of them drops out.
template <class Lengths>
class PairList {
public:
    PairList(const Lengths& cost, Pulse& pulse) : cost_(cost), pulse_(pulse) {}

    // Lists all pairs up to a length. All of them are in question.
    void list(double longest) {
        list_pairs(cost_, longest, listed_, pulse_);
        open_ = listed_.begin;
    }
    // Puts those in question up to the threshold before those above it.
    void split(double threshold);
    // After a split: the shorter part is short enough, or the longer part is out of the list.
    void take_shorter() { open_ = split_; }
    void drop_longer() { listed_.end = split_; }
    // All that are listed are in question again.
    void reopen() { open_ = listed_.begin; }

    std::size_t size() const { return listed_.columns.size(); }
    Neighbours all() const { return {listed_.columns.data(), listed_.begin.data(), listed_.end.data()}; }
    Neighbours up_to_split() const { return {listed_.columns.data(), listed_.begin.data(), split_.data()}; }

    // Of those in question: the shortest (infinite if there is none), the longest one below a limit (-1), and one below
    // a limit about in the middle (-1).
    double shortest() const;
    double longest_below(double limit) const;
    double middle_below(double limit);

private:
    template <class Visit>
    void for_each_in_question(const Visit& visit) const {
        for (Node i = 0; i < cost_.rows; ++i) {
            const auto row = cost_.row(i);
            for (std::size_t e = open_[i]; e < listed_.end[i]; ++e) visit(row[listed_.columns[e]]);
            pulse_.note(listed_.end[i] - open_[i]);
        }
    }

    Lengths cost_;
    Pulse& pulse_;
    ListedPairs listed_;
    std::vector<std::size_t> open_;   // where the pairs in question of each row begin,
    std::vector<std::size_t> split_;  // and those of them beyond the last threshold
    std::vector<double> sample_;
};

template <class Lengths>
void PairList<Lengths>::split(double threshold) {
    split_.resize(cost_.rows);
    for (Node i = 0; i < cost_.rows; ++i) {
        const auto row = cost_.row(i);
        const auto first = listed_.columns.begin() + static_cast<std::ptrdiff_t>(open_[i]);
        const auto last = listed_.columns.begin() + static_cast<std::ptrdiff_t>(listed_.end[i]);
        const auto middle = std::partition(first, last, [&](Node j) { return row[j] <= threshold; });
        split_[i] = static_cast<std::size_t>(middle - listed_.columns.begin());
        pulse_.note(listed_.end[i] - open_[i]);
    }
}

template <class Lengths>
double PairList<Lengths>::shortest() const {
    double least = unreachable;
    for_each_in_question([&](double length) { least = std::min(least, length); });
    return least;
}

template <class Lengths>
double PairList<Lengths>::longest_below(double limit) const {
    double longest = -1;
    for_each_in_question([&](double length) { longest = length < limit && length > longest ? length : longest; });
    return longest;
}

template <class Lengths>
double PairList<Lengths>::middle_below(double limit) {
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) count += listed_.end[i] - open_[i];
    const std::size_t step = 1 + count / tuning::pairs_in_sample;
    sample_.clear();
    std::size_t until = step / 2;
    for (Node i = 0; i < cost_.rows; ++i) {
        const auto row = cost_.row(i);
        const std::size_t here = listed_.end[i] - open_[i];
        for (; until < here; until += step) {
            const double length = row[listed_.columns[open_[i] + until]];
            if (length < limit) sample_.push_back(length);
        }
        until -= here;
    }
    if (!sample_.empty()) return entry_of_rank(sample_, sample_.size() / 2);
    return step == 1 ? -1 : longest_below(limit);
}

// A length such that about `wanted` pairs are longer than `beyond` and no longer than it, judged from some rows;
// `longest` if there are not that many.
template <class Lengths>
double length_beyond(const Lengths& distances, double beyond, double wanted, double longest) {
    const Node count = std::min(distances.rows, tuning::rows_in_sample);
    std::vector<double> sample;
    for (Node s = 0; s < count; ++s) {
        const auto row = distances.row(static_cast<Node>(static_cast<std::int64_t>(s) * distances.rows / count));
        for (Node j = 0; j < distances.columns; ++j) {
            if (const double length = row[j]; length > beyond) sample.push_back(length);
        }
    }
    const auto rank = static_cast<std::size_t>(wanted / distances.rows * count);
    return rank < sample.size() ? entry_of_rank(sample, rank) : longest;
}

}  // namespace rpw
