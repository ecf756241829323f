// One pair: the GIL is released while the core works.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/crossing.hpp"
#include "base/question.hpp"
#include "bindings/arrays.hpp"
#include "ground/distances.hpp"
#include "solve/profile.hpp"
#include "solve/solve.hpp"
#include "solve/sound.hpp"

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
        nb::gil_scoped_acquire gil;
        keep_best();
        tell_(news_.moved, lower_, upper_, news_.stage, news_.pivots);
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

template <class Function>
auto run(const Function& function, const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b,
         const Question& question, double seconds, Watch& watch) {
    const Pair pair{space.view, a.view[0], b.view[0]};
    nb::gil_scoped_release release;
    Room room;
    Pulse pulse([&watch] { watch.poll(); }, seconds, watch.news());
    try {
        return function(pair, question, room, pulse);
    } catch (const TooFarApart&) {  // of one pair, the arguments have names
        throw nb::value_error("x and y are too far apart: their distance is not a float64");
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
           double seconds, const nb::object& progress) {
            Watch watch(progress, question);
            return run(solve, space, a, b, question, seconds, watch);
        },
        "space"_a, "a"_a, "b"_a, "question"_a, "seconds"_a, "progress"_a.none() = nb::none());
    module.def(
        "profile",
        [](const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
           double seconds, const nb::object& progress) {
            const Question at_end = about_its_end(question);
            Watch watch(progress, at_end);
            Band band = run(whole_profile, space, a, b, question, seconds, watch);
            if (!is_sound(band.upper) || (band.lower && !is_sound(*band.lower))) throw NoAnswer();
            return std::pair(std::move(band.upper), std::move(band.lower));
        },
        "space"_a, "a"_a, "b"_a, "question"_a, "seconds"_a, "progress"_a.none() = nb::none());
}

}  // namespace rpw::python
