// Partners of a matrix: the arcs that can become tight before λ reaches a horizon.
//
// While λ grows, every potential u_i and v_j grows too (docs/theory.md, "The shortlist"), so an arc with
// c_ij + u_i + v_j > horizon now cannot become tight before λ = horizon. One pass over the costs finds the others; all
// work between two passes touches only them. There are two such lists: a wide one, made from all costs, and a narrow
// one, made from the wide one, which is the one that is scanned.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "walk/arc_lists.hpp"
#include "walk/forest.hpp"

namespace rpw {

class Shortlist {
public:
    using Problem = PowerProblem;

    // The horizon never passes the limit.
    Shortlist(const PowerProblem& problem, double limit);

    // What these do is said in walk/partners.hpp.
    void renew(const Forest& forest, double lambda, std::size_t work, Pulse& pulse);
    double horizon() const { return horizon_; }
    std::size_t renewal_work() const { return pass_work_; }
    void weigh(const Forest& forest, Node x) { lists_.weigh(forest, x); }
    double least(Node x) const { return lists_.least(x); }
    Node least_partner(Node x) const { return lists_.least_partner(x); }
    std::size_t work_of_question(Node x) const { return lists_.degree(x); }
    void prefetch(Node x) const { lists_.prefetch(x); }
    double cost(Node row, Node column) const { return cost_.at(row, column - cost_.rows); }

private:
    void choose_length(std::size_t work);
    void widen(double lambda, Pulse& pulse);
    double narrow_horizon(double lambda);
    void narrow(double lambda);
    void list_row(Node i);
    double nodes() const { return static_cast<double>(cost_.rows) + cost_.columns; }

    Powers cost_;
    double limit_;
    double target_;  // about how many arcs are listed
    double horizon_ = 0;
    double wide_horizon_ = 0;
    bool is_listed_ = false;
    std::size_t pass_work_ = 0;  // in scanned arcs (a plain pass over the costs is cheaper per arc)
    std::vector<double> u_;
    std::vector<double> v_;
    ArcList wide_;  // by row
    ArcLists lists_;
    std::vector<std::uint8_t> keep_;
    std::vector<double> sample_;
};

}  // namespace rpw
