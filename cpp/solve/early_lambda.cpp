// See early_lambda.hpp.
#include "solve/early_lambda.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "walk/certificate.hpp"

namespace rpw {

using namespace tuning;

namespace {

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
