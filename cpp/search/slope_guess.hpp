// Which λ a search tries next, guessed from the points of the profile that are known.
//
// Guesses decide how many solves a search takes, never what it finds. docs/proofs/simplex.md, "Two strategies", has the
// reasons.
#pragma once

#include "search/bracket.hpp"

namespace rpw {

// Where the goal may lie.
struct SlopeGuess {
    double lambda;
    double unmoved;
};

// All slopes of the profile lie between these.
struct SlopeRange {
    double least;
    double largest;
};

// From a vertex on either side of the goal: as if the slope grew like a power of the distance from the end near which
// it grows less, with the power that leads from the one cost to the other.
SlopeGuess guess_between(const Goal& goal, const ProfilePoint& left, const ProfilePoint& right);

// The λ to try after such a guess: further, the longer no vertex was found on the other side, and no nearer to either
// end than `from_ends` of the way between them. `first_slope`: no slope of the profile is less.
double lambda_between(const SlopeGuess& guess, double first_slope, const Known& known, double from_ends);

// From two points before the goal, or from one on either side. Gives no place where less than `least_unmoved` is left.
SlopeGuess guess_goal(const Goal& goal, const Known& known, double least_unmoved);

// A first λ, rather too small than too large. A curve below the profile, such as that of the neighbours, has the slope
// `here` at the left point and `at_goal` where the goal may lie.
double first_lambda(const Goal& goal, const Known& known, const SlopeRange& range, double here, double at_goal,
                    double least_unmoved);

// The λ after that.
double next_lambda(const SlopeGuess& guess, const Known& known, const SlopeRange& range);

// How far λ is from the goal, seen from a point on either side of it, if log ε falls by 1 whenever λ grows by `step`.
double way_in_lambda(const Goal& goal, const ProfilePoint& from, double step, double least_unmoved);

}  // namespace rpw
