// See early_lambda.hpp.
#include "solve/early_lambda.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ground/powers.hpp"
#include "walk/certificate.hpp"

namespace rpw {

namespace {

// Between these numbers of pairs of points λ is corrected early, unless a sample of the neighbours says that a walk is
// short: where much stays (each round reads all pairs, so the square of that share times the pairs must not be large),
// or where every row has the same way to go. Where less stays than this part of an atom, slopes before the goal say
// little about the one at it.
constexpr double fewest_corrected = 1000;
constexpr double most_corrected = 100000;
constexpr double much_unmoved = 0.3;
constexpr double most_product = 1800;
constexpr double same_way = 0.25;
constexpr double little_of_atom = 0.3;

// λ is corrected after so many rounds, when most arcs are placed, and then after each round in which no more arcs
// entered than this share of the larger side. That ends when λ changes by no more than the other share.
constexpr int first_rounds = 3;
constexpr int most_rounds = 60;
constexpr double few_entered = 0.1;
constexpr double close_enough = 0.1;

double larger_side(const PowerProblem& problem) { return std::max(problem.powers.rows, problem.powers.columns); }

// Whether the potentials of the present basis, completed for all pairs, prove that RPW exceeds the cutoff.
bool proves_more_than(double cutoff, const PowerProblem& problem, const Goal& goal, const FixedSimplex& simplex) {
    std::vector<double> u, v;
    const double lambda = simplex.lambda();
    const double height = lambda - certify(problem, Forest(problem.masses, simplex.basis()), lambda, u, v);
    return goal.on_line(height, lambda) > cutoff;
}

}  // namespace

ProfilePoint plan_of(const FixedSimplex& simplex, const Masses& masses) {
    const Mass total = masses.total(), left = total - simplex.moved();
    const double unmoved = left <= masses.negligible() ? 0.0 : share_of(left, total);
    return {unmoved, static_cast<double>(simplex.cost() / total), simplex.lambda()};
}

bool pays_to_correct_early(const PowerProblem& problem, const Goal& goal) {
    const auto size = static_cast<double>(problem.powers.size());
    if (!goal.is_crossing() || size < fewest_corrected || size > most_corrected) return false;
    const NeighbourSample near = sample_neighbours(problem, goal);
    if (near.unmoved * larger_side(problem) < little_of_atom || near.first_slope > same_way * near.slope) return false;
    return near.unmoved <= much_unmoved && size * near.unmoved * near.unmoved <= most_product;
}

// A plan that is not optimal yet tells where λ should be: what a solve would spend on the wrong λ is not spent.
std::optional<double> lambda_corrected_early(const PowerProblem& problem, const Goal& goal,
                                             const NeighbourProfile& neighbours, double least_unmoved, double cutoff,
                                             FixedSimplex& simplex, double lambda) {
    const double few = few_entered * larger_side(problem);
    for (int round = 1; round <= most_rounds; ++round) {
        const bool is_settled = static_cast<double>(simplex.sweep(lambda)) <= few;
        if (cutoff < 1 && round % first_rounds == 0 && proves_more_than(cutoff, problem, goal, simplex)) {
            return std::nullopt;
        }
        if (!is_settled && round != first_rounds) continue;
        const ProfilePoint plan = plan_of(simplex, problem.masses);
        const double better = corrected_lambda(goal, plan, neighbours, least_unmoved);
        const bool is_close = std::abs(better - lambda) <= close_enough * lambda;
        lambda = std::min(better, dearest_path);
        if (is_settled && is_close) break;
    }
    return lambda;
}

}  // namespace rpw
