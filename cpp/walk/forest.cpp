// Pivots on the spanning forest. See forest.hpp for the invariants and docs/proofs/walk.md, "Finiteness", for why the
// choice of the leaving arc below (Cunningham's last blocking arc) excludes cycling.
#include "walk/forest.hpp"

namespace rpw {

Forest::Forest(const Masses& masses)
    : rows_(static_cast<Node>(masses.a.size())), nodes_(masses.a.size() + masses.b.size()) {
    for (std::size_t i = 0; i < masses.a.size(); ++i) {
        nodes_[i].flow = masses.a[i];
        nodes_[i].at_source = true;
    }
    for (std::size_t j = 0; j < masses.b.size(); ++j) nodes_[rows_ + j].flow = masses.b[j];
}

Forest::Forest(const Masses& masses, const Basis& basis)
    : rows_(static_cast<Node>(masses.a.size())), nodes_(basis.size()) {
    for (Node x = 0; x < size(); ++x) {
        nodes_[x].flow = basis[x].flow;
        nodes_[x].arc_cost = basis[x].arc_cost;
        if (basis[x].parent >= 0) attach(x, basis[x].parent);
    }
    for (Node top = 0; top < size(); ++top) {
        if (basis[top].parent < 0) relabel(top, is_row(top));
    }
}

Basis Forest::basis() const {
    Basis basis(nodes_.size());
    for (Node x = 0; x < size(); ++x) basis[x] = {nodes_[x].parent, nodes_[x].flow, nodes_[x].arc_cost};
    return basis;
}

// The path runs source → … → row → column → … → sink. Going down into a row, or up out of a column, takes flow away
// from an arc (or from the unmoved mass at the top), so only those steps can block. Among equal bottlenecks the last
// one on the path leaves.
Pivot Forest::ratio_test(Node row, Node column) const {
    Pivot pivot{row, column, std::numeric_limits<Mass>::max(), -1, true};
    for_path_up(row, [&](Node x) {
        if (is_row(x) && nodes_[x].flow < pivot.amount) {
            pivot.amount = nodes_[x].flow;
            pivot.leaving = x;
        }
    });
    for_path_up(column, [&](Node x) {
        if (!is_row(x) && nodes_[x].flow <= pivot.amount) {
            pivot.amount = nodes_[x].flow;
            pivot.leaving = x;
            pivot.source_cut = false;
        }
    });
    return pivot;
}

void Forest::push(const Pivot& pivot) {
    for_path_up(pivot.row, [&](Node x) { nodes_[x].flow += is_row(x) ? -pivot.amount : pivot.amount; });
    for_path_up(pivot.column, [&](Node x) { nodes_[x].flow += is_row(x) ? pivot.amount : -pivot.amount; });
}

const std::vector<Node>& Forest::exchange(const Pivot& pivot, double entering_cost) {
    const Node top = pivot.source_cut ? pivot.row : pivot.column;
    const Node parent = pivot.source_cut ? pivot.column : pivot.row;
    rehang(top, parent, pivot, entering_cost);
    relabel(top, nodes_[parent].at_source);
    return moved_;
}

void Forest::detach(Node x) {
    const ForestNode& node = nodes_[x];
    if (node.parent < 0) return;
    if (node.previous >= 0) {
        nodes_[node.previous].next = node.next;
    } else {
        nodes_[node.parent].first_child = node.next;
    }
    if (node.next >= 0) nodes_[node.next].previous = node.previous;
}

void Forest::attach(Node x, Node parent) {
    ForestNode& node = nodes_[x];
    node.parent = parent;
    node.previous = -1;
    node.next = nodes_[parent].first_child;
    if (node.next >= 0) nodes_[node.next].previous = x;
    nodes_[parent].first_child = x;
}

// Turns the arcs from `top` up to the leaving node around, so that its subtree hangs from `parent`.
void Forest::rehang(Node top, Node parent, const Pivot& pivot, double entering_cost) {
    Node x = top;
    Mass flow = pivot.amount;
    double cost = entering_cost;
    for (;;) {
        const Node old_parent = nodes_[x].parent;
        const bool is_last = x == pivot.leaving;
        detach(x);
        attach(x, parent);
        std::swap(nodes_[x].flow, flow);
        std::swap(nodes_[x].arc_cost, cost);
        if (is_last) return;
        parent = x;
        x = old_parent;
    }
}

void Forest::relabel(Node top, bool at_source) {
    moved_.clear();
    moved_.push_back(top);
    for (std::size_t head = 0; head < moved_.size(); ++head) {
        const Node x = moved_[head];
        ForestNode& node = nodes_[x];
        // Source distances grow into columns, sink distances grow into rows.
        const double step = is_row(x) == at_source ? -node.arc_cost : node.arc_cost;
        node.distance = node.parent < 0 ? 0 : nodes_[node.parent].distance + step;
        node.at_source = at_source;
        for (Node child = node.first_child; child >= 0; child = nodes_[child].next) moved_.push_back(child);
    }
}

}  // namespace rpw
