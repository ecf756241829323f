// Many measures at once, and one number for a pair of them.
//
// The atoms of all measures lie one after the other: points of their own, or positions in one shared matrix of
// distances.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "distances.hpp"
#include "problem.hpp"
#include "solve.hpp"

namespace rpw {

struct Collection {
    std::span<const std::int64_t> start;  // of each measure, and the end
    std::span<const Mass> mass;
    const double* points = nullptr;
    Node dimension = 0;
    std::span<const std::int32_t> place{};  // in the shared matrix, where there are no points
    std::span<const std::int64_t> label{};  // of equal points, for total variation

    std::size_t size() const { return start.size() - 1; }
    std::span<const Mass> masses(std::size_t s) const { return mass.subspan(start[s], start[s + 1] - start[s]); }
    std::span<const std::int32_t> places(std::size_t s) const {
        return place.subspan(start[s], start[s + 1] - start[s]);
    }
    std::span<const std::int64_t> labels(std::size_t s) const {
        return label.subspan(start[s], start[s + 1] - start[s]);
    }
    Points points_of(std::size_t s) const {
        return {points + start[s] * dimension, static_cast<Node>(start[s + 1] - start[s]), dimension};
    }
};

enum class Quantity { crossing, mass, shared };

// What to compute for a pair: RPW (crossing), W_{p, 1 - unmoved} (mass), or total variation (shared).
struct PairTask {
    Quantity quantity = Quantity::crossing;
    double p = 2;
    double kappa = 1;
    double unmoved = 0;
    double truncation = unreachable;
    Metric metric = Metric::euclidean;
    CostMatrix shared{nullptr, 0, 0};  // used where the collections have places instead of points
};

// Computes pairs one after the other, keeping its memory between them. One per thread.
class PairSolver {
public:
    PairSolver(const Collection& a, const Collection& b, const PairTask& task) : a_(a), b_(b), task_(task) {}

    // Exactly what rpw.distance and its neighbours return. With a cutoff, RPW beyond it may be given up.
    Value value(std::size_t s, std::size_t t, double cutoff, Pulse& pulse);

    // A lower bound on RPW: every atom moves to its nearest neighbour, whatever room there is, cheapest mass first;
    // both ways, the better of the two. Only for quantity == crossing.
    double neighbour_bound(std::size_t s, std::size_t t);

    // Another lower bound on RPW: the potentials of the last pair that was solved, completed for this one. 0 if that
    // pair had another first measure.
    double potential_bound(std::size_t s, std::size_t t);

private:
    Problem distances(std::size_t s, std::size_t t);
    void remember(std::size_t s, const Value& value, double unit_p);
    double bound_one_way(std::span<const Mass> masses, std::span<const double> nearest);

    const Collection& a_;
    const Collection& b_;
    PairTask task_;
    std::vector<double> matrix_;
    std::vector<double> nearest_a_;
    std::vector<double> nearest_b_;
    std::vector<std::int32_t> order_;
    std::size_t solved_row_ = static_cast<std::size_t>(-1);
    double solved_multiplier_ = 0;  // in units of κ^p, like the potentials
    std::vector<double> solved_u_;
};

}  // namespace rpw
