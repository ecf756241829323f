// p = ∞ and k = 0: maximum flows.
#include <algorithm>
#include <cmath>

#include "flow/threshold_walk.hpp"
#include "flow/thresholds.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

// p = inf: a flow within the threshold; the steps of the whole curve give the same crossing.
void Checker::check_thresholds(double kappa) {
    rpw::Pulse pulse(nullptr, 1e9);
    const rpw::Curve curve = rpw::whole_thresholds(lengths_, 0, no_limit, pulse).upper;
    check_curve(curve);
    double expected = 1;
    for (std::size_t s = 0; s < curve.cost.size(); ++s) {
        expected = std::min(expected, std::max(curve.cost[s] / kappa, curve.unmoved[s]));
    }
    const rpw::Outcome outcome = rpw::cross_thresholds(lengths_, kappa, 0, rpw::Need::plan, pulse);
    expect(std::abs(outcome.unmoved - expected) <= 1e-12, "crossing at infinity", outcome.unmoved, expected);
    check_flow(outcome, outcome.cost);
    expect(outcome.cost <= kappa * outcome.unmoved * (1 + 1e-12), "threshold", outcome.cost, outcome.unmoved);
    for (const double unmoved : {0.0, 0.25, 1.0}) {
        const rpw::Outcome at = rpw::threshold_at(lengths_, unmoved, rpw::Need::plan, pulse);
        check_flow(at, at.cost);
    }
    rpw::Pulse impatient(nullptr, 0);
    const rpw::Outcome early = rpw::cross_thresholds(lengths_, kappa, 0, rpw::Need::plan, impatient);
    check_interval(early, outcome.value);
    rpw::Pulse as_impatient(nullptr, 0);
    const rpw::Outcome at_once = rpw::threshold_at(lengths_, 0.25, rpw::Need::plan, as_impatient);
    const double exactly = rpw::threshold_at(lengths_, 0.25, rpw::Need::value, pulse).value;
    expect(at_once.lower <= exactly && exactly <= at_once.upper, "early threshold", at_once.lower, at_once.upper);
    check_zeros();
}

void Checker::check_flow(const rpw::Outcome& outcome, double longest) {
    for (const auto& entry : outcome.plan) {
        const double length = lengths_.distances.at(entry.row, entry.column);
        expect(length <= longest, "length of an arc", length, longest);
    }
    expect(moved(outcome.plan) >= 1 - outcome.unmoved - 1e-12, "mass of the flow", moved(outcome.plan),
           1 - outcome.unmoved);
}

// k = 0: the maximum flow over zeros, which is also where a walk stands before it takes the first longer pair.
void Checker::check_zeros() {
    rpw::Pulse pulse(nullptr, 1e9);
    const rpw::Outcome shared = rpw::unshared_mass(lengths_, pulse);
    check_flow(shared, 0);
    expect(std::abs(moved(shared.plan) - (1 - shared.unmoved)) <= 1e-12, "mass of the free flow");
    rpw::ThresholdWalk walk(lengths_, pulse);
    double unmoved = 1;
    while (walk.next() && walk.threshold() == 0) unmoved = walk.flow().unmoved();
    expect(std::abs(shared.unmoved - unmoved) <= 1e-12, "flow = walk", shared.unmoved, unmoved);
}

}  // namespace rpw::tests
