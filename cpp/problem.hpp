// The plain data that enters the core: a dense cost matrix, integer masses, and a way to be stopped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

namespace rpw {

using Mass = std::int64_t;  // masses are integers, so flow conservation is an equality
using Node = std::int32_t;  // rows are 0 … n-1, columns are n … n+m-1

inline constexpr double unreachable = std::numeric_limits<double>::infinity();

// Row-major n × m costs, already in the units the algorithm adds up (p-th powers for finite p).
struct CostMatrix {
    const double* data;
    Node rows;
    Node columns;

    const double* row(Node i) const { return data + static_cast<std::size_t>(i) * columns; }
    double at(Node i, Node j) const { return row(i)[j]; }
    std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
};

struct Problem {
    CostMatrix cost;
    std::span<const Mass> a;
    std::span<const Mass> b;

    // The mass that counts as 1. Rounding may make the two sums differ in the last unit; the smaller can be moved.
    Mass total() const {
        Mass of_a = 0, of_b = 0;
        for (Mass x : a) of_a += x;
        for (Mass x : b) of_b += x;
        return of_a < of_b ? of_a : of_b;
    }

    // Mass that may be the rounding of weights rather than mass: what is left at the end and is no larger counts as
    // moved. Without this, one unit that two roundings left over would be carried across the whole space.
    Mass negligible() const { return (total() >> 50) + static_cast<Mass>(a.size() + b.size()); }
};

// Lets a long computation notice an interrupt (`poll` may throw) or a deadline, at a negligible cost.
class Pulse {
public:
    using Clock = std::chrono::steady_clock;

    Pulse(std::function<void()> poll, double seconds) : poll_(std::move(poll)), last_(Clock::now()) {
        has_deadline_ = seconds < 1e9;
        if (has_deadline_) {
            deadline_ = last_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        }
    }

    // Reports `work` elementary steps; true once the deadline has passed.
    bool expired(std::size_t work) {
        budget_ += work;
        if (budget_ < steps_between_looks) return false;
        return look();
    }

    bool look() {
        budget_ = 0;
        const auto now = Clock::now();
        if (poll_ && now - last_ > std::chrono::milliseconds(20)) {
            last_ = now;
            poll_();
        }
        return has_deadline_ && now >= deadline_;
    }

private:
    static constexpr std::size_t steps_between_looks = 1 << 16;
    std::function<void()> poll_;
    Clock::time_point last_;
    Clock::time_point deadline_;
    bool has_deadline_ = false;
    std::size_t budget_ = steps_between_looks;  // the first report looks at once
};

}  // namespace rpw
