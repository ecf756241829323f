// Pairs up to some length, row by row.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

// Row i may send to columns[begin[i]], …, columns[end[i] - 1] (counted from 0).
struct Neighbours {
    const Node* columns;
    const std::size_t* begin;
    const std::size_t* end;
};

// In each row come those that are known to be short enough, then those in question. Costs are never sorted: those in
// question are split at a threshold, and one part of them drops out.
class PairList {
public:
    PairList(const Distances& cost, Pulse& pulse) : cost_(cost), pulse_(pulse) {}

    // Lists all pairs up to a length. All of them are in question.
    void list(double longest);
    // Puts those in question up to the threshold before those above it.
    void split(double threshold);
    // After a split: the shorter part is short enough, or the longer part is out of the list.
    void take_shorter() { open_ = split_; }
    void drop_longer() { end_ = split_; }
    // All that are listed are in question again.
    void reopen() { open_ = begin_; }

    std::size_t size() const { return columns_.size(); }
    Neighbours all() const { return {columns_.data(), begin_.data(), end_.data()}; }
    Neighbours up_to_split() const { return {columns_.data(), begin_.data(), split_.data()}; }

    // Of those in question: the shortest (infinite if there is none), the longest one below a limit (-1), and one below
    // a limit about in the middle (-1).
    double shortest() const;
    double longest_below(double limit) const;
    double middle_below(double limit);

private:
    template <class Visit>
    void for_each_in_question(const Visit& visit) const {
        for (Node i = 0; i < cost_.rows; ++i) {
            const double* row = cost_.row(i);
            for (std::size_t e = open_[i]; e < end_[i]; ++e) visit(row[columns_[e]]);
            pulse_.note(end_[i] - open_[i]);
        }
    }

    Distances cost_;
    Pulse& pulse_;
    std::vector<Node> columns_;
    std::vector<std::size_t> begin_;  // of each row,
    std::vector<std::size_t> open_;   // of its pairs in question,
    std::vector<std::size_t> split_;  // of those of them beyond the last threshold,
    std::vector<std::size_t> end_;    // and its end
    std::vector<double> sample_;
};

// A length such that about `wanted` pairs are longer than `beyond` and no longer than it, judged from some rows;
// `longest` if there are not that many.
double length_beyond(const Distances& distances, double beyond, double wanted, double longest);

}  // namespace rpw
