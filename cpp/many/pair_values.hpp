// Long lists of pairs, on threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/outcome.hpp"
#include "many/batch.hpp"
#include "many/cuts.hpp"

namespace rpw {

// A pair of measures, by their numbers, that could not be computed.
struct PairFailure {
    std::int64_t first;
    std::int64_t second;
    std::string reason;
};

inline constexpr const char* out_of_memory = "the solver ran out of memory";

// One value for each pair. The caller fills `values` with NaN and may read them meanwhile: a value that is there is
// final. A pair that fails stays NaN and is reported.
std::vector<PairFailure> pair_values(const Batch& batch, const Pairs& pairs, std::span<double> values,
                                     const Effort& effort);

// The same for RPW at several prices: values[e * kappas.size() + s] is that at the price kappas[s].
std::vector<PairFailure> pair_values_at(const Batch& batch, const Pairs& pairs, std::span<double> values,
                                        std::span<const double> kappas, const Effort& effort);

// RPW of each pair up to a cutoff of its own: infinite where it was given up, proven to lie beyond. The cuts that the
// solves leave, which bound other pairs (bounds.hpp), are added in the order of the pairs. A pair that fails is NaN and
// reported.
struct PairValues {
    std::vector<double> values;
    std::vector<PairFailure> failures;
};
PairValues pair_values_within(const Batch& batch, const Pairs& pairs, std::span<const double> cutoffs, Cuts& cuts,
                              const Effort& effort);

// All that the question needs of each pair; past the time, what is proven by then. A pair that fails is reported, and
// its outcome says nothing. Where there are prices, each pair has one of its own.
struct PairOutcomes {
    std::vector<Outcome> outcomes;
    std::vector<PairFailure> failures;
};
PairOutcomes pair_outcomes(const Batch& batch, const Pairs& pairs, std::span<const double> kappas,
                           const Effort& effort);

// The whole profile of each pair, without what it says about single atoms; none for a pair that fails, which is
// reported, and past the time for those that are not finished.
struct PairProfiles {
    std::vector<std::optional<Band>> bands;
    std::vector<PairFailure> failures;
};
PairProfiles pair_profiles(const Batch& batch, const Pairs& pairs, const Effort& effort);

}  // namespace rpw
