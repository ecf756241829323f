// See first_bounds.hpp.
#include "solve/first_bounds.hpp"

#include <cmath>

#include "base/tuning.hpp"
#include "points/coarse_at_infinity.hpp"
#include "points/on_points.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Whether a solve takes long enough for bounds to be felt before it.
bool is_long(const Pair& pair, const Question& question, const Route& route) {
    const bool has_points = !pair.space.matrix && question.quantity != Quantity::shared;
    const double pairs = static_cast<double>(pair.a.size()) * pair.b.size();
    return has_points && question.truncation == unreachable && pairs >= pairs_for_first_bounds &&
           !route.begins_with(Engine::line);
}

}  // namespace

std::optional<Outcome> first_bounds(const Pair& pair, const Question& question, const Route& route, Pulse& pulse) {
    if (!is_long(pair, question, route)) return {};
    if (length_unit(pair.a.points, pair.b.points) != 1) return {};  // its cells would need a unit of their own
    if (std::isinf(question.p)) return bounds_by_cells_at_infinity(pair, question, pulse);
    const bool begins_with_cells = route.main().engine == Engine::points;
    return begins_with_cells ? std::nullopt : first_bounds_on_points(pair, question, pulse);
}

}  // namespace rpw
