// See labels.hpp.
#include "flow/labels.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ground/distinct.hpp"

namespace rpw {

namespace {

// Counted where labels are small; those of a pair among many can be any.
std::vector<Node> in_order_of(std::span<const std::int64_t> labels) {
    std::vector<Node> order(labels.size());
    const auto largest = static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end()));
    if (largest > 8 * labels.size()) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Node x, Node y) { return labels[x] < labels[y]; });
        return order;
    }
    std::vector<Node> place(largest + 2, 0);
    for (const std::int64_t label : labels) ++place[label + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (std::size_t x = 0; x < labels.size(); ++x) order[place[labels[x]]++] = static_cast<Node>(x);
    return order;
}

// Matches equal labels greedily, in their order.
Outcome match(const Masses& masses, std::span<const std::int64_t> of_row, std::span<const std::int64_t> of_column) {
    const std::vector<Node> rows = in_order_of(of_row), columns = in_order_of(of_column);
    std::vector<Mass> left_a(masses.a.begin(), masses.a.end()), left_b(masses.b.begin(), masses.b.end());
    const Mass total = masses.total();
    Mass moved = 0;
    Outcome outcome;
    for (std::size_t r = 0, c = 0; r < rows.size() && c < columns.size();) {
        const Node i = rows[r], j = columns[c];
        const std::int64_t here = of_row[i], there = of_column[j];
        const Mass amount = here == there ? std::min(left_a[i], left_b[j]) : 0;
        if (amount > 0) outcome.plan.push_back({i, j, share_of(amount, total)});
        left_a[i] -= amount;
        left_b[j] -= amount;
        moved += amount;
        if (here < there || (here == there && left_a[i] == 0)) ++r;
        if (here > there || (here == there && left_b[j] == 0)) ++c;
    }
    if (total - moved <= masses.rounding()) moved = total;
    outcome.solver = Solver::total_variation;
    outcome.value = outcome.lower = outcome.upper = outcome.unmoved = share_of(total - moved, total);
    return outcome;
}

}  // namespace

Outcome match_labels(const Pair& pair, Pulse& pulse) {
    std::vector<std::int64_t> own;
    std::span<const std::int64_t> of_row = pair.a.label, of_column = pair.b.label;
    if (of_row.empty()) {
        own = label_points(pair.a.points, pair.b.points, pulse).of_point;
        of_row = std::span(own).first(pair.a.size());
        of_column = std::span(own).subspan(pair.a.size());
    }
    Outcome outcome = match(pair.masses(), of_row, of_column);
    // Labels count points in the order in which they came: of one pair in another than of many.
    sort_plan(outcome.plan);
    return outcome;
}

}  // namespace rpw
