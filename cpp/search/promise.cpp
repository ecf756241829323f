// See promise.hpp.
#include "search/promise.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/crossing.hpp"
#include "base/masses.hpp"

namespace rpw {

namespace {

// Two roots of one number, from different sums.
constexpr double same_root = 1e-9;

std::vector<double> masses_of(const Curve& curve) {
    std::vector<double> masses(curve.unmoved.size());
    std::transform(curve.unmoved.begin(), curve.unmoved.end(), masses.begin(), [](double x) { return 1 - x; });
    return masses;
}

// A curve as `Profile` reads it: a mass beyond a breakpoint by no more than rounding is that of the breakpoint.
class Reading {
public:
    Reading(const Curve& curve, double p) : masses_(masses_of(curve)), costs_(curve.cost), p_(p) {}

    const std::vector<double>& masses() const { return masses_; }

    double at(double mass) const {
        const auto after = std::upper_bound(masses_.begin(), masses_.end(), mass);
        const std::size_t s = after - masses_.begin() - 1;
        if (after == masses_.end() || mass - masses_[s] <= smallest_step) return root(costs_[s], p_);
        const double slope = (costs_[s + 1] - costs_[s]) / (masses_[s + 1] - masses_[s]);
        return root(costs_[s] + slope * (mass - masses_[s]), p_);
    }

private:
    std::vector<double> masses_;
    const std::vector<double>& costs_;
    double p_;
};

}  // namespace

// Between two breakpoints that follow each other the roots of two lines differ most at an end (docs/theory.md, "A
// sandwich of the profile").
double largest_difference(const Band& band, double p) {
    const Reading upper(band.upper, p), lower(*band.lower, p);
    double largest = 0;
    for (const Reading* curve : {&upper, &lower}) {
        for (const double breakpoint : curve->masses()) {
            for (const double step : {0.0, 0x1p-53, 0x1p-52, 1.5 * smallest_step, 3 * smallest_step}) {
                const double mass = std::min(1.0, breakpoint + step);
                const double above = upper.at(mass) - lower.at(mass);
                largest = std::max(largest, above < -same_root * upper.at(mass) ? -above : above);
            }
        }
    }
    return largest;
}

}  // namespace rpw
