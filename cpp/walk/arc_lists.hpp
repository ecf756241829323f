// Arcs between rows and columns, listed at both ends, and the weights of the nodes.
#pragma once

#include <cstddef>
#include <vector>

#include "base/masses.hpp"
#include "walk/forest.hpp"

namespace rpw {

struct ArcList {
    std::vector<std::size_t> start;
    std::vector<Node> partner;  // node at the other end
    std::vector<double> cost;
};

class ArcLists {
public:
    ArcLists(Node rows, Node columns);

    // To be filled row by row; then `list_columns` lists the same arcs at their other ends.
    ArcList of_row;
    void list_columns();

    void weigh(const Forest& forest, Node x) { weight_[x] = forest.weight(x); }
    const std::vector<double>& weights() const { return weight_; }
    // What these do is said in walk/partners.hpp; only the arcs that are listed count.
    double least(Node x) const;
    Node least_partner(Node x) const;
    void prefetch(Node x) const {
#if defined(__GNUC__)
        const ArcList& list = lists(x);
        const std::size_t begin = list.start[local(x)];
        __builtin_prefetch(list.partner.data() + begin);
        __builtin_prefetch(list.cost.data() + begin);
        __builtin_prefetch(list.cost.data() + begin + 8);
#else
        (void)x;
#endif
    }
    std::size_t degree(Node x) const {
        const auto& start = lists(x).start;
        return start[local(x) + std::size_t{1}] - start[local(x)];
    }

private:
    const ArcList& lists(Node x) const { return x < rows_ ? of_row : of_column_; }
    Node local(Node x) const { return x < rows_ ? x : x - rows_; }

    Node rows_;
    ArcList of_column_;
    std::vector<double> weight_;
};

}  // namespace rpw
