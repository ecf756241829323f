// What is asked about a pair of measures.
#pragma once

#include <cstddef>

#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

// RPW (crossing), W_{p, 1 - unmoved} (mass), total variation (shared), RPW at several κ, or all of the profile.
enum class Quantity { crossing, mass, shared, crossings, profile };

// The number alone; with bounds that are proven by potentials; with the plan and the potentials too.
enum class Need { value, bounds, plan };

struct Question {
    Quantity quantity = Quantity::crossing;
    double p = 2;
    double kappa = 1;                 // kΔ, the price of leaving mass behind
    double unmoved = 0;               // the share of mass that stays, where the quantity is `mass`
    double truncation = unreachable;  // ground distances are cut off here
    double cutoff = 1;                // RPW beyond this may be given up
    double tol = 0;
    Solver solver = Solver::exact;  // or one by its name; LMR and bisection need tol > 0
    Need need = Need::value;
    std::size_t max_breakpoints = 1'000'000;  // of a profile

    Question with_cutoff(double beyond) const {
        Question other = *this;
        other.cutoff = beyond;
        return other;
    }
};

}  // namespace rpw
