// The nearest partner of every row and of every column.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/least.hpp"
#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

// How far it is to the nearest partner.
struct Nearest {
    std::vector<double> of_row;
    std::vector<double> of_column;
};

inline Nearest nearest_partners(const Matrix& cost, Pulse& pulse) {
    Nearest nearest{std::vector<double>(cost.rows, unreachable), std::vector<double>(cost.columns, unreachable)};
    for (Node i = 0; i < cost.rows; ++i) {
        nearest.of_row[i] = least_of_row(cost.row(i), cost.columns, nearest.of_column.data());
        pulse.note(cost.columns);
    }
    return nearest;
}

// Places of the numbers, the least first.
inline std::vector<Node> in_order(const std::vector<double>& numbers) {
    std::vector<Node> order(numbers.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Node x, Node y) { return numbers[x] < numbers[y]; });
    return order;
}

}  // namespace rpw
