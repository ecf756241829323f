// See search_line.hpp.
#include "line/search_line.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/tuning.hpp"
#include "line/dual.hpp"
#include "line/path.hpp"
#include "line/walk.hpp"
#include "search/guess_between.hpp"
#include "search/search.hpp"

namespace rpw {

using namespace tuning;

namespace {

Atoms quantiles(const Atoms& atoms, Node count) {
    constexpr Mass unit = Mass{1} << 32;
    Atoms thinned;
    thinned.at.resize(count);
    thinned.before.resize(count + 1);
    Node i = 0;
    for (Node k = 0; k < count; ++k) {
        const auto level = static_cast<Mass>(static_cast<double>(atoms.total()) * ((k + 0.5) / count));
        while (i + 1 < atoms.size() && atoms.before[i + 1] <= level) ++i;
        thinned.at[k] = atoms.at[i];
        thinned.before[k + 1] = (k + 1) * unit;
    }
    return thinned;
}

}  // namespace

LineVertex as_vertex(const LinePair& pair, const LineCost& cost, double price, LinePlan plan) {
    const double unmoved = pair.unmoved(mass_of(plan));
    double cost_p = cost_of(pair, plan, cost);
    const auto is_cut_off = [&](const LineEntry& e) {
        return cost(pair.x.at[e.row] - pair.y.at[e.column]) == largest_power;
    };
    // A little mass at a power that is cut off would look cheap.
    if (cost_p > dearest_path * 0x1p-62 && std::any_of(plan.begin(), plan.end(), is_cut_off)) cost_p = largest_power;
    return {{unmoved, cost_p, price}, std::move(plan)};
}

LineVertex last_vertex(const LinePair& pair, const LineCost& cost) {
    LineVertex vertex = as_vertex(pair, cost, 0, monotone_plan(pair));
    const std::vector<double> u = row_potentials(pair, cost, 0, vertex.plan);
    with_power(cost, [&](auto power) {
        for (const LineEntry& e : vertex.plan) {
            vertex.lambda = std::max(vertex.lambda, power(pair.x.at[e.row] - pair.y.at[e.column]) + u[e.row]);
        }
    });
    return vertex;
}

namespace {

// The oracle of search/search.hpp.
class Line {
public:
    using Plan = LinePlan;
    using Around = Bracket<LinePlan>;

    Line(const LinePair& pair, const LineCost& cost, Looking looking, Pulse& pulse)
        : pair_(pair), cost_(cost), looking_(looking), pulse_(pulse) {}

    LineFound search(const Goal& goal, const Limits& limits);

    Trial next(const Around& bracket) const;
    std::optional<LineVertex> solve(const Trial& trial, const Around& bracket);
    std::optional<Status> walk(Around& bracket, const Limits&) {
        if (!bracket.right()) bracket.set_right(last_vertex(pair_, cost_));
        return std::nullopt;
    }

private:
    // All mass moves: no slope of F exceeds the cost of the longest pair.
    LineVertex end() const { return as_vertex(pair_, cost_, cost_(pair_.largest_distance()), monotone_plan(pair_)); }
    std::optional<Status> begin(Around& bracket, const Limits& limits);
    std::optional<Status> begin_by_walk(Around& bracket, const Limits& limits);
    double price_of_coarser(const Goal& goal) const;

    const LinePair& pair_;
    LineCost cost_;
    Looking looking_;
    Pulse& pulse_;
    double first_ = 0;  // what to try first; 0: not known
    long solves_ = 0;
};

LineFound Line::search(const Goal& goal, const Limits& limits) {
    LineVertex end = as_vertex(pair_, cost_, unreachable, monotone_plan(pair_));
    if (goal.is_crossing() ? end.cost_p == 0 : goal.unmoved <= smallest_step) {
        LineFound found{Status::exact, {goal, last_vertex(pair_, cost_)}, 0};
        found.bracket.end_at_left(Status::exact);
        return found;
    }
    LineFound found{Status::exact, {goal, {{}, {}}, std::move(end)}, 0};
    std::optional<Status> status;
    const bool in_time = ends_in_time([&] {
        status = begin(found.bracket, limits);
        if (!status) status = search_profile(*this, found.bracket, limits);
    });
    found.status = status ? *status : found.bracket.end_anyhow(in_time ? Status::exact : Status::time_limit);
    found.solves = solves_;
    return found;
}

std::optional<Status> Line::begin(Around& bracket, const Limits& limits) {
    if (cost_.p == 1) {
        if (const auto status = begin_by_walk(bracket, limits)) return status;
    }
    if (first_ == 0) first_ = price_of_coarser(bracket.goal());
    bracket.set_right(last_vertex(pair_, cost_));  // with its slope, from which guesses start
    return bracket.ending(limits);
}

std::optional<LineVertex> Line::solve(const Trial& trial, const Around& bracket) {
    LinePlan plan = looking_ == Looking::everywhere
                        ? solve_at_price(pair_, cost_, trial.lambda, pulse_)
                        : solve_between(pair_, cost_, trial.lambda, bracket.left().plan, bracket.right()->plan, pulse_);
    ++solves_;
    return as_vertex(pair_, cost_, trial.lambda, std::move(plan));
}

// A guess that finds a known vertex says that few edges are left; then the chord may be one.
Trial Line::next(const Around& bracket) const {
    const bool may_guess = bracket.stalls() == 0 && (solves_ < rounds_of_guesses || solves_ % 2 == 0);
    if (!may_guess) return {std::min(bracket.chord(), dearest_path), true};
    const Known known = bracket.known();
    const bool is_first = solves_ == 0 && first_ > 0;
    const SlopeGuess guess = guess_between(bracket.goal(), known.left, *known.right);
    const double price = is_first ? first_ : lambda_between(guess, 0, known, least_part_on_line);
    return {std::min(price, dearest_path), price >= dearest_path};
}

// For p = 1 a walk finds the edge itself; where rounding blurs it, its slope is a good first price.
std::optional<Status> Line::begin_by_walk(Around& bracket, const Limits& limits) {
    const Goal& goal = bracket.goal();
    const auto is_enough = [&](double unmoved, double cost) { return !goal.is_beyond(unmoved, cost); };
    auto edge = edge_where(pair_, 1 / cost_.inverse, most_paths_per_atom * pair_.atoms(), is_enough, pulse_);
    if (!edge || edge->slope > dearest_path) return std::nullopt;  // powers are cut off there
    first_ = edge->slope;
    LineVertex before = as_vertex(pair_, cost_, first_, std::move(edge->before));
    LineVertex after = as_vertex(pair_, cost_, first_, std::move(edge->after));
    const bool is_around = goal.is_beyond(before) && !goal.is_beyond(after);
    if (!is_around || before.unmoved - after.unmoved <= smallest_step) return std::nullopt;
    Around found(goal, std::move(before), std::move(after));
    const auto status = found.ending({0, limits.cutoff});
    if (!status) return std::nullopt;
    bracket = std::move(found);
    solves_ = 1;
    return status;
}

// What the same search finds between quantiles of the two measures, sixteen times fewer; 0 where that says nothing.
double Line::price_of_coarser(const Goal& goal) const {
    const Node atoms = std::max(pair_.x.size(), pair_.y.size());
    if (atoms < smallest_to_coarsen) return 0;
    LinePair pair;
    pair.x = quantiles(pair_.x, atoms / times_coarser);
    pair.y = quantiles(pair_.y, atoms / times_coarser);
    pair.rank();
    const LineFound found = Line(pair, cost_, looking_, pulse_).search(goal, {});
    if (found.status == Status::time_limit) throw TimeUp();
    return found.bracket.right() ? found.bracket.chord() : 0;
}

}  // namespace

LineFound search_line(const LinePair& pair, const LineCost& cost, const Goal& goal, const Limits& limits,
                      Looking looking, Pulse& pulse) {
    return Line(pair, cost, looking, pulse).search(goal, limits);
}

}  // namespace rpw
