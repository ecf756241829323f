// Long lists of pairs, on threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "many/pair_solver.hpp"

namespace rpw {

using Report = std::function<void(std::size_t done)>;

// How the work on many pairs is done: on so many threads, for so long, and who is told.
struct Effort {
    int threads = 1;
    double seconds = unreachable;
    Report report;
};

// A pair of measures, by their numbers, that could not be computed.
struct PairFailure {
    std::int64_t first;
    std::int64_t second;
    std::string reason;
};

inline constexpr const char* out_of_memory = "the solver ran out of memory";

// Why a pair failed, in words.
std::string reason_of(const std::exception& error);

// values[e] for the pair (first[e], second[e]); a pair that fails is NaN and reported.
struct PairValues {
    std::vector<double> values;
    std::vector<PairFailure> failures;
};
PairValues pair_values(const Batch& batch, std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                       const Effort& effort);

// RPW of each pair up to a cutoff of its own: infinite where it was given up, proven to lie beyond. What the solves
// leave behind bounds other pairs (bounds.hpp): the multiplier and the row potentials, in units of κ^p; 0 and none
// where there are none.
struct PairsWithin {
    PairValues found;
    std::vector<double> multiplier;
    std::vector<std::vector<double>> u;
};
PairsWithin pair_values_within(const Batch& batch, std::span<const std::int64_t> first,
                               std::span<const std::int64_t> second, std::span<const double> cutoffs,
                               const Effort& effort);

// RPW at several prices: values[e * kappas.size() + s] for the price kappas[s].
PairValues pair_values_at(const Batch& batch, std::span<const double> kappas, std::span<const std::int64_t> first,
                          std::span<const std::int64_t> second, const Effort& effort);

// All that the question needs of each pair; past the time, what is proven by then. A pair that fails is reported, and
// its outcome says nothing. Where there are prices, each pair has one of its own.
struct PairOutcomes {
    std::vector<Outcome> outcomes;
    std::vector<PairFailure> failures;
};
PairOutcomes pair_outcomes(const Batch& batch, std::span<const std::int64_t> first,
                           std::span<const std::int64_t> second, const Effort& effort,
                           std::span<const double> kappas = {});

}  // namespace rpw
