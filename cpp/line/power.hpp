// (distance / scale)^p on the line: a function per exponent, so that loops know it.
#pragma once

#include <algorithm>
#include <cmath>

#include "ground/powers.hpp"

namespace rpw {

struct LineCost {
    double p;
    double inverse;  // 1 / scale; the scale is a power of 2, so that dividing by it rounds nothing

    double operator()(double d) const;
};

// Calls visit with the power that fits p, a function of a difference of places.
template <class Visit>
auto with_power(const LineCost& cost, const Visit& visit) {
    const auto visit_with = [&visit, inverse = cost.inverse](auto power) {
        return visit([inverse, power](double d) { return std::min(power(std::abs(d) * inverse), largest_power); });
    };
    if (cost.p == 1) return visit_with([](double length) { return length; });
    if (cost.p == 2) return visit_with([](double length) { return length * length; });
    if (cost.p == 1.5) return visit_with([](double length) { return length * std::sqrt(length); });
    if (cost.p == 3) return visit_with([](double length) { return length * length * length; });
    return visit_with([p = cost.p](double length) { return std::pow(length, p); });
}

inline double LineCost::operator()(double d) const {
    return with_power(*this, [d](auto power) { return power(d); });
}

}  // namespace rpw
