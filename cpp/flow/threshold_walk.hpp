// The profile at p = ∞, walked upwards: W_{∞,α} ≤ t exactly when the maximum flow over pairs with c_ij ≤ t is at least
// α.
//
// Arcs enter in the order of their length; a search tree over what free rows can reach is kept between two of them, so
// an arc that opens no path costs O(1). (Paper, section 4, the relation to Lévy–Prokhorov; docs/theory.md, "p = ∞".)
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"

namespace rpw {

class ThresholdWalk {
public:
    // Only arcs with cost ≤ longest are used.
    ThresholdWalk(const LengthProblem& problem, double longest, Pulse& pulse);

    // Goes on to the next threshold at which the flow grows; false if it never does again. After TimeUp, all that
    // follows is as true as before it.
    bool next();

    double threshold() const { return threshold_; }
    double unmoved() const { return share_of(total_ - moved_, total_); }
    // Unmoved mass of a row or column.
    Mass left_at(Node x) const { return free_[x]; }
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
    void add_arc(const Arc& arc);
    bool reach(Node column, std::size_t by);
    Node expand();
    void start_search();
    Node search();
    void augment(Node column);

    Distances cost_;
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
};

}  // namespace rpw
