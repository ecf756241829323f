// Plain optimal transport, W_p^p: the end of the profile, reached faster.
//
// The simplex finds it in one solve, at the price of the dearest pair: for that price what is left may take any way.
// With a price of its own, such as that of a truncation, what is left stays instead, as λ-ROBOT wants it. Between
// equally many points of equal weights a walk may be faster: it gets a trial, and the simplex begins where it has
// arrived (docs/proofs/simplex.md, "The end of the profile").
#pragma once

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "base/tuning.hpp"
#include "walk/found.hpp"

namespace rpw {

struct Transport : Found {
    bool is_done = true;   // not so if the simplex did not come to an end
    bool is_sharp = true;  // not so if λ is so large that its rounding may hide what is cheap
    double upper_p = 0;    // Σ γ_ij C_ij, with the rest at the price
};

// `price`: no less than the dearest pair. `with_slope`: everything moves, and λ is the slope at the end of the profile.
Transport transport_all(const PowerProblem& problem, double price, bool with_slope, Pulse& pulse,
                        double patience = tuning::simplex_patience);

}  // namespace rpw
