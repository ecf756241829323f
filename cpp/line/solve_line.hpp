// One question about a pair on the line, answered in near-linear time and without a matrix (docs/theory.md, "The
// line").
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "line/atoms.hpp"

namespace rpw {

// For `crossing` and `mass`, every p; with a truncation only where all mass is asked for. At finite p the answer is
// proven by potentials even where they are not asked for. Nothing where the points lie on no line, or where the answer
// is doubtful and a matrix of moderate size can be asked instead.
std::optional<Outcome> solve_on_line(const Pair& pair, const Question& question, Pulse& pulse);

// RPW at each κ, also at 0; nothing as above. Throws TimeUp.
std::optional<std::vector<double>> several_on_line(const Pair& pair, Question question, std::span<const double> kappas,
                                                   Pulse& pulse);

// The distance from every atom to the nearest one of the other measure (never more), in the order in which they came;
// false where the points lie on no line.
bool nearest_on_line(const Pair& pair, std::vector<double>& of_a, std::vector<double>& of_b);

}  // namespace rpw
