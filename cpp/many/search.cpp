// See search.hpp.
#include "many/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "many/parallel.hpp"

namespace rpw {

namespace {

// Bounds and distances come from different sums: only what is farther than this beyond the cutoff is left out.
constexpr double margin = 1e-12;

// The search for one query. Any number of threads may `work` on it at the same time.
class QuerySearch {
public:
    QuerySearch(const Batch& batch, const Wanted& wanted, std::size_t query)
        : batch_(batch), wanted_(wanted), query_(query), bounds_(batch.b.size(), 0.0), has_failed_(batch.b.size()) {
        use_pivots();
        if (batch.question.quantity != Quantity::crossing) next_bound_ = bounds_.size();
    }

    // Returns when no candidate is left to take; the last ones may still be with other threads. True for the thread
    // that finished the search.
    bool work(PairSolver& solver, Pulse& pulse) {
        help_with_bounds(solver, pulse);
        while (const auto candidate = take()) {
            examine(*candidate, solver, pulse);
            const std::lock_guard lock(mutex_);
            --examined_;
        }
        const std::lock_guard lock(mutex_);
        if (examined_ > 0 || is_finished_) return false;
        is_finished_ = true;
        return true;
    }

    void hand_over(SearchResult& result) {
        std::sort(found_.begin(), found_.end());
        result.neighbours[query_] = std::move(found_);
        result.counts.bounded += counts_.bounded;
        result.counts.stopped_early += counts_.stopped_early;
        result.counts.solved += counts_.solved;
        result.failures.insert(result.failures.end(), failures_.begin(), failures_.end());
    }

private:
    struct Candidate {
        std::size_t item;
        double cutoff;
    };

    void use_pivots() {
        const std::size_t items = bounds_.size(), pivots = wanted_.from_pivots.size() / items;
        for (std::size_t pivot = 0; pivot < pivots; ++pivot) {
            const double here = wanted_.to_pivots[query_ * pivots + pivot];
            for (std::size_t t = 0; t < items; ++t) {
                bounds_[t] = std::max(bounds_[t], std::abs(here - wanted_.from_pivots[pivot * items + t]));
            }
        }
    }

    // Each thread takes items until none is left; then all wait for the last bounds, and one sorts.
    void help_with_bounds(PairSolver& solver, Pulse& pulse) {
        std::size_t done = 0;
        for (std::size_t t; (t = next_bound_++) < bounds_.size(); ++done) {
            if (bounds_[t] <= wanted_.radius) bound(t, solver, pulse);
            pulse.note(4096);
        }
        while (!is_sorted_.load(std::memory_order_acquire)) {
            if (sort_if_complete(done)) return;
            done = 0;
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            pulse.look();
        }
    }

    void bound(std::size_t t, PairSolver& solver, Pulse& pulse) {
        in_spite_of_failure(t, [&] { bounds_[t] = std::max(bounds_[t], solver.neighbour_bound(query_, t, pulse)); });
    }

    // Adds to the number of bounds that are known.
    bool sort_if_complete(std::size_t more) {
        const std::lock_guard lock(mutex_);
        bounded_ += more;
        const bool has_bounds = batch_.question.quantity == Quantity::crossing;
        if (is_sorted_ || (has_bounds && bounded_ < bounds_.size())) return is_sorted_;
        for (std::size_t t = 0; t < bounds_.size(); ++t) {
            if (!has_failed_[t]) order_.push_back(t);
        }
        std::stable_sort(order_.begin(), order_.end(), [&](auto x, auto y) { return bounds_[x] < bounds_[y]; });
        is_sorted_.store(true, std::memory_order_release);
        return true;
    }

    std::optional<Candidate> take() {
        const std::lock_guard lock(mutex_);
        if (next_ == order_.size()) return std::nullopt;
        const double cutoff = limit() + margin;
        if (bounds_[order_[next_]] > cutoff) {  // so are all that follow, and the cutoff never rises
            counts_.bounded += static_cast<std::int64_t>(order_.size() - next_);
            next_ = order_.size();
            return std::nullopt;
        }
        ++examined_;
        return Candidate{order_[next_++], cutoff};
    }

    void examine(const Candidate& candidate, PairSolver& solver, Pulse& pulse) {
        in_spite_of_failure(candidate.item, [&] {
            if (solver.potential_bound(query_, candidate.item, pulse) > candidate.cutoff) {
                const std::lock_guard lock(mutex_);
                ++counts_.bounded;
                return;
            }
            const Outcome outcome = solver.solve(query_, candidate.item, candidate.cutoff, pulse);
            const std::lock_guard lock(mutex_);
            ++(outcome.status == Status::beyond_cutoff ? counts_.stopped_early : counts_.solved);
            if (outcome.status != Status::beyond_cutoff) {
                keep({outcome.value, static_cast<std::int64_t>(candidate.item)});
            }
        });
    }

    template <class Step>
    void in_spite_of_failure(std::size_t item, const Step& step) {
        try {
            step();
        } catch (const Cancelled&) {
            throw;
        } catch (const TimeUp&) {
            throw;
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            const auto query = static_cast<std::int64_t>(query_);
            failures_.push_back({query, static_cast<std::int64_t>(item), reason_of(error)});
            has_failed_[item] = true;
        }
    }

    double limit() const {
        return found_.size() < wanted_.top ? wanted_.radius : std::min(wanted_.radius, found_.front().distance);
    }

    // found_ is a heap with the farthest in front.
    void keep(const Neighbour& neighbour) {
        if (neighbour.distance > wanted_.radius) return;
        if (found_.size() == wanted_.top) {
            if (!(neighbour < found_.front())) return;
            std::pop_heap(found_.begin(), found_.end());
            found_.pop_back();
        }
        found_.push_back(neighbour);
        std::push_heap(found_.begin(), found_.end());
    }

    const Batch& batch_;
    const Wanted& wanted_;
    std::size_t query_;
    std::vector<double> bounds_;
    std::atomic<std::size_t> next_bound_{0};
    std::atomic<bool> is_sorted_{false};
    std::mutex mutex_;  // of all that follows
    std::size_t bounded_ = 0;
    std::vector<std::size_t> order_;
    std::size_t next_ = 0;
    std::size_t examined_ = 0;  // candidates that were taken and are not finished
    bool is_finished_ = false;
    std::vector<Neighbour> found_;
    SearchCounts counts_;
    std::vector<PairFailure> failures_;
    std::vector<char> has_failed_;
};

// The searches of all queries: each begins when a thread first asks for it, and is gone when it is finished.
class Searches {
public:
    Searches(const Batch& batch, const Wanted& wanted) : batch_(batch), wanted_(wanted), running_(batch.a.size()) {
        result_.neighbours.resize(batch.a.size());
        is_finished_.resize(batch.a.size());
    }

    void help(std::size_t query, PairSolver& solver, Pulse& pulse) {
        const std::shared_ptr<QuerySearch> search = begin_or_join(query);
        if (!search || !search->work(solver, pulse)) return;
        const std::lock_guard lock(mutex_);
        search->hand_over(result_);
        running_[query].reset();
        is_finished_[query] = true;
        ++finished_;
    }

    std::size_t finished() const { return finished_; }
    SearchResult result() && { return std::move(result_); }

private:
    std::shared_ptr<QuerySearch> begin_or_join(std::size_t query) {
        const std::lock_guard lock(mutex_);
        if (is_finished_[query]) return nullptr;
        if (!running_[query]) running_[query] = std::make_shared<QuerySearch>(batch_, wanted_, query);
        return running_[query];
    }

    const Batch& batch_;
    const Wanted& wanted_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<QuerySearch>> running_;
    std::vector<char> is_finished_;
    std::atomic<std::size_t> finished_{0};
    SearchResult result_;
};

}  // namespace

SearchResult search(const Batch& batch, const Wanted& wanted, const Effort& effort) {
    const auto threads = static_cast<std::size_t>(effort.threads);
    const std::size_t queries = batch.a.size();
    Searches searches(batch, wanted);
    std::vector<PairSolver> solvers;
    for (int worker = 0; worker < effort.threads; ++worker) solvers.emplace_back(batch);
    // Every query has a seat for each thread. Threads take the first seats of all queries before any second one, so
    // they work on different queries as long as there are enough, and help each other at the end.
    for_each_parallel(
        queries * threads, effort.threads, effort.seconds,
        [&](int worker, std::size_t seat, Pulse& pulse) { searches.help(seat % queries, solvers[worker], pulse); },
        [&](std::size_t) { effort.report(searches.finished()); });
    return std::move(searches).result();
}

}  // namespace rpw
