// See truncated.hpp.
#include "solve/truncated.hpp"

#include <algorithm>

#include "base/crossing.hpp"
#include "ground/powers.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

namespace {

// Sums along a path of costs equal to the price may come out below it.
constexpr double rounding = 1e-12;

}  // namespace

Outcome move_while_shorter(const PowerProblem& problem, double scale, const Question& question, Pulse& pulse) {
    const double price = std::min(power(question.truncation / scale, question.p), largest_power);
    ProfileWalk walk(problem, pulse, price * (1 - rounding));
    const bool in_time = ends_in_time([&] {
        while (walk.find_edge()) walk.take_edge();
    });
    if (in_time && walk.unmoved() > 0) walk.raise_lambda(price);  // nothing more can move for less
    Outcome outcome;
    outcome.status = in_time ? Status::exact : Status::time_limit;
    outcome.unmoved = walk.unmoved();
    outcome.scale = scale;
    outcome.multiplier = walk.lambda();
    outcome.iterations = walk.pivots();
    outcome.plan = walk.plan(0);
    outcome.value = outcome.upper = outcome.cost =
        scale * root(walk.plan_cost_p() + price * walk.unmoved(), question.p);
    const double lower_p = walk.lambda() - walk.certificate(outcome.u, outcome.v);
    outcome.lower = std::min(scale * root(lower_p, question.p), outcome.upper);
    if (outcome.upper - outcome.lower <= rounding * outcome.upper) outcome.lower = outcome.upper;
    return outcome;
}

}  // namespace rpw
