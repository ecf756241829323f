// See several.hpp.
#include "solve/several.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/crossing.hpp"
#include "flow/thresholds.hpp"
#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "line/solve_line.hpp"
#include "solve/scale.hpp"
#include "solve/strategy.hpp"
#include "walk/profile_walk.hpp"

namespace rpw {

namespace {

// Powers of more binary digits than these, from the scale down, may leave float64.
constexpr double most_digits = 900;

// Steps per pair, and in all, after which the prices that are left are asked one by one.
constexpr double worth_walking = 8;
constexpr double few_steps = 20000;

// A price, and where its answer goes.
struct Wanted {
    double kappa;
    double* value;
};

double value_in_time(const Outcome& outcome) {
    if (outcome.status == Status::time_limit) throw TimeUp();
    return outcome.value;
}

// Whether p-th powers of all distances and of all prices are float64 numbers in one unit.
bool share_a_scale(const Distances& distances, std::span<const Wanted> wanted, double scale, double p) {
    const double least = std::min(least_positive_distance(distances), wanted.front().kappa);
    return p * std::log2(scale / least) <= most_digits;
}

// Each found edge is held against the prices that are left, least first (as in profile_search.cpp). Gives those that a
// walk of reasonable length does not reach.
std::span<const Wanted> walk_past_crossings(const PowerProblem& problem, double scale, double p,
                                            std::span<const Wanted> wanted, Pulse& pulse) {
    ProfileWalk walk(problem, pulse);
    walk.allow(worth_walking * static_cast<double>(problem.powers.size()) + few_steps);
    auto next = wanted.begin();
    while (next != wanted.end() && walk.find_edge()) {
        const Edge edge = walk.edge();
        const double before = walk.unmoved(), after = walk.share(walk.total() - walk.moved() - edge.amount);
        const double end = root(walk.cost_p() + edge.slope * walk.share(edge.amount), p);
        for (; next != wanted.end(); ++next) {
            const Price price = scaled_price(next->kappa, scale);
            if (price.kappa * after > end) break;
            double distance = before;
            if (edge.slope <= dearest_path) {
                const double height = walk.plan_cost_p() + edge.slope * before;
                distance = std::clamp(crossing(height, edge.slope, price.kappa, p), after, before);
            }
            *next->value = price.shrink * distance;
        }
        if (next != wanted.end()) walk.take_edge();
    }
    if (walk.moved() < walk.total()) return {next, wanted.end()};
    for (; next != wanted.end(); ++next) *next->value = scaled_price(next->kappa, scale).shrink * walk.unmoved();
    return {};
}

// Distances that lie too many orders of magnitude apart for one scale: each price by itself, on a copy of them.
void solve_one_by_one(const Pair& pair, const LengthProblem& lengths, Question question, std::span<const Wanted> wanted,
                      Room& room, Pulse& pulse) {
    const Distances& given = lengths.distances;
    const std::vector<double> kept(given.data, given.data + given.size());
    for (const Wanted& each : wanted) {
        double* copy = room.of_size(kept.size());
        std::copy(kept.begin(), kept.end(), copy);
        const LengthProblem own{{{copy, given.rows, given.columns}}, lengths.masses};
        question.kappa = each.kappa;
        const double scale = scale_for_crossing(own, each.kappa, question.p, pulse);
        const Powers powers = powers_of(own.distances, pair.space, scale, question.p, room, pulse);
        *each.value = value_in_time(solve_powers({powers, lengths.masses}, scale, question, pulse));
    }
}

}  // namespace

std::vector<double> solve_several(const Pair& pair, const Question& question, std::span<const double> kappas,
                                  Room& room, Pulse& pulse) {
    if (question.truncation == unreachable) {
        if (auto values = several_on_line(pair, question, kappas, pulse)) return *std::move(values);
    }
    std::vector<double> values(kappas.size());
    std::vector<Wanted> wanted;
    for (std::size_t e = 0; e < kappas.size(); ++e) wanted.push_back({kappas[e], &values[e]});
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& x, const auto& y) { return x.kappa < y.kappa; });
    const LengthProblem lengths{distances_of(pair, question.truncation, room, pulse), pair.masses()};
    std::span<const Wanted> todo = wanted;
    if (!todo.empty() && todo.front().kappa == 0) {
        const double unshared = value_in_time(unshared_mass(lengths, pulse));
        for (; !todo.empty() && todo.front().kappa == 0; todo = todo.subspan(1)) *todo.front().value = unshared;
    }
    if (todo.empty()) return values;
    if (std::isinf(question.p)) {
        for (const Wanted& each : todo) {
            *each.value = value_in_time(cross_thresholds(lengths, each.kappa, 0, Need::value, pulse));
        }
        return values;
    }
    const double scale = scale_for_crossing(lengths, todo.back().kappa, question.p, pulse);
    if (share_a_scale(lengths.distances, todo, scale, question.p)) {
        const Powers powers = powers_of(lengths.distances, pair.space, scale, question.p, room, pulse);
        const PowerProblem problem{powers, lengths.masses};
        Question own = question;
        for (const Wanted& each : walk_past_crossings(problem, scale, question.p, todo, pulse)) {
            own.kappa = each.kappa;
            *each.value = value_in_time(solve_powers(problem, scale, own, pulse));
        }
    } else {
        solve_one_by_one(pair, lengths, question, todo, room, pulse);
    }
    return values;
}

}  // namespace rpw
