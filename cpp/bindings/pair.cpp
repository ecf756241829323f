// One pair: the GIL is released while the core works.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "base/crossing.hpp"
#include "base/question.hpp"
#include "bindings/arrays.hpp"
#include "bindings/lock.hpp"
#include "ground/distances.hpp"
#include "solve/ask.hpp"
#include "solve/solve.hpp"

namespace rpw::python {

namespace {

// Tells a function of Python's now and then how far a solve has come: (moved, lower, upper, stage, pivots).
class Watch {
public:
    Watch(const nb::object& tell, const Question& question) : tell_(tell), question_(question) {
        upper_ = question.quantity == Quantity::mass ? question.truncation : 1;
    }

    News* news() { return tell_.is_none() ? nullptr : &news_; }

    void poll() {
        poll_signals();
        const auto now = Pulse::Clock::now();
        if (tell_.is_none() || now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        keep_best();
        const Locked locked;
        call(tell_, news_.moved, lower_, upper_, news_.stage, news_.pivots);
    }

private:
    // What was proven stays proven when another algorithm begins anew.
    void keep_best() {
        const bool is_cost = question_.quantity == Quantity::mass && !std::isinf(question_.p);
        const auto in_its_units = [&](double bound) { return is_cost ? root(bound, question_.p) : bound; };
        lower_ = std::max(lower_, news_.scale * in_its_units(news_.lower));
        upper_ = std::min(upper_, is_cost ? news_.scale * in_its_units(news_.upper) : news_.upper);
    }

    const nb::object& tell_;
    const Question& question_;
    News news_;
    double lower_ = 0;
    double upper_;
    Pulse::Clock::time_point last_ = Pulse::Clock::now();
};

// Asks a function of Python's, which raises MemoryError where a matrix does not fit. Small ones always do.
class MemoryGuard {
public:
    explicit MemoryGuard(const nb::object& check) : check_(check) {}

    Room room() {
        if (check_.is_none()) return Room();
        return Room([this](Node rows, Node columns, int bytes) { return fits(rows, columns, bytes); });
    }
    [[noreturn]] void refuse() { throw std::move(*error_); }

private:
    static constexpr double always_fits = 1e6;  // bytes

    bool fits(Node rows, Node columns, int bytes) {
        if (static_cast<double>(rows) * columns * bytes < always_fits) return true;
        const Locked locked;
        try {
            call(check_, rows, columns, bytes);
            return true;
        } catch (nb::python_error& error) {
            if (!error.matches(PyExc_MemoryError)) throw;
            error_.emplace(std::move(error));
            return false;
        }
    }

    const nb::object& check_;
    std::optional<nb::python_error> error_;
};

template <class Function>
auto run(const Function& function, const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b,
         const Question& question, double seconds, Watch& watch, const nb::object& check_fits) {
    const Pair pair{space.view, a.view[0], b.view[0]};
    MemoryGuard guard(check_fits);
    const Unlocked unlocked;
    Room room = guard.room();
    Pulse pulse([&watch] { watch.poll(); }, seconds, watch.news());
    try {
        return function(pair, question, room, pulse);
    } catch (const TooFarApart&) {  // of one pair, the arguments have names
        throw nb::value_error("x and y are too far apart: their distance is not a float64");
    } catch (const NoRoom&) {
        guard.refuse();
    }
}

// The bounds that are told of a profile are those on its end, the cost of all mass.
Question about_its_end(Question question) {
    question.quantity = Quantity::mass;
    question.unmoved = 0;
    return question;
}

}  // namespace

void bind_pair(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "solve",
        [](const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
           double seconds, const nb::object& progress, const nb::object& check_fits) {
            Watch watch(progress, question);
            return run(solve, space, a, b, question, seconds, watch, check_fits);
        },
        "space"_a, "a"_a, "b"_a, "question"_a, "seconds"_a, "progress"_a.none() = nb::none(),
        "check_fits"_a.none() = nb::none());
    module.def(
        "several",
        [](const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
           const Numbers<double>& kappas, double seconds, const nb::object& check_fits) {
            const nb::none nobody;
            Watch watch(nobody, question);
            const auto ask = [&](const Pair& pair, const Question& asked, Room& room, Pulse& pulse) {
                return solve_several(pair, asked, view(kappas), room, pulse);
            };
            return to_array(run(ask, space, a, b, question, seconds, watch, check_fits));
        },
        "space"_a, "a"_a, "b"_a, "question"_a, "kappas"_a, "seconds"_a, "check_fits"_a.none() = nb::none());
    module.def(
        "profile",
        [](const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
           double seconds, const nb::object& progress, const nb::object& check_fits) {
            const Question at_end = about_its_end(question);
            Watch watch(progress, at_end);
            Band band = run(whole_profile, space, a, b, question, seconds, watch, check_fits);
            return std::pair(std::move(band.upper), std::move(band.lower));
        },
        "space"_a, "a"_a, "b"_a, "question"_a, "seconds"_a, "progress"_a.none() = nb::none(),
        "check_fits"_a.none() = nb::none());
}

}  // namespace rpw::python
