// What the simplex at a fixed multiplier asks of its costs: for a line, which is a row or a column, the cheapest of its
// arcs to the kept nodes of the other side. A matrix has all arcs, a list some of them.
//
//     using Problem          masses and costs
//     are_columns()          whether the lines are columns; if not, they are rows
//     per_bundle()           how many lines are priced together
//     least(line, kept)      min over its arcs of cost + potential of the kept node; `line` counts from 0
//     arc_of_least(line, kept, least)    the arc where that was found just before
//     degree(line)           how many arcs it has
#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "walk/arc_lists.hpp"

namespace rpw {

struct LineArc {
    Node kept;  // counted from 0
    double cost;
};

// All pairs.
class MatrixLines {
public:
    using Problem = PowerProblem;

    explicit MatrixLines(const PowerProblem& problem);

    bool are_columns() const { return are_columns_; }
    Node per_bundle() const;
    double least(Node line, const double* kept);
    LineArc arc_of_least(Node line, const double* kept, double least) const;
    Node degree(Node) const { return are_columns_ ? cost_.rows : cost_.columns; }

private:
    const double* costs(Node line) const { return are_columns_ ? gathered_.data() : cost_.row(line); }

    Powers cost_;
    bool are_columns_;
    std::vector<double> gathered_;  // the costs of a line that is a column
};

struct ListedProblem {
    Masses masses;
    const ArcList& arcs;  // of lines, with partners counted from 0; may be listed anew between two solves
    bool are_columns;     // the lines
};

// Some pairs: what is found is optimal among plans on those.
class ListedLines {
public:
    using Problem = ListedProblem;

    explicit ListedLines(const ListedProblem& problem) : arcs_(problem.arcs), are_columns_(problem.are_columns) {}

    bool are_columns() const { return are_columns_; }
    Node per_bundle() const;
    double least(Node line, const double* kept) const;
    LineArc arc_of_least(Node line, const double* kept, double least) const;
    Node degree(Node line) const { return static_cast<Node>(arcs_.start[line + 1] - arcs_.start[line]); }

private:
    double sum(std::size_t arc, const double* kept) const { return arcs_.cost[arc] + kept[arcs_.partner[arc]]; }

    const ArcList& arcs_;
    bool are_columns_;
};

}  // namespace rpw
