// Lets a long computation notice an interrupt or a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

namespace rpw {

// The deadline has passed. What a walk or a search found until then stays readable, and proves what it proved.
struct TimeUp : std::exception {
    const char* what() const noexcept override { return "the time limit has passed"; }
};

class Pulse {
public:
    using Clock = std::chrono::steady_clock;

    // `poll` may throw, which ends the computation too. No deadline if there are more than 1e9 seconds.
    Pulse(std::function<void()> poll, double seconds) : poll_(std::move(poll)), last_(Clock::now()) {
        has_deadline_ = seconds < unreachable_seconds;
        if (has_deadline_) {
            deadline_ = last_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        }
    }

    // Reports `work` elementary steps, at a negligible cost; throws TimeUp once the deadline has passed.
    void note(std::size_t work) {
        budget_ += work;
        if (budget_ >= steps_between_looks) look();
    }

    bool has_deadline() const { return has_deadline_; }
    // For what has to be done after the deadline; an interrupt ends that, too.
    Pulse without_deadline() const { return {poll_, unreachable_seconds}; }

    void look();  // not inline: the loops that call `note` stay small

private:
    static constexpr double unreachable_seconds = 1e9;
    static constexpr std::size_t steps_between_looks = 1 << 16;
    std::function<void()> poll_;
    Clock::time_point last_;
    Clock::time_point deadline_;
    bool has_deadline_ = false;
    std::size_t budget_ = steps_between_looks;  // the first report looks at once
};

// Whether `work` came to its end before time was up.
template <class Work>
bool ends_in_time(const Work& work) {
    try {
        work();
        return true;
    } catch (const TimeUp&) {
        return false;
    }
}

}  // namespace rpw
