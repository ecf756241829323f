// The last line of defence: what cannot be an answer is never handed out as one.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/outcome.hpp"

namespace rpw {

struct NoAnswer : std::logic_error {
    NoAnswer()
        : std::logic_error("no algorithm found a number: this is a defect of rpw, please report these measures") {}
};

inline bool are_sound(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0 && std::isfinite(x); });
}

// Whether the numbers of an answer are numbers, and where something is proven, bounds around it.
inline bool is_sound(const Outcome& outcome) {
    const bool has_plan = std::all_of(outcome.plan.begin(), outcome.plan.end(),
                                      [](const PlanEntry& e) { return e.mass >= 0 && std::isfinite(e.mass); });
    if (!has_plan || !are_sound(outcome.u) || !are_sound(outcome.v)) return false;
    if (outcome.status == Status::time_limit || outcome.status == Status::beyond_cutoff) {
        return outcome.lower >= 0 && outcome.upper >= 0;
    }
    return outcome.lower >= 0 && outcome.lower <= outcome.value && outcome.value <= outcome.upper &&
           std::isfinite(outcome.upper);
}

inline bool is_sound(const Curve& curve) {
    return are_sound(curve.unmoved) && are_sound(curve.cost) && are_sound(curve.slope);
}

inline bool is_sound(const Band& band) { return is_sound(band.upper) && (!band.lower || is_sound(*band.lower)); }

inline bool is_sound(const std::vector<double>& values) { return are_sound(values); }

}  // namespace rpw
