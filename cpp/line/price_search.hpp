// The price at which the profile on the line reaches a goal: the crossing with (κ ε)^p, or a given mass
// (docs/theory.md, "The search").
#pragma once

#include <utility>
#include <vector>

#include "base/crossing.hpp"
#include "base/outcome.hpp"
#include "base/pulse.hpp"
#include "line/atoms.hpp"

namespace rpw {

// A vertex of F with its plan, and a price at which the plan is optimal.
struct Vertex {
    double unmoved = 1;
    double cost = 0;
    double price = 0;
    LinePlan plan;

    // F(1 - ε) ≥ height - price · ε
    double height() const { return cost + price * unmoved; }
};

Vertex as_vertex(const LinePair& pair, const LineCost& cost, double price, LinePlan plan);

// All mass moves: the least price that makes it worth while is the slope of the last edge of F.
Vertex last_vertex(const LinePair& pair, const LineCost& cost);

// Two vertices with the target between them.
struct LineBracket {
    Vertex before;  // less mass
    Vertex after;   // more mass

    double slope() const { return (after.cost - before.cost) / (before.unmoved - after.unmoved); }
};

struct LineTarget {
    bool is_crossing;
    double p;
    double kappa;    // for the crossing
    double unmoved;  // for a given mass
    double cutoff = 1;
    double tol = 0;

    // Whether a vertex lies on the side of less mass.
    bool is_beyond(double left, double cost) const {
        return is_crossing ? kappa * left > root(cost, p) : left - unmoved > smallest_step;
    }
    // Where the line height - slope ε meets the target.
    double meeting(double height, double slope) const {
        return is_crossing ? crossing(height, slope, kappa, p) : unmoved;
    }
};

// What the two vertices say: at the crossing, bounds on ε; at a given mass, on F.
struct LineBounds {
    double lower;
    double upper;
    bool is_after_better;  // the line through `after` gives the lower bound
    double meeting;        // ε of the plan that attains the upper bound

    bool is_tight() const { return upper - lower <= 1e-13 * upper; }
};

// Which atoms a solve looks at: all, or those for which the plans of the two vertices differ.
enum class Looking { everywhere, between_vertices };

class PriceSearch {
public:
    // The pair has its ranks, and all of these outlive the search.
    PriceSearch(const LinePair& pair, const LineCost& cost, const LineTarget& target, Looking looking, Pulse& pulse);

    // Past the deadline, the bracket holds what was found until then.
    Status run();

    const LineBracket& bracket() const { return bracket_; }
    const LineBounds& bounds() const { return bounds_; }
    // How far from `before` to `after` the answer lies, to as many digits where that is next to nothing.
    double part_of_edge() const;
    // All mass moves: the answer is the vertex `after`.
    bool is_at_end() const { return is_at_end_; }
    long solves() const { return solves_; }
    // The vertex whose price gives the best line below F, with a plan that was found at exactly this price.
    const Vertex& proof() const {
        return is_edge_ ? on_edge_ : bounds().is_after_better ? bracket_.after : bracket_.before;
    }

private:
    // Which price led to which unmoved mass: a first guess for a finer problem.
    struct Trail {
        std::vector<std::pair<double, double>> points;  // (unmoved, price)
        double price_at(double unmoved) const;
    };

    void search();
    LineBounds bounds_of_bracket() const;
    bool is_done();
    void step(int rounds);
    void place(Vertex found, bool is_chord);
    double part_of_bracket() const;
    double guess(double chord) const;
    double one_sided_guess(double chord) const;
    double within(double price, double otherwise) const;
    void start_from_walk();
    void start_from_coarser();

    const LinePair& pair_;
    LineCost cost_;
    LineTarget target_;
    Looking looking_;
    Pulse& pulse_;
    LineBracket bracket_;
    LineBounds bounds_{};
    Vertex on_edge_;
    Trail trail_, coarse_;
    double coarse_unmoved_ = 0, coarse_price_ = 0, seed_ = 0;
    bool is_edge_ = false, is_at_end_ = false, last_was_before_ = false;
    int repeats_ = 0, times_stuck_ = 0;
    long solves_ = 0;
    Status status_ = Status::exact;
};

}  // namespace rpw
