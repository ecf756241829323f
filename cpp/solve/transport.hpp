// Plain optimal transport, W_p^p: the end of the profile, reached faster.
//
// The simplex finds it in one solve, at the price of the dearest pair. Between equally many points of equal weights a
// walk may be faster: it gets a trial, and the simplex begins where it has arrived. When all mass moves, adding f_i to
// every row and g_j to every column of the costs changes every plan's cost by the same amount, Σ a f + Σ b g. So for
// measures that lie apart the walk takes reduced costs C_ij - f_i - g_j ≥ 0, without the way that all mass has in
// common (docs/theory.md, "The end of the profile").
#pragma once

#include "base/basis.hpp"
#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/tuning.hpp"

namespace rpw {

struct Transport {
    Status status = Status::exact;  // or that time was up
    bool is_done = true;            // not so if the simplex did not come to an end
    bool is_sharp = true;           // not so if λ is so large that its rounding may hide what is cheap
    Basis basis;
    double lambda = 0;   // the price of what is left; where it is asked for, the slope at the end of the profile
    double upper_p = 0;  // Σ γ_ij C_ij, with the rest at the dearest price
    Solver solver = Solver::simplex;
    long pivots = 0;
};

Transport transport_all(const PowerProblem& problem, bool with_slope, Pulse& pulse,
                        double patience = tuning::simplex_patience);

}  // namespace rpw
