// See price_search.hpp.
#include "line/price_search.hpp"

#include <algorithm>
#include <cmath>

#include "line/dual.hpp"
#include "line/path.hpp"
#include "line/walk.hpp"

namespace rpw {

namespace {

constexpr double beside_seed = 1e-12;
constexpr int rounds_of_guesses = 12;
constexpr long most_solves = 300;  // never seen: each solve on a chord finds a new vertex or ends the search
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

Vertex as_vertex(const LinePair& pair, const LineCost& cost, double price, LinePlan plan) {
    const double unmoved = pair.unmoved(mass_of(plan));
    double cost_p = cost_of(pair, plan, cost);
    const auto is_cut_off = [&](const LineEntry& e) {
        return cost(pair.x.at[e.row] - pair.y.at[e.column]) == largest_power;
    };
    // A little mass at a power that is cut off would look cheap.
    if (cost_p > dearest_path * 0x1p-62 && std::any_of(plan.begin(), plan.end(), is_cut_off)) cost_p = largest_power;
    return {unmoved, cost_p, price, std::move(plan)};
}

Vertex last_vertex(const LinePair& pair, const LineCost& cost) {
    Vertex vertex = as_vertex(pair, cost, 0, monotone_plan(pair));
    const LineDual dual = line_dual(pair, cost, 0.0, vertex.plan);
    for (const LineEntry& e : vertex.plan) {
        vertex.price = std::max(vertex.price, cost(pair.x.at[e.row] - pair.y.at[e.column]) + dual.u[e.row]);
    }
    return vertex;
}

double PriceSearch::Trail::price_at(double unmoved) const {
    auto sorted = points;
    std::sort(sorted.begin(), sorted.end());
    const auto right = std::upper_bound(sorted.begin(), sorted.end(), std::pair(unmoved, unreachable));
    if (right == sorted.begin()) return sorted.front().second;
    if (right == sorted.end()) return sorted.back().second;
    const auto left = right - 1;
    const double part = (unmoved - left->first) / (right->first - left->first);
    return left->second + part * (right->second - left->second);
}

PriceSearch::PriceSearch(const LinePair& pair, const LineCost& cost, const LineTarget& target, Looking looking,
                         Pulse& pulse)
    : pair_(pair), cost_(cost), target_(target), looking_(looking), pulse_(pulse) {
    bracket_.after = as_vertex(pair, cost, unreachable, monotone_plan(pair));
    bounds_ = bounds_of_bracket();
}

Status PriceSearch::run() {
    is_at_end_ = target_.is_crossing ? bracket_.after.cost == 0 : target_.unmoved <= 0;
    if (!is_at_end_ && !ends_in_time([&] { search(); })) status_ = Status::time_limit;
    return status_;
}

LineBounds PriceSearch::bounds_of_bracket() const {
    const Vertex &before = bracket_.before, &after = bracket_.after;
    const double slope = bracket_.slope(), chord = before.cost + slope * before.unmoved;
    LineBounds bounds{};
    bounds.meeting = std::clamp(target_.meeting(chord, slope), after.unmoved, before.unmoved);
    if (target_.is_crossing && slope > dearest_path) bounds.meeting = before.unmoved;  // powers are cut off there
    const auto proven = [&](const Vertex& vertex) {
        if (vertex.price == unreachable) return 0.0;
        if (target_.is_crossing) return target_.meeting(vertex.height(), vertex.price);
        return vertex.cost + vertex.price * (vertex.unmoved - bounds.meeting);
    };
    const double from_before = proven(before), from_after = proven(after);
    bounds.is_after_better = from_after > from_before;
    bounds.lower = std::max({from_before, from_after, 0.0});
    bounds.upper = target_.is_crossing ? bounds.meeting : before.cost + slope * (before.unmoved - bounds.meeting);
    return bounds;
}

// Where nearly all mass is left behind, 1 - ε has lost the digits of what moves, and its cost has not.
double PriceSearch::part_of_edge() const {
    const Vertex &before = bracket_.before, &after = bracket_.after;
    const double meeting = bounds_.meeting, slope = bracket_.slope();
    if (slope > dearest_path) return 0;
    const double moved = target_.is_crossing
                             ? moved_to_crossing(before.unmoved, before.cost, meeting, slope, target_.kappa, target_.p)
                             : before.unmoved - meeting;
    return std::clamp(moved / (before.unmoved - after.unmoved), 0.0, 1.0);
}

void PriceSearch::search() {
    if (cost_.p == 1) start_from_walk();
    if (seed_ == 0) start_from_coarser();
    for (int rounds = 0; !is_done(); ++rounds) step(rounds);
}

bool PriceSearch::is_done() {
    if (is_edge_ || solves_ > most_solves) return true;
    if (target_.is_crossing && bounds_.lower > target_.cutoff) {
        status_ = Status::beyond_cutoff;
        return true;
    }
    if (bounds_.is_tight()) return true;
    if (target_.tol <= 0 || bounds_.upper - bounds_.lower > target_.tol) return false;
    status_ = Status::tolerance;
    return true;
}

void PriceSearch::step(int rounds) {
    const double chord = bracket_.slope();
    // Guesses that find a known vertex say that few edges are left; then the chord may be one.
    const bool is_lopsided = std::abs(part_of_bracket() - 0.5) > 0.48;
    const bool may_guess = times_stuck_ < (is_lopsided ? 2 : 1) && (rounds < rounds_of_guesses || rounds % 2 == 0);
    const double price = std::min(may_guess ? guess(chord) : chord, dearest_path);
    LinePlan plan = looking_ == Looking::everywhere
                        ? solve_at_price(pair_, cost_, price, pulse_)
                        : solve_between(pair_, cost_, price, bracket_.before.plan, bracket_.after.plan, pulse_);
    ++solves_;
    place(as_vertex(pair_, cost_, price, std::move(plan)), price == chord);
    bounds_ = bounds_of_bracket();
}

void PriceSearch::place(Vertex found, bool is_chord) {
    Vertex &before = bracket_.before, &after = bracket_.after;
    trail_.points.emplace_back(found.unmoved, found.price);
    if (found.price == dearest_path && found.unmoved == before.unmoved) {  // all that is left is too dear
        on_edge_ = std::move(found);
        is_edge_ = true;
        return;
    }
    const double gain = before.cost - found.cost + found.price * (before.unmoved - found.unmoved);
    if (is_chord && gain <= 4e-16 * (after.cost + found.price * before.unmoved)) {
        before.price = after.price = found.price;
        on_edge_ = std::move(found);
        is_edge_ = true;
        return;
    }
    // At a price far above the costs that decide, rounding may choose a plan that moves no more than a cheaper one:
    // the one that is found now, or the one that is known.
    if (found.unmoved >= before.unmoved && found.cost > before.cost) {
        ++times_stuck_;
        return;
    }
    const bool is_before = target_.is_beyond(found.unmoved, found.cost);
    Vertex& side = is_before ? before : after;
    times_stuck_ = found.unmoved == side.unmoved ? times_stuck_ + 1 : 0;
    repeats_ = solves_ > 1 && is_before == last_was_before_ ? repeats_ + 1 : 0;
    last_was_before_ = is_before;
    if (is_before ? found.unmoved <= before.unmoved : found.unmoved >= after.unmoved) side = std::move(found);
    if (before.unmoved <= after.unmoved) after = as_vertex(pair_, cost_, unreachable, monotone_plan(pair_));
}

// How far into the bracket the target lies, from `before`.
double PriceSearch::part_of_bracket() const {
    const Vertex &before = bracket_.before, &after = bracket_.after;
    const double at = target_.is_crossing ? bounds_.lower + (bounds_.upper - bounds_.lower) / 2 : target_.unmoved;
    return (before.unmoved - at) / (before.unmoved - after.unmoved);
}

// The slope of F at the target if F were a parabola between the two vertices, moved towards the side that has not been
// found for some time.
double PriceSearch::guess(double chord) const {
    const Vertex &before = bracket_.before, &after = bracket_.after;
    if (seed_ > 0 && solves_ < 2) return within(seed_ * (solves_ == 0 ? 1 - beside_seed : 1 + beside_seed), chord);
    if (before.price == 0 || after.price == unreachable) return one_sided_guess(chord);
    double part = part_of_bracket();
    const double push = repeats_ == 0 ? 1.0 : std::pow(4.0, std::min(repeats_, 20)) * (times_stuck_ > 0 ? 8 : 1);
    part = last_was_before_ ? std::min(push * part, std::max(part, 0.5))
                            : 1 - std::min(push * (1 - part), std::max(1 - part, 0.5));
    const bool is_wide = after.price > 8 * before.price;  // then prices differ by orders of magnitude
    const double price = is_wide ? before.price * std::pow(after.price / before.price, std::clamp(part, 0.25, 0.75))
                                 : before.price + part * (after.price - before.price);
    return price > before.price && price < after.price ? price : chord;
}

// Only one of the vertices has been found by solving: the coarser problem tells how far to go.
double PriceSearch::one_sided_guess(double chord) const {
    const Vertex &before = bracket_.before, &after = bracket_.after;
    if (repeats_ >= 3) {  // prices may differ by hundreds of orders of magnitude
        const double factor = std::exp2(std::min(std::exp2(repeats_ - 2.0), 200.0));
        return before.price > 0 ? within(before.price * factor, chord) : within(after.price / factor, chord);
    }
    if (coarse_.points.size() < 2) return chord;
    if (before.price == 0 && after.price == unreachable) return within(coarse_price_, chord);
    const Vertex& known = before.price > 0 ? before : after;
    const double at = target_.meeting(known.height(), known.price);
    const double reach = 1.5 * (1 << std::min(2 * repeats_, 20)) * (at - known.unmoved);
    const double change = coarse_.price_at(coarse_unmoved_ + reach) - coarse_.price_at(coarse_unmoved_);
    // Where the coarser problem has no vertices near by, prices are taken to change faster than unmoved mass.
    const double least = 2 * known.price * std::min(std::abs(reach) / known.unmoved, 1.0);
    return within(known.price + (&known == &before ? std::max(change, least) : std::min(change, -least)), chord);
}

double PriceSearch::within(double price, double otherwise) const {
    return price > bracket_.before.price && price < bracket_.after.price && price > 0 ? price : otherwise;
}

// For p = 1 a walk finds the edge itself; where rounding blurs it, its slope is a good first price.
void PriceSearch::start_from_walk() {
    const auto is_enough = [this](double unmoved, double cost) { return !target_.is_beyond(unmoved, cost); };
    auto edge = edge_where(pair_, 1 / cost_.inverse, most_edges_per_atom * pair_.atoms(), is_enough, pulse_);
    if (!edge || edge->slope > dearest_path) return;  // powers are cut off there
    seed_ = edge->slope;
    LineBracket found{as_vertex(pair_, cost_, seed_, std::move(edge->before)),
                      as_vertex(pair_, cost_, seed_, std::move(edge->after))};
    const bool is_around = target_.is_beyond(found.before.unmoved, found.before.cost) &&
                           !target_.is_beyond(found.after.unmoved, found.after.cost);
    if (!is_around || found.before.unmoved - found.after.unmoved <= smallest_step) return;
    std::swap(bracket_, found);
    bounds_ = bounds_of_bracket();
    solves_ = 1;
    if (bounds_.is_tight()) return;
    std::swap(bracket_, found);
    bounds_ = bounds_of_bracket();
    solves_ = 0;
}

// The same search on quantiles of the two measures, sixteen times fewer.
void PriceSearch::start_from_coarser() {
    const Node atoms = std::max(pair_.x.size(), pair_.y.size());
    if (atoms < smallest_to_coarsen) return;
    LinePair coarse;
    coarse.x = quantiles(pair_.x, atoms / times_coarser);
    coarse.y = quantiles(pair_.y, atoms / times_coarser);
    coarse.rank();
    PriceSearch search(coarse, cost_, target_, looking_, pulse_);
    search.target_.tol = 0;
    search.target_.cutoff = 1;
    if (search.run() == Status::time_limit) throw TimeUp();
    if (search.is_at_end()) return;
    coarse_ = search.trail_;
    coarse_unmoved_ = search.bounds().meeting;
    coarse_price_ = search.bracket().slope();
}

}  // namespace rpw
