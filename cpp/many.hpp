// Many pairs: whole lists of them, and the nearest measures of a collection.
#pragma once

#include <cstdio>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "collection.hpp"

namespace rpw {

using Report = std::function<void(std::size_t done)>;

struct PairFailure {
    std::size_t pair;
    std::string reason;
};

// The memory ran out inside a search. Keeps its text in place: there may be no memory for it.
class PairOutOfMemory : public std::bad_alloc {
public:
    PairOutOfMemory(std::size_t query, std::size_t item) {
        std::snprintf(text_, sizeof text_, "query %zu and measure %zu failed: %s", query, item, out_of_memory);
    }
    const char* what() const noexcept override { return text_; }

    static constexpr const char* out_of_memory = "the solver ran out of memory";

private:
    char text_[120];
};

// values[e] for the pair (first[e], second[e]); a pair that fails is NaN and reported.
struct PairValues {
    std::vector<double> values;
    std::vector<PairFailure> failures;
};
PairValues pair_values(const Collection& a, const Collection& b, const PairTask& task,
                       std::span<const std::int64_t> first, std::span<const std::int64_t> second, int threads,
                       const Report& report);

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
};

// For each query, its `top` nearest measures within `radius`, exactly. `to_pivots` (queries × pivots) and `from_pivots`
// (pivots × items) hold exact distances; where there are pivots, the triangle inequality bounds too.
SearchResult search(const Collection& queries, const Collection& items, const PairTask& task, std::size_t top,
                    double radius, std::span<const double> to_pivots, std::span<const double> from_pivots, int threads,
                    const Report& report);

}  // namespace rpw
