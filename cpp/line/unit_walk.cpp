// See unit_walk.hpp.
#include "line/unit_walk.hpp"

#include <algorithm>

#include "line/edges.hpp"

namespace rpw {

namespace {

// The matched rows and the matched columns, in order: the plan matches the first with the first, and so on. A gap lies
// before every pair of the plan and after the last; in it are the free atoms between two neighbouring pairs.
template <class Power>
class UnitWalk {
public:
    UnitWalk(const LinePair& pair, Power power)
        : x_(pair.x.at.data()), y_(pair.y.at.data()), power_(power), size_(pair.x.size()) {
        rows_.reserve(size_);
        columns_.reserve(size_);
        to_right_.resize(size_ + 1);
        to_left_.resize(size_ + 1);
    }

    // Adds the pair that costs least; gives what that is.
    long double step() {
        price_displacements();
        best_ = {unreachable, 0, 0};
        for (Node gap = 0; gap <= matched(); ++gap) look_into(gap);
        return insert();
    }

private:
    struct Addition {
        double cost;
        Node row, column;
    };

    Node matched() const { return static_cast<Node>(rows_.size()); }
    double cost(Node i, Node j) const { return power_(x_[i] - y_[j]); }
    double paid(Node t) const { return cost(rows_[t], columns_[t]); }
    // The free atoms of a gap, as a range of all atoms.
    static Node begin(const std::vector<Node>& taken, Node gap) { return gap == 0 ? 0 : taken[gap - 1] + 1; }
    Node end(const std::vector<Node>& taken, Node gap) const { return gap == matched() ? size_ : taken[gap]; }

    // The free column of a gap that is nearest to a row; -1 if there is none.
    Node nearest_column(Node gap, Node row) const {
        const Node first = begin(columns_, gap), last = end(columns_, gap);
        if (first == last) return -1;
        const auto right = static_cast<Node>(std::lower_bound(y_ + first, y_ + last, x_[row]) - y_);
        if (right == first) return right;
        if (right == last) return right - 1;
        return x_[row] - y_[right - 1] <= y_[right] - x_[row] ? right - 1 : right;
    }
    Node nearest_row(Node gap, Node column) const {
        const Node first = begin(rows_, gap), last = end(rows_, gap);
        if (first == last) return -1;
        const auto right = static_cast<Node>(std::lower_bound(x_ + first, x_ + last, y_[column]) - x_);
        if (right == first) return right;
        if (right == last) return right - 1;
        return y_[column] - x_[right - 1] <= x_[right] - y_[column] ? right - 1 : right;
    }

    // What it costs to find another column for a matched row, to its right or to its left: a free one in the next gap,
    // or that of the next matched row, which then has to find another one.
    struct Displacement {
        double cost;
        Node column;  // that is used up in the end
    };

    Displacement displaced(Node row, Node gap, Node neighbour, const std::vector<Displacement>& further) const {
        Displacement best{unreachable, -1};
        if (const Node column = nearest_column(gap, row); column >= 0) best = {cost(row, column), column};
        if (neighbour < 0 || neighbour >= matched()) return best;
        const double other = cost(row, columns_[neighbour]) - paid(neighbour) + further[neighbour].cost;
        return other < best.cost ? Displacement{other, further[neighbour].column} : best;
    }

    void price_displacements() {
        for (Node t = matched() - 1; t >= 0; --t) to_right_[t] = displaced(rows_[t], t + 1, t + 1, to_right_);
        for (Node t = 0; t < matched(); ++t) to_left_[t] = displaced(rows_[t], t, t - 1, to_left_);
    }

    void offer(double cost, Node row, Node column) {
        if (cost < best_.cost) best_ = {cost, row, column};
    }

    // The best addition whose row lies in this gap.
    void look_into(Node gap) {
        const Node first = begin(rows_, gap), last = end(rows_, gap);
        if (first == last) return;
        for (Node i = first; i < last; ++i) {
            if (const Node j = nearest_column(gap, i); j >= 0) offer(cost(i, j), i, j);
        }
        for (const Node t : {gap - 1, gap}) {  // takes the column of a neighbour
            if (t < 0 || t >= matched()) continue;
            const Displacement& other = t == gap ? to_right_[t] : to_left_[t];
            if (other.column < 0) continue;
            const Node row = nearest_row(gap, columns_[t]);
            offer(cost(row, columns_[t]) - paid(t) + other.cost, row, other.column);
        }
    }

    // Puts the new atoms into their places; all pairs between them shift by one.
    long double insert() {
        const auto row = std::lower_bound(rows_.begin(), rows_.end(), best_.row);
        const auto column = std::lower_bound(columns_.begin(), columns_.end(), best_.column);
        const auto r = static_cast<Node>(row - rows_.begin()), c = static_cast<Node>(column - columns_.begin());
        const Node first = std::min(r, c), last = std::max(r, c);
        long double change = 0;
        for (Node t = first; t < last; ++t) change -= paid(t);
        rows_.insert(row, best_.row);
        columns_.insert(column, best_.column);
        for (Node t = first; t <= last; ++t) change += paid(t);
        return change;
    }

    const double* x_;
    const double* y_;
    Power power_;
    Node size_;
    std::vector<Node> rows_, columns_;
    std::vector<Displacement> to_right_, to_left_;
    Addition best_{};
};

}  // namespace

bool has_equal_masses(const LinePair& pair) {
    if (pair.x.size() != pair.y.size()) return false;
    const Mass mass = pair.x.mass(0);
    for (const Atoms* atoms : {&pair.x, &pair.y}) {
        for (Node i = 0; i < atoms->size(); ++i) {
            if (atoms->mass(i) != mass) return false;
        }
    }
    return true;
}

Curve walk_unit_profile(const LinePair& pair, const LineCost& cost, double scale, Pulse& pulse) {
    return with_power(cost, [&](auto power) {
        UnitWalk walk(pair, power);
        Edges edges;
        const Node size = pair.x.size();
        double slope = 0;
        long double sum = 0;
        for (Node pairs = 1; pairs <= size; ++pairs) {
            pulse.note(4 * pair.atoms());
            slope = std::max(slope, static_cast<double>(walk.step()));
            sum += slope;
            edges.add(slope, static_cast<double>(size - pairs) / size, static_cast<double>(sum / size));
        }
        return edges.take(scale);
    });
}

}  // namespace rpw
