// See pair_values.hpp.
#include "many/pair_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

#include "base/crossing.hpp"
#include "many/parallel.hpp"
#include "solve/solve.hpp"

namespace rpw {

namespace {

std::string reason_of(const std::exception& error) {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    return is_memory ? std::string("MemoryError: ") + out_of_memory : error.what();
}

// body(e, room, pulse) for each pair on the threads, each of which has a room; what it throws is the reason why that
// pair failed.
template <class Body>
std::vector<PairFailure> for_each_pair(const Pairs& pairs, const Effort& effort, const Body& body) {
    std::vector<PairFailure> failures;
    std::mutex mutex;
    std::vector<Room> rooms(effort.threads);
    for_each_parallel(
        pairs.size(), effort.threads, effort.seconds,
        [&](int worker, std::size_t e, Pulse& pulse) {
            if (!effort.kept_back.empty()) pulse.keep_back(effort.kept_back[e]);
            try {
                body(e, rooms[worker], pulse);
            } catch (const Cancelled&) {
                throw;
            } catch (const TimeUp&) {
                throw;
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                failures.push_back({pairs.first[e], pairs.second[e], reason_of(error)});
            }
        },
        effort.report);
    return failures;
}

// Exactly what rpw.distance and its neighbours return. RPW beyond the cutoff may be given up.
Outcome solve_in_time(const Pair& pair, const Question& question, double cutoff, Room& room, Pulse& pulse) {
    Outcome outcome = solve(pair, question.with_cutoff(cutoff), room, pulse);
    if (outcome.status == Status::time_limit) throw TimeUp();
    return outcome;
}

// What the solve has left for other pairs; λ = 0 where its solver knows no cut, or one of no use.
Cut cut_of(Outcome outcome, const Question& question) {
    const Solver solver = outcome.solver;
    const bool is_on_profile = solver == Solver::walk || solver == Solver::simplex || solver == Solver::points;
    if (!is_on_profile || question.quantity != Quantity::crossing || !(outcome.multiplier > 0)) return {};
    const double unit_p = power(question.kappa / outcome.scale, question.p);
    const double lambda = outcome.multiplier / unit_p;
    if (!std::isfinite(lambda) || !(unit_p > 0)) return {};
    for (double& u : outcome.u) u /= unit_p;
    return {lambda, std::move(outcome.u)};
}

}  // namespace

std::vector<PairFailure> pair_values(const Batch& batch, const Pairs& pairs, std::span<double> values,
                                     const Effort& effort) {
    return for_each_pair(pairs, effort, [&](std::size_t e, Room& room, Pulse& pulse) {
        values[e] = solve_in_time(pairs.of(batch, e), batch.question, 1.0, room, pulse).value;
    });
}

std::vector<PairFailure> pair_values_at(const Batch& batch, const Pairs& pairs, std::span<double> values,
                                        std::span<const double> kappas, const Effort& effort) {
    return for_each_pair(pairs, effort, [&](std::size_t e, Room& room, Pulse& pulse) {
        const auto found = solve_several(pairs.of(batch, e), batch.question, kappas, room, pulse);
        std::ranges::copy(found, values.subspan(e * kappas.size()).begin());
    });
}

PairValues pair_values_within(const Batch& batch, const Pairs& pairs, std::span<const double> cutoffs, Cuts& cuts,
                              const Effort& effort) {
    PairValues result{std::vector<double>(pairs.size(), std::numeric_limits<double>::quiet_NaN()), {}};
    std::vector<Cut> left(pairs.size());
    result.failures = for_each_pair(pairs, effort, [&](std::size_t e, Room& room, Pulse& pulse) {
        Outcome outcome = solve_in_time(pairs.of(batch, e), batch.question, cutoffs[e], room, pulse);
        result.values[e] = outcome.status == Status::beyond_cutoff ? unreachable : outcome.value;
        left[e] = cut_of(std::move(outcome), batch.question);
    });
    for (std::size_t e = 0; e < pairs.size(); ++e) {
        if (left[e].lambda > 0) cuts.add(pairs.first[e], std::move(left[e]));
    }
    return result;
}

PairOutcomes pair_outcomes(const Batch& batch, const Pairs& pairs, std::span<const double> kappas,
                           const Effort& effort) {
    PairOutcomes result{std::vector<Outcome>(pairs.size()), {}};
    result.failures = for_each_pair(pairs, effort, [&](std::size_t e, Room& room, Pulse& pulse) {
        Question question = batch.question;
        if (!kappas.empty()) question.kappa = kappas[e];
        result.outcomes[e] = solve(pairs.of(batch, e), question, room, pulse);
    });
    return result;
}

PairProfiles pair_profiles(const Batch& batch, const Pairs& pairs, const Effort& effort) {
    PairProfiles result{std::vector<std::optional<Band>>(pairs.size()), {}};
    result.failures = for_each_pair(pairs, effort, [&](std::size_t e, Room& room, Pulse& pulse) {
        ends_in_time([&] {
            Band band = whole_profile(pairs.of(batch, e), batch.question, room, pulse);
            band.upper.used_up_a = {}, band.upper.used_up_b = {};
            result.bands[e] = std::move(band);
        });
    });
    return result;
}

}  // namespace rpw
