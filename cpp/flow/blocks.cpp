// See blocks.hpp.
#include "flow/blocks.hpp"

#include <algorithm>
#include <numeric>

namespace rpw {

namespace {

// Counted where labels are small; those of a pair among many can be any.
std::vector<Node> in_order_of(const std::vector<std::int64_t>& labels) {
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

}  // namespace

BlockMatch match_blocks(const Masses& masses, const BlockLabels& labels) {
    const std::vector<Node> rows = in_order_of(labels.of_row), columns = in_order_of(labels.of_column);
    std::vector<Mass> left_a(masses.a.begin(), masses.a.end()), left_b(masses.b.begin(), masses.b.end());
    const Mass total = masses.total();
    Mass moved = 0;
    BlockMatch match;
    for (std::size_t r = 0, c = 0; r < rows.size() && c < columns.size();) {
        const Node i = rows[r], j = columns[c];
        const std::int64_t here = labels.of_row[i], there = labels.of_column[j];
        const Mass amount = here == there ? std::min(left_a[i], left_b[j]) : 0;
        if (amount > 0) match.plan.push_back({i, j, share_of(amount, total)});
        left_a[i] -= amount;
        left_b[j] -= amount;
        moved += amount;
        if (here < there || (here == there && left_a[i] == 0)) ++r;
        if (here > there || (here == there && left_b[j] == 0)) ++c;
    }
    if (total - moved <= masses.negligible()) moved = total;
    match.unmoved = share_of(total - moved, total);
    return match;
}

}  // namespace rpw
