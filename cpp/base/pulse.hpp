// Lets a long computation notice an interrupt or a deadline, and tell how far it has come.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

namespace rpw {

// The deadline has passed. What a walk or a search found until then stays readable, and proves what it proved.
struct TimeUp : std::exception {
    const char* what() const noexcept override { return "the time limit has passed"; }
};

// What is known while a computation is under way.
struct News {
    double moved = 0;  // the share of the mass that its plan moves
    double lower = 0;  // bounds on RPW or, where a mass is given, on F there
    double upper = std::numeric_limits<double>::infinity();
    double scale = 1;  // the unit of that bound on RPW, or of the p-th root of F
    // What is being done, where that takes several stages, and its pivots or augmentations so far: the rest may stand
    // still meanwhile.
    const char* stage = "";
    long pivots = 0;
};

class Pulse {
public:
    using Clock = std::chrono::steady_clock;

    // `poll` may throw, which ends the computation too. No deadline if there are more than 1e9 seconds. `news`: where
    // to write how far it is; null where nobody watches.
    Pulse(std::function<void()> poll, double seconds, News* news = nullptr)
        : poll_(std::move(poll)), news_(news), last_(Clock::now()) {
        has_deadline_ = seconds < unreachable_seconds;
        if (has_deadline_) {
            end_ = deadline_ = last_ + as_duration(seconds);
        }
    }

    // From now on the deadline comes so many seconds before the end: the rest is for work that comes later.
    void keep_back(double seconds) {
        if (has_deadline_) deadline_ = end_ - as_duration(seconds);
    }

    // Reports `work` elementary steps, at a negligible cost; throws TimeUp once the deadline has passed.
    void note(std::size_t work) {
        budget_ += work;
        if (budget_ >= steps_between_looks) look();
    }

    bool has_deadline() const { return has_deadline_; }
    // For what has to be done after the deadline; an interrupt ends that, too.
    Pulse without_deadline() const { return {poll_, unreachable_seconds, news_}; }

    // Whether it is time to tell how much has moved: now and then, where somebody watches.
    bool is_asked() const { return is_asked_; }
    void tell_moved(double moved, long pivots) {
        is_asked_ = false;
        if (!news_) return;
        news_->pivots = pivots;
        if (is_told()) news_->moved = std::max(news_->moved, moved);  // by a plan of an earlier stage, maybe
    }
    void tell_bounds(double lower, double upper) {
        if (is_told()) news_->lower = lower, news_->upper = upper;
    }
    void tell_stage(const char* name) {
        if (is_told()) news_->stage = name, news_->pivots = 0;
    }
    // Another search begins, whose numbers have this scale.
    void begin_news(double scale) {
        if (is_told()) *news_ = {.scale = scale};
    }

    void look();  // not inline: the loops that call `note` stay small

private:
    friend class Unwatched;
    bool is_told() const { return news_ && questions_within_ == 0; }
    static Clock::duration as_duration(double seconds) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    }
    static constexpr double unreachable_seconds = 1e9;
    static constexpr std::size_t steps_between_looks = 1 << 16;
    std::function<void()> poll_;
    News* news_;
    int questions_within_ = 0;
    bool is_asked_ = false;
    Clock::time_point last_;
    Clock::time_point end_, deadline_;
    bool has_deadline_ = false;
    std::size_t budget_ = steps_between_looks;  // the first report looks at once
};

// While it lives only pivots are told: a question within the question has bounds of its own.
class Unwatched {
public:
    explicit Unwatched(Pulse& pulse) : pulse_(pulse) { ++pulse_.questions_within_; }
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;
    ~Unwatched() { --pulse_.questions_within_; }

private:
    Pulse& pulse_;
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
