// Lines below the profiles of many pairs, from the potentials of a few that were solved (docs/theory.md, "Search").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "many/batch.hpp"

namespace rpw {

// What solved pairs say about all others with the same first measure: their multipliers and row potentials, in units of
// κ^p. The lines of measure s are those from start[s] up to start[s + 1]; each has one potential for each of its atoms.
struct DualLines {
    std::span<const std::int64_t> start;
    std::span<const double> multiplier;
    std::span<const double> u;
};

// The lines of one first measure. Any λ ≥ 0 and u ≥ 0 are a line below the profile of its pair with b, if
// v_j = max(0, max_i λ - C_ij - u_i): where that crosses is a lower bound on RPW.
class LinesOfOne {
public:
    // `offset` is where its potentials begin.
    LinesOfOne(const Batch& batch, const DualLines& lines, std::size_t s, std::int64_t offset);

    std::size_t count() const { return multiplier_.size(); }

    // v at all places of the space, one line after the other.
    std::vector<double> transform_over_places(Pulse& pulse) const;

    // The best of the lines, given their v at all places.
    double bound_by_places(const Measure& b, const double* v) const;

    // One line, mixed of the few that suit b best and lowered at every row that b leaves room for: sharper than any of
    // them, at the price of the matrix of the pair, or of one question to a tree for each of its points.
    double bound_by_mixture(const Measure& b, Room& room, Pulse& pulse) const;

private:
    std::span<const double> potentials(std::size_t line) const {
        return u_.subspan(line * a_.mass.size(), a_.mass.size());
    }
    // Some atoms of b, which stand for all of them: their masses, and the costs from every row.
    struct Sample {
        std::vector<double> masses;
        std::vector<double> costs;
    };
    // What λ and u are in the mean of a few lines.
    struct Mixture {
        double lambda = 0;
        std::vector<double> u;
    };
    Sample sample_of(const Measure& b, const Powers& powers) const;
    Sample sample_of(const Measure& b) const;
    Mixture mixture_for(const Measure& b, const Sample& sample) const;
    std::vector<std::size_t> best_for(const Measure& b, const Sample& sample) const;
    double bound_on_points(const Measure& b, Pulse& pulse) const;
    // Of the pair with b: the mass that counts as 1, and what rounding may take from a sum over all atoms, in units of
    // λ. No term is larger than λ where a line is of use, so neither is its rounding, times their number.
    struct Sums {
        double total;
        double rounding;
    };
    Sums sums_with(const Measure& b) const;
    double crossing_of(double lambda, double used, const Sums& sums) const;

    const Batch& batch_;
    Measure a_;
    std::span<const double> multiplier_;
    std::span<const double> u_;
    std::vector<double> used_;  // Σ a u of each line
};

}  // namespace rpw
