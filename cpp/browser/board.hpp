// Two clouds as a page shows them, and what it asks the core about them. The page computes nothing itself.
#pragma once

#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "base/question.hpp"
#include "ground/measure.hpp"

namespace rpw::browser {

// A cloud as the page gives it: points and weights, which need not sum to 1.
class Cloud {
public:
    // Where the page writes: coordinates, point by point, and then the weights.
    double* resize(Node count, Node dimension);
    // Takes over what was written. Atoms without mass are left out of what the core sees.
    void read();

    Node size() const { return count_; }
    bool is_plane() const { return dimension_ > 1; }
    Measure measure() const {
        return {mass_, {coordinates_.data(), static_cast<Node>(kept_.size()), dimension_}, {}, {}};
    }
    Node given_atom(Node kept) const { return kept_[kept]; }
    // What is left of each atom as given, without the mass that goes to or from it in the plan.
    std::vector<double> rest(std::span<const double> atom, std::span<const double> mass) const;

private:
    Node count_ = 0;
    Node dimension_ = 1;
    std::vector<double> written_;
    std::vector<double> weight_;  // of all atoms; they sum to 1
    std::vector<Node> kept_;
    std::vector<Mass> mass_;
    std::vector<double> coordinates_;
};

struct Parameters {
    Metric metric = Metric::euclidean;
    double p = 2;
    double kappa = 1;
    double tol = 0;  // on RPW
    double seconds = unreachable;
};

// The lists of an answer. `exports.cpp` hands them out by their place in this order.
struct Reading {
    std::vector<double> numbers;  // distance, lower, upper, cost, mass, 1 if the bounds agree; or a column
    std::vector<double> row, column, mass;
    std::vector<double> unmatched_a, unmatched_b;
    std::vector<double> alpha, cost;  // of a profile: W_α, at breakpoints of its p-th power; at p = ∞ of its steps
};

class Board {
public:
    Cloud a, b;

    // RPW with its plan; k = 0 is total variation.
    Reading crossing(const Parameters& asked);
    // W_p with its plan.
    Reading transport(const Parameters& asked);
    // Where the line of this price crosses the profile: bounds on RPW, without a plan.
    Reading place(const Parameters& asked);
    Reading whole_profile(const Parameters& asked);
    // The number of the column that makes up nearly all of the distances, or -1.
    Reading leading_column();

private:
    bool has_many() const;
    Reading solved(const Question& question, const Parameters& asked);
    template <class Ask>
    auto ask(const Parameters& asked, const Ask& ask);

    static constexpr double most_bytes = 1.5e9;  // of a matrix: a page has 2 GiB
    Room room_{
        [](Node rows, Node columns, int bytes) { return static_cast<double>(rows) * columns * bytes < most_bytes; }};
};

}  // namespace rpw::browser
