// Collects the steps of a profile at p = ∞ from mass 0 on: all of them, or as few as a tolerance allows.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/masses.hpp"
#include "base/outcome.hpp"

namespace rpw {

class Steps {
public:
    Steps(Solver solver, double tol) : tol_(tol) { upper_.solver = solver; }

    // Up to this mass W is somewhere between the two thresholds. Steps too short to be seen are left out. A step at 0
    // stays by itself: it is what k = 0 asks for.
    void add(double low, double high, double unmoved) {
        if (upper_.unmoved.back() - unmoved <= slack_of(unmoved)) return;
        if (upper_.cost.back() > 0 && high - lows_.back() <= tol_) {
            upper_.unmoved.back() = unmoved;
            upper_.cost.back() = high;
        } else {
            upper_.unmoved.push_back(unmoved);
            upper_.cost.push_back(high);
            lows_.push_back(low);
        }
    }

    std::size_t size() const { return lows_.size(); }

    // The upper curve has nothing but its steps yet.
    Band take() {
        Band band{std::move(upper_), {}};
        if (lows_ == band.upper.cost) return band;
        band.lower = band.upper;
        band.lower->cost = std::move(lows_);
        return band;
    }

private:
    double tol_;
    Curve upper_;
    std::vector<double> lows_{0.0};
};

}  // namespace rpw
