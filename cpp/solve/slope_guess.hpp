// Which λ a search tries next, guessed from the points of the profile that are known.
//
// Guesses decide how many solves a search takes, never what it finds. docs/theory.md, "Two strategies", has the
// reasons.
#pragma once

#include <optional>

#include "base/matrix.hpp"
#include "search/guess_between.hpp"
#include "solve/neighbours.hpp"

namespace rpw {

// Gives no place where less than `least_unmoved` is left.
SlopeGuess guess_goal(const Goal& goal, const Known& known, double least_unmoved);

// The first λ, rather too small than too large. `at_goal` is the slope of the neighbours where the goal may lie.
double first_lambda(const PowerProblem& problem, const Goal& goal, const NeighbourProfile& neighbours, double at_goal,
                    const Known& known, double least_unmoved);

// The λ after that.
double next_lambda(const SlopeGuess& guess, const NeighbourProfile& neighbours, const Known& known);

// The λ of the goal as a plan tells it that is nearly optimal at its own λ: as if ε had fallen by the same factor
// whenever λ grew by the same amount, and went on so.
double corrected_lambda(const Goal& goal, const ProfilePoint& plan, const NeighbourProfile& neighbours,
                        double least_unmoved);

// A λ a little beyond the goal as seen from the only vertex that is known, which lies on the left or on the right of
// it.
double lambda_past_goal(const Goal& goal, const Known& known, const NeighbourProfile& neighbours, double least_unmoved);

// A bracket of λ that is so much wider is halved by orders of magnitude: potentials at its upper end cannot tell apart
// what is cheap at its lower one.
bool spans_many_orders(const Known& known);

}  // namespace rpw
