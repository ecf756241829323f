// See route.hpp.
#include "solve/route.hpp"

#include <algorithm>
#include <cmath>

#include "base/tuning.hpp"
#include "ground/distances.hpp"

namespace rpw {

using namespace tuning;

namespace {

bool moves_all(const Question& question) { return question.quantity == Quantity::mass && question.unmoved == 0; }

// Neither the line nor trees know truncated distances, unless everything moves.
bool is_truncated(const Question& question) { return question.truncation < unreachable && !moves_all(question); }

// Whether points are to be solved without a matrix, whatever the memory. In few dimensions trees are soon as fast.
bool is_too_large(const Question& question, const Layout& layout) {
    const bool is_low = layout.dimension <= 3 && !std::isinf(question.p);
    return layout.pairs() > (is_low ? most_pairs_in_space : most_pairs_of_matrix);
}

// Whether k-d trees have an answer at all. At p = ∞ they find one distance, not a profile.
bool is_for_points(const Question& question, const Layout& layout) {
    if (layout.dimension == 0) return false;
    if (!std::isinf(question.p)) return !is_truncated(question);
    return question.truncation == unreachable && question.quantity != Quantity::profile;
}

// Steps that a search over trees may take before a matrix is asked; 0 where they are not worth a trial. Few points
// against many are worth it sooner, since the many are merged into cells.
double steps_on_trial(const Question& question, const Layout& layout) {
    const Node dimension = layout.dimension;
    if (question.quantity == Quantity::profile || dimension > most_dimensions_on_trial) return 0;
    const bool passes = dimension > most_listed_by_searches;
    const auto [few, many] = std::minmax(layout.rows, layout.columns);
    const bool is_few = many / many_per_few >= few && dimension <= most_searched_dimensions;
    const double of_searches = is_few ? pairs_for_trees_of_few : pairs_for_trees;
    if (layout.pairs() < (passes ? pairs_for_passes : of_searches)) return 0;
    const double pairs = static_cast<double>(many) * std::max(few, fewest_cells * points_per_cell);
    const double by_searches =
        is_few ? most_steps_of_trial : std::min(steps_of_trial / std::pow(dimension, 4), most_steps_of_trial);
    // One solve of the simplex answers. Passes over all pairs take 0.4 to 0.9 of the time on a matrix for plain,
    // shifted and unequal weights, but 1.6 to 5 in clusters and beside outliers.
    if (moves_all(question)) return passes ? 0 : by_searches * pairs;
    return std::max(by_searches, least_steps_of_trial) * pairs;
}

// Pairs that trees may list at p = ∞ before a matrix is asked.
double pairs_on_trial(const Layout& layout) {
    const bool is_worth_it = layout.dimension <= few_dimensions && layout.pairs() >= pairs_for_trees;
    return is_worth_it ? share_on_trial * layout.pairs() : 0;
}

Leg on_points(const Question& question) {
    return {Engine::points, std::isinf(question.p) ? most_listed_pairs : unreachable};
}

// At p = ∞ trees and a matrix answer with the same bits, so that trees may stand in where a matrix has no room.
void add_points_and_matrix(Route& route, const Question& question, const Layout& layout) {
    const bool has_trees = is_for_points(question, layout), at_infinity = std::isinf(question.p);
    if (has_trees && (question.solver == Solver::points || is_too_large(question, layout))) {
        route.add(on_points(question));
        route.add({Engine::matrix});
        return;
    }
    const double work = !has_trees ? 0 : at_infinity ? pairs_on_trial(layout) : steps_on_trial(question, layout);
    if (work > 0) route.add({Engine::points, work, true});
    const bool has_stand_in = has_trees && at_infinity;
    route.add({Engine::matrix, unreachable, false, has_stand_in});
    if (has_stand_in) route.add(on_points(question));
}

// What to add where a solver was asked for that has nothing to do: no error, as a loop over k may begin at 0.
std::string in_vain(const Question& question) {
    if (question.solver == Solver::exact) return "";
    return std::string(", so that solver='") + name_of(question.solver, solver_names) + "' has nothing to do";
}

// With tol, a solve over trees begins with cells (coarse.hpp).
std::string by_cells(const Question& question) {
    const bool has_cells = question.quantity == Quantity::crossing && question.tol > 0 && !std::isinf(question.p);
    return has_cells ? "; it ends as soon as the bounds are within tol, which cells of many points may give first" : "";
}

std::string reason_at_infinity(Engine engine, const Question& question) {
    if (engine == Engine::line) {
        return "points on a line: at p = inf a maximum flow over short pairs is one pass in order" + in_vain(question);
    }
    if (engine == Engine::points) {
        return "p = inf is decided by maximum flows over short pairs, which k-d trees find, because a matrix of all "
               "distances between so many points would be too large" +
               in_vain(question);
    }
    return "p = inf is decided by maximum flows over short pairs, in the order of their length" + in_vain(question);
}

}  // namespace

Layout layout_of(const Pair& pair, bool is_on_line) {
    const auto& matrix = pair.space.matrix;
    // A part of a matrix has to be copied, as points have to be measured.
    const auto distances = !is_whole_matrix(pair) ? Layout::Distances::from_points
                           : matrix->scratch      ? Layout::Distances::in_scratch
                                                  : Layout::Distances::in_matrix;
    const bool has_labels = !pair.a.label.empty();
    const Node dimension = matrix || has_labels ? 0 : pair.a.points.dimension;
    return {is_on_line, has_labels || dimension > 0, pair.a.size(), pair.b.size(), dimension, distances};
}

const Leg& Route::main() const {
    return *std::find_if(begin(), end(), [](const Leg& leg) { return !leg.is_trial; });
}

bool is_for_line(const Question& question) {
    if (question.quantity == Quantity::shared || is_truncated(question)) return false;
    const Solver solver = question.solver;
    if (solver == Solver::walk || solver == Solver::simplex) return std::isinf(question.p);
    return solver == Solver::exact || solver == Solver::lmr;  // which may leave the answer to an exact one
}

Route route_of(const Question& question, const Layout& layout) {
    Route route;
    if (question.quantity == Quantity::shared) {
        route.add({layout.has_labels ? Engine::labels : Engine::matrix});
        return route;
    }
    if (question.solver == Solver::bisection) {
        route.add({Engine::bisection});
        return route;
    }
    if (question.solver == Solver::lmr) route.add({Engine::lmr});
    if (layout.is_on_line && is_for_line(question)) route.add({Engine::line});
    const bool is_strategy = question.solver == Solver::walk || question.solver == Solver::simplex;
    if (is_strategy && !std::isinf(question.p)) {
        route.add({Engine::matrix});
    } else {
        add_points_and_matrix(route, question, layout);
    }
    return route;
}

bool begins_with_points(const Question& question, const Pair& pair) {
    return route_of(question, layout_of(pair, false)).begins_with(Engine::points);
}

Solver solver_of(const Route& route, const Question& question) {
    if (question.quantity == Quantity::shared) return Solver::total_variation;
    switch (route.main().engine) {
        case Engine::line:
            return Solver::line;
        case Engine::points:
            return Solver::points;
        case Engine::lmr:
            return Solver::lmr;
        case Engine::bisection:
            return Solver::bisection;
        case Engine::labels:
            return Solver::total_variation;
        case Engine::matrix:
            break;
    }
    return std::isinf(question.p) ? Solver::infinity : question.solver;
}

namespace {

std::string reason_of_main(const Route& route, const Question& question) {
    const Engine engine = route.main().engine;
    if (question.quantity == Quantity::shared) {
        return "k = 0 is total variation for every p: no transport problem has to be solved" + in_vain(question);
    }
    if (solver_of(route, question) == question.solver && question.solver != Solver::exact) {
        return "it was asked for" + (question.solver == Solver::points ? by_cells(question) : "");
    }
    if (std::isinf(question.p)) return reason_at_infinity(engine, question);
    if (engine == Engine::line) {
        return "points on a line: plans in the order of the points, at a few prices of unmoved mass, need near-linear "
               "time and no matrix; the dense solver is asked only where rounding leaves a doubt";
    }
    if (engine == Engine::points) {
        return "finite p: a walk along the exact OT-profile, over k-d trees, because a matrix of all distances "
               "between so many points would be too large" +
               by_cells(question);
    }
    const std::string end = question.tol > 0 ? "as soon as the bounds are within tol" : "at the crossing";
    return "finite p: a walk along the exact OT-profile, which jumps by a simplex at a fixed multiplier where the way "
           "would be long, stops " +
           end + "; Result.solver tells whether it was the walk alone or the simplex too";
}

}  // namespace

std::string reason_of(const Route& route, const Question& question) {
    const std::string trial = "; k-d trees are tried first, and given up where they would take longer than a matrix";
    return reason_of_main(route, question) + (route.begin()->is_trial ? trial : "");
}

int bytes_per_pair(Engine engine, const Question& question, const Layout& layout) {
    const bool has_matrix = layout.distances != Layout::Distances::from_points;
    const bool is_scratch = layout.distances == Layout::Distances::in_scratch;
    const bool has_powers = !std::isinf(question.p) && question.quantity != Quantity::shared;
    const int of_distances = has_matrix ? 0 : 8;
    switch (engine) {
        case Engine::matrix:
            return has_powers ? (is_scratch ? 0 : 8) : of_distances;  // powers take the place of computed distances
        case Engine::bisection:
            return has_powers ? of_distances + 8 : of_distances;
        case Engine::lmr:
            return has_powers ? 4 : of_distances + 8;  // wider only for the smallest tol
        case Engine::labels:
        case Engine::line:
        case Engine::points:
            break;
    }
    return 0;
}

int bytes_per_pair(const Route& route, const Question& question, const Layout& layout) {
    return route.main().has_stand_in ? 0 : bytes_per_pair(route.main().engine, question, layout);
}

}  // namespace rpw
