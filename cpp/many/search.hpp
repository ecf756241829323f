// The nearest measures of a collection, exactly. Several threads can work on one query: the order in which they solve
// its candidates changes what is left out, never the answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "many/pair_values.hpp"

namespace rpw {

struct Neighbour {
    double distance;
    std::int64_t index;

    bool operator<(const Neighbour& other) const {
        return distance < other.distance || (distance == other.distance && index < other.index);
    }
};

struct SearchCounts {
    std::int64_t bounded = 0;        // never solved: a lower bound was enough
    std::int64_t stopped_early = 0;  // given up on the way: the dual bound passed the cutoff
    std::int64_t solved = 0;
};

struct SearchResult {
    std::vector<std::vector<Neighbour>> neighbours;  // of each query, sorted
    SearchCounts counts;
    std::vector<PairFailure> failures;  // (query, item); these are among no neighbours and in no count
};

// What is looked for: the `top` nearest within `radius`. `to_pivots` (queries × pivots) and `from_pivots`
// (pivots × items) hold exact distances; where there are pivots, the triangle inequality bounds too.
struct Wanted {
    std::size_t top;
    double radius;
    std::span<const double> to_pivots;
    std::span<const double> from_pivots;
};

// The queries are the first collection of the batch, what is searched is the second.
SearchResult search(const Batch& batch, const Wanted& wanted, const Effort& effort);

}  // namespace rpw
