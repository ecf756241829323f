// A pair as engines see it, and their answers for the atoms as they were given. What engines share is found once:
// whether the points lie on a line, and which are equal.
#pragma once

#include <optional>

#include "base/outcome.hpp"
#include "base/question.hpp"
#include "ground/balanced_pair.hpp"
#include "ground/distinct.hpp"
#include "ground/measure.hpp"
#include "line/direction.hpp"
#include "solve/route.hpp"

namespace rpw {

class PreparedPair {
public:
    // Equal points are merged unless the line solver puts them in order anyway. The pair must outlive it. Throws
    // TimeUp.
    PreparedPair(const Pair& given, const Question& question, Pulse& pulse);

    const Pair& given() const { return given_; }
    // Where the points lie on a line, and the question is one for it.
    const std::optional<Direction>& line() const { return line_; }
    // Equal points are one, and both measures have the same mass.
    const Pair& pair();
    Layout layout() const { return layout_of(merged(), line_.has_value()); }
    // As given, with labels where equal points have been looked for: nobody has to do so again.
    Pair labelled() const;

    // Equal points get the potential of their merged atom, and share its part of the plan in the order of the atoms.
    Outcome as_given(Outcome of_merged) const;
    // Equal points are used up with the last of their mass.
    Band as_given(Band of_merged) const;

private:
    struct Merged {
        BalancedPair whole;  // balanced before: equal masses are known as such only as long as they are apart
        DistinctMeasure a;
        DistinctMeasure b;
    };

    Pair merged() const { return merged_ ? Pair{given_.space, merged_->a.merged(), merged_->b.merged()} : given_; }
    void split_plan(Outcome& outcome) const;

    const Pair& given_;
    std::optional<Direction> line_;
    Labels labels_;  // none where equal points have not been looked for
    std::optional<Merged> merged_;
    std::optional<BalancedPair> balanced_;
};

}  // namespace rpw
