// See fixed_simplex.hpp.
#include "simplex/fixed_simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/least.hpp"

namespace rpw {

namespace {

// From this ratio of sizes on, the lines run along the larger side.
constexpr Node many_per_few = 4;

// An arc enters if it gains more than this share of λ; what is smaller is the rounding of potentials.
constexpr double least_gain = 1e-14;

// The price of a step beside one entry of a walk's list: passes over rows are vectorised, climbs and labels are not.
constexpr double work_per_cost = 0.2;
constexpr double work_per_label = 3;
constexpr double work_per_pivot = 40;

}  // namespace

FixedSimplex::FixedSimplex(const PowerProblem& problem, Pulse& pulse)
    : cost_(problem.powers),
      pulse_(pulse),
      rows_(cost_.rows),
      root_(cost_.rows + cost_.columns),
      lines_are_columns_(cost_.columns / many_per_few >= cost_.rows),
      lines_(lines_are_columns_ ? cost_.columns : cost_.rows),
      first_line_(lines_are_columns_ ? rows_ : 0),
      kept_count_(root_ - lines_),
      first_kept_(lines_are_columns_ ? 0 : rows_),
      nodes_(root_, TreeNode{root_}),
      kept_(kept_count_, 0.0),
      gathered_(lines_are_columns_ ? kept_count_ : 0),
      stamp_(root_, 0) {
    for (Node i = 0; i < rows_; ++i) nodes_[i].flow = problem.masses.a[i];
    for (Node j = rows_; j < root_; ++j) nodes_[j].flow = problem.masses.b[j - rows_];
}

void FixedSimplex::adopt(const Basis& basis) {
    for (Node x = 0; x < root_; ++x) {
        const BasisNode& node = basis[x];
        nodes_[x] = TreeNode{node.parent < 0 ? root_ : node.parent, -1, -1, -1, node.flow, node.arc_cost};
    }
    for (Node x = 0; x < root_; ++x) {
        if (!is_line(x) && !hangs_from_root(x)) link(x);
    }
    for (Node x = 0; x < root_; ++x) {
        if (is_line(x) && !hangs_from_root(x) && nodes_[x].first_child >= 0) link(x);
    }
}

Basis FixedSimplex::basis() const {
    Basis basis(nodes_.size());
    for (Node x = 0; x < root_; ++x) {
        const TreeNode& node = nodes_[x];
        basis[x] = {node.parent == root_ ? -1 : node.parent, node.flow, node.arc_cost};
    }
    return basis;
}

Mass FixedSimplex::moved() const {
    Mass sum = 0;
    for (Node x = 0; x < root_; ++x) {
        if (!hangs_from_root(x)) sum += nodes_[x].flow;
    }
    return sum;
}

long double FixedSimplex::cost() const {
    long double sum = 0;
    for (Node x = 0; x < root_; ++x) {
        if (!hangs_from_root(x)) sum += static_cast<long double>(nodes_[x].flow) * nodes_[x].arc_cost;
    }
    return sum;
}

// Tight on the arc to the parent: C + u + v = λ, and 0 on the arc to the root.
double FixedSimplex::line_potential(Node x) const {
    const TreeNode& node = nodes_[x];
    return node.parent == root_ ? 0.0 : lambda_ - node.arc_cost - kept_[node.parent - first_kept_];
}

const double* FixedSimplex::line_costs(Node line) {
    if (!lines_are_columns_) return cost_.row(line);
    const double* entry = cost_.data + (line - rows_);
    double* out = gathered_.data();
    for (Node i = 0; i < rows_; ++i, entry += cost_.columns) out[i] = *entry;
    return gathered_.data();
}

// One round over the lines after the last pivot finds nothing: the basis is optimal, if the potentials are what the
// basis says. Those that were computed across a dear arc, which has left since, carry its rounding.
bool FixedSimplex::solve(double lambda, double most_work) {
    lambda_ = lambda;
    tolerance_ = least_gain * lambda;
    relabel_all();
    do {
        price_kept_slacks();
        for (Node idle = 0; idle < lines_; ++idle) {
            if (work_ > most_work) return false;
            const Node line = first_line_ + cursor_;
            if (++cursor_ == lines_) cursor_ = 0;
            if (price_line(line)) idle = -1;
            pulse_.note(static_cast<std::size_t>(kept_count_) / 4 + 4);
        }
    } while (changes_when_relabelled());
    return true;
}

// Computes all potentials afresh; true if that tells more than rounding.
bool FixedSimplex::changes_when_relabelled() {
    before_ = kept_;
    relabel_all();
    for (Node k = 0; k < kept_count_; ++k) {
        if (std::abs(kept_[k] - before_[k]) > tolerance_) return true;
    }
    return false;
}

// Lets the best arc of a line enter, if there is one that gains; true if so.
bool FixedSimplex::price_line(Node line) {
    const double potential = line_potential(line);
    const double* costs = line_costs(line);
    const double least = least_sum(costs, kept_.data(), kept_count_);
    work_ += work_per_cost * kept_count_;
    const double gain = lambda_ - potential - least;
    if (-potential > tolerance_ && -potential >= gain) {
        is_row(line) ? pivot(line, root_, 0) : pivot(root_, line, 0);
    } else if (gain > tolerance_) {
        const Node k = find_sum(costs, kept_.data(), kept_count_, least);
        const Node partner = first_kept_ + k;
        is_row(line) ? pivot(line, partner, costs[k]) : pivot(partner, line, costs[k]);
    } else {
        return false;
    }
    price_kept_slacks();
    return true;
}

void FixedSimplex::price_kept_slacks() {
    while (!negative_.empty()) {
        const Node x = negative_.back();
        negative_.pop_back();
        if (kept(x) >= -tolerance_) continue;
        is_row(x) ? pivot(x, root_, 0) : pivot(root_, x, 0);
    }
}

// The arc from `row` to `column` enters; one of the two may be the root.
void FixedSimplex::pivot(Node row, Node column, double cost) {
    ++pivots_;
    const Node apex = row == root_ || column == root_ ? root_ : join(row, column);
    const Leaving leaving = ratio_test(row, column, apex);
    if (leaving.amount > 0) push(row, column, apex, leaving.amount);
    const Node top = leaving.on_row_side ? row : column;
    rehang(top, leaving.on_row_side ? column : row, leaving, cost);
    relabel(top);
    work_ += work_per_pivot;
}

// The lowest common ancestor: climbs from both ends in turn, so that the cost is that of the longer leg.
Node FixedSimplex::join(Node x, Node y) {
    ++climb_;
    while (x != root_ || y != root_) {
        if (x != root_) {
            if (stamp_[x] == climb_) return x;
            stamp_[x] = climb_;
            x = nodes_[x].parent;
        }
        if (y != root_) {
            if (stamp_[y] == climb_) return y;
            stamp_[y] = climb_;
            y = nodes_[y].parent;
        }
        work_ += 1;
    }
    return root_;
}

// Mass goes round the cycle apex → … → row → column → … → apex. It is taken from the arcs of rows on the way down and
// of columns on the way up; among equal bottlenecks the last one leaves (docs/theory.md, "Finiteness").
FixedSimplex::Leaving FixedSimplex::ratio_test(Node row, Node column, Node apex) const {
    Leaving leaving{std::numeric_limits<Mass>::max(), root_, true};
    for (Node x = row; x != apex; x = nodes_[x].parent) {
        if (is_row(x) && nodes_[x].flow < leaving.amount) leaving = {nodes_[x].flow, x, true};
    }
    for (Node x = column; x != apex; x = nodes_[x].parent) {
        if (!is_row(x) && nodes_[x].flow <= leaving.amount) leaving = {nodes_[x].flow, x, false};
    }
    return leaving;
}

void FixedSimplex::push(Node row, Node column, Node apex, Mass amount) {
    for (Node x = row; x != apex; x = nodes_[x].parent) nodes_[x].flow += is_row(x) ? -amount : amount;
    for (Node x = column; x != apex; x = nodes_[x].parent) nodes_[x].flow += is_row(x) ? amount : -amount;
}

// Turns the arcs from `top` up to the leaving one around, so that its subtree hangs from `parent`.
void FixedSimplex::rehang(Node top, Node parent, const Leaving& leaving, double entering_cost) {
    Mass flow = leaving.amount;
    double cost = entering_cost;
    for (Node x = top;;) {
        const Node old_parent = nodes_[x].parent;
        detach(x);
        attach(x, parent);
        std::swap(nodes_[x].flow, flow);
        std::swap(nodes_[x].arc_cost, cost);
        if (x == leaving.node) return;
        parent = x;
        x = old_parent;
    }
}

void FixedSimplex::relabel_all() {
    negative_.clear();
    for (Node x = 0; x < root_; ++x) {
        if (hangs_from_root(x)) relabel(x);
    }
}

void FixedSimplex::relabel(Node top) {
    stack_.clear();
    if (is_line(top)) {
        stack_.push_back(top);
    } else {
        place_kept(top);
    }
    std::size_t labels = 1;
    while (!stack_.empty()) {
        const Node line = stack_.back();
        stack_.pop_back();
        for (Node child = nodes_[line].first_child; child >= 0; child = nodes_[child].next) {
            place_kept(child);
            ++labels;
        }
    }
    work_ += work_per_label * static_cast<double>(labels);
}

// Computes the potential of a kept node from its parent's, and leaves the lines below it to be visited.
void FixedSimplex::place_kept(Node x) {
    const TreeNode& node = nodes_[x];
    const double potential = node.parent == root_ ? 0.0 : lambda_ - node.arc_cost - line_potential(node.parent);
    kept(x) = potential;
    if (potential < -tolerance_) negative_.push_back(x);
    for (Node line = node.first_child; line >= 0; line = nodes_[line].next) stack_.push_back(line);
}

// Lists of children. A line without children of its own is in no list: visits to a subtree shall cost its kept nodes,
// not the thousands of lines that may hang from one of them.
void FixedSimplex::detach(Node x) {
    const Node parent = nodes_[x].parent;
    if (parent == root_) return;
    if (is_line(x)) {
        if (nodes_[x].first_child >= 0) unlink(x);
        return;
    }
    unlink(x);
    if (nodes_[parent].first_child < 0 && !hangs_from_root(parent)) unlink(parent);
}

void FixedSimplex::attach(Node x, Node parent) {
    nodes_[x].parent = parent;
    if (parent == root_) return;
    if (is_line(x)) {
        if (nodes_[x].first_child >= 0) link(x);
        return;
    }
    const bool was_leaf = nodes_[parent].first_child < 0;
    link(x);
    if (was_leaf && !hangs_from_root(parent)) link(parent);
}

void FixedSimplex::link(Node x) {
    TreeNode& node = nodes_[x];
    TreeNode& parent = nodes_[node.parent];
    node.previous = -1;
    node.next = parent.first_child;
    if (node.next >= 0) nodes_[node.next].previous = x;
    parent.first_child = x;
}

void FixedSimplex::unlink(Node x) {
    const TreeNode& node = nodes_[x];
    if (node.previous >= 0) {
        nodes_[node.previous].next = node.next;
    } else {
        nodes_[node.parent].first_child = node.next;
    }
    if (node.next >= 0) nodes_[node.next].previous = node.previous;
}

}  // namespace rpw
