// See threshold_walk.hpp.
#include "flow/threshold_walk.hpp"

#include <algorithm>
#include <bit>

#include "base/simd.hpp"
#include "flow/horizon.hpp"

namespace rpw {

namespace {

constexpr std::size_t bits = 64;
constexpr std::size_t words_at_once = 8;  // rows of bits are padded to a multiple of this

// The first word, from a given one on, in which two rows of bits have one in common; `size` if there is none.
RPW_SIMD std::size_t first_common(const std::uint64_t* x, const std::uint64_t* y, std::size_t word, std::size_t size) {
    for (std::size_t block = word - word % words_at_once; block < size; block += words_at_once) {
        std::uint64_t any = 0;
        for (std::size_t k = 0; k < words_at_once; ++k) any |= x[block + k] & y[block + k];
        if (any == 0) continue;
        for (word = std::max(word, block); word < block + words_at_once; ++word) {
            if ((x[word] & y[word]) != 0) return word;
        }
    }
    return size;
}

std::size_t padded_words(Node columns) {
    constexpr std::size_t bits_at_once = bits * words_at_once;
    return (static_cast<std::size_t>(columns) + bits_at_once - 1) / bits_at_once * words_at_once;
}

// Pairs that wait in order take twice the room of their entries of the matrix; so many of it may wait at once.
constexpr double largest_share_waiting = 1.0 / 32;

}  // namespace

ThresholdWalk::ThresholdWalk(const LengthProblem& problem, double longest, Pulse& pulse)
    : cost_(problem.distances),
      longest_(longest),
      pulse_(pulse),
      left_at_row_(problem.masses.a.begin(), problem.masses.a.end()),
      room_in_column_(problem.masses.b.begin(), problem.masses.b.end()),
      into_(problem.masses.b.size()),
      place_(problem.masses.a.size()),
      target_(16.0 * (cost_.rows + cost_.columns)),
      most_waiting_(std::max(target_, largest_share_waiting * static_cast<double>(cost_.size()))),
      words_per_row_(padded_words(cost_.columns)),
      pairs_(words_per_row_ * static_cast<std::size_t>(cost_.rows)),
      unreached_(words_per_row_),
      reached_(problem.masses.a.size()),
      column_by_(problem.masses.b.size()),
      row_by_(problem.masses.a.size()),
      inflow_by_(problem.masses.a.size()),
      total_(problem.masses.total()),
      negligible_(problem.masses.negligible()) {
    start_search();
    frontier_.clear();  // there are no pairs yet that could lead anywhere
}

bool ThresholdWalk::next() {
    const Mass before = moved_;
    while (moved_ < total_ && moved_ == before) {
        pulse_.note(64);
        if (!enter_next_length()) return false;
        for (Node open = expand(); open >= 0; open = moved_ < total_ ? expand() : -1) {
            threshold_ = length_;
            const bool is_tree_whole = augment(open);
            if (is_tree_whole) {
                reach_rows(open);
            } else {
                start_search();
            }
        }
    }
    return moved_ > before;
}

// Lets all pairs of the next length enter; false if there is none.
bool ThresholdWalk::enter_next_length() {
    for (;;) {
        if (position_ < waiting_.size()) {
            length_ = waiting_[position_].length;
            for (; position_ < waiting_.size() && waiting_[position_].length == length_; ++position_) {
                enter(waiting_[position_].row, waiting_[position_].column);
            }
            return true;
        }
        if (is_horizon_open_ && enter_horizon()) return true;
        if (horizon_ >= longest_) return false;
        refill();
    }
}

// Collects and sorts the pairs before the next horizon.
void ThresholdWalk::refill() {
    waiting_.clear();
    position_ = 0;
    const double low = horizon_;
    horizon_ = std::min(length_beyond(cost_, low, target_, longest_), longest_);
    is_horizon_open_ = true;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        for (Node j = 0; j < cost_.columns; ++j) {
            if (row[j] > low && row[j] < horizon_) waiting_.push_back({row[j], i, j});
        }
        pulse_.note(static_cast<std::size_t>(cost_.columns));
    }
    target_ = std::min(2 * target_, most_waiting_);
    std::sort(waiting_.begin(), waiting_.end(), [](const Arc& x, const Arc& y) { return x.length < y.length; });
}

// Pairs at the horizon itself may be as many as the matrix has entries: they never wait. False if there is none.
bool ThresholdWalk::enter_horizon() {
    is_horizon_open_ = false;
    length_ = horizon_;
    bool has_entered = false;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        for (Node j = 0; j < cost_.columns; ++j) {
            if (row[j] != horizon_) continue;
            enter(i, j);
            has_entered = true;
        }
        pulse_.note(static_cast<std::size_t>(cost_.columns));
    }
    return has_entered;
}

void ThresholdWalk::enter(Node row, Node column) {
    const std::size_t word = static_cast<std::size_t>(column) / bits;
    const Word bit = Word{1} << (static_cast<std::size_t>(column) % bits);
    pairs_[static_cast<std::size_t>(row) * words_per_row_ + word] |= bit;
    if (!reached_[row] || !(unreached_[word] & bit)) return;
    if (frontier_.empty() || frontier_.back() != row) frontier_.push_back(row);
}

// Forgets what was reached, and queues every row with unmoved mass.
void ThresholdWalk::start_search() {
    merge_inflows();
    std::fill(unreached_.begin(), unreached_.end(), ~Word{0});  // beyond the last column there are no pairs
    frontier_.clear();
    head_ = 0;
    for (Node i = 0; i < cost_.rows; ++i) {
        reached_[i] = left_at_row_[i] > 0;
        if (!reached_[i]) continue;
        row_by_[i] = -1;
        frontier_.push_back(i);
    }
    pulse_.note(static_cast<std::size_t>(cost_.rows));
}

// Follows the queued rows to a column with room left; -1 if there is none. Breadth first: short paths have fewer
// bottlenecks, and far fewer augmentations are made.
Node ThresholdWalk::expand() {
    for (; head_ < frontier_.size(); ++head_) {
        const Node column = reach_from(frontier_[head_]);
        if (column >= 0) return column;  // the row stays at the head: it may lead to more
    }
    frontier_.clear();
    head_ = 0;
    return -1;
}

// Reaches the columns of a row, up to the first one with room.
Node ThresholdWalk::reach_from(Node row) {
    pulse_.note(words_per_row_ / 4);
    const Word* pairs = pairs_.data() + static_cast<std::size_t>(row) * words_per_row_;
    std::size_t word = 0;
    while ((word = first_common(pairs, unreached_.data(), word, words_per_row_)) < words_per_row_) {
        const Word found = pairs[word] & unreached_[word];
        const auto column = static_cast<Node>(word * bits + static_cast<std::size_t>(std::countr_zero(found)));
        unreached_[word] &= ~(found & -found);
        column_by_[column] = row;
        if (room_in_column_[column] > 0) return column;
        reach_rows(column);
    }
    return -1;
}

// Queues the rows whose flow into a full column could be taken back.
void ThresholdWalk::reach_rows(Node column) {
    const auto& inflows = into_[column];
    for (std::size_t e = 0; e < inflows.size(); ++e) {
        const Node row = inflows[e].row;
        if (inflows[e].mass == 0 || reached_[row]) continue;
        reached_[row] = 1;
        row_by_[row] = column;
        inflow_by_[row] = e;
        frontier_.push_back(row);
    }
}

// Moves what can be moved along the path to a column. True if all that was reached can still be reached in the same
// way: then only the room of the column is used up.
bool ThresholdWalk::augment(Node column) {
    Mass amount = room_in_column_[column];
    Node row = column_by_[column];
    for (; row_by_[row] >= 0; row = column_by_[row_by_[row]]) {
        amount = std::min(amount, into_[row_by_[row]][inflow_by_[row]].mass);
    }
    amount = std::min(amount, left_at_row_[row]);
    left_at_row_[row] -= amount;
    bool is_tree_whole = left_at_row_[row] > 0;
    for (Node j = column; j >= 0;) {
        const Node i = column_by_[j], previous = row_by_[i];
        if (previous >= 0) {
            Mass& taken = into_[previous][inflow_by_[i]].mass;
            taken -= amount;
            is_tree_whole = is_tree_whole && taken > 0;
        }
        add_inflow(i, j, amount);
        j = previous;
    }
    room_in_column_[column] -= amount;
    moved_ += amount;
    if (total_ - moved_ <= negligible_) moved_ = total_;
    ++augmentations_;
    return is_tree_whole;
}

void ThresholdWalk::add_inflow(Node row, Node column, Mass amount) {
    auto& inflows = into_[column];
    if (!inflows.empty() && inflows.back().row == row) {
        inflows.back().mass += amount;
        return;
    }
    inflows.push_back({row, amount});
    grown_.push_back(column);
}

// One entry for each pair that carries mass. Moves entries, so that what was reached by them has to be forgotten.
void ThresholdWalk::merge_inflows() {
    for (const Node column : grown_) merge(into_[column], place_);
    grown_.clear();
}

std::vector<PlanEntry> ThresholdWalk::plan() const {
    std::vector<PlanEntry> entries;
    for (Node j = 0; j < cost_.columns; ++j) {
        for (const Inflow& inflow : into_[j]) {
            if (inflow.mass > 0) entries.push_back({inflow.row, j, share_of(inflow.mass, total_)});
        }
    }
    return entries;
}

}  // namespace rpw
