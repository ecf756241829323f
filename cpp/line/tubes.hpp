// Straight bounds on the places of many atoms in a row: two quantile functions are then compared stretch by stretch
// (docs/proofs/line.md, "p = ∞ on the line").
#pragma once

#include <vector>

#include "line/atoms.hpp"

namespace rpw {

// Of the atoms begin … end - 1, as lines over the mass before them, relative to the first: each atom lies nowhere
// above the upper line where it starts, and nowhere below the lower one where it ends.
struct Tube {
    Node begin, end;
    double slope, upper, lower;
};

class Tubes {
public:
    explicit Tubes(const Atoms& atoms);

    int levels() const { return static_cast<int>(tubes_.size()); }
    // One that holds the atom and goes on for at least 2^(level + 2) more, or to the last one.
    const Tube& at(int level, Node atom) const {
        return tubes_[level][static_cast<std::size_t>(atom >> (level + first_shift))];
    }

private:
    static constexpr int first_shift = 2;

    std::vector<std::vector<Tube>> tubes_;
};

}  // namespace rpw
