// The border of the core: plain arrays in, an Outcome or a Curve out. Everything that a caller may ask for is here.
#pragma once

#include <vector>

#include "problem.hpp"
#include "profile_walk.hpp"

namespace rpw {

enum class Status { exact, tolerance, time_limit, beyond_cutoff };

struct Outcome {
    Status status = Status::exact;
    double unmoved = 1;      // ε = 1 - α of the plan; for the RPW functions, the distance
    double cost = 0;         // F(α) of the plan for finite p, the threshold for p = ∞
    double multiplier = 0;   // λ (finite p)
    double dual_height = 0;  // F(1 - ε) ≥ dual_height - λ ε for every ε (finite p)
    std::vector<double> u;
    std::vector<double> v;
    std::vector<PlanEntry> plan;
    long iterations = 0;
};

// Breakpoints of the profile: unmoved mass and cost (p-th-power units, or the threshold at p = ∞).
struct Curve {
    std::vector<double> unmoved;
    std::vector<double> cost;
    std::vector<double> slope;  // of the edge after each breakpoint but the last (finite p, exact)
    bool complete = true;
};

// min { ε : F(1 - ε) ≤ (κ ε)^p }, to within tol (0: exact).
Outcome cross_profile(const Problem& problem, double kappa, double p, double tol, Pulse& pulse);
// The same distance without plan or proof. Gives up (status beyond_cutoff) once it is known to exceed the cutoff.
struct Value {
    double distance;
    Status status;
    double multiplier = 0;  // λ and u where the walk stopped
    std::vector<double> u = {};
};
Value cross_profile_value(const Problem& problem, double kappa, double p, double cutoff, Pulse& pulse);
// F at one mass, as 1 - unmoved.
double profile_value_at(const Problem& problem, double unmoved, Pulse& pulse);
Outcome profile_at(const Problem& problem, double unmoved, Pulse& pulse);
Curve whole_profile(const Problem& problem, Pulse& pulse);

// The same three at p = ∞, where `cost` holds distances.
Outcome cross_thresholds(const Problem& problem, double kappa, double tol, Pulse& pulse);
Outcome threshold_at(const Problem& problem, double unmoved, Pulse& pulse);
Curve whole_thresholds(const Problem& problem, Pulse& pulse);

// The largest flow over pairs at distance 0 (k = 0 where the zeros form no blocks).
Outcome flow_at_zero(const Problem& problem, Pulse& pulse);

// Integer costs in some unit, rounded up; see lmr.hpp.
template <class Cost>
struct RoundedProblem {
    const Cost* cost;
    std::span<const Mass> a;
    std::span<const Mass> b;
    Cost cap;
};

// LMR: like `cross_profile`, with everything in units of the rounding; `kappa` is in units to the power 1/p.
template <class Cost>
Outcome cross_lmr(const RoundedProblem<Cost>& problem, double kappa, double p, double tol, Pulse& pulse);
template <class Cost>
Curve lmr_profile(const RoundedProblem<Cost>& problem, Pulse& pulse);

}  // namespace rpw
