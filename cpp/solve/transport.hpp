// Plain optimal transport, W_p^p: the end of the profile, reached faster.
//
// When all mass moves, adding f_i to every row and g_j to every column of the costs changes every plan's cost by the
// same amount, Σ a f + Σ b g. So for measures that lie apart the walk starts from reduced costs C_ij - f_i - g_j ≥ 0,
// which takes the way that all mass has in common out of it (docs/theory.md, "The end of the profile").
#pragma once

#include "base/matrix.hpp"
#include "base/pulse.hpp"

namespace rpw {

// Bounds on Σ γ_ij C_ij of an optimal plan γ that moves everything.
struct TransportBounds {
    bool is_exact;  // both are that sum; not so if time was up
    double lower_p;
    double upper_p;
};
TransportBounds transport_cost(const PowerProblem& problem, Pulse& pulse);

}  // namespace rpw
