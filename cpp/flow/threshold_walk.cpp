// See threshold_walk.hpp.
#include "flow/threshold_walk.hpp"

#include <algorithm>
#include <bit>

#include "base/simd.hpp"

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

}  // namespace

ThresholdWalk::ThresholdWalk(const LengthProblem& problem, Pulse& pulse)
    : pulse_(pulse),
      flow_(problem.masses),
      queue_(problem.distances, pulse),
      words_per_row_(padded_words(problem.distances.columns)),
      pairs_(words_per_row_ * problem.masses.a.size()),
      unreached_(words_per_row_),
      reached_(problem.masses.a.size()),
      column_by_(problem.masses.b.size()),
      row_by_(problem.masses.a.size()),
      inflow_by_(problem.masses.a.size()) {
    start_search();
    frontier_.clear();  // there are no pairs yet that could lead anywhere
}

bool ThresholdWalk::next() {
    const Mass before = flow_.moved();
    while (!flow_.is_whole() && flow_.moved() == before) {
        pulse_.note(64);
        if (!queue_.next([&](Node row, Node column) { enter(row, column); })) return false;
        for (Node open = expand(); open >= 0; open = flow_.is_whole() ? -1 : expand()) {
            threshold_ = queue_.length();
            const bool is_tree_whole = augment(open);
            if (is_tree_whole) {
                reach_rows(open);
            } else {
                start_search();
            }
        }
    }
    return flow_.moved() > before;
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
    flow_.merge();  // moves entries, so that what was reached by them has to be forgotten
    std::fill(unreached_.begin(), unreached_.end(), ~Word{0});  // beyond the last column there are no pairs
    frontier_.clear();
    head_ = 0;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
        reached_[i] = flow_.left_at_row[i] > 0;
        if (!reached_[i]) continue;
        row_by_[i] = -1;
        frontier_.push_back(static_cast<Node>(i));
    }
    pulse_.note(reached_.size());
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
        if (flow_.room_in_column[column] > 0) return column;
        reach_rows(column);
    }
    return -1;
}

// Queues the rows whose flow into a full column could be taken back.
void ThresholdWalk::reach_rows(Node column) {
    const auto& inflows = flow_.into[column];
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
    Mass amount = flow_.room_in_column[column];
    Node row = column_by_[column];
    for (; row_by_[row] >= 0; row = column_by_[row_by_[row]]) {
        amount = std::min(amount, flow_.into[row_by_[row]][inflow_by_[row]].mass);
    }
    amount = std::min(amount, flow_.left_at_row[row]);
    flow_.finish_path(row, column, amount);
    bool is_tree_whole = flow_.left_at_row[row] > 0;
    for (Node j = column; j >= 0;) {
        const Node i = column_by_[j], previous = row_by_[i];
        if (previous >= 0 && flow_.take_back(previous, inflow_by_[i], amount) == 0) is_tree_whole = false;
        flow_.add(i, j, amount);
        j = previous;
    }
    return is_tree_whole;
}

}  // namespace rpw
