// See on_line.hpp.
#include "line/on_line.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/crossing.hpp"
#include "base/merge_pairs.hpp"
#include "base/tuning.hpp"
#include "line/dual.hpp"
#include "line/path.hpp"
#include "line/profile.hpp"
#include "line/search_line.hpp"
#include "line/thresholds.hpp"
#include "search/read_off.hpp"

namespace rpw {

using namespace tuning;

namespace {

// What a search over the line leaves. It is always proven: ties are broken by jitter, and that may go wrong.
struct FoundOnLine : Finding {
    static constexpr bool always_proven = true;
    const SortedPair& line;
    const LineCost& cost;
    const LineVertex& proof;
    const LinePlan& left;
    const LinePlan& right;
    double weight;

    // (1 - weight) · left + weight · right, over the atoms as they came.
    std::vector<PlanEntry> plan() const {
        std::vector<PlanEntry> plan;
        const Mass total = line.pair.total();
        for (const auto& [part, of_part] : {std::pair(&left, 1 - weight), std::pair(&right, weight)}) {
            if (of_part == 0) continue;
            for (const auto& [row, column, mass] : *part) {
                plan.push_back({line.order_x[row], line.order_y[column], of_part * share_of(mass, total)});
            }
        }
        merge_pairs(plan);
        return plan;
    }
    double certify(std::vector<double>& u, std::vector<double>& v) const {
        const LineDual dual = line_dual(line.pair, cost, lambda, proof.plan);
        u = unsorted(dual.u, line.order_x);
        v = unsorted(dual.v, line.order_y);
        return lambda - dual.sum;
    }
    std::vector<double> row_potentials() const { return {}; }
};

FoundOnLine found_on_line(const SortedPair& line, const LineCost& cost, const LineFound& found) {
    const auto& bracket = found.bracket;
    const LinePlan &left = bracket.left().plan, &right = bracket.right() ? bracket.right()->plan : bracket.left().plan;
    const Finding finding{found.status,     Solver::line,          found.solves, bracket.answer().unmoved,
                          bracket.cost_p(), bracket.proof().lambda};
    return {finding, line, cost, bracket.proof(), left, right, bracket.answer().weight};
}

// Whether some positive distance, divided by the scale, would vanish as a p-th power (docs/proofs/rounding.md,
// "Rounding").
bool loses_powers(const LinePair& pair, double scale, double p) {
    return p > small_p && powers_vanish(pair.least_distance(), scale, p);
}

// The scale for this question, where the answer at p = ∞ tells which lengths decide if powers would be lost.
template <class AtInfinity>
double scale_for(const LinePair& pair, double plain, double p, const AtInfinity& at_infinity) {
    if (!loses_powers(pair, plain, p)) return scale_near(plain, p);
    const double length = at_infinity();
    return scale_near(length > 0 ? length : pair.least_distance(), p);
}

Question for_value(const Question& question) {
    Question other = question.with_cutoff(1);
    other.need = Need::value;
    other.tol = 0;
    return other;
}

// Whether the potentials prove less than the search took for proven.
bool has_gap(const Outcome& outcome, const Question& question) {
    const double gap = outcome.upper - outcome.lower;
    switch (outcome.status) {
        case Status::exact:
            return !(gap <= 0);
        case Status::tolerance:
            return !(gap <= question.tol * (1 + same_answer));
        case Status::beyond_cutoff:
            return !(outcome.lower >= question.cutoff);
        case Status::time_limit:
            return false;
    }
    return true;
}

// Asks again, of all atoms, where the potentials do not prove what was found between vertices.
template <class Ask>
Outcome proven(const Question& question, const Ask& ask) {
    Outcome outcome = ask(Looking::between_vertices);
    return has_gap(outcome, question) ? ask(Looking::everywhere) : outcome;
}

Outcome cross(SortedPair& line, const Question& question, Pulse& pulse) {
    const double p = question.p, kappa = question.kappa;
    const double wanted = scale_for(line.pair, std::min(line.pair.largest_distance(), kappa), p, [&] {
        const double length = kappa * value_in_time(cross_line_thresholds(line, for_value(question), pulse));
        if (length > 0) return length;
        Question of_all = for_value(question);  // an answer may have been too small for float64
        of_all.quantity = Quantity::mass;
        of_all.unmoved = 0;
        return value_in_time(line_threshold_at(line, of_all, pulse));
    });
    line.rescale(wanted);
    const LineCost cost = line.cost(p, wanted);
    const double scale = line.unit / cost.inverse;
    const Price price = scaled_price(kappa, scale);
    const double cutoff = std::min(1.0, question.cutoff / price.shrink);
    const Limits limits{price.tol(question.tol), cutoff};
    return proven(question, [&](Looking looking) {
        const LineFound found = search_line(line.pair, cost, {price.kappa, p}, limits, looking, pulse);
        return read_crossing(found_on_line(line, cost, found), price, scale, question);
    });
}

Outcome move(SortedPair& line, const Question& question, Pulse& pulse) {
    const double p = question.p;
    const double scale = scale_for(line.pair, line.pair.largest_distance(), p,
                                   [&] { return value_in_time(line_threshold_at(line, for_value(question), pulse)); });
    line.rescale(scale);
    const LineCost cost = line.cost(p, scale);
    return proven(question, [&](Looking looking) {
        const LineFound found = search_line(line.pair, cost, {0, p, question.unmoved}, {}, looking, pulse);
        return read_mass(found_on_line(line, cost, found), 0, 0, scale, question);
    });
}

// W_p alone. The longest pair that is used is the unit: only its power must not be lost.
Outcome move_everything(SortedPair& line, double p) {
    const LinePlan plan = monotone_plan(line.pair);
    const double longest = longest_of(line.pair, plan);
    Outcome outcome;
    outcome.solver = Solver::line;
    outcome.unmoved = 0;
    outcome.scale = scale_near(longest, p);
    line.rescale(outcome.scale);
    outcome.value = longest > 0 ? outcome.scale * root(cost_of(line.pair, plan, line.cost(p, outcome.scale)), p) : 0.0;
    outcome.lower = outcome.upper = outcome.cost = outcome.value;
    return outcome;
}

// All mass under min(distance, truncation)^p: the rest of the best plan at that price costs the price.
Outcome move_truncated(SortedPair& line, const Question& question, Pulse& pulse) {
    const double p = question.p;
    const double scale = scale_near(question.truncation, p);
    line.rescale(scale);
    const LineCost cost = line.cost(p, scale);
    const double price = cost(question.truncation / line.unit);
    const LineVertex vertex = as_vertex(line.pair, cost, price, solve_at(line.pair, cost, price, pulse));
    const Finding finding{Status::exact, Solver::line, 1, vertex.unmoved, vertex.cost_p, price};
    const double rounding = price > far_larger * vertex.height() ? rounding_of_lambda * price : 0;
    return read_mass(FoundOnLine{finding, line, cost, vertex, vertex.plan, {}, 0}, price, rounding, scale, question);
}

Outcome answer(SortedPair& line, const Question& question, Pulse& pulse) {
    const bool crosses = question.quantity == Quantity::crossing;
    if (std::isinf(question.p)) return (crosses ? cross_line_thresholds : line_threshold_at)(line, question, pulse);
    const bool is_truncated = question.truncation < line.pair.largest_distance();
    if (!crosses && !is_truncated && question.unmoved == 0 && question.need == Need::value) {
        return move_everything(line, question.p);
    }
    if (line.pair.x.rank.empty()) line.pair.rank();
    if (crosses) return cross(line, question, pulse);
    return is_truncated ? move_truncated(line, question, pulse) : move(line, question, pulse);
}

// A tie that was broken wrongly, or points that lie on their line only up to rounding, and the rounding counts.
bool is_doubtful(const Outcome& outcome, const SortedPair& line, const Question& question) {
    if (has_gap(outcome, question) && line.pair.fits_a_matrix()) return true;
    const bool is_found = outcome.status == Status::exact || outcome.status == Status::tolerance;
    const double least = is_found ? outcome.value : outcome.lower;  // of what was cut off no more is known
    const bool is_share = question.quantity == Quantity::crossing;
    return line.rounding > 0 && line.is_too_coarse(is_share ? question.kappa * least : least);
}

// Whether no unit suits all lengths that may count, and a matrix is not too large to ask it instead. Where everything
// moves, short ways do not count beside the longest.
bool is_too_wide(const LinePair& pair, const Question& question) {
    const bool crosses = question.quantity == Quantity::crossing;
    if (!crosses && question.unmoved == 0 && question.truncation >= pair.largest_distance()) return false;
    if (std::isinf(question.p) || !pair.fits_a_matrix()) return false;
    return pair.spans_float64(crosses ? question.kappa : question.truncation);
}

}  // namespace

Reply<Outcome> solve_on_line(const Pair& pair, const Direction& line, const Question& question, Pulse& pulse) {
    SortedPair sides = sorted_pair(pair, line);
    pulse.note(sides.pair.atoms());
    if (is_too_wide(sides.pair, question)) return Declined::not_its_kind;
    Outcome outcome = answer(sides, question, pulse);
    if (is_doubtful(outcome, sides, question)) return Declined::in_doubt;
    return outcome;
}

namespace {

// The whole profile, where it costs no more than the searches: for p = 1 and between equal masses. Nothing where a
// distance, or a price of these, has no power in its unit.
std::optional<Curve> profile_for(std::span<const double> kappas, const LinePair& pair, double p, Pulse& pulse) {
    if (std::isinf(p)) return {};
    const double largest = pair.largest_distance();
    double least = pair.least_distance();
    for (const double kappa : kappas) least = kappa > 0 ? std::min(least, kappa) : least;
    if (std::abs(std::log2(largest)) > most_digits || powers_vanish(least, largest, p)) return {};
    return short_profile(pair, p, kappas.size() * costs_of_search * pair.atoms(), pulse);
}

// Where the profile meets (κ ε)^p.
double crossing_of(const Curve& curve, double kappa, double p) {
    const Price price = scaled_price(kappa, curve.scale);
    const auto is_beyond = [&](std::size_t e) { return price.kappa * curve.unmoved[e] > root(curve.cost[e], p); };
    std::size_t first = 0, end = curve.slope.size();  // vertices with the goal between them
    if (end == 0 || is_beyond(end)) return price.shrink * curve.unmoved.back();
    while (end - first > 1) {
        const std::size_t middle = first + (end - first) / 2;
        (is_beyond(middle) ? first : end) = middle;
    }
    const double slope = curve.slope[first], height = curve.cost[first] + slope * curve.unmoved[first];
    return price.shrink * std::clamp(crossing(height, slope, price.kappa, p), curve.unmoved[end], curve.unmoved[first]);
}

}  // namespace

Reply<std::vector<double>> several_on_line(const Pair& pair, const Direction& line, Question question,
                                           std::span<const double> kappas, Pulse& pulse) {
    const SortedPair sides = sorted_pair(pair, line);
    pulse.note(sides.pair.atoms());
    question.quantity = Quantity::crossing;
    question.need = Need::value;
    const auto curve = profile_for(kappas, sides.pair, question.p, pulse);
    std::vector<double> values;
    for (const double kappa : kappas) {
        question.kappa = kappa;
        if (curve) {
            values.push_back(crossing_of(*curve, kappa, question.p));
            if (sides.rounding > 0 && sides.is_too_coarse(kappa * values.back())) return Declined::in_doubt;
            continue;
        }
        if (is_too_wide(sides.pair, question)) return Declined::not_its_kind;
        SortedPair own = sides;
        const Outcome outcome = answer(own, question, pulse);
        if (is_doubtful(outcome, own, question)) return Declined::in_doubt;
        values.push_back(value_in_time(outcome));
    }
    return values;
}

namespace {

void nearest_one_way(const Atoms& from, const Atoms& to, const std::vector<Node>& order, double rounding,
                     std::vector<double>& nearest) {
    nearest.resize(from.at.size());
    std::size_t right = 0;
    for (std::size_t i = 0; i < from.at.size(); ++i) {
        while (right < to.at.size() && to.at[right] < from.at[i]) ++right;
        double least = right < to.at.size() ? to.at[right] - from.at[i] : unreachable;
        if (right > 0) least = std::min(least, from.at[i] - to.at[right - 1]);
        nearest[order[i]] = std::max(least - rounding, 0.0);
    }
}

}  // namespace

bool nearest_on_line(const Pair& pair, std::vector<double>& of_a, std::vector<double>& of_b) {
    if (pair.space.matrix || !pair.a.points.data || !pair.b.points.data) return false;
    const auto direction = direction_of(pair.a.points, pair.b.points, pair.space.metric);
    if (!direction) return false;
    const SortedPair line = sorted_pair(pair, *direction);
    nearest_one_way(line.pair.x, line.pair.y, line.order_x, line.rounding, of_a);
    nearest_one_way(line.pair.y, line.pair.x, line.order_y, line.rounding, of_b);
    return true;
}

}  // namespace rpw
