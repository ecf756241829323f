// See many.hpp.
#include "many.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "parallel.hpp"

namespace rpw {

namespace {

// Bounds and distances come from different sums: only what is farther than this beyond the cutoff is left out.
constexpr double margin = 1e-12;

std::vector<PairSolver> one_per_thread(const Collection& a, const Collection& b, const PairTask& task, int threads) {
    return std::vector<PairSolver>(threads, PairSolver(a, b, task));
}

// The search for one query.
class Search {
public:
    Search(PairSolver& solver, std::size_t items, bool has_bound, std::size_t top, double radius)
        : solver_(solver), bounds_(items, 0.0), has_bound_(has_bound), top_(top), radius_(radius) {}

    void use_pivots(std::span<const double> to_pivots, std::span<const double> from_pivots) {
        for (std::size_t pivot = 0; pivot < to_pivots.size(); ++pivot) {
            for (std::size_t t = 0; t < bounds_.size(); ++t) {
                const double bound = std::abs(to_pivots[pivot] - from_pivots[pivot * bounds_.size() + t]);
                bounds_[t] = std::max(bounds_[t], bound);
            }
        }
    }

    std::vector<Neighbour> run(std::size_t query, Pulse& pulse, SearchCounts& counts) {
        std::size_t item = 0;  // the one that is being looked at
        try {
            return nearest(query, item, pulse, counts);
        } catch (const std::bad_alloc&) {
            throw PairOutOfMemory(query, item);
        }
    }

private:
    std::vector<Neighbour> nearest(std::size_t query, std::size_t& item, Pulse& pulse, SearchCounts& counts) {
        if (has_bound_) {
            for (std::size_t t = 0; t < bounds_.size(); ++t) {
                item = t;
                if (bounds_[t] <= radius_) bounds_[t] = std::max(bounds_[t], solver_.neighbour_bound(query, t));
                pulse.expired(4096);
            }
        }
        std::vector<std::size_t> order(bounds_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return bounds_[x] < bounds_[y]; });
        for (std::size_t place = 0; place < order.size(); ++place) {
            const double cutoff = limit() + margin;
            item = order[place];
            if (bounds_[item] > cutoff) {
                counts.bounded += static_cast<std::int64_t>(order.size() - place);
                break;
            }
            if (solver_.potential_bound(query, item) > cutoff) {
                ++counts.bounded;
                continue;
            }
            const Value value = solver_.value(query, item, cutoff, pulse);
            if (value.status == Status::beyond_cutoff) {
                ++counts.stopped_early;
                continue;
            }
            ++counts.solved;
            keep({value.distance, static_cast<std::int64_t>(item)});
        }
        std::sort(found_.begin(), found_.end());
        return std::move(found_);
    }

    double limit() const { return found_.size() < top_ ? radius_ : std::min(radius_, found_.front().distance); }

    // found_ is a heap with the farthest in front.
    void keep(const Neighbour& neighbour) {
        if (neighbour.distance > radius_) return;
        if (found_.size() == top_) {
            if (!(neighbour < found_.front())) return;
            std::pop_heap(found_.begin(), found_.end());
            found_.pop_back();
        }
        found_.push_back(neighbour);
        std::push_heap(found_.begin(), found_.end());
    }

    PairSolver& solver_;
    std::vector<double> bounds_;
    bool has_bound_;
    std::size_t top_;
    double radius_;
    std::vector<Neighbour> found_;
};

}  // namespace

PairValues pair_values(const Collection& a, const Collection& b, const PairTask& task,
                       std::span<const std::int64_t> first, std::span<const std::int64_t> second, int threads,
                       const Report& report) {
    PairValues result;
    result.values.assign(first.size(), std::numeric_limits<double>::quiet_NaN());
    auto solvers = one_per_thread(a, b, task, threads);
    std::mutex mutex;
    for_each_parallel(
        first.size(), threads,
        [&](int worker, std::size_t e, Pulse& pulse) {
            try {
                result.values[e] = solvers[worker].value(first[e], second[e], 1.0, pulse).distance;
            } catch (const Cancelled&) {
                throw;
            } catch (const std::bad_alloc&) {
                const std::lock_guard lock(mutex);
                result.failures.push_back({e, std::string("MemoryError: ") + PairOutOfMemory::out_of_memory});
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                result.failures.push_back({e, error.what()});
            }
        },
        report);
    return result;
}

SearchResult search(const Collection& queries, const Collection& items, const PairTask& task, std::size_t top,
                    double radius, std::span<const double> to_pivots, std::span<const double> from_pivots, int threads,
                    const Report& report) {
    SearchResult result;
    result.neighbours.resize(queries.size());
    auto solvers = one_per_thread(queries, items, task, threads);
    std::vector<SearchCounts> counts(threads);
    const std::size_t pivots = from_pivots.size() / std::max<std::size_t>(1, items.size());
    for_each_parallel(
        queries.size(), threads,
        [&](int worker, std::size_t query, Pulse& pulse) {
            Search one(solvers[worker], items.size(), task.quantity == Quantity::crossing, top, radius);
            if (pivots > 0) one.use_pivots(to_pivots.subspan(query * pivots, pivots), from_pivots);
            result.neighbours[query] = one.run(query, pulse, counts[worker]);
        },
        report);
    for (const SearchCounts& count : counts) {
        result.counts.bounded += count.bounded;
        result.counts.stopped_early += count.stopped_early;
        result.counts.solved += count.solved;
    }
    return result;
}

}  // namespace rpw
