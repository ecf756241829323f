// The arcs that can become tight before λ reaches a horizon.
//
// While λ grows, every potential u_i and v_j grows too (docs/theory.md, "The shortlist"), so an arc with
// c_ij + u_i + v_j > horizon now cannot become tight before λ = horizon. One pass over the costs finds the others; all
// work between two passes touches only them.
#pragma once

#include <cstdint>
#include <vector>

#include "forest.hpp"
#include "problem.hpp"

namespace rpw {

struct ArcList {
    std::vector<std::size_t> start;
    std::vector<Node> partner;  // node at the other end
    std::vector<double> cost;
};

class Shortlist {
public:
    explicit Shortlist(const CostMatrix& cost);

    // Lists about `target` arcs; true if the deadline passed before the pass was complete.
    bool rebuild(const Forest& forest, double lambda, double target, Pulse& pulse);

    double horizon() const { return horizon_; }
    std::size_t size() const { return of_row_.partner.size(); }

    // min over listed partners y of cost + weight[y]; +inf if there is none.
    double least(Node x, const double* weight) const;
    // The partner that attains it (-1 if none).
    Node least_partner(Node x, const double* weight) const;
    std::size_t degree(Node x) const;

private:
    void choose_horizon(double lambda, double target);
    void list_row(Node i);
    void transpose();
    const ArcList& lists(Node x) const { return x < cost_.rows ? of_row_ : of_column_; }
    Node local(Node x) const { return x < cost_.rows ? x : x - cost_.rows; }

    CostMatrix cost_;
    double horizon_ = 0;
    std::vector<double> u_;
    std::vector<double> v_;
    ArcList of_row_;
    ArcList of_column_;
    std::vector<std::uint8_t> keep_;
    std::vector<double> sample_;
};

}  // namespace rpw
