// One question about a pair on the line, answered in near-linear time and without a matrix (docs/proofs/line.md, "The
// line").
#pragma once

#include <span>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "base/reply.hpp"
#include "line/atoms.hpp"

namespace rpw {

// For `crossing` and `mass`, every p; with a truncation only where all mass is asked for. At finite p the answer is
// proven by potentials even where they are not asked for. Declines where the answer is in doubt and a matrix of
// moderate size can be asked instead.
Reply<Outcome> solve_on_line(const Pair& pair, const Direction& line, const Question& question, Pulse& pulse);

// RPW at each κ > 0, in ascending order; declines as above. Throws TimeUp.
Reply<std::vector<double>> several_on_line(const Pair& pair, const Direction& line, Question question,
                                           std::span<const double> kappas, Pulse& pulse);

// Declines where the profile may be long, or a matrix can keep tol better. Throws as `check_powers_fit`,
// `check_breakpoints` and `refuse_tol` do.
Reply<Band> profile_on_line(const Pair& pair, const Direction& line, const Question& question, Pulse& pulse);

// The distance from every atom to the nearest one of the other measure (never more), in the order in which they came;
// false where the points lie on no line.
bool nearest_on_line(const Pair& pair, std::vector<double>& of_a, std::vector<double>& of_b);

}  // namespace rpw
