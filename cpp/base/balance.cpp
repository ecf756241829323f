// See balance.hpp.
#include "base/balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rpw {

namespace {

// What the sum must be a multiple of.
Mass grain_of(std::span<const Mass> masses) { return are_equal(masses) ? static_cast<Mass>(masses.size()) : 1; }

}  // namespace

Mass common_total(const Masses& masses) {
    const Mass grain = std::lcm(grain_of(masses.a), grain_of(masses.b));  // sizes are below 2^31: it fits
    const Mass larger = std::max(sum_of(masses.a), sum_of(masses.b));
    return (larger + grain - 1) / grain * grain;
}

std::vector<Mass> raised(std::span<const Mass> masses, Mass total) {
    std::vector<Mass> more(masses.begin(), masses.end());
    if (are_equal(masses)) {
        std::fill(more.begin(), more.end(), total / static_cast<Mass>(more.size()));
        return more;
    }
    const Mass sum = sum_of(masses);
    const auto whole = static_cast<double>(total - sum), all = static_cast<double>(sum);
    Mass before = 0, given = 0;
    for (Mass& mass : more) {
        before += mass;
        // What is due up to here is rounded, and not each part: so the parts have the right sum.
        const auto due = static_cast<Mass>(std::round(whole * (static_cast<double>(before) / all)));
        mass += due - given;
        given = due;
    }
    return more;
}

}  // namespace rpw
