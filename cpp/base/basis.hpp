// A spanning forest over rows and columns with the flow on its arcs: the basis of both exact strategies, and what one
// hands over to the other (docs/proofs/simplex.md, "Two strategies").
#pragma once

#include <vector>

#include "base/masses.hpp"

namespace rpw {

struct BasisNode {
    Node parent = -1;     // -1: the node hangs from the root, and its flow is its unmoved mass
    Mass flow = 0;        // on the arc to the parent
    double arc_cost = 0;  // of the arc to the parent
};

using Basis = std::vector<BasisNode>;

inline Basis nothing_moved(const Masses& masses) {
    Basis basis;
    basis.reserve(masses.a.size() + masses.b.size());
    for (const Mass mass : masses.a) basis.push_back({-1, mass});
    for (const Mass mass : masses.b) basis.push_back({-1, mass});
    return basis;
}

}  // namespace rpw
