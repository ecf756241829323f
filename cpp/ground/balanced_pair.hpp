// A pair whose two masses are exactly the same (base/balance.hpp tells why).
#pragma once

#include <vector>

#include "ground/measure.hpp"

namespace rpw {

class BalancedPair {
public:
    explicit BalancedPair(const Pair& given);
    BalancedPair(BalancedPair&&) = default;
    BalancedPair(const BalancedPair&) = delete;

    const Pair& pair() const { return pair_; }

private:
    std::vector<Mass> a_, b_;  // empty where a measure stays as it is
    Pair pair_;
};

}  // namespace rpw
