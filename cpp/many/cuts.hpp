// Cuts: lines below the profiles of many pairs, from the potentials of a few that were solved (docs/proofs/search.md,
// "Search").
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "many/batch.hpp"

namespace rpw {

// What a solved pair says about all others with the same first measure: its multiplier and its row potentials, in units
// of κ^p. Any λ ≥ 0 and u ≥ 0 are a cut of the pair with b, F(1 - ε) ≥ height - λ ε: with
// v_j = max(0, max_i λ - C_ij - u_i), its height is λ - Σ a u - Σ b v. Where that crosses is a lower bound on RPW.
struct Cut {
    double lambda = 0;
    std::vector<double> u;
};

// The cuts of many first measures, in the order in which they came.
class Cuts {
public:
    explicit Cuts(std::size_t count) : cuts_(count) {}

    void add(std::size_t s, Cut cut) { cuts_[s].push_back(std::move(cut)); }
    void forget(std::size_t s) { cuts_[s] = {}; }
    std::size_t count(std::size_t s) const { return cuts_[s].size(); }
    std::span<const Cut> of(std::size_t s) const { return cuts_[s]; }

private:
    std::vector<std::vector<Cut>> cuts_;
};

// Some cuts of one first measure, and what they say about its pair with any b.
class CutsOfOne {
public:
    CutsOfOne(const Batch& batch, std::size_t s, std::span<const Cut> cuts);

    std::size_t count() const { return cuts_.size(); }

    // v at all places of the space, one cut after the other.
    std::vector<double> transform_over_places(Pulse& pulse) const;

    // The best of the cuts, given their v at all places.
    double bound_by_places(const Measure& b, const double* v) const;

    // One cut, mixed of the few that suit b best and lowered at every row that b leaves room for: sharper than any of
    // them, at the price of the matrix of the pair, or of one question to a tree for each of its points.
    double bound_by_mixture(const Measure& b, Room& room, Pulse& pulse) const;

private:
    // Some atoms of b, which stand for all of them: their masses, and the costs from every row.
    struct Sample {
        std::vector<double> masses;
        std::vector<double> costs;
    };
    Sample sample_of(const Measure& b) const;
    // The mean of a few cuts.
    Cut mixture_for(const Measure& b, const Sample& sample) const;
    std::vector<std::size_t> best_for(const Measure& b, const Sample& sample) const;
    double bound_on_points(const Measure& b, Pulse& pulse) const;
    // Of the pair with b: the mass that counts as 1, and what rounding may take from a sum over all atoms, in units of
    // λ. No term is larger than λ where a cut is of use, so neither is its rounding, times their number.
    struct Sums {
        double total;
        double rounding;
    };
    Sums sums_with(const Measure& b) const;
    double crossing_of(double lambda, double used, const Sums& sums) const;

    const Batch& batch_;
    Measure a_;
    std::span<const Cut> cuts_;
    std::vector<double> used_;  // Σ a u of each cut
};

}  // namespace rpw
