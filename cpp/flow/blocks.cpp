// See blocks.hpp.
#include "flow/blocks.hpp"

#include <algorithm>
#include <numeric>

namespace rpw {

namespace {

bool same_zeros(const double* x, const double* y, Node size) {
    for (Node j = 0; j < size; ++j) {
        if ((x[j] == 0) != (y[j] == 0)) return false;
    }
    return true;
}

// Members of every label, as one array and the starts of its stretches.
struct Groups {
    std::vector<std::size_t> start;
    std::vector<Node> member;
};

Groups group_by_label(std::span<const std::int64_t> label, std::size_t labels) {
    Groups groups{std::vector<std::size_t>(labels + 2, 0), {}};
    for (auto l : label) {
        if (l >= 0) ++groups.start[l + 2];
    }
    std::partial_sum(groups.start.begin(), groups.start.end(), groups.start.begin());
    groups.member.resize(groups.start.back());
    for (std::size_t x = 0; x < label.size(); ++x) {
        if (label[x] >= 0) groups.member[groups.start[label[x] + 1]++] = static_cast<Node>(x);
    }
    return groups;
}

std::int64_t largest_label(const BlockLabels& labels) {
    std::int64_t largest = -1;
    for (const auto* side : {&labels.of_row, &labels.of_column}) {
        for (auto label : *side) largest = std::max(largest, label);
    }
    return largest;
}

// Replaces labels by their places in the sorted list of all that occur.
void make_dense(BlockLabels& labels) {
    std::vector<std::int64_t> names(labels.of_row);
    names.insert(names.end(), labels.of_column.begin(), labels.of_column.end());
    std::erase_if(names, [](auto label) { return label < 0; });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (auto* side : {&labels.of_row, &labels.of_column}) {
        for (auto& label : *side) {
            if (label >= 0) label = std::lower_bound(names.begin(), names.end(), label) - names.begin();
        }
    }
}

}  // namespace

bool label_zero_blocks(const Distances& cost, BlockLabels& labels) {
    auto& [of_row, of_column] = labels;
    of_row.assign(cost.rows, -1);
    of_column.assign(cost.columns, -1);
    for (Node i = 0; i < cost.rows; ++i) {
        const double* row = cost.row(i);
        const Node first = static_cast<Node>(std::find(row, row + cost.columns, 0.0) - row);
        if (first == cost.columns) continue;
        const auto owner = of_column[first];  // a block is named after its first row
        if (owner >= 0) {
            if (!same_zeros(row, cost.row(static_cast<Node>(owner)), cost.columns)) return false;
            of_row[i] = owner;
            continue;
        }
        of_row[i] = i;
        for (Node j = first; j < cost.columns; ++j) {
            if (row[j] != 0) continue;
            if (of_column[j] >= 0) return false;
            of_column[j] = i;
        }
    }
    return true;
}

BlockMatch match_blocks(const Masses& masses, BlockLabels labels) {
    const auto few = static_cast<std::int64_t>(4 * (masses.a.size() + masses.b.size()));
    if (largest_label(labels) >= few) make_dense(labels);  // those of a pair among many can be any
    const auto count = static_cast<std::size_t>(largest_label(labels) + 1);
    const Groups rows = group_by_label(labels.of_row, count);
    const Groups columns = group_by_label(labels.of_column, count);
    const Mass total = masses.total();
    Mass moved = 0;
    BlockMatch match;
    std::vector<Mass> left_a(masses.a.begin(), masses.a.end()), left_b(masses.b.begin(), masses.b.end());
    for (std::size_t l = 0; l < count; ++l) {
        std::size_t r = rows.start[l], c = columns.start[l];
        while (r < rows.start[l + 1] && c < columns.start[l + 1]) {
            const Node i = rows.member[r], j = columns.member[c];
            const Mass amount = std::min(left_a[i], left_b[j]);
            left_a[i] -= amount;
            left_b[j] -= amount;
            moved += amount;
            if (amount > 0) match.plan.push_back({i, j, share_of(amount, total)});
            if (left_a[i] == 0) ++r;
            if (left_b[j] == 0) ++c;
        }
    }
    if (total - moved <= masses.negligible()) moved = total;
    match.unmoved = share_of(total - moved, total);
    return match;
}

}  // namespace rpw
