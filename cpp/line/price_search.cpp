// See price_search.hpp.
#include "line/price_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "line/dual.hpp"
#include "line/path.hpp"
#include "line/walk.hpp"
#include "search/search.hpp"

namespace rpw {

namespace {

constexpr double beside_seed = 1e-12;
constexpr int rounds_of_guesses = 12;
constexpr Node smallest_to_coarsen = 256;
constexpr Node times_coarser = 16;
constexpr std::size_t most_edges_per_atom = 4;  // that a walk may take to find a price

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
    const LineDual dual = line_dual(pair, cost, 0.0, vertex.plan);
    for (const LineEntry& e : vertex.plan) {
        vertex.lambda = std::max(vertex.lambda, cost(pair.x.at[e.row] - pair.y.at[e.column]) + dual.u[e.row]);
    }
    return vertex;
}

namespace {

// Which price led to which unmoved mass: a first guess for a finer problem.
struct Trail {
    std::vector<std::pair<double, double>> points;  // (unmoved, price)
    double price_at(double unmoved) const;
};

double Trail::price_at(double unmoved) const {
    auto sorted = points;
    std::sort(sorted.begin(), sorted.end());
    const auto right = std::upper_bound(sorted.begin(), sorted.end(), std::pair(unmoved, unreachable));
    if (right == sorted.begin()) return sorted.front().second;
    if (right == sorted.end()) return sorted.back().second;
    const auto left = right - 1;
    const double part = (unmoved - left->first) / (right->first - left->first);
    return left->second + part * (right->second - left->second);
}

// The oracle of search/search.hpp.
class Line {
public:
    using Plan = LinePlan;
    using Around = Bracket<LinePlan>;

    Line(const LinePair& pair, const LineCost& cost, Looking looking, Pulse& pulse)
        : pair_(pair), cost_(cost), looking_(looking), pulse_(pulse) {}

    std::optional<Status> begin(Around& bracket, const Limits& limits);
    Trial next(const Around& bracket);
    std::optional<LineVertex> solve(const Trial& trial, const Around& bracket);
    std::optional<Status> walk(Around& bracket, const Limits&) {
        if (!bracket.right()) bracket.set_right(end());
        return std::nullopt;
    }

    // A plan that moves everything, at a price that is not known.
    LineVertex end() const { return as_vertex(pair_, cost_, unreachable, monotone_plan(pair_)); }
    long solves() const { return solves_; }

private:
    std::optional<Status> start_from_walk(Around& bracket, const Limits& limits);
    void start_from_coarser(const Goal& goal);
    double guess(const Around& bracket, double chord) const;
    double one_sided_guess(const Around& bracket, double chord) const;

    const LinePair& pair_;
    LineCost cost_;
    Looking looking_;
    Pulse& pulse_;
    Trail trail_, coarse_;
    double coarse_unmoved_ = 0, coarse_price_ = 0;  // where the goal of the coarser problem was
    double seed_ = 0;                               // the slope of the edge that a walk has found; 0: none
    long solves_ = 0;
};

LineFound search_by(Line& line, const Goal& goal, const Limits& limits) {
    LineFound found{Status::exact, {goal, {{}, {}}, line.end()}, false, 0};
    const LineVertex& end = *found.bracket.right();
    found.is_at_end = goal.is_crossing() ? end.cost_p == 0 : goal.unmoved <= smallest_step;
    if (found.is_at_end) return found;
    std::optional<Status> status;
    const bool in_time = ends_in_time([&] {
        status = line.begin(found.bracket, limits);
        if (!status) status = search_profile(line, found.bracket, limits);
    });
    found.status = status ? *status : found.bracket.end_anyhow(in_time ? Status::exact : Status::time_limit);
    found.solves = line.solves();
    return found;
}

std::optional<Status> Line::begin(Around& bracket, const Limits& limits) {
    if (cost_.p == 1) {
        if (const auto status = start_from_walk(bracket, limits)) return status;
    }
    if (seed_ == 0) start_from_coarser(bracket.goal());
    return bracket.ending(limits);
}

std::optional<LineVertex> Line::solve(const Trial& trial, const Around& bracket) {
    LinePlan plan = looking_ == Looking::everywhere
                        ? solve_at_price(pair_, cost_, trial.lambda, pulse_)
                        : solve_between(pair_, cost_, trial.lambda, bracket.left().plan, bracket.right()->plan, pulse_);
    ++solves_;
    LineVertex found = as_vertex(pair_, cost_, trial.lambda, std::move(plan));
    trail_.points.emplace_back(found.unmoved, found.lambda);
    return found;
}

// How far into the bracket the goal lies, from the left.
double part_of(const Bracket<LinePlan>& bracket) {
    const double lower = std::max(bracket.proven(), 0.0), upper = bracket.meeting();
    const double at = bracket.goal().is_crossing() ? lower + (upper - lower) / 2 : bracket.goal().unmoved;
    return (bracket.left().unmoved - at) / (bracket.left().unmoved - bracket.right()->unmoved);
}

double within(const Bracket<LinePlan>& bracket, double price, double otherwise) {
    return price > bracket.left().lambda && price < bracket.right()->lambda && price > 0 ? price : otherwise;
}

// How many vertices in a row were found on the side of the one before them.
int repeats_of(const Bracket<LinePlan>& bracket) { return std::max(0, std::abs(bracket.same_side()) - 1); }

Trial Line::next(const Around& bracket) {
    const double chord = bracket.chord();
    // Guesses that find a known vertex say that few edges are left; then the chord may be one.
    const bool is_lopsided = std::abs(part_of(bracket) - 0.5) > 0.48;
    const bool is_early = solves_ < rounds_of_guesses || solves_ % 2 == 0;
    const bool may_guess = bracket.stalls() < (is_lopsided ? 2 : 1) && is_early;
    const double price = std::min(may_guess ? guess(bracket, chord) : chord, dearest_path);
    return {price, price == chord || price == dearest_path};
}

// The slope of F at the goal if F were a parabola between the two vertices, moved towards the side that has not been
// found for some time.
double Line::guess(const Around& bracket, double chord) const {
    const LineVertex &before = bracket.left(), &after = *bracket.right();
    if (seed_ > 0 && solves_ < 2) {
        return within(bracket, seed_ * (solves_ == 0 ? 1 - beside_seed : 1 + beside_seed), chord);
    }
    if (before.lambda == 0 || after.lambda == unreachable) return one_sided_guess(bracket, chord);
    double part = part_of(bracket);
    const int repeats = repeats_of(bracket);
    const double push = repeats == 0 ? 1.0 : std::pow(4.0, std::min(repeats, 20)) * (bracket.stalls() > 0 ? 8 : 1);
    part = bracket.same_side() > 0 ? std::min(push * part, std::max(part, 0.5))
                                   : 1 - std::min(push * (1 - part), std::max(1 - part, 0.5));
    const bool is_wide = after.lambda > 8 * before.lambda;  // then prices differ by orders of magnitude
    const double price = is_wide ? before.lambda * std::pow(after.lambda / before.lambda, std::clamp(part, 0.25, 0.75))
                                 : before.lambda + part * (after.lambda - before.lambda);
    return price > before.lambda && price < after.lambda ? price : chord;
}

// Only one of the vertices has been found by solving: the coarser problem tells how far to go.
double Line::one_sided_guess(const Around& bracket, double chord) const {
    const LineVertex &before = bracket.left(), &after = *bracket.right();
    const int repeats = repeats_of(bracket);
    if (repeats >= 3) {  // prices may differ by hundreds of orders of magnitude
        const double factor = std::exp2(std::min(std::exp2(repeats - 2.0), 200.0));
        return within(bracket, before.lambda > 0 ? before.lambda * factor : after.lambda / factor, chord);
    }
    if (coarse_.points.size() < 2) return chord;
    if (before.lambda == 0 && after.lambda == unreachable) return within(bracket, coarse_price_, chord);
    const LineVertex& known = before.lambda > 0 ? before : after;
    const double at = bracket.goal().on_line(known.height(), known.lambda);
    const double way = 1.5 * (1 << std::min(2 * repeats, 20)) * (at - known.unmoved);
    const double change = coarse_.price_at(coarse_unmoved_ + way) - coarse_.price_at(coarse_unmoved_);
    // Where the coarser problem has no vertices near by, prices are taken to change faster than unmoved mass.
    const double least = 2 * known.lambda * std::min(std::abs(way) / known.unmoved, 1.0);
    const double step = &known == &before ? std::max(change, least) : std::min(change, -least);
    return within(bracket, known.lambda + step, chord);
}

// For p = 1 a walk finds the edge itself; where rounding blurs it, its slope is a good first price.
std::optional<Status> Line::start_from_walk(Around& bracket, const Limits& limits) {
    const Goal& goal = bracket.goal();
    const auto is_enough = [&](double unmoved, double cost) { return !goal.is_beyond(unmoved, cost); };
    auto edge = edge_where(pair_, 1 / cost_.inverse, most_edges_per_atom * pair_.atoms(), is_enough, pulse_);
    if (!edge || edge->slope > dearest_path) return std::nullopt;  // powers are cut off there
    seed_ = edge->slope;
    LineVertex before = as_vertex(pair_, cost_, seed_, std::move(edge->before));
    LineVertex after = as_vertex(pair_, cost_, seed_, std::move(edge->after));
    const bool is_around = goal.is_beyond(before) && !goal.is_beyond(after);
    if (!is_around || before.unmoved - after.unmoved <= smallest_step) return std::nullopt;
    Around found(goal, std::move(before), std::move(after));
    const auto status = found.ending({0, limits.cutoff});
    if (!status) return std::nullopt;
    bracket = std::move(found);
    solves_ = 1;
    return status;
}

// The same search on quantiles of the two measures, sixteen times fewer.
void Line::start_from_coarser(const Goal& goal) {
    const Node atoms = std::max(pair_.x.size(), pair_.y.size());
    if (atoms < smallest_to_coarsen) return;
    LinePair pair;
    pair.x = quantiles(pair_.x, atoms / times_coarser);
    pair.y = quantiles(pair_.y, atoms / times_coarser);
    pair.rank();
    Line line(pair, cost_, looking_, pulse_);
    const LineFound found = search_by(line, goal, {});
    if (found.status == Status::time_limit) throw TimeUp();
    if (found.is_at_end || !found.bracket.right()) return;
    coarse_ = std::move(line.trail_);
    coarse_unmoved_ = found.bracket.meeting();
    coarse_price_ = found.bracket.chord();
}

}  // namespace

LineFound search_line(const LinePair& pair, const LineCost& cost, const Goal& goal, const Limits& limits,
                      Looking looking, Pulse& pulse) {
    Line line(pair, cost, looking, pulse);
    return search_by(line, goal, limits);
}

}  // namespace rpw
