// The pairs of two collections, one after the other, and cheap lower bounds on their distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
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

// Keeps its memory from pair to pair. One per thread.
class PairSolver {
public:
    explicit PairSolver(const Batch& batch) : batch_(batch) {}
    PairSolver(PairSolver&&) = default;

    // Exactly what rpw.distance and its neighbours return. RPW beyond the cutoff may be given up. Throws TimeUp.
    Outcome solve(std::size_t s, std::size_t t, double cutoff, Pulse& pulse);

    // A lower bound on RPW: every atom moves to its nearest neighbour, whatever room there is, cheapest mass first;
    // both ways, the better of the two. Only for quantity == crossing.
    double neighbour_bound(std::size_t s, std::size_t t, Pulse& pulse);

private:
    double bound_one_way(std::span<const Mass> masses, std::span<const double> nearest);

    const Batch& batch_;
    Room room_;
    std::vector<double> nearest_a_;
    std::vector<double> nearest_b_;
    std::vector<std::int32_t> order_;
};

}  // namespace rpw
