// One pair: the GIL is released while the core works.
#include "base/question.hpp"
#include "bindings/arrays.hpp"
#include "ground/distances.hpp"
#include "solve/profile.hpp"
#include "solve/solve.hpp"
#include "solve/sound.hpp"

namespace rpw::python {

namespace {

template <class Function>
auto run(const Function& function, const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b,
         const Question& question, double seconds) {
    const Pair pair{space.view, a.view[0], b.view[0]};
    nb::gil_scoped_release release;
    Room room;
    Pulse pulse(poll_signals, seconds);
    try {
        return function(pair, question, room, pulse);
    } catch (const TooFarApart&) {  // of one pair, the arguments have names
        throw nb::value_error("x and y are too far apart: their distance is not a float64");
    }
}

}  // namespace

void bind_pair(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "solve",
        [](const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
           double seconds) { return run(solve, space, a, b, question, seconds); },
        "space"_a, "a"_a, "b"_a, "question"_a, "seconds"_a);
    module.def(
        "profile",
        [](const OwnedSpace& space, const OwnedMeasures& a, const OwnedMeasures& b, const Question& question,
           double seconds) {
            Band band = run(whole_profile, space, a, b, question, seconds);
            if (!is_sound(band.upper) || (band.lower && !is_sound(*band.lower))) throw NoAnswer();
            return std::pair(std::move(band.upper), std::move(band.lower));
        },
        "space"_a, "a"_a, "b"_a, "question"_a, "seconds"_a);
}

}  // namespace rpw::python
