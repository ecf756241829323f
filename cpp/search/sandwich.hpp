// Two curves with the profile between them, from few solves.
//
// A solve at a fixed multiplier gives a vertex: a plan, which is a point on or above F, and potentials, which prove
// cuts, lines through that vertex below F. The chords between the vertices are the upper curve, the cuts the lower one.
// Between two vertices the next multiplier is the slope of their chord, until the curves are close enough.
// docs/proofs/profile.md, "A sandwich of the profile", has the proofs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/tuning.hpp"

namespace rpw {

// A vertex of F, and the cuts through it, lines that were proven to lie nowhere above F:
// F(1 - ε) ≥ proven + slope · (unmoved - ε) for every slope from `least` to `largest`.
struct Support {
    double unmoved = 1;
    double cost_p = 0;  // of the plan
    double proven = 0;  // of the cuts; less than the cost by rounding
    double least = 0;
    double largest = 0;
    bool is_vertex = true;  // or a place on an edge, where a cut was proven
};

// Who solves.
class ProfileOracle {
public:
    virtual ~ProfileOracle() = default;
    // The vertex at which F has the slope λ.
    virtual Support solve(double lambda) = 0;
    // The profile itself, where it can be had for about as much work as the solves have taken.
    virtual std::optional<Curve> whole_profile() { return std::nullopt; }
};

struct Sandwich {
    Band band;       // without a lower curve, the upper is the profile itself
    double gap = 0;  // the largest distance of the two after the root; rounding may keep it above tol

    bool keeps(double tol) const { return gap <= tol * (1 + tuning::a_little); }
};

// Curves that are nowhere further apart than tol, but for rounding, after the p-th root, in units of the costs' scale.
// `known` are vertices from mass 0 to mass 1. Throws std::length_error if that takes more than `max_breakpoints`
// solves.
Sandwich sandwich(ProfileOracle& oracle, std::vector<Support> known, double p, double tol, std::size_t max_breakpoints,
                  Pulse& pulse);

// The same from all of F: each chord goes as far as it may.
Sandwich condensed(const Curve& profile, double p, double tol);

// Throws std::domain_error: the two curves could not be brought nearer to each other than `apart`.
[[noreturn]] void refuse_tol(double apart, double tol, double p);

}  // namespace rpw
