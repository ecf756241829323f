// See blocks.hpp.
#include "blocks.hpp"

#include <algorithm>
#include <numeric>

#include "solve.hpp"

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

}  // namespace

bool label_zero_blocks(const CostMatrix& cost, std::vector<std::int64_t>& of_row,
                       std::vector<std::int64_t>& of_column) {
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

BlockMatch match_blocks(std::span<const Mass> a, std::span<const Mass> b, std::span<const std::int64_t> of_row,
                        std::span<const std::int64_t> of_column, std::size_t labels) {
    const Groups rows = group_by_label(of_row, labels);
    const Groups columns = group_by_label(of_column, labels);
    const Problem masses{{nullptr, static_cast<Node>(a.size()), static_cast<Node>(b.size())}, a, b};
    BlockMatch match;
    match.total = masses.total();
    std::vector<Mass> left_a(a.begin(), a.end()), left_b(b.begin(), b.end());
    for (std::size_t l = 0; l < labels; ++l) {
        std::size_t r = rows.start[l], c = columns.start[l];
        while (r < rows.start[l + 1] && c < columns.start[l + 1]) {
            const Node i = rows.member[r], j = columns.member[c];
            const Mass amount = std::min(left_a[i], left_b[j]);
            left_a[i] -= amount;
            left_b[j] -= amount;
            match.moved += amount;
            if (amount > 0)
                match.plan.push_back({i, j, static_cast<double>(amount) / static_cast<double>(match.total)});
            if (left_a[i] == 0) ++r;
            if (left_b[j] == 0) ++c;
        }
    }
    if (match.total - match.moved <= masses.negligible()) match.moved = match.total;
    return match;
}

double shared_by_labels(std::span<const Mass> a, std::span<const Mass> b, std::span<const std::int64_t> of_row,
                        std::span<const std::int64_t> of_column) {
    std::vector<std::int64_t> names(of_row.begin(), of_row.end());
    names.insert(names.end(), of_column.begin(), of_column.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const auto renamed = [&](std::span<const std::int64_t> labels) {
        std::vector<std::int64_t> places;
        for (auto l : labels) places.push_back(std::lower_bound(names.begin(), names.end(), l) - names.begin());
        return places;
    };
    const auto rows = renamed(of_row), columns = renamed(of_column);
    const BlockMatch match = match_blocks(a, b, rows, columns, names.size());
    return static_cast<double>(match.total - match.moved) / static_cast<double>(match.total);
}

double unshared_mass(const Problem& problem, Pulse& pulse) {
    std::vector<std::int64_t> of_row, of_column;
    if (!label_zero_blocks(problem.cost, of_row, of_column)) return flow_at_zero(problem, pulse).unmoved;
    const BlockMatch match = match_blocks(problem.a, problem.b, of_row, of_column, problem.a.size());
    return static_cast<double>(match.total - match.moved) / static_cast<double>(match.total);
}

}  // namespace rpw
