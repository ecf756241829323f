// What the simplex at a fixed multiplier asks of its costs: for a strip, which is a row or a column, the cheapest of
// its arcs to the kept nodes of the other side. A matrix has all arcs, a list some of them.
//
//     using Problem          masses and costs
//     are_columns()          whether the strips are columns; if not, they are rows
//     per_bundle()           how many strips are priced together
//     least(strip, kept)      min over its arcs of cost + potential of the kept node; `strip` counts from 0
//     arc_of_least(strip, kept, least)    the arc where that was found just before
//     degree(strip)           how many arcs it has
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "walk/arc_lists.hpp"

namespace rpw {

struct StripArc {
    Node kept;  // counted from 0
    double cost;
};

// All pairs.
class MatrixStrips {
public:
    using Problem = PowerProblem;

    explicit MatrixStrips(const PowerProblem& problem);

    bool are_columns() const { return are_columns_; }
    Node per_bundle() const;
    double least(Node strip, const double* kept);
    StripArc arc_of_least(Node strip, const double* kept, double least) const;
    Node degree(Node) const { return are_columns_ ? cost_.rows : cost_.columns; }

private:
    const double* costs(Node strip) const { return are_columns_ ? gathered_.data() : cost_.row(strip); }

    Powers cost_;
    bool are_columns_;
    std::vector<double> gathered_;  // the costs of a strip that is a column
};

struct ListedProblem {
    Masses masses;
    const ArcList& arcs;  // of strips, with partners counted from 0; may be listed anew between two solves
    bool are_columns;     // the strips
};

// Some pairs: what is found is optimal among plans on those.
class ListedStrips {
public:
    using Problem = ListedProblem;

    explicit ListedStrips(const ListedProblem& problem) : arcs_(problem.arcs), are_columns_(problem.are_columns) {}

    bool are_columns() const { return are_columns_; }
    Node per_bundle() const;
    double least(Node strip, const double* kept) const;
    StripArc arc_of_least(Node strip, const double* kept, double least) const;
    Node degree(Node strip) const { return static_cast<Node>(arcs_.start[strip + 1] - arcs_.start[strip]); }

private:
    double sum(std::size_t arc, const double* kept) const { return arcs_.cost[arc] + kept[arcs_.partner[arc]]; }

    const ArcList& arcs_;
    bool are_columns_;
};

}  // namespace rpw
