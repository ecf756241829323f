// A pair of measures whose equal points are merged before anything else, and its answers for the atoms as they were
// given.
#pragma once

#include <optional>
#include <vector>

#include "base/outcome.hpp"
#include "base/question.hpp"
#include "ground/balanced_pair.hpp"
#include "ground/distinct.hpp"
#include "ground/measure.hpp"

namespace rpw {

class MergedPair {
public:
    MergedPair(const Pair& given, Pulse& pulse)
        : given_(given), a_(given_.pair().a, pulse), b_(given_.pair().b, pulse) {}

    bool has_equal() const { return a_.has_equal() || b_.has_equal(); }
    Pair pair() const { return {given_.pair().space, a_.merged(), b_.merged()}; }

    // Equal points get the potential of their merged atom, and share its part of the plan in the order of the atoms.
    Outcome as_given(Outcome of_merged) const;
    // Equal points are used up with the last of their mass.
    Band as_given(Band of_merged) const;

private:
    void split_plan(Outcome& outcome) const;

    BalancedPair given_;  // before: equal masses are known as such only as long as they are apart
    DistinctMeasure a_;
    DistinctMeasure b_;
};

}  // namespace rpw
