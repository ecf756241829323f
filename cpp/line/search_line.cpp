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
#include "line/unit_walk.hpp"
#include "line/walk.hpp"
#include "search/search.hpp"
#include "search/slope_guess.hpp"

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

LineVertex as_vertex(const LinePair& pair, const LineCost& cost, double lambda, LinePlan plan) {
    const double unmoved = pair.unmoved(mass_of(plan));
    double cost_p = cost_of(pair, plan, cost);
    const auto is_cut_off = [&](const FlowEntry& e) {
        return cost(pair.x.at[e.row] - pair.y.at[e.column]) == largest_power;
    };
    // A little mass at a power that is cut off would look cheap.
    if (cost_p > dearest_path * 0x1p-62 && std::any_of(plan.begin(), plan.end(), is_cut_off)) cost_p = largest_power;
    return {{unmoved, cost_p, lambda}, std::move(plan)};
}

LineVertex last_vertex(const LinePair& pair, const LineCost& cost) {
    LineVertex vertex = as_vertex(pair, cost, 0, monotone_plan(pair));
    const std::vector<double> u = row_potentials(pair, cost, 0, vertex.plan);
    with_power(cost, [&](auto power) {
        for (const FlowEntry& e : *vertex.plan) {
            vertex.lambda = std::max(vertex.lambda, power(pair.x.at[e.row] - pair.y.at[e.column]) + u[e.row]);
        }
    });
    return vertex;
}

namespace {

class Line {
public:
    using Plan = LinePlan;
    using Around = Bracket<LinePlan>;

    Line(const LinePair& pair, const LineCost& cost, Looking looking, Pulse& pulse)
        : pair_(pair), cost_(cost), looking_(looking), pulse_(pulse), has_equal_masses_(has_equal_masses(pair)) {}

    LineFound search(const Goal& goal, const Limits& limits);

    // What search/search.hpp asks of an oracle.
    Trial next(const Around& bracket) const;
    std::optional<LineVertex> solve(const Trial& trial, const Around& bracket);
    std::optional<Status> begin(Around& bracket, const Limits& limits);
    // With the slope of the right end, where guesses need it.
    std::optional<Status> refine(Around& bracket, const Limits&) {
        if (!bracket.right() || (is_far(bracket) && is_end(*bracket.right())))
            bracket.set_right(last_vertex(pair_, cost_));
        return std::nullopt;
    }
    static Status start_again(Around& bracket, const Limits&) { return bracket.end_anyhow(Status::exact); }
    static void cut_off(Around&) {}
    static constexpr bool is_used_up() { return false; }
    static constexpr bool is_trusted() { return true; }  // all answers of the line are proven afterwards

private:
    std::optional<Status> begin_by_walk(Around& bracket, const Limits& limits);
    double lambda_of_coarser(const Goal& goal) const;
    double guess(const Around& bracket) const;
    double lambda_past_goal(const Around& bracket) const;
    // Whose slope is not known.
    static bool is_end(const LineVertex& right) { return right.lambda == unreachable; }
    // The first λ was no good.
    static bool is_far(const Around& bracket) { return std::abs(bracket.same_side()) > most_stalls; }
    static bool has_one_side(const Around& bracket) {
        return !is_far(bracket) && (bracket.left().lambda == 0 || is_end(*bracket.right()));
    }

    const LinePair& pair_;
    LineCost cost_;
    Looking looking_;
    Pulse& pulse_;
    bool has_equal_masses_;
    double first_ = 0;  // what to try first; 0: not known
    long solves_ = 0;
};

LineFound Line::search(const Goal& goal, const Limits& limits) {
    SearchOver<Line> search(*this, {goal, {{}, {}}, as_vertex(pair_, cost_, unreachable, monotone_plan(pair_))});
    const Status status = search.run(limits).value();
    return {status, search.bracket(), solves_};
}

std::optional<Status> Line::begin(Around& bracket, const Limits& limits) {
    const Goal goal = bracket.goal();
    if (goal.is_crossing() ? bracket.right()->cost_p == 0 : goal.unmoved <= smallest_step) {
        bracket = {goal, last_vertex(pair_, cost_)};
        return bracket.end_at_left(Status::exact);
    }
    if (cost_.p == 1) {
        if (const auto status = begin_by_walk(bracket, limits)) return status;
    }
    if (first_ == 0) first_ = lambda_of_coarser(bracket.goal());
    if (first_ == 0) bracket.set_right(last_vertex(pair_, cost_));  // with its slope, from which guesses start
    return bracket.ending(limits);
}

std::optional<LineVertex> Line::solve(const Trial& trial, const Around& bracket) {
    LinePlan plan = looking_ == Looking::everywhere
                        ? solve_at(pair_, cost_, trial.lambda, pulse_)
                        : solve_between(pair_, cost_, trial.lambda, bracket.left().plan, bracket.right()->plan, pulse_);
    ++solves_;
    return as_vertex(pair_, cost_, trial.lambda, std::move(plan));
}

// A guess that finds a known vertex says that few edges are left; then the chord may be one. Between equal masses it is
// one where it moves a single atom.
Trial Line::next(const Around& bracket) const {
    const bool is_edge = has_equal_masses_ && bracket.width() * pair_.x.size() < 1.5;
    if (is_edge || bracket.stalls() > 0) return {std::min(bracket.chord(), dearest_path), true};
    const double lambda = guess(bracket);
    return {std::min(lambda, dearest_path), lambda >= dearest_path};
}

// Between the two vertices. While only one side is known, a little past the goal: that takes 0.8 of the time at 100,000
// points, and 0.95 at up to 10,000.
double Line::guess(const Around& bracket) const {
    if (first_ > 0 && solves_ == 0) return first_;
    if (first_ > 0 && has_one_side(bracket)) return lambda_past_goal(bracket);
    const Known known = bracket.known();
    return lambda_between(guess_between(bracket.goal(), known.left, *known.right), 0, known, least_part_on_line);
}

// The goal lies near the only vertex that is known, and a λ a little beyond it gives a narrow bracket. λ is
// taken to change by as large a share as the unmoved mass, or as the cost if that is more.
double Line::lambda_past_goal(const Around& bracket) const {
    const bool is_left = bracket.same_side() > 0;
    const ProfilePoint& vertex = is_left ? bracket.left() : *bracket.right();
    const double to_goal = std::abs(bracket.goal().meets(vertex.height(), vertex.lambda) - vertex.unmoved);
    const double way = std::max(to_goal, 1.0 / static_cast<double>(pair_.atoms()));
    const double change = way * std::max(1 / vertex.unmoved, vertex.lambda / vertex.cost_p);
    const double further = std::pow(2.0, std::abs(bracket.same_side()) - 1);
    const double factor = 1 + further * std::min(change, 1.0);
    return is_left ? vertex.lambda * factor : vertex.lambda / factor;
}

// For p = 1 a walk finds the edge itself; where rounding blurs it, its slope is a good first λ.
std::optional<Status> Line::begin_by_walk(Around& bracket, const Limits& limits) {
    const Goal& goal = bracket.goal();
    const auto is_enough = [&](double unmoved, double cost) { return !goal.is_beyond(unmoved, cost); };
    auto edge = edge_where(pair_, 1 / cost_.inverse, many_edges * pair_.atoms(), is_enough, pulse_);
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

// What the same search finds between quantiles of the two measures, so many times fewer; 0 where these would be too
// few.
double Line::lambda_of_coarser(const Goal& goal) const {
    const Node atoms = std::max(pair_.x.size(), pair_.y.size());
    if (atoms < times_coarser * times_coarser) return 0;
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
