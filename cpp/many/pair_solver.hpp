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

    // Another lower bound on RPW: the potentials of the last pair that was solved, completed for this one. 0 if that
    // pair had another first measure.
    double potential_bound(std::size_t s, std::size_t t, Pulse& pulse);

private:
    void remember(std::size_t s, const Outcome& outcome);
    double bound_one_way(std::span<const Mass> masses, std::span<const double> nearest);

    const Batch& batch_;
    Room room_;
    std::vector<double> nearest_a_;
    std::vector<double> nearest_b_;
    std::vector<std::int32_t> order_;
    std::size_t solved_row_ = static_cast<std::size_t>(-1);
    double solved_multiplier_ = 0;  // in units of κ^p, like the potentials
    std::vector<double> solved_u_;
};

}  // namespace rpw
