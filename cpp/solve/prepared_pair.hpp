// A pair as engines see it. What they share is found once: whether the points lie on a line, and which are equal.
#pragma once

#include <optional>

#include "line/direction.hpp"
#include "solve/merged_pair.hpp"
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
    Layout layout() const;

    // An answer for the atoms as they were given.
    template <class Answer>
    Answer as_given(Answer answer) const {
        return merged_ ? merged_->as_given(std::move(answer)) : std::move(answer);
    }

private:
    const Pair& given_;
    std::optional<Direction> line_;
    std::optional<MergedPair> merged_;
    std::optional<BalancedPair> balanced_;
};

}  // namespace rpw
