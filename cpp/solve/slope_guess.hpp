// Where on the profile the goal may lie, guessed from points of it that are known.
//
// Guesses decide how many solves a search takes, never what it finds.
#pragma once

#include "solve/goal.hpp"

namespace rpw {

// A point of the profile, and a slope of it there.
struct ProfilePoint {
    double unmoved = 1;
    double cost_p = 0;
    double lambda = 0;
};

struct SlopeGuess {
    double lambda;
    double unmoved;
};

// Beyond two points before the goal, as if ε fell by the same factor whenever λ grows by the same amount. Gives no
// place where less than `least_unmoved` is left.
SlopeGuess guess_beyond(const Goal& goal, const ProfilePoint& before, const ProfilePoint& left, double least_unmoved);

// Between a point before the goal and one that is not.
SlopeGuess guess_between(const Goal& goal, const ProfilePoint& left, const ProfilePoint& right, double least_unmoved);

}  // namespace rpw
