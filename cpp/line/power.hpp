// (distance / scale)^p on the line: a class per exponent, so that loops know it.
#pragma once

#include <algorithm>
#include <cmath>

#include "ground/powers.hpp"

namespace rpw {

struct FirstPower {
    double inverse;
    double operator()(double d) const { return std::min(std::abs(d) * inverse, largest_power); }
};

struct SecondPower {
    double inverse;
    double operator()(double d) const {
        const double length = d * inverse;
        return std::min(length * length, largest_power);
    }
};

struct ThreeHalvesPower {
    double inverse;
    double operator()(double d) const {
        const double length = std::abs(d) * inverse;
        return std::min(length * std::sqrt(length), largest_power);
    }
};

struct ThirdPower {
    double inverse;
    double operator()(double d) const {
        const double length = std::abs(d) * inverse;
        return std::min(length * length * length, largest_power);
    }
};

struct AnyPower {
    double inverse;
    double p;
    double operator()(double d) const { return std::min(std::pow(std::abs(d) * inverse, p), largest_power); }
};

struct LineCost {
    double p;
    double inverse;  // 1 / scale; the scale is a power of 2, so that dividing by it rounds nothing

    double operator()(double d) const;
};

// Calls visit with the class that fits p.
template <class Visit>
auto with_power(const LineCost& cost, const Visit& visit) {
    if (cost.p == 1) return visit(FirstPower{cost.inverse});
    if (cost.p == 2) return visit(SecondPower{cost.inverse});
    if (cost.p == 1.5) return visit(ThreeHalvesPower{cost.inverse});
    if (cost.p == 3) return visit(ThirdPower{cost.inverse});
    return visit(AnyPower{cost.inverse, cost.p});
}

inline double LineCost::operator()(double d) const {
    return with_power(*this, [d](auto power) { return power(d); });
}

}  // namespace rpw
