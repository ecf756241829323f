// See coarse_at_infinity.hpp.
#include "points/coarse_at_infinity.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/tuning.hpp"
#include "points/at_infinity.hpp"
#include "points/c_transform.hpp"
#include "points/cells.hpp"
#include "points/point_lengths.hpp"
#include "search/own_ways.hpp"
#include "search/read_off.hpp"

namespace rpw {

using namespace tuning;

namespace {

// The least length at which all but `unmoved` of the atoms have somewhere to go.
double length_for_mass(std::span<const Mass> masses, const std::vector<double>& nearest, double unmoved) {
    const Mass total = sum_of(masses);
    Mass left = total;
    for (const Node x : in_order(nearest)) {
        left -= masses[x];
        if (share_of(left, total) <= unmoved + slack_of(unmoved)) return nearest[x];
    }
    return 0;
}

class Bounds {
public:
    Bounds(const Pair& pair, const Question& question, Pulse& pulse)
        : pair_(pair),
          question_(question),
          pulse_(pulse),
          trees_(pair, most_listed_pairs, pulse),
          a_(trees_.rows.in_order(pair.a.mass)),
          b_(trees_.columns.in_order(pair.b.mass)) {
        known_.status = Status::time_limit;
        known_.solver = Solver::points;
        known_.value = known_.upper = is_crossing() ? 1 : unreachable;
        take_plan({{0, 0, 1}}, {pair.a.size(), pair.b.size()});
    }

    const Outcome& known() const { return known_; }

    // False where finer cells would not be known in time either.
    bool improve_by_level(PerCell per_cell) {
        const Cells rows(trees_.rows, a_, per_cell.rows), columns(trees_.columns, b_, per_cell.columns);
        const Measure a{rows.masses(), rows.points(), {}, {}}, b{columns.masses(), columns.points(), {}, {}};
        const auto between_cells = solve_between({pair_.space, a, b});
        if (!between_cells) return false;
        known_.iterations += between_cells->iterations;
        // A flow that time cut off may move less than is asked for: its longest pair bounds nothing then.
        const bool is_whole = is_crossing() || between_cells->unmoved <= question_.unmoved + a_little;
        if (is_whole) take_plan(between_cells->plan, per_cell);
        raise_to(between_cells->lower * (1 - a_little) - into(rows, trees_.rows, a_) -
                 into(columns, trees_.columns, b_));
        return between_cells->status == Status::exact;
    }

    // If every atom could go to the one that is nearest to it.
    void improve_by_nearest() {
        const Nearest nearest = nearest_partners(PointLengths(trees_), pulse_);
        raise_to(std::max(one_way(pair_.a.mass, nearest.of_row), one_way(pair_.b.mass, nearest.of_column)));
    }

private:
    bool is_crossing() const { return question_.quantity == Quantity::crossing; }

    std::optional<Outcome> solve_between(const Pair& cells) {
        const Unwatched unwatched(pulse_);
        Question with_plan = question_;
        with_plan.need = Need::plan;
        with_plan.tol = 0;
        try {
            auto reply = solve_on_points_at_infinity(cells, with_plan, most_listed_pairs, pulse_);
            return reply ? std::optional(std::move(*reply)) : std::nullopt;
        } catch (const TooManyPairs&) {
            return {};
        }
    }

    double one_way(std::span<const Mass> masses, const std::vector<double>& nearest) const {
        return is_crossing() ? crossing_of_long_ways(masses, nearest, question_.kappa)
                             : length_for_mass(masses, nearest, question_.unmoved);
    }

    // What it takes to move all points into their cells.
    double into(const Cells& cells, const PointTree& tree, std::span<const Mass> masses) {
        const auto ways = cells.ways_from(tree, pulse_, [&](const double* point, const double* mean) {
            return distance_between(point, mean, tree.dimension(), pair_.space.metric);
        });
        return is_crossing() ? crossing_of_long_ways(masses, ways, question_.kappa)
                             : *std::max_element(ways.begin(), ways.end());
    }

    void raise_to(double lower) {
        raise_lower(known_, std::min(lower, known_.upper));
        pulse_.tell_moved(1 - known_.unmoved, known_.iterations);
        pulse_.tell_bounds(known_.lower, known_.upper);
    }

    // Of a plan between cells, split between their points, the shortest pairs: as many as are worth it, or are asked
    // for.
    void take_plan(const std::vector<PlanEntry>& between_cells, PerCell per_cell) {
        std::vector<std::tuple<double, Node, Node, double>> sorted;
        const PointLengths lengths(trees_);
        for (const auto& [x, y, mass] : split_plan(between_cells, per_cell, {a_, b_})) {
            const Node row = trees_.rows.given(x), column = trees_.columns.given(y);
            sorted.emplace_back(lengths.at(row, column), row, column, mass);
            pulse_.note(trees_.x.dimension);
        }
        std::sort(sorted.begin(), sorted.end());
        std::size_t best = 0;
        double left = 1;
        Outcome found;
        found.upper = known_.upper;
        for (std::size_t e = 0; e < sorted.size(); ++e) {
            const auto& [length, row, column, mass] = sorted[e];
            left = std::max(0.0, left - mass);
            const bool is_enough = left <= question_.unmoved + slack_of(question_.unmoved) || e + 1 == sorted.size();
            const double bound = is_crossing() ? std::max(length / question_.kappa, left) : length;
            if (!(is_crossing() || is_enough) || bound >= found.upper) continue;
            found.upper = bound;
            found.cost = length;
            found.unmoved = left;
            best = e + 1;
        }
        for (std::size_t e = 0; e < best; ++e) {
            const auto& [length, row, column, mass] = sorted[e];
            found.plan.push_back({row, column, mass});
            found.lengths.push_back(length);
        }
        improve(known_, std::move(found));
    }

    const Pair& pair_;
    Question question_;
    Pulse& pulse_;
    PointTrees trees_;
    std::vector<Mass> a_, b_;  // in the order of the trees
    Outcome known_;
};

}  // namespace

Outcome bounds_by_cells_at_infinity(const Pair& pair, const Question& question, Pulse& pulse) {
    Bounds bounds(pair, question, pulse);
    (void)ends_in_time([&] {
        bool knows_nearest = !searches_pay(pair.a.points.dimension);
        visit_levels(pair.a.size(), pair.b.size(), [&](PerCell per_cell) {
            const bool goes_on = bounds.improve_by_level(per_cell);
            if (!std::exchange(knows_nearest, true)) bounds.improve_by_nearest();
            return goes_on;
        });
        if (!knows_nearest) bounds.improve_by_nearest();
    });
    return bounds.known();
}

}  // namespace rpw
