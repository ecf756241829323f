// What must hold of every basis that a strategy leaves behind (docs/proofs/walk.md, "Finiteness").
#pragma once

#include <vector>

#include "base/basis.hpp"
#include "tests/instances.hpp"

namespace rpw::tests {

inline bool is_row(const Instance& instance, Node x) { return x < instance.rows; }

inline double cost_of_arc(const Instance& instance, Node x, Node y) {
    const std::size_t row = static_cast<std::size_t>(std::min(x, y));
    return instance.cost[row * instance.columns + (std::max(x, y) - instance.rows)];
}

// Arcs join rows with columns at their own price, and every node hangs from the root.
inline bool is_forest(const Instance& instance, const Basis& basis) {
    const Node size = static_cast<Node>(basis.size());
    for (Node x = 0; x < size; ++x) {
        const Node parent = basis[x].parent;
        if (parent < 0) continue;
        if (is_row(instance, x) == is_row(instance, parent)) return false;
        if (basis[x].arc_cost != cost_of_arc(instance, x, parent)) return false;
        Node steps = 0;
        for (Node y = x; y >= 0 && steps <= size; y = basis[y].parent) ++steps;
        if (steps > size) return false;
    }
    return true;
}

// All that a node has is on its arcs or unmoved.
inline bool conserves_mass(const Instance& instance, const Basis& basis) {
    std::vector<Mass> rest(instance.a);
    rest.insert(rest.end(), instance.b.begin(), instance.b.end());
    for (std::size_t x = 0; x < basis.size(); ++x) {
        rest[x] -= basis[x].flow;
        if (basis[x].parent >= 0) rest[basis[x].parent] -= basis[x].flow;
    }
    return std::all_of(rest.begin(), rest.end(), [](Mass left) { return left == 0; });
}

// No flow is negative, and those of columns are positive: what the choice of the last blocking arc maintains.
inline bool is_strongly_feasible(const Instance& instance, const Basis& basis) {
    for (Node x = 0; x < static_cast<Node>(basis.size()); ++x) {
        if (basis[x].flow < (is_row(instance, x) ? 0 : 1)) return false;
    }
    return true;
}

// The rule that a basis breaks, or null.
inline const char* broken_rule(const Instance& instance, const Basis& basis) {
    if (!is_forest(instance, basis)) return "forest";
    if (!conserves_mass(instance, basis)) return "conservation of mass";
    if (!is_strongly_feasible(instance, basis)) return "strong feasibility";
    return nullptr;
}

}  // namespace rpw::tests
