// See horizon.hpp.
#include "flow/horizon.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/sample.hpp"

namespace rpw {

namespace {
constexpr Node sampled_rows = 24;
}  // namespace

double length_beyond(const Distances& distances, double horizon, double wanted, double longest) {
    const Node count = std::min(distances.rows, sampled_rows);
    std::vector<double> sample;
    for (Node s = 0; s < count; ++s) {
        const double* row = distances.row(static_cast<Node>(static_cast<std::int64_t>(s) * distances.rows / count));
        std::copy_if(row, row + distances.columns, std::back_inserter(sample), [=](double c) { return c > horizon; });
    }
    const auto rank = static_cast<std::size_t>(wanted / distances.rows * count);
    return rank < sample.size() ? entry_of_rank(sample, rank) : longest;
}

}  // namespace rpw
