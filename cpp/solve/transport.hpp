// Plain optimal transport, W_p^p: the end of the profile, reached faster.
//
// The simplex finds it in one solve, at the price of the dearest pair. Between equally many points of equal weights a
// walk may be faster, and gets a trial. When all mass moves, adding f_i to every row and g_j to every column of the
// costs changes every plan's cost by the same amount, Σ a f + Σ b g. So for measures that lie apart the walk starts
// from reduced costs C_ij - f_i - g_j ≥ 0, which takes the way that all mass has in common out of it (docs/theory.md,
// "The end of the profile").
#pragma once

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"

namespace rpw {

// Bounds on Σ γ_ij C_ij of an optimal plan γ that moves everything.
struct TransportBounds {
    bool is_exact;  // both are that sum; not so if time was up
    double lower_p;
    double upper_p;
    Solver solver;         // what ran: the walk alone, or the simplex too
    bool is_sharp = true;  // not so if the last λ was so large that its rounding may hide what is cheap
};

// Where rounding made the simplex go in circles, it would be given up after so many steps for each pair and each node;
// it needs some dozens.
inline constexpr double simplex_patience = 1e4;

TransportBounds transport_cost(const PowerProblem& problem, Pulse& pulse, double patience = simplex_patience);

}  // namespace rpw
