// LMR, and full transport by reduced costs.
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

// Full transport by reduced costs against the end of the profile.
void check_transport(Checker& checker, const Instance& instance) {
    checker.start(instance);
    rpw::Pulse pulse(nullptr, 1e9);
    const rpw::TransportBounds reduced = rpw::transport_cost(instance.powers(), pulse);
    const double walked = checker.move(0, 1e9).value, rounding = slack * instance.largest();
    checker.expect(reduced.is_exact && std::abs(reduced.upper_p - walked) <= rounding, "transport", reduced.upper_p,
                   walked);
    const rpw::TransportBounds without_simplex = rpw::transport_cost(instance.powers(), pulse, 0);
    checker.expect(without_simplex.is_exact && std::abs(without_simplex.upper_p - walked) <= rounding,
                   "transport without patience", without_simplex.upper_p, walked);
    checker.expect(without_simplex.solver == rpw::Solver::walk, "the walk takes over");
    rpw::Pulse impatient(nullptr, 0);
    rpw::TransportBounds early{false, 0, rpw::unreachable, rpw::Solver::exact};
    (void)rpw::ends_in_time([&] { early = rpw::transport_cost(instance.powers(), impatient); });
    checker.expect(early.lower_p <= walked + rounding && walked <= early.upper_p + rounding, "early transport",
                   early.lower_p, early.upper_p);
}

void check_lmr(Checker& checker, const Instance& instance) {
    check_rounded<std::int32_t>(checker, instance);
    check_rounded<std::int64_t>(checker, instance);
}

}  // namespace rpw::tests
