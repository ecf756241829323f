// Samples of a matrix, and quantiles of them: how the walks and searches judge how far the next horizon may lie.
// Positions repeat from run to run, because results must.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rpw {

// About `wanted` of the positions below `size`, in order. The steps vary, because equal ones would see only a few
// columns of a regular matrix.
class VariedPositions {
public:
    VariedPositions(std::size_t size, std::size_t wanted) : longest_(std::max<std::size_t>(1, 2 * size / wanted)) {
        step();
    }
    std::size_t operator*() const { return position_; }
    void step() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        position_ += 1 + (state_ >> 33U) % longest_;
    }

private:
    std::size_t longest_;
    std::uint64_t state_ = 1;
    std::size_t position_ = static_cast<std::size_t>(-1);  // the first step leads to 0 or beyond
};

// The entry of this rank (0: the least), in linear time.
template <class T>
T entry_of_rank(std::vector<T>& sample, std::size_t rank) {
    const auto place = sample.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
}

}  // namespace rpw
