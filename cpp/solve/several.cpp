// See several.hpp.
#include "solve/several.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/tuning.hpp"
#include "flow/thresholds.hpp"
#include "ground/balanced_pair.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/solve_line.hpp"
#include "solve/choice.hpp"
#include "solve/merged_pair.hpp"
#include "solve/points.hpp"
#include "solve/points_at_infinity.hpp"
#include "solve/profile_search.hpp"
#include "solve/scale.hpp"
#include "solve/strategy.hpp"

namespace rpw {

using namespace tuning;

namespace {

// A price, and where its answer goes.
struct Wanted {
    double kappa;
    double* value;
};

void check_in_time(Status status) {
    if (status == Status::time_limit) throw TimeUp();
}

// Over trees, where they are to be asked; false where a matrix has to be.
bool search_on_points(const Pair& pair, const Question& question, std::span<const Wanted> wanted, Pulse& pulse) {
    const Layout layout = layout_of(pair, false);
    const bool has_no_matrix = choose(question, layout).solver == Solver::points;
    const double most_work = has_no_matrix ? unreachable : trial_of_trees(question, layout);
    if (most_work == 0) return false;
    std::vector<double> kappas;
    for (const Wanted& each : wanted) kappas.push_back(each.kappa);
    const auto found = std::isinf(question.p)
                           ? several_on_points_at_infinity(pair, question, kappas, most_listed_pairs, pulse)
                           : several_on_points(pair, question, kappas, most_work, pulse);
    for (std::size_t e = 0; found && e < found->size(); ++e) *wanted[e].value = (*found)[e];
    return found.has_value();
}

// Whether p-th powers of all distances and of all prices are float64 numbers in one unit.
bool share_a_scale(const Distances& distances, std::span<const Wanted> wanted, double scale, double p, Pulse& pulse) {
    const double least = std::min(least_positive(distances, pulse), wanted.front().kappa);
    return p * std::log2(scale / least) <= most_digits;
}

// One search, which goes on from one price to the next.
void search_past_crossings(const PowerProblem& problem, double scale, double p, std::span<const Wanted> wanted,
                           Pulse& pulse) {
    double searched = scaled_price(wanted.front().kappa, scale).kappa;
    ProfileSearch search(problem, {searched, p}, Solver::exact, pulse);
    check_in_time(search.run());
    for (const Wanted& each : wanted) {
        const Price price = scaled_price(each.kappa, scale);
        if (price.kappa > searched) check_in_time(search.go_on({price.kappa, p}));
        searched = price.kappa;
        *each.value = price.shrink * search.unmoved();
    }
}

// The same at p = ∞.
void search_past_thresholds(const LengthProblem& lengths, std::span<const Wanted> wanted, Pulse& pulse) {
    std::vector<double> kappas;
    for (const Wanted& each : wanted) kappas.push_back(each.kappa);
    const std::vector<double> found = cross_thresholds_in_turn(lengths, kappas, pulse);
    for (std::size_t e = 0; e < found.size(); ++e) *wanted[e].value = found[e];
}

// Distances that lie too many orders of magnitude apart for one scale: each price by itself.
void solve_one_by_one(const LengthProblem& lengths, Question question, std::span<const Wanted> wanted, Pulse& pulse) {
    Room room;
    for (const Wanted& each : wanted) {
        question.kappa = each.kappa;
        const double scale = scale_for_crossing(lengths, each.kappa, question.p, pulse);
        const Powers powers = powers_beside(lengths.distances, scale, question.p, room, pulse);
        *each.value = value_in_time(solve_powers({powers, lengths.masses}, scale, question, pulse));
    }
}

std::vector<double> several_of_distinct(const Pair& given, const Question& question, std::span<const double> kappas,
                                        Room& room, Pulse& pulse) {
    if (question.truncation == unreachable) {
        if (auto values = several_on_line(given, question, kappas, pulse)) return *std::move(values);
    }
    const BalancedPair balanced(given);
    const Pair& pair = balanced.pair();
    std::vector<double> values(kappas.size());
    std::vector<Wanted> wanted;
    for (std::size_t e = 0; e < kappas.size(); ++e) wanted.push_back({kappas[e], &values[e]});
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& x, const auto& y) { return x.kappa < y.kappa; });
    std::span<const Wanted> todo = wanted;
    if (!todo.empty() && todo.front().kappa > 0 && search_on_points(pair, question, todo, pulse)) return values;
    const LengthProblem lengths{distances_of(pair, question.truncation, room, pulse), pair.masses()};
    if (!todo.empty() && todo.front().kappa == 0) {
        const double unshared = value_in_time(unshared_mass(lengths, pulse));
        for (; !todo.empty() && todo.front().kappa == 0; todo = todo.subspan(1)) *todo.front().value = unshared;
    }
    if (todo.empty()) return values;
    if (std::isinf(question.p)) {
        search_past_thresholds(lengths, todo, pulse);
        return values;
    }
    const double scale = scale_for_crossing(lengths, todo.back().kappa, question.p, pulse);
    if (share_a_scale(lengths.distances, todo, scale, question.p, pulse)) {
        const Powers powers = powers_of(lengths.distances, pair.space, scale, question.p, room, pulse);
        search_past_crossings({powers, lengths.masses}, scale, question.p, todo, pulse);
    } else {
        solve_one_by_one(lengths, question, todo, pulse);
    }
    return values;
}

}  // namespace

std::vector<double> solve_several(const Pair& pair, const Question& question, std::span<const double> kappas,
                                  Room& room, Pulse& pulse) {
    const auto merged = merged_pair(pair, question, pulse);
    return several_of_distinct(merged ? merged->pair() : pair, question, kappas, room, pulse);
}

}  // namespace rpw
