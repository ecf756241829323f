// Partners of a matrix: the arcs that can become tight before λ reaches a horizon.
//
// While λ grows, every potential u_i and v_j grows too (docs/proofs/walk.md, "The shortlist"), so an arc with
// c_ij + u_i + v_j > horizon now cannot become tight before λ = horizon. One pass over the costs finds the others; all
// work between two passes touches only them. There are two such lists: a wide one, made from all costs, and a narrow
// one, made from the wide one, which is the one that is scanned. Where λ rises far between two events, as beside far
// outliers, the list holds arcs between active nodes only, and a node that becomes active later looks at all its costs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/pulse.hpp"
#include "base/tuning.hpp"
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
    bool is_overdue(std::size_t work) const {
        const double renewal = work_of_pass() + static_cast<double>(wide_.partner.size());
        return static_cast<double>(work) > tuning::passes_overdue * renewal;
    }
    bool counts_all() const { return !only_active_; }
    void weigh(const Forest& forest, Node x);
    double least(Node x) const { return asks_all(x) ? least_of_all(x) : lists_.least(x); }
    Node least_partner(Node x) const { return asks_all(x) ? least_of_all_partner(x) : lists_.least_partner(x); }
    std::size_t work_of_question(Node x) const {
        return asks_all(x) ? others(x).size / tuning::costs_per_arc : lists_.degree(x);
    }
    void prefetch(Node x) const { lists_.prefetch(x); }
    double cost(Node row, Node column) const { return cost_.at(row, column - cost_.rows); }

private:
    // All rows, or all columns.
    struct Side {
        Node first, size;
    };

    bool asks_all(Node x) const { return only_active_ && all_of_[x]; }
    void choose_length(std::size_t work);
    void widen(const Forest& forest, double lambda, std::size_t work, Pulse& pulse);
    double horizon_between(const Forest& forest, bool only_active, double lambda);
    bool pays_to_leave_out(double lambda, std::size_t work) const;
    double narrow_horizon(double lambda);
    void narrow(double lambda);
    void list_row(Node i, const double* potential);
    const double* all_costs(Node x);
    double least_of_all(Node x) const;
    Node least_of_all_partner(Node x) const;
    Side others(Node x) const { return x < cost_.rows ? Side{cost_.rows, cost_.columns} : Side{0, cost_.rows}; }
    double work_of_pass() const { return static_cast<double>(cost_.size()) / 2; }
    double nodes() const { return static_cast<double>(potential_.size()); }

    Powers cost_;
    double limit_;
    double target_;      // about how many arcs are listed
    double lambda_ = 0;  // at the last renewal
    double horizon_ = 0;
    double wide_horizon_ = 0;
    bool is_listed_ = false;
    bool only_active_ = false;   // whether only arcs between active nodes are listed
    std::size_t pass_work_ = 0;  // in scanned arcs (a plain pass over the costs is cheaper per arc)
    std::vector<double> potential_;
    ArcList wide_;  // by row
    ArcLists lists_;
    std::vector<const double*> all_of_;         // all costs of a node, where its list lacks some
    std::vector<std::vector<double>> columns_;  // copies, where they are needed
    std::vector<std::uint8_t> keep_;
    std::vector<double> sample_;
};

}  // namespace rpw
