// See profile.hpp.
#include "solve/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/breakpoints.hpp"
#include "base/in_words.hpp"
#include "flow/thresholds.hpp"
#include "ground/balanced_pair.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/profile.hpp"
#include "lmr/lmr.hpp"
#include "solve/choice.hpp"
#include "solve/merged_pair.hpp"
#include "solve/network_profile.hpp"
#include "solve/points.hpp"
#include "solve/scale.hpp"

namespace rpw {

namespace {

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

[[noreturn]] void refuse_tol(double apart, const Question& question) {
    throw std::domain_error("tol=" + in_words(question.tol) +
                            " cannot be kept: beside the largest distances, float64 " +
                            "rounds the powers p=" + in_words(question.p, "%g") + " of the others so far that the " +
                            "two curves are " + in_words(apart) + " apart, and the exact profile is too long; lower " +
                            "p, raise max_breakpoints, or use rpw.solve, which needs no profile");
}

// Nothing where the points lie on no line, the profile there may be long, or a matrix can keep tol better.
std::optional<Band> profile_on_line(const Pair& pair, const Question& question, Pulse& pulse) {
    if (question.solver != Solver::exact || question.truncation < unreachable) return {};
    const std::optional<SortedPair> line = sorted_pair(pair);
    if (!line) return {};
    if (line->rounding > 0 && is_too_coarse(*line, pair)) return {};
    const double p = question.p;
    if (!std::isinf(p)) check_powers_fit(line->pair.least_distance(), line->pair.largest_distance(), p);
    std::optional<Band> band;
    if (question.tol > 0) {
        Sandwich found = line_sandwich(line->pair, p, question.tol, question.max_breakpoints, pulse);
        if (found.keeps(question.tol)) {
            band = std::move(found.band);
        } else if (!line->pair.fits_a_matrix()) {
            refuse_tol(found.gap, question);
        }
    } else if (auto curve = line_profile(line->pair, p, true, std::numeric_limits<std::size_t>::max(), pulse)) {
        band = Band{*std::move(curve), std::nullopt};
    }
    if (!band) return {};
    check_breakpoints(band->upper.cost.size(), question.max_breakpoints);
    if (!band->upper.used_up_a.empty()) {
        band->upper.used_up_a = unsorted(band->upper.used_up_a, line->order_x);
        band->upper.used_up_b = unsorted(band->upper.used_up_b, line->order_y);
    }
    return band;
}

Band profile_of_distinct(const Pair& given, const Question& question, Room& room, Pulse& pulse) {
    if (question.solver == Solver::lmr && !std::isinf(question.p)) {
        if (auto band = profile_by_lmr(given, question, pulse)) return *std::move(band);
    }
    if (auto band = profile_on_line(given, question, pulse)) return *std::move(band);
    const BalancedPair balanced(given);
    const Pair& pair = balanced.pair();
    if (choose(question, layout_of(pair, false)).solver == Solver::points) {
        if (auto curve = profile_on_points(pair, question, pulse)) return {*std::move(curve), std::nullopt};
    }
    const Distances distances = distances_of(pair, question.truncation, room, pulse);
    const Masses masses = pair.masses();
    if (std::isinf(question.p)) {
        return whole_thresholds({distances, masses}, question.tol, question.max_breakpoints, pulse);
    }
    const double scale = largest_distance(distances);
    check_powers_fit(least_positive(distances, pulse), scale, question.p);
    pulse.begin_news(scale);
    const PowerProblem costs{powers_of(distances, pair.space, scale, question.p, room, pulse), masses};
    Band band;
    if (question.tol > 0 && question.solver == Solver::exact) {
        const double tol = question.tol / scale;
        Sandwich found = sandwich_profile(costs, question.p, tol, question.max_breakpoints, pulse);
        if (!found.keeps(tol)) refuse_tol(found.gap * scale, question);
        band = std::move(found.band);
        if (band.lower) band.lower->scale = scale;
    } else {
        band.upper = walk_profile(costs, question.max_breakpoints, pulse);
    }
    band.upper.scale = scale;
    return band;
}

}  // namespace

Band whole_profile(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    const auto merged = merged_pair(pair, question, pulse);
    if (!merged) return profile_of_distinct(pair, question, room, pulse);
    return merged->as_given(profile_of_distinct(merged->pair(), question, room, pulse));
}

}  // namespace rpw
