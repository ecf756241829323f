// See balanced_pair.hpp.
#include "ground/balanced_pair.hpp"

#include "base/balance.hpp"

namespace rpw {

namespace {

void raise(std::span<const Mass>& masses, Mass total, std::vector<Mass>& room) {
    if (sum_of(masses) == total) return;
    room = raised(masses, total);
    masses = room;
}

}  // namespace

BalancedPair::BalancedPair(const Pair& given) : pair_(given) {
    const Mass total = common_total(given.masses());
    raise(pair_.a.mass, total, a_);
    raise(pair_.b.mass, total, b_);
}

}  // namespace rpw
