// See first_bounds.hpp.
#include "solve/first_bounds.hpp"

#include <cmath>

#include "base/tuning.hpp"
#include "line/direction.hpp"
#include "solve/choice.hpp"
#include "solve/coarse_at_infinity.hpp"
#include "solve/points.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Whether a solve takes long enough for bounds to be felt before it.
bool is_long(const Pair& pair, const Question& question) {
    const bool has_points = !pair.space.matrix && pair.a.label.empty() && question.truncation == unreachable;
    const double pairs = static_cast<double>(pair.a.size()) * pair.b.size();
    if (question.quantity == Quantity::shared || !has_points || pairs < pairs_for_first_bounds) return false;
    return !direction_of(pair.a.points, pair.b.points, pair.space.metric);
}

}  // namespace

std::optional<Outcome> first_bounds(const Pair& pair, const Question& question, Pulse& pulse) {
    if (!pulse.has_deadline() || !is_long(pair, question)) return {};
    if (length_unit(pair.a.points, pair.b.points) != 1) return {};  // its cells would need a unit of their own
    if (std::isinf(question.p)) return bounds_by_cells_at_infinity(pair, question, pulse);
    const bool begins_with_cells = choose(question, layout_of(pair, false)).solver == Solver::points;
    return begins_with_cells ? std::nullopt : first_bounds_on_points(pair, question, pulse);
}

void improve(Outcome& outcome, Outcome&& other) {
    if (other.upper < outcome.upper) {
        outcome.value = outcome.upper = other.upper;
        outcome.unmoved = other.unmoved;
        outcome.cost = other.cost;
        outcome.plan = std::move(other.plan);
        outcome.lengths = std::move(other.lengths);
    }
    if (other.lower > outcome.lower) {
        outcome.lower = other.lower;
        outcome.multiplier = other.multiplier;
        outcome.scale = other.scale;
        outcome.u = std::move(other.u);
        outcome.v = std::move(other.v);
    }
    outcome.lower = std::min(outcome.lower, outcome.upper);
    outcome.iterations += other.iterations;
}

void raise_lower(Outcome& outcome, double lower) {
    if (lower <= outcome.lower) return;
    outcome.lower = lower;
    outcome.multiplier = 0;
    outcome.u.clear();
    outcome.v.clear();
}

}  // namespace rpw
