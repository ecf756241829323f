// When each atom is used up along the profile: unmoved mass never comes back, so there is one such moment.
#pragma once

#include <algorithm>
#include <vector>

#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

class UsedUp {
public:
    explicit UsedUp(const Masses& masses)
        : rows_(masses.a.size()), rounding_(masses.rounding()), at_(rows_ + masses.b.size(), unreachable) {
        half_.reserve(at_.size());
        for (Mass mass : masses.a) half_.push_back(mass / 2);
        for (Mass mass : masses.b) half_.push_back(mass / 2);
    }

    // So much of the node is unmoved at this price. A rest as small as the rounding of weights is none; without that,
    // an atom of which one unit is left over would seem to be the last of all.
    void note(Node x, Mass left, double price) {
        if (at_[x] == unreachable && left <= std::min(rounding_, half_[x])) at_[x] = price;
    }

    // Where a rest stays to the end, the last price.
    void write(Curve& curve, double last) {
        std::replace(at_.begin(), at_.end(), unreachable, last);
        curve.used_up_a.assign(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(rows_));
        curve.used_up_b.assign(at_.begin() + static_cast<std::ptrdiff_t>(rows_), at_.end());
    }

private:
    std::size_t rows_;
    Mass rounding_;
    std::vector<double> at_;
    std::vector<Mass> half_;
};

}  // namespace rpw
