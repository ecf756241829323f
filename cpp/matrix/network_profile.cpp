// See network_profile.hpp.
#include "matrix/network_profile.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/breakpoints.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "simplex/fixed_simplex.hpp"
#include "walk/certificate.hpp"
#include "walk/walked_profile.hpp"

namespace rpw {

using namespace tuning;

namespace {

// The mean cost of the nearest column: about half of the mass can be moved at such a price.
double first_multiplier(const PowerProblem& problem, Pulse& pulse) {
    const Powers& cost = problem.powers;
    double sum = 0;
    for (Node i = 0; i < cost.rows; ++i) {
        const double* row = cost.row(i);
        sum += *std::min_element(row, row + cost.columns) / cost.rows;
        pulse.note(static_cast<std::size_t>(cost.columns));
    }
    if (sum > 0) return sum;
    const double least = least_positive(cost, pulse);
    return least < unreachable ? least : 1;
}

// The simplex, and from time to time the walk.
class SimplexAndWalk : public ProfileOracle {
public:
    SimplexAndWalk(const PowerProblem& problem, std::size_t max_breakpoints, Pulse& pulse)
        : problem_(problem), max_breakpoints_(max_breakpoints), pulse_(pulse), simplex_(problem, pulse) {}

    Support solve(double lambda) override;
    std::optional<Curve> whole_profile() override;
    std::vector<Support> climb();
    // Nothing if the profile is longer than allowed.
    std::optional<Curve> walk_to_end() { return walk_within(unreachable); }

private:
    Support proven();
    std::optional<Curve> walk_within(double most_work);

    const PowerProblem& problem_;
    std::size_t max_breakpoints_;
    Pulse& pulse_;
    FixedSimplex simplex_;
    std::optional<WalkedProfile> walk_;
    std::size_t solves_ = 0;
    std::size_t next_walk_ = solves_before_walk;
};

Support SimplexAndWalk::solve(double lambda) {
    const Unwatched unwatched(pulse_);  // what its plan moves says nothing about the curves
    ++solves_;
    simplex_.solve(lambda);
    Support found = proven();
    // A far smaller λ may suit the same vertex, and hide less of what is cheap in its rounding.
    while (found.cost_p - found.proven > same_answer * found.cost_p && far_larger * found.least < simplex_.lambda()) {
        simplex_.solve(std::max(found.least, simplex_.lambda() / (far_larger * far_larger)));
        const Support again = proven();
        if (again.unmoved != found.unmoved) break;
        found = again;
    }
    return found;
}

// What the basis of the simplex is, and proves.
Support SimplexAndWalk::proven() {
    const auto [unmoved, cost_p, lambda] = simplex_.point();
    const Forest forest(problem_.masses, simplex_.basis());
    const VertexProof proof = prove_vertex(problem_, forest, &pulse_);
    if (proof.is_proof()) return {unmoved, cost_p, proof.cost_p, proof.least, proof.largest};
    std::vector<double> u, v;  // rounding left no λ that suits all pairs, and has to be paid for
    const double height = lambda - certify(problem_, forest, lambda, u, v, &pulse_);
    return {unmoved, cost_p, height - lambda * unmoved, lambda, lambda};
}

// From a small multiplier up to one at which all mass is moved. Costs are at most 1, and so are slopes of F; at 1
// itself the last edge may gain nothing.
std::vector<Support> SimplexAndWalk::climb() {
    std::vector<Support> vertices{Support{}};
    double lambda = first_multiplier(problem_, pulse_), growth = step_of_lambda;
    while (vertices.back().unmoved > 0 && lambda < dearest_path) {
        const Support found = solve(lambda);
        if (vertices.back().unmoved - found.unmoved > slack_of(found.unmoved)) {
            vertices.push_back(found);
        } else if (found.unmoved == 0) {
            vertices.back() = found;  // its last breakpoint is the end
        }
        if (lambda < 1) {
            lambda = std::min(1.0, lambda * growth);
            growth *= growth;
        } else {
            lambda *= step_of_lambda;
        }
    }
    return vertices;
}

// The walk may do as much work as all solves did.
std::optional<Curve> SimplexAndWalk::whole_profile() {
    if (solves_ < next_walk_) return std::nullopt;
    next_walk_ *= 2;
    const Unwatched unwatched(pulse_);
    return walk_within(simplex_.work());
}

// It is resumed, not repeated.
std::optional<Curve> SimplexAndWalk::walk_within(double most_work) {
    if (!walk_) walk_.emplace(problem_, pulse_);
    return walk_->walk(most_work, max_breakpoints_) ? std::optional(walk_->curve()) : std::nullopt;
}

}  // namespace

Sandwich sandwich_profile(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints,
                          Pulse& pulse) {
    SimplexAndWalk network(problem, max_breakpoints, pulse);
    std::vector<Support> known = network.climb();
    Sandwich found = sandwich(network, std::move(known), p, tol, max_breakpoints, pulse);
    if (found.band.lower) found.band.upper.solver = found.band.lower->solver = Solver::simplex;
    if (found.keeps(tol)) return found;
    // What is cheap may be hidden in the rounding of a large λ. The walk knows no λ.
    if (auto profile = network.walk_to_end()) return {{*std::move(profile), std::nullopt}};
    return found;
}

}  // namespace rpw
