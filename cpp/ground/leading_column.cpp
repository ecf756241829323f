#include "ground/leading_column.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace rpw {

namespace {

constexpr Node fewest_points = 20;                 // on each side
constexpr Node pairs_of_cloud = 32;                // that may vote
constexpr double hardly_anything = 1.0 / 30;       // of the largest difference, for the norm of the others
constexpr double rounding = 0x1p-50;               // likewise: what is smaller counts as equal
constexpr double majority = 0.75;                  // of the votes
constexpr double same_slope = 1e-6;                // relative, of squares
constexpr Node fewest_votes = 8;                   // that can elect
constexpr double golden_section = 0.618033988749;  // its multiples, modulo 1, lie evenly and in no order

constexpr Node for_none = -1;
constexpr Node abstains = -2;

struct Vote {
    Node column;
    double others = 0;  // their squares, in units of that of the largest difference
};

Vote vote_of(const double* one, const double* other, Node dimension) {
    Node leader = 0;
    double largest = 0;
    for (Node t = 0; t < dimension; ++t) {
        const double difference = std::abs(one[t] - other[t]);
        if (difference > largest) {
            largest = difference;
            leader = t;
        }
    }
    if (largest == 0) return {abstains};
    if (!std::isfinite(largest)) return {for_none};
    double squares = 0;
    for (Node t = 0; t < dimension; ++t) {
        const double share = (one[t] - other[t]) / largest;
        if (t != leader) squares += share * share;
        if (squares > hardly_anything * hardly_anything) return {for_none};
    }
    return {squares <= rounding * rounding ? abstains : leader, squares};
}

// Two different points of a cloud.
struct Two {
    Node one, other;
};

Two pair_at(Node s, Node count) {
    const double turn = (s + 1) * golden_section;
    const auto step = static_cast<Node>((turn - std::floor(turn)) * (count - 1));
    const auto one = static_cast<Node>(static_cast<std::int64_t>(s) * count / pairs_of_cloud);
    return {one, static_cast<Node>((static_cast<std::int64_t>(one) + 1 + step) % count)};
}

}  // namespace

std::optional<Node> leading_column(const Points& x, const Points& y) {
    if (x.dimension < 2 || std::min(x.count, y.count) < fewest_points) return std::nullopt;
    std::vector<Node> votes(x.dimension, 0);
    Node cast = 0, against = 0;
    double least = unreachable, most = 0;  // what the others make up, in pairs that vote for a column
    for (Node s = 0; s < pairs_of_cloud; ++s) {
        for (const Points* cloud : {&x, &y}) {
            const Two pair = pair_at(s, cloud->count);
            const Vote vote = vote_of(cloud->at(pair.one), cloud->at(pair.other), cloud->dimension);
            if (vote.column == abstains) continue;
            ++cast;
            if (vote.column == for_none) {
                ++against;
                continue;
            }
            ++votes[vote.column];
            least = std::min(least, vote.others);
            most = std::max(most, vote.others);
        }
        if (against > (1 - majority) * 2 * pairs_of_cloud) return std::nullopt;  // as nearly always: after a few pairs
    }
    const auto first = std::max_element(votes.begin(), votes.end());
    if (cast < fewest_votes || *first < majority * cast) return std::nullopt;
    if (most <= (1 + same_slope) * least) return std::nullopt;  // a straight line, on which all columns say the same
    return static_cast<Node>(first - votes.begin());
}

}  // namespace rpw
