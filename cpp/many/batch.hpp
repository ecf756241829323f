// The pairs of two collections, and what is asked about them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/matrix.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw {

// Two collections in one space, and what is asked about each pair of them.
struct Batch {
    const Space& space;
    const Measures& a;
    const Measures& b;
    Question question;

    Pair pair(std::size_t s, std::size_t t) const { return {space, a[s], b[t]}; }
};

// A list of pairs (first[e], second[e]), by the numbers of their measures.
struct Pairs {
    std::span<const std::int64_t> first;
    std::span<const std::int64_t> second;

    std::size_t size() const { return first.size(); }
    Pair of(const Batch& batch, std::size_t e) const { return batch.pair(first[e], second[e]); }
};

using Report = std::function<void(std::size_t done)>;

// How the work on many pairs is done: on so many threads, for so long, and who is told.
struct Effort {
    int threads = 1;
    double seconds = unreachable;
    Report report;
    std::span<const double> kept_back = {};  // seconds that each pair leaves to those after it; none where empty
};

}  // namespace rpw
