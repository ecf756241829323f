// Numbers in ascending order, and where each of them was.
#pragma once

#include <vector>

#include "base/masses.hpp"

namespace rpw {

struct SortedNumbers {
    std::vector<double> at;
    std::vector<Node> order;  // at[i] was at place order[i]; equal numbers stay in the order in which they came
};

SortedNumbers sorted_numbers(std::vector<double> numbers);

}  // namespace rpw
