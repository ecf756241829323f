// All pairs in the order of their length.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

// A few of the pairs at a time are collected and sorted, up to a length that a sample of them suggests.
class PairQueue {
public:
    PairQueue(const Distances& cost, Pulse& pulse);

    // Takes all pairs of the next length: enter(row, column) for each of them. False if there is none.
    template <class Enter>
    bool next(const Enter& enter) {
        for (;;) {
            if (position_ < waiting_.size()) {
                length_ = waiting_[position_].length;
                for (; position_ < waiting_.size() && waiting_[position_].length == length_; ++position_) {
                    enter(waiting_[position_].row, waiting_[position_].column);
                }
                return true;
            }
            if (is_end_open_ && take_end(enter)) return true;
            if (end_ == unreachable) return false;
            refill();
        }
    }

    // Of the pairs that were taken last.
    double length() const { return length_; }

private:
    struct Arc {
        double length;
        Node row;
        Node column;
    };

    void refill();

    // Pairs of the length at the end itself may be as many as the matrix has entries: they never wait.
    template <class Enter>
    bool take_end(const Enter& enter) {
        is_end_open_ = false;
        length_ = end_;
        bool has_any = false;
        for (Node i = 0; i < cost_.rows; ++i) {
            const double* row = cost_.row(i);
            for (Node j = 0; j < cost_.columns; ++j) {
                if (row[j] != end_) continue;
                enter(i, j);
                has_any = true;
            }
            pulse_.note(static_cast<std::size_t>(cost_.columns));
        }
        return has_any;
    }

    Distances cost_;
    Pulse& pulse_;
    std::vector<Arc> waiting_;  // shorter than `end_`,
    std::size_t position_ = 0;  // from this place on
    double end_ = -1;
    bool is_end_open_ = false;  // pairs of this length have not been taken
    double length_ = -1;
    double wanted_;  // pairs in the next stretch
    double most_waiting_;
};

}  // namespace rpw
