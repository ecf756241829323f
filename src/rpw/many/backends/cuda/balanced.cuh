// Masses of two measures, raised to exactly the same sum: cpp/ground/balanced_pair.hpp, which tells why.
#pragma once

#include "batch.cuh"

namespace rpw_cuda {

struct BalancedMasses {
    const Mass* mass;
    const Mass* before;  // of each atom, the mass of those before it in the measure
    double sum;
    double by;  // what is added to the sum
    Mass each;  // the mass of every atom, where all are equal; else 0

    RPW_INLINE Mass due(Mass up_to) const { return static_cast<Mass>(round(by * (static_cast<double>(up_to) / sum))); }
    RPW_INLINE Mass operator[](int x) const {
        return each > 0 ? each : mass[x] + due(before[x] + mass[x]) - due(before[x]);
    }
};

RPW_INLINE Mass least_common_multiple(Mass x, Mass y) {
    Mass divisor = x, rest = y;
    while (rest > 0) {
        const Mass next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return x / divisor * y;
}

RPW_INLINE Mass magnitude(Mass mass) { return mass < 0 ? -mass : mass; }

struct BalancedPair {
    int rows;
    int columns;
    Mass total;
    Mass negligible;  // as base/masses.hpp says
    BalancedMasses a;
    BalancedMasses b;

    RPW_INLINE BalancedPair(const Batch& batch, long long s, long long t)
        : rows(static_cast<int>(batch.start_a[s + 1] - batch.start_a[s])),
          columns(static_cast<int>(batch.start_b[t + 1] - batch.start_b[t])) {
        const Mass of_a = batch.total_a[s], of_b = batch.total_b[t];
        const bool is_equal_a = batch.unit_a[s] > 0, is_equal_b = batch.unit_b[t] > 0;
        const Mass grain = least_common_multiple(is_equal_a ? rows : 1, is_equal_b ? columns : 1);
        total = ((of_a > of_b ? of_a : of_b) + grain - 1) / grain * grain;
        const Mass least_a = magnitude(batch.unit_a[s]), least_b = magnitude(batch.unit_b[t]);
        const Mass rounding = (total >> 50) + rows + columns;
        negligible = (least_a < least_b ? least_a : least_b) < 2 * rounding ? 0 : rounding;
        a = {batch.mass_a + batch.start_a[s], batch.before_a + batch.start_a[s], static_cast<double>(of_a),
             static_cast<double>(total - of_a), is_equal_a ? total / rows : 0};
        b = {batch.mass_b + batch.start_b[t], batch.before_b + batch.start_b[t], static_cast<double>(of_b),
             static_cast<double>(total - of_b), is_equal_b ? total / columns : 0};
    }
};

}  // namespace rpw_cuda
