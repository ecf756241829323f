// The basis of the parametric network simplex: a spanning forest over rows and columns.
//
// Every tree hangs from one node that still has unmoved mass. A tree that hangs from a row lies on the *source* side,
// one that hangs from a column on the *sink* side (docs/proofs/walk.md, "The walk"). `distance` is the length of the
// tree path from the source (source side) or to the sink (sink side); it does not change while λ grows, which is why
// nothing has to be updated between two pivots.
#pragma once

#include <vector>

#include "base/basis.hpp"
#include "base/masses.hpp"

namespace rpw {

struct ForestNode {
    double distance = 0;  // from the source, or to the sink
    double arc_cost = 0;  // of the arc to the parent
    Mass flow = 0;        // on the arc to the parent; for the top of a tree, its unmoved mass
    Node parent = -1;
    Node first_child = -1;
    Node next = -1;
    Node previous = -1;
    bool at_source = false;
};

// What happens when the arc (row, column) between a source tree and a sink tree becomes tight.
struct Pivot {
    Node row = -1;
    Node column = -1;
    Mass amount = 0;          // what the path source → row → column → sink can carry
    Node leaving = -1;        // node whose arc to its parent leaves the forest
    bool source_cut = false;  // the leaving arc lies on the source side
};

class Forest {
public:
    explicit Forest(const Masses& masses);
    // Takes over an optimal basis of another strategy.
    Forest(const Masses& masses, const Basis& basis);

    bool is_row(Node x) const { return x < rows_; }
    // Active nodes can form the next path: rows on the source side, columns on the sink side.
    bool is_active(Node x) const { return is_row(x) == nodes_[x].at_source; }
    Node size() const { return static_cast<Node>(nodes_.size()); }
    Node rows() const { return rows_; }
    const ForestNode& operator[](Node x) const { return nodes_[x]; }

    // What a path that ends at x has left to go on its own side; infinite where none can end.
    double weight(Node x) const { return is_active(x) ? nodes_[x].distance : unreachable; }

    // Dual value of a node at multiplier λ: u_i for a row, v_j for a column.
    double potential(Node x, double lambda) const {
        return is_active(x) ? nodes_[x].distance : lambda - nodes_[x].distance;
    }

    Basis basis() const;

    Pivot ratio_test(Node row, Node column) const;
    void push(const Pivot& pivot);
    // Replaces the leaving arc by the entering one and re-labels the subtree that changed sides.
    // The returned nodes are valid until the next call.
    const std::vector<Node>& exchange(const Pivot& pivot, double entering_cost);

    // Visits a node and those above it, up to the top of its tree.
    template <class Visit>
    void for_path_up(Node from, Visit visit) const {
        for (Node x = from; x >= 0; x = nodes_[x].parent) visit(x);
    }

private:
    void detach(Node x);
    void attach(Node x, Node parent);
    void rehang(Node top, Node parent, const Pivot& pivot, double entering_cost);
    void relabel(Node top, bool at_source);

    Node rows_;
    std::vector<ForestNode> nodes_;
    std::vector<Node> moved_;
};

}  // namespace rpw
