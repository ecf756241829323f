// A place on the profile, by vertices at guessed multipliers.
//
// The search keeps a vertex before the goal and one that is not, and asks an oracle, the network or the line, for
// another one between them, until their chord is an edge of F or the bounds are close. docs/theory.md, "Two
// strategies", has the proofs. An oracle has
//
//     using Plan                       what describes a vertex: a basis, or a plan
//     next(bracket)                    the next λ, and whether it is the slope of the chord
//     solve(trial, bracket)            the vertex there; nothing if that leads nowhere
//     walk(bracket, limits)            may move the left vertex along the profile; a status if that ends the search
#pragma once

#include <optional>
#include <utility>

#include "base/tuning.hpp"
#include "search/bracket.hpp"

namespace rpw {

struct Trial {
    double lambda;
    bool is_chord;
};

// Nothing if that leads nowhere; with a status, the bracket has an answer.
template <class Oracle>
std::optional<Status> search_profile(Oracle& oracle, Bracket<typename Oracle::Plan>& bracket, const Limits& limits) {
    for (int solves = 0; solves < tuning::most_solves; ++solves) {
        const Trial trial = oracle.next(bracket);
        auto found = oracle.solve(trial, bracket);
        if (!found) return std::nullopt;
        bracket.place(*std::move(found), trial.is_chord);
        if (const auto status = bracket.ending(limits)) return status;
        if (const auto status = oracle.walk(bracket, limits)) return status;
    }
    return std::nullopt;
}

}  // namespace rpw
