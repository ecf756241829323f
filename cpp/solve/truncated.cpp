// See truncated.hpp.
#include "solve/truncated.hpp"

#include <algorithm>

#include "base/crossing.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "simplex/fixed_simplex.hpp"
#include "walk/certificate.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

using namespace tuning;

Outcome move_while_shorter(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const double price = std::min(power(question.truncation / scale, question.p), largest_power);
    FixedSimplex simplex(problem, pulse);
    const bool in_time = ends_in_time([&] { simplex.solve(price); });
    const ProfileWalk walk(problem, pulse, simplex.basis(), price, price);
    Outcome outcome;
    outcome.solver = Solver::simplex;
    outcome.status = in_time ? Status::exact : Status::time_limit;
    outcome.unmoved = walk.unmoved();
    outcome.scale = scale;
    outcome.multiplier = walk.lambda();
    outcome.iterations = simplex.pivots();
    outcome.plan = walk.plan();
    outcome.value = outcome.upper = outcome.cost =
        scale * root(walk.plan_cost_p() + price * walk.unmoved(), question.p);
    const double lower_p = walk.lambda() - certify(problem, walk.forest(), walk.lambda(), outcome.u, outcome.v, &pulse);
    outcome.lower = std::min(scale * root(lower_p, question.p), outcome.upper);
    if (outcome.upper - outcome.lower <= same_answer * outcome.upper) outcome.lower = outcome.upper;
    return outcome;
}

}  // namespace rpw
