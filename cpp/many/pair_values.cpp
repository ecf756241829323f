// See pair_values.hpp.
#include "many/pair_values.hpp"

#include <limits>
#include <mutex>
#include <new>

#include "many/parallel.hpp"

namespace rpw {

std::string reason_of(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return std::string("MemoryError: ") + out_of_memory;
    return error.what();
}

PairValues pair_values(const Batch& batch, std::span<const std::int64_t> first, std::span<const std::int64_t> second,
                       const Effort& effort) {
    PairValues result;
    result.values.assign(first.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<PairSolver> solvers;
    for (int worker = 0; worker < effort.threads; ++worker) solvers.emplace_back(batch);
    std::mutex mutex;
    for_each_parallel(
        first.size(), effort.threads, effort.seconds,
        [&](int worker, std::size_t e, Pulse& pulse) {
            try {
                result.values[e] = solvers[worker].solve(first[e], second[e], 1.0, pulse).value;
            } catch (const Cancelled&) {
                throw;
            } catch (const TimeUp&) {
                throw;
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                result.failures.push_back({first[e], second[e], reason_of(error)});
            }
        },
        effort.report);
    return result;
}

}  // namespace rpw
