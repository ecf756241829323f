// LMR, and full transport.
#include <cmath>

#include "ground/measure.hpp"
#include "lmr/lmr.hpp"
#include "matrix/transport.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

// Full transport against the end of the profile.
void check_transport(Checker& checker, const Instance& instance) {
    checker.start(instance);
    rpw::Pulse pulse(nullptr, 1e9);
    const double walked = checker.move(0, 1e9).value, rounding = slack * instance.largest();
    for (const bool with_slope : {false, true}) {
        const rpw::Transport found = rpw::transport_all(instance.powers(), instance.largest(), with_slope, pulse);
        checker.expect(found.is_done && std::abs(found.upper_p - walked) <= rounding, "transport", found.upper_p,
                       walked);
    }
    checker.expect(!rpw::transport_all(instance.powers(), instance.largest(), false, pulse, 0).is_done,
                   "transport without patience");
    rpw::Pulse impatient(nullptr, 0);
    rpw::Transport early;
    early.upper_p = rpw::unreachable;
    (void)rpw::ends_in_time(
        [&] { early = rpw::transport_all(instance.powers(), instance.largest(), false, impatient); });
    checker.expect(walked <= early.upper_p + rounding, "early transport", walked, early.upper_p);
}

// LMR with 32- and 64-bit costs (the smaller tol): the exact answer lies between the two bounds, which are as close as
// promised, also where time is up at once.
void check_lmr(Checker& checker, const Instance& instance) {
    checker.start(instance);
    const double kappa = instance.largest(), exact = checker.cross(kappa, 1.0, 0).value;
    const auto rows = static_cast<Node>(instance.a.size()), columns = static_cast<Node>(instance.b.size());
    rpw::Space space;
    space.matrix = rpw::PlaceMatrix{instance.cost.data(), rows, columns, columns, 1, nullptr};
    const rpw::Pair pair{space, {instance.a, {}, {}, {}}, {instance.b, {}, {}, {}}};
    for (const double tol : {0.05, 1e-5}) {
        rpw::Question question;
        question.p = 1, question.kappa = kappa, question.tol = tol;
        rpw::Pulse pulse(nullptr, 1e9), impatient(nullptr, 0);
        const auto outcome = rpw::cross_by_lmr(pair, question, pulse);
        checker.expect(outcome.has_value() && outcome->upper - outcome->lower <= tol, "tol of LMR");
        checker.check_interval(*outcome, exact);
        (void)rpw::ends_in_time([&] { checker.check_interval(*rpw::cross_by_lmr(pair, question, impatient), exact); });
        question.tol = tol * kappa, question.max_breakpoints = no_limit;
        const auto band = rpw::profile_by_lmr(pair, question, pulse);
        checker.expect(band && band->lower && band->lower->cost.back() <= band->upper.cost.back(), "profile of LMR");
    }
}

}  // namespace rpw::tests
