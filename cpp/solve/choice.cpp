// See choice.hpp.
#include "solve/choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Algorithms with an error have to be asked for, for every p; the strategies for finite p.
bool is_asked_for(const Question& question) {
    const bool has_error = question.solver == Solver::lmr || question.solver == Solver::bisection;
    return has_error || (question.solver != Solver::exact && !std::isinf(question.p));
}

// What to add where a solver was asked for that has nothing to do: no error, as a loop over k may begin at 0.
std::string in_vain(const Question& question) {
    constexpr std::pair<Solver, const char*> by_name[] = {{Solver::walk, "walk"},
                                                          {Solver::simplex, "simplex"},
                                                          {Solver::points, "points"},
                                                          {Solver::lmr, "lmr"},
                                                          {Solver::bisection, "bisection"}};
    for (const auto& [solver, name] : by_name) {
        if (question.solver == solver) return std::string(", so that solver='") + name + "' has nothing to do";
    }
    return "";
}

// The line knows no truncated distances, unless everything moves.
bool is_for_line(const Question& question) {
    const bool moves_all = question.quantity == Quantity::mass && question.unmoved == 0;
    return question.truncation == unreachable || moves_all;
}

// Trees know truncated distances only where everything moves.
bool is_for_trees(const Question& question) { return is_for_line(question); }

// Whether points are to be solved without a matrix, whatever the memory. In few dimensions trees are soon as fast.
bool is_too_large(const Layout& layout) {
    if (layout.dimension == 0) return false;
    return layout.pairs() > (layout.dimension <= 3 ? most_pairs_in_space : most_pairs);
}

// With tol, a solve over trees begins with cells (coarse.hpp).
std::string by_cells(const Question& question) {
    const bool has_cells = question.quantity == Quantity::crossing && question.tol > 0;
    return has_cells ? "; it ends as soon as the bounds are within tol, which cells of many points may give first" : "";
}

}  // namespace

Layout layout_of(const Pair& pair, bool is_on_line) {
    return {is_on_line, pair.a.size(), pair.b.size(), pair.space.matrix ? 0 : pair.a.points.dimension};
}

double trial_of_trees(const Question& question, const Layout& layout) {
    const Node dimension = layout.dimension;
    const bool has_points = dimension > 0 && dimension <= most_dimensions_on_trial;
    const bool is_asked = question.solver == Solver::exact && !std::isinf(question.p) && is_for_trees(question);
    const bool passes = dimension > most_listed_by_searches;
    const auto [few, many] = std::minmax(layout.rows, layout.columns);
    const bool is_few = many / many_per_few >= few && dimension <= most_searched_dimensions;
    const double of_searches = is_few ? pairs_for_trees_of_few : pairs_for_trees;
    if (!has_points || !is_asked || layout.pairs() < (passes ? pairs_for_passes : of_searches)) return 0;
    const double pairs = static_cast<double>(many) * std::max(few, fewest_cells * points_per_cell);
    const double by_searches =
        is_few ? most_steps_of_trial : std::min(steps_of_trial / std::pow(dimension, 4), most_steps_of_trial);
    const bool moves_all = question.quantity == Quantity::mass && question.unmoved == 0;
    if (moves_all) return passes ? 0 : share_for_all * by_searches * pairs;
    return std::max(by_searches, least_steps_of_trial) * pairs;
}

double trial_of_lists(const Question& question, const Layout& layout) {
    const bool is_low = layout.dimension > 0 && layout.dimension <= few_dimensions;
    const bool is_asked = question.solver == Solver::exact && std::isinf(question.p);
    return is_low && is_asked && layout.pairs() >= pairs_for_trees ? share_on_trial * layout.pairs() : 0;
}

bool begins_with_trees(const Question& question, const Pair& pair) {
    const Layout layout = layout_of(pair, false);
    if (trial_of_trees(question, layout) > 0 || trial_of_lists(question, layout) > 0) return true;
    return choose(question, layout).solver == Solver::points;
}

Choice choose(const Question& question, const Layout& layout) {
    if (question.quantity == Quantity::shared) {
        return {Solver::total_variation,
                "k = 0 is total variation for every p: no transport problem has to be solved" + in_vain(question)};
    }
    if (is_asked_for(question)) {
        return {question.solver, "it was asked for" + (question.solver == Solver::points ? by_cells(question) : "")};
    }
    const bool at_infinity = std::isinf(question.p) && question.truncation == unreachable;
    if (at_infinity && question.solver == Solver::points) return {Solver::points, "it was asked for"};
    const bool by_line = layout.is_on_line && is_for_line(question);
    if (std::isinf(question.p) && by_line) {
        return {Solver::line, "points on a line: at p = inf a maximum flow over short pairs is one pass in order" +
                                  in_vain(question)};
    }
    if (at_infinity && layout.dimension > 0 && layout.pairs() > most_pairs) {
        return {Solver::points,
                "p = inf is decided by maximum flows over short pairs, which k-d trees find, because a matrix of all "
                "distances between so many points would be too large" +
                    in_vain(question)};
    }
    if (std::isinf(question.p)) {
        return {Solver::infinity, "p = inf is decided by maximum flows over short pairs, in the order of their length" +
                                      in_vain(question)};
    }
    if (by_line) {
        return {Solver::line,
                "points on a line: plans in the order of the points, at a few prices of unmoved mass, need near-linear "
                "time and no matrix; the dense solver is asked only where rounding leaves a doubt"};
    }
    if (is_for_trees(question) && is_too_large(layout)) {
        return {Solver::points,
                "finite p: a walk along the exact OT-profile, over k-d trees, because a matrix of all distances "
                "between so many points would be too large" +
                    by_cells(question)};
    }
    const std::string end = question.tol > 0 ? "as soon as the bounds are within tol" : "at the crossing";
    return {Solver::exact,
            "finite p: a walk along the exact OT-profile, which jumps by a simplex at a fixed multiplier where the way "
            "would be long, stops " +
                end + "; Result.solver tells whether it was the walk alone or the simplex too"};
}

}  // namespace rpw
