// See profile.hpp.
#include "line/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/breakpoints.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "line/dual.hpp"
#include "line/on_line.hpp"
#include "line/path.hpp"
#include "line/search_line.hpp"
#include "line/thresholds.hpp"
#include "line/unit_walk.hpp"
#include "line/walk.hpp"
#include "search/sandwich.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Plans at one λ after the other.
class AtLambda : public ProfileOracle {
public:
    AtLambda(const LinePair& pair, const LineCost& cost, Pulse& pulse) : pair_(pair), cost_(cost), pulse_(pulse) {}

    Support solve(double lambda) override {
        return supported(as_vertex(pair_, cost_, lambda, solve_at(pair_, cost_, lambda, pulse_)));
    }
    Support last() const { return supported(last_vertex(pair_, cost_)); }

private:
    Support supported(const LineVertex& vertex) const {
        const LineDual dual = line_dual(pair_, cost_, vertex.lambda, vertex.plan);
        const double proven = vertex.lambda - dual.sum - vertex.lambda * vertex.unmoved;
        return {vertex.unmoved, vertex.cost_p, proven, vertex.lambda, vertex.lambda};
    }

    const LinePair& pair_;
    LineCost cost_;
    Pulse& pulse_;
};

// In units of `scale`, by this solver.
Sandwich labelled(Sandwich found, double scale) {
    Band& band = found.band;
    for (Curve* curve : {&band.upper, band.lower ? &*band.lower : nullptr}) {
        if (!curve) continue;
        curve->scale = scale;
        curve->solver = Solver::line;
    }
    found.gap *= scale;
    return found;
}

// Two curves that are nowhere further apart than tol in units of W, but for rounding, or the profile itself if no
// breakpoint can be spared. Where they come from the profile, the upper one tells when atoms are used up.
Sandwich line_sandwich(LinePair pair, const Question& question, Pulse& pulse) {
    const double p = question.p, scale = scale_near(pair.largest_distance(), p), tol = question.tol / scale;
    if (const auto exact = short_profile(pair, p, (p == 1 ? many_edges : many_costs) * pair.atoms(), pulse)) {
        Sandwich found = labelled(condensed(*exact, p, tol), scale);
        if (!found.keeps(question.tol)) return {{*exact, std::nullopt}};
        found.band.upper.used_up_a = exact->used_up_a;
        found.band.upper.used_up_b = exact->used_up_b;
        return found;
    }
    pair.rank();
    pulse.begin_news(scale);  // what was walked is lost
    AtLambda oracle(pair, {p, 1 / scale}, pulse);
    return labelled(sandwich(oracle, {Support{}, oracle.last()}, p, tol, question.max_breakpoints, pulse), scale);
}

// Whether points that are not equal have the same place.
bool merges_points(const SortedPair& line, const Pair& pair) {
    const std::vector<double>&x = line.pair.x.at, &y = line.pair.y.at;
    const auto is_equal = [&](const double* first, const double* second) {
        return std::equal(first, first + pair.a.points.dimension, second);
    };
    for (std::size_t i = 0, j = 0; i < x.size(); ++i) {
        while (j < y.size() && y[j] < x[i]) ++j;
        const double* point = pair.a.points.at(line.order_x[i]);
        if (i > 0 && x[i - 1] == x[i] && !is_equal(pair.a.points.at(line.order_x[i - 1]), point)) return true;
        for (std::size_t s = j; s < y.size() && y[s] == x[i] && (i == 0 || x[i - 1] != x[i]); ++s) {
            if (!is_equal(pair.b.points.at(line.order_y[s]), point)) return true;
        }
    }
    return false;
}

// Whether the rounding of places would change the end of the profile, or its beginning, which small k depend on.
bool is_too_coarse(const SortedPair& line, const Pair& pair) {
    constexpr double accuracy_of_least = 1e-6;
    if (merges_points(line, pair)) return line.is_too_coarse(0);
    const double at_end = cost_of(line.pair, monotone_plan(line.pair), {1, 1});
    const double at_start = line.pair.least_distance() * (accuracy_of_least / accuracy);
    return line.is_too_coarse(std::min(at_end, at_start));
}

}  // namespace

std::optional<Curve> short_profile(const LinePair& pair, double p, std::size_t most_work, Pulse& pulse) {
    const double scale = scale_near(pair.largest_distance(), p);
    pulse.begin_news(scale);
    if (p == 1) return walk_line_profile(pair, scale, most_work, pulse);
    if (has_equal_masses(pair)) return walk_unit_profile(pair, {p, 1 / scale}, scale, most_work, pulse);
    return std::nullopt;
}

Reply<Band> profile_on_line(const Pair& pair, const Direction& line, const Question& question, Pulse& pulse) {
    const SortedPair sides = sorted_pair(pair, line);
    if (sides.rounding > 0 && is_too_coarse(sides, pair)) return Declined::in_doubt;
    const double p = question.p;
    if (!std::isinf(p)) check_powers_fit(sides.pair.least_distance(), sides.pair.largest_distance(), p);
    Band band;
    if (std::isinf(p)) {
        band = whole_line_thresholds(sides.pair, question.tol, pulse);
    } else if (question.tol > 0) {
        Sandwich found = line_sandwich(sides.pair, question, pulse);
        if (!found.keeps(question.tol)) {
            if (sides.pair.fits_a_matrix()) return Declined::in_doubt;
            refuse_tol(found.gap, question.tol, p);
        }
        band = std::move(found.band);
    } else {
        auto curve = short_profile(sides.pair, p, std::numeric_limits<std::size_t>::max(), pulse);
        if (!curve) return Declined::too_much_work;
        band.upper = *std::move(curve);
    }
    check_breakpoints(band.upper.cost.size(), question.max_breakpoints);
    if (!band.upper.used_up_a.empty()) {
        band.upper.used_up_a = unsorted(band.upper.used_up_a, sides.order_x);
        band.upper.used_up_b = unsorted(band.upper.used_up_b, sides.order_y);
    }
    return band;
}

}  // namespace rpw
