// The profile at p = ∞, walked upwards: W_{∞,α} ≤ t exactly when the maximum flow over pairs with c_ij ≤ t is at least
// α.
//
// Arcs enter in the order of their length; a search tree over what free rows can reach is kept between two of them, so
// an arc that opens no path costs O(1). (Paper, section 4, the relation to Lévy–Prokhorov; docs/theory.md, "p = ∞".)
#pragma once

#include <vector>

#include "problem.hpp"
#include "profile_walk.hpp"

namespace rpw {

class ThresholdWalk {
public:
    // Only arcs with cost ≤ longest are used.
    ThresholdWalk(const Problem& problem, double longest, Pulse& pulse);

    // From now on only arcs with cost ≤ longest are used.
    void limit(double longest) { longest_ = longest < longest_ ? longest : longest_; }
    // Goes on to the next threshold at which the flow grows; false if it never does again, or the deadline passed.
    bool next();

    bool stopped() const { return stopped_; }
    double threshold() const { return threshold_; }
    Mass total() const { return total_; }
    Mass moved() const { return moved_; }
    double unmoved() const { return static_cast<double>(total_ - moved_) / static_cast<double>(total_); }
    long augmentations() const { return augmentations_; }
    std::vector<PlanEntry> plan() const;

private:
    struct Arc {
        double length;
        Node row;
        Node column;
    };
    struct FlowArc {
        Node row;
        Node column;
        Mass flow;
    };

    bool refill();
    double choose_horizon() const;
    void add_arc(const Arc& arc);
    bool reach(Node column, std::size_t by);
    Node expand();
    Node search();
    void augment(Node column);

    CostMatrix cost_;
    double longest_;
    Pulse& pulse_;
    std::vector<Mass> free_;  // unmoved mass of rows, then columns
    std::vector<Arc> waiting_;
    std::size_t position_ = 0;
    double horizon_ = -1;
    double target_;
    std::vector<FlowArc> arcs_;
    std::vector<std::vector<std::size_t>> at_;  // arcs at each node
    std::vector<char> reached_;
    std::vector<std::size_t> by_;  // the arc by which a node was reached
    std::vector<Node> frontier_;
    Mass total_;
    Mass negligible_;
    Mass moved_ = 0;
    double threshold_ = 0;
    long augmentations_ = 0;
    bool stopped_ = false;
};

}  // namespace rpw
