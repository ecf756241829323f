// See dual.hpp.
#include "line/dual.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rpw {

namespace {

// u_i is what one more unit at x_i would be worth: it pushes its successors (or predecessors) in the plan aside, one
// after the other, until some unit of y that was left behind is used, or a unit of x is given up.
template <class Power>
class Worth {
public:
    Worth(const LinePair& pair, Power power, double lambda, const LinePlan& plan)
        : pair_(pair), power_(power), lambda_(lambda), plan_(plan), left_x_(pair.x.masses()), left_y_(pair.y.masses()) {
        for (const FlowEntry& entry : plan) {
            left_x_[entry.row] -= entry.mass;
            left_y_[entry.column] -= entry.mass;
        }
        if (pair.total() - mass_of(plan) > pair.negligible()) return;
        std::fill(left_x_.begin(), left_x_.end(), 0);  // what rounding left over counts as moved
        std::fill(left_y_.begin(), left_y_.end(), 0);
    }

    std::vector<double> of_rows() {
        std::vector<double> worth(pair_.x.at.size(), 0.0);
        const auto entries = static_cast<std::ptrdiff_t>(plan_.size());
        long double pushed = 0;
        for (std::ptrdiff_t e = entries - 1; e >= 0; --e) {
            const bool is_last = e + 1 == entries;
            const Node end = is_last ? pair_.y.size() - 1 : plan_[e + 1].column;
            pushed = worth_at(e, is_last ? -1 : e + 1, pushed, plan_[e].column, end, worth);
        }
        pushed = 0;
        for (std::ptrdiff_t e = 0; e < entries; ++e) {
            const Node begin = e == 0 ? 0 : plan_[e - 1].column;
            pushed = worth_at(e, e - 1, pushed, begin, plan_[e].column, worth);
        }
        return worth;
    }

private:
    double cost(Node i, Node j) const { return power_(pair_.x.at[i] - pair_.y.at[j]); }

    // One more unit of the row of entry e may take a column in [begin, end] with room, or push entry `other` aside.
    long double worth_at(std::ptrdiff_t e, std::ptrdiff_t other, long double pushed, Node begin, Node end,
                         std::vector<double>& worth) const {
        const Node i = plan_[e].row;
        if (left_x_[i] > 0) return 0;
        long double best = 0;
        for (Node j = begin; j <= end; ++j) {
            if (left_y_[j] > 0) best = std::max<long double>(best, lambda_ - cost(i, j));
        }
        if (other >= 0) {
            const FlowEntry& next = plan_[other];
            const long double change =
                next.row == i ? 0 : static_cast<long double>(cost(next.row, next.column)) - cost(i, next.column);
            best = std::max(best, pushed + change);
        }
        worth[i] = std::max(worth[i], static_cast<double>(best));
        return best;
    }

    const LinePair& pair_;
    Power power_;
    double lambda_;
    const LinePlan& plan_;
    std::vector<Mass> left_x_, left_y_;
};

// v_j = max(0, max_i λ - C_ij - u_i). Only rows within reach of the column, where C_ij < λ, can be worth
// anything. C is a Monge array, so the best of them does not decrease with the column; of those beyond reach rounding
// would not tell which is the best.
template <class Power>
class Completion {
public:
    Completion(const LinePair& pair, Power power, double lambda, const std::vector<double>& u, std::vector<double>& v)
        : x_(pair.x.at.data()), y_(pair.y.at.data()), power_(power), lambda_(lambda), u_(u.data()), v_(v.data()) {}

    void run(Node first_column, Node last_column, Node first_row, Node last_row) {
        while (first_column <= last_column) {
            const Node j = first_column + (last_column - first_column) / 2;
            const auto [begin, end] = reach_of(j, first_row, last_row);
            const Node i = best_row(j, begin, end);
            v_[j] = begin < end ? std::max(0.0, lambda_ - (power_(x_[i] - y_[j]) + u_[i])) : 0.0;
            run(first_column, j - 1, first_row, begin < end ? i : begin - 1);
            first_column = j + 1;
            first_row = i;
        }
    }

private:
    // The rows in [begin, end) are within reach.
    std::pair<Node, Node> reach_of(Node j, Node first, Node last) const {
        const double* stop = x_ + last + 1;
        const auto is_beyond = [&](double x) { return power_(x - y_[j]) >= lambda_; };
        const double* begin =
            std::partition_point(x_ + first, stop, [&](double x) { return x < y_[j] && is_beyond(x); });
        const double* end = std::partition_point(begin, stop, [&](double x) { return x <= y_[j] || !is_beyond(x); });
        return {static_cast<Node>(begin - x_), static_cast<Node>(end - x_)};
    }

    Node best_row(Node j, Node begin, Node end) const {
        Node best = begin;
        double least = unreachable;
        for (Node i = begin; i < end; ++i) {
            const double value = power_(x_[i] - y_[j]) + u_[i];
            if (value < least) least = value, best = i;
        }
        return best;
    }

    const double* x_;
    const double* y_;
    Power power_;
    double lambda_;
    const double* u_;
    double* v_;
};

long double weighted_sum(const Atoms& atoms, const std::vector<double>& potential) {
    long double sum = 0;
    for (Node i = 0; i < atoms.size(); ++i) sum += static_cast<long double>(atoms.mass(i)) * potential[i];
    return sum;
}

}  // namespace

std::vector<double> row_potentials(const LinePair& pair, const LineCost& cost, double lambda, const LinePlan& plan) {
    return with_power(cost, [&](auto power) { return Worth(pair, power, lambda, plan).of_rows(); });
}

LineDual line_dual(const LinePair& pair, const LineCost& cost, double lambda, const LinePlan& plan) {
    LineDual dual;
    dual.u = row_potentials(pair, cost, lambda, plan);
    dual.v.resize(pair.y.at.size());
    with_power(cost, [&](auto power) {
        Completion(pair, power, lambda, dual.u, dual.v).run(0, pair.y.size() - 1, 0, pair.x.size() - 1);
    });
    const long double sum = weighted_sum(pair.x, dual.u) + weighted_sum(pair.y, dual.v);
    dual.sum = static_cast<double>(sum / static_cast<long double>(pair.total()));
    return dual;
}

}  // namespace rpw
