// LMR, and full transport.
#include <cmath>
#include <cstdint>
#include <limits>

#include "ground/powers.hpp"
#include "lmr/lmr.hpp"
#include "solve/transport.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

// LMR with 32- and 64-bit costs: a feasible plan, a valid dual line, and the exact answer between the two bounds.
template <class Cost>
void check_rounded(Checker& checker, const Instance& instance) {
    checker.start(instance);
    rpw::Pulse pulse(nullptr, 1e9);
    const double unit = instance.largest() / 50, kappa = instance.largest();
    const Cost cap = 45;
    std::vector<Cost> rounded(instance.cost.size());
    rpw::rounded_powers(instance.cost.data(), instance.cost.size(), 1.0, 1.0, unit, cap, rounded.data());
    const rpw::RoundedProblem<Cost> problem{rounded.data(), {instance.a, instance.b}, cap};
    const double exact = checker.cross(kappa, 1.0, 0).value;
    const auto outcome = rpw::cross_rounded(problem, kappa / unit, 1.0, 0.0, pulse);
    checker.check_interval(outcome, exact);
    rpw::Pulse impatient(nullptr, 0);
    checker.check_interval(rpw::cross_rounded(problem, kappa / unit, 1.0, 0.0, impatient), exact);
    rpw::rounded_profile(
        rpw::RoundedProblem<Cost>{rounded.data(), {instance.a, instance.b}, std::numeric_limits<Cost>::max()}, no_limit,
        pulse);
}

}  // namespace

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

void check_lmr(Checker& checker, const Instance& instance) {
    check_rounded<std::int32_t>(checker, instance);
    check_rounded<std::int64_t>(checker, instance);
}

}  // namespace rpw::tests
