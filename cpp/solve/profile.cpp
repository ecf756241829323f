// See profile.hpp.
#include "solve/profile.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "flow/thresholds.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/profile.hpp"
#include "lmr/lmr.hpp"
#include "solve/scale.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

namespace {

std::string in_words(double x, const char* format = "%.3g") {
    char text[32];
    std::snprintf(text, sizeof text, format, x);
    return text;
}

// Throws where the p-th power of a positive distance would vanish: beside the largest one, or by itself. A profile
// spans all costs, so no one scale suits every k, as it does for one distance.
void check_powers_fit(double least, double largest, double p) {
    if (std::isinf(least)) return;
    if (std::pow(least / largest, p) < std::numeric_limits<double>::min()) {
        throw std::domain_error("the profile cannot be represented: the powers p=" + in_words(p, "%g") +
                                " of distances from " + in_words(least) + " to " + in_words(largest) +
                                " do not fit into float64 together; lower p, or use rpw.solve, which needs no profile");
    }
    const double power = std::pow(least, p);
    if (!std::isfinite(power) || power < std::numeric_limits<double>::min()) {
        throw std::domain_error(
            "cost_p cannot be represented: costs of " + in_words(least) + " to the power p=" + in_words(p, "%g") +
            " are no float64; rescale the points (or cost) and the diameter " + "by the same factor");
    }
}

// Nothing where the points lie on no line, or the profile there may be long.
std::optional<Curve> profile_on_line(const Pair& pair, const Question& question, Pulse& pulse) {
    if (question.solver != Solver::exact || question.truncation < unreachable || !lies_on_line(pair)) return {};
    const SortedPair line = sorted_pair(pair);
    const double p = question.p;
    if (!std::isinf(p)) check_powers_fit(line.pair.least_distance(), line.pair.largest_distance(), p);
    if (auto curve = line_profile(line.pair, p, pulse)) return curve;
    if (question.tol > 0) return line_sandwich(line.pair, p, question.tol, pulse).upper;
    return {};
}

}  // namespace

Curve walk_profile(const PowerProblem& problem, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    Curve curve;
    while (walk.find_edge()) {
        const double next_slope = walk.edge().slope;
        walk.take_edge();
        if (curve.unmoved.back() - walk.unmoved() <= smallest_step) continue;  // too short to be a breakpoint
        if (!curve.slope.empty() && next_slope == curve.slope.back()) {  // the same edge of F, in several augmentations
            curve.unmoved.pop_back();
            curve.cost.pop_back();
            curve.slope.pop_back();
        }
        curve.slope.push_back(next_slope);
        curve.unmoved.push_back(walk.unmoved());
        curve.cost.push_back(walk.cost_p());
    }
    if (curve.unmoved.size() > 1) {  // a short step at the end belongs to the last edge
        curve.unmoved.back() = walk.unmoved();
        curve.cost.back() = walk.cost_p();
    }
    return curve;
}

Curve whole_profile(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    if (question.solver == Solver::lmr && !std::isinf(question.p)) {
        if (auto curve = profile_by_lmr(pair, question, pulse)) return *std::move(curve);
    }
    if (auto curve = profile_on_line(pair, question, pulse)) return *std::move(curve);
    const Distances distances = distances_of(pair, question.truncation, room, pulse);
    if (std::isinf(question.p)) return whole_thresholds({distances, pair.masses()}, pulse);
    const double scale = largest_distance(distances);
    check_powers_fit(least_positive_distance(distances), scale, question.p);
    const Powers powers = powers_of(distances, pair.space, scale, question.p, room, pulse);
    Curve curve = walk_profile({powers, pair.masses()}, pulse);
    curve.scale = scale;
    return curve;
}

}  // namespace rpw
