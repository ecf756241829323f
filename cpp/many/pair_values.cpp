// See pair_values.hpp.
#include "many/pair_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

#include "base/crossing.hpp"
#include "many/parallel.hpp"
#include "solve/several.hpp"
#include "solve/solve.hpp"
#include "solve/sound.hpp"

namespace rpw {

std::string reason_of(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return std::string("MemoryError: ") + out_of_memory;
    return error.what();
}

namespace {

// body(worker, e, pulse) for each pair on the threads; what it throws is the reason why that pair failed.
template <class Body>
std::vector<PairFailure> for_each_pair(std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                                       const Effort& effort, const Body& body) {
    std::vector<PairFailure> failures;
    std::mutex mutex;
    for_each_parallel(
        first.size(), effort.threads, effort.seconds,
        [&](int worker, std::size_t e, Pulse& pulse) {
            try {
                body(worker, e, pulse);
            } catch (const Cancelled&) {
                throw;
            } catch (const TimeUp&) {
                throw;
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                failures.push_back({first[e], second[e], reason_of(error)});
            }
        },
        effort.report);
    return failures;
}

// Whether the solve has left a line below the profiles of other pairs: another solver knows none, or one of no use.
bool has_line(const Outcome& outcome, const Question& question) {
    const bool is_on_profile = outcome.solver == Solver::walk || outcome.solver == Solver::simplex;
    return is_on_profile && question.quantity == Quantity::crossing && outcome.multiplier > 0;
}

}  // namespace

PairValues pair_values(const Batch& batch, std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                       const Effort& effort) {
    PairValues result;
    result.values.assign(first.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<PairSolver> solvers;
    for (int worker = 0; worker < effort.threads; ++worker) solvers.emplace_back(batch);
    result.failures = for_each_pair(first, second, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        result.values[e] = solvers[worker].solve(first[e], second[e], 1.0, pulse).value;
    });
    return result;
}

PairsWithin pair_values_within(const Batch& batch, std::span<const std::int64_t> first,
                               std::span<const std::int64_t> second, std::span<const double> cutoffs,
                               const Effort& effort) {
    PairsWithin result;
    result.found.values.assign(first.size(), std::numeric_limits<double>::quiet_NaN());
    result.multiplier.assign(first.size(), 0.0);
    result.u.resize(first.size());
    std::vector<PairSolver> solvers;
    for (int worker = 0; worker < effort.threads; ++worker) solvers.emplace_back(batch);
    result.found.failures = for_each_pair(first, second, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        Outcome outcome = solvers[worker].solve(first[e], second[e], cutoffs[e], pulse);
        result.found.values[e] = outcome.status == Status::beyond_cutoff ? unreachable : outcome.value;
        const double unit_p = power(batch.question.kappa / outcome.scale, batch.question.p);
        const double multiplier = outcome.multiplier / unit_p;
        if (!has_line(outcome, batch.question) || !std::isfinite(multiplier) || !(unit_p > 0)) return;
        for (double& u : outcome.u) u /= unit_p;
        result.multiplier[e] = multiplier;
        result.u[e] = std::move(outcome.u);
    });
    return result;
}

PairValues pair_values_at(const Batch& batch, std::span<const double> kappas, std::span<const std::int64_t> first,
                          std::span<const std::int64_t> second, const Effort& effort) {
    PairValues result;
    result.values.assign(first.size() * kappas.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<Room> rooms(effort.threads);
    result.failures = for_each_pair(first, second, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        const Pair pair = batch.pair(first[e], second[e]);
        const auto values = solve_several(pair, batch.question, kappas, rooms[worker], pulse);
        if (!are_sound(values)) throw NoAnswer();
        std::copy(values.begin(), values.end(), result.values.begin() + static_cast<std::ptrdiff_t>(e * kappas.size()));
    });
    return result;
}

PairOutcomes pair_outcomes(const Batch& batch, std::span<const std::int64_t> first,
                           std::span<const std::int64_t> second, const Effort& effort, std::span<const double> kappas) {
    PairOutcomes result;
    result.outcomes.resize(first.size());
    std::vector<Room> rooms(effort.threads);
    result.failures = for_each_pair(first, second, effort, [&](int worker, std::size_t e, Pulse& pulse) {
        Question question = batch.question;
        if (!kappas.empty()) question.kappa = kappas[e];
        result.outcomes[e] = solve(batch.pair(first[e], second[e]), question, rooms[worker], pulse);
    });
    return result;
}

}  // namespace rpw
