// See arc_lists.hpp.
#include "walk/arc_lists.hpp"

#include <algorithm>

namespace rpw {

ArcLists::ArcLists(Node rows, Node columns) : rows_(rows), weight_(static_cast<std::size_t>(rows) + columns) {
    of_row.start.resize(rows + std::size_t{1});
    of_column_.start.resize(columns + std::size_t{1});
}

void ArcLists::list_columns() {
    auto& start = of_column_.start;
    std::fill(start.begin(), start.end(), 0);
    for (Node y : of_row.partner) ++start[y - rows_ + std::size_t{1}];
    for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
    of_column_.partner.resize(of_row.partner.size());
    of_column_.cost.resize(of_row.partner.size());
    // Fill from the back, so that `start` ends up where it began.
    for (Node i = rows_; i-- > 0;) {
        for (std::size_t e = of_row.start[i + 1]; e-- > of_row.start[i];) {
            const std::size_t slot = --start[of_row.partner[e] - rows_ + std::size_t{1}];
            of_column_.partner[slot] = i;
            of_column_.cost[slot] = of_row.cost[e];
        }
    }
    // Each start[j + 1] now holds the first slot of column j.
    std::rotate(start.begin(), start.begin() + 1, start.end());
    start.back() = of_row.partner.size();
}

double ArcLists::least(Node x) const {
    const ArcList& list = lists(x);
    const std::size_t begin = list.start[local(x)], end = list.start[local(x) + std::size_t{1}];
    const Node* partner = list.partner.data();
    const double* cost = list.cost.data();
    const double* weight = weight_.data();
    double best[4] = {unreachable, unreachable, unreachable, unreachable};
    std::size_t e = begin;
    for (; e + 4 <= end; e += 4) {  // four independent chains: the loop is bound by latency otherwise
        for (std::size_t s = 0; s < 4; ++s) {
            const double key = cost[e + s] + weight[partner[e + s]];
            best[s] = key < best[s] ? key : best[s];
        }
    }
    for (; e < end; ++e) best[0] = std::min(best[0], cost[e] + weight[partner[e]]);
    return std::min(std::min(best[0], best[1]), std::min(best[2], best[3]));
}

Node ArcLists::least_partner(Node x) const {
    const ArcList& list = lists(x);
    Node found = -1;
    double best = unreachable;
    for (std::size_t e = list.start[local(x)]; e < list.start[local(x) + std::size_t{1}]; ++e) {
        const double key = list.cost[e] + weight_[list.partner[e]];
        if (key < best) {
            best = key;
            found = list.partner[e];
        }
    }
    return found;
}

}  // namespace rpw
