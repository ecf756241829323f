// Building and scanning the shortlist; see shortlist.hpp.
#include "shortlist.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simd.hpp"

namespace rpw {

namespace {

constexpr Node sampled_rows = 24;

// keep[j] = 1 where cost[j] + v[j] ≤ limit.
RPW_SIMD void mark_row(const double* cost, const double* v, double limit, Node columns, std::uint8_t* keep) {
    for (Node j = 0; j < columns; ++j) keep[j] = cost[j] + v[j] <= limit;
}

}  // namespace

Shortlist::Shortlist(const CostMatrix& cost)
    : cost_(cost), u_(cost.rows), v_(cost.columns), keep_(static_cast<std::size_t>(cost.columns) + 8) {
    of_row_.start.resize(cost.rows + std::size_t{1});
    of_column_.start.resize(cost.columns + std::size_t{1});
}

bool Shortlist::rebuild(const Forest& forest, double lambda, double target, Pulse& pulse) {
    for (Node i = 0; i < cost_.rows; ++i) u_[i] = forest.potential(i, lambda);
    for (Node j = 0; j < cost_.columns; ++j) v_[j] = forest.potential(cost_.rows + j, lambda);
    choose_horizon(lambda, target);
    of_row_.partner.clear();
    of_row_.cost.clear();
    for (Node i = 0; i < cost_.rows; ++i) {
        if (pulse.expired(static_cast<std::size_t>(cost_.columns))) return true;
        list_row(i);
    }
    of_row_.start[cost_.rows] = of_row_.partner.size();
    transpose();
    return false;
}

// The horizon is a quantile of c + u + v over a sample of rows, moved up until it lies beyond λ.
void Shortlist::choose_horizon(double lambda, double target) {
    const Node count = std::min(cost_.rows, sampled_rows);
    sample_.clear();
    for (Node s = 0; s < count; ++s) {
        const Node i = static_cast<Node>((2 * static_cast<std::int64_t>(s) + 1) * cost_.rows / (2 * count));
        const double* row = cost_.row(i);
        for (Node j = 0; j < cost_.columns; ++j) sample_.push_back(row[j] + u_[i] + v_[j]);
    }
    auto rank = static_cast<std::size_t>(target / cost_.rows * count);
    for (; rank + 1 < sample_.size(); rank = 2 * rank + 1) {
        std::nth_element(sample_.begin(), sample_.begin() + rank, sample_.end());
        horizon_ = sample_[rank];
        if (horizon_ > lambda * (1 + 1e-12)) return;
    }
    horizon_ = unreachable;
}

void Shortlist::list_row(Node i) {
    const double* row = cost_.row(i);
    of_row_.start[i] = of_row_.partner.size();
    mark_row(row, v_.data(), horizon_ - u_[i], cost_.columns, keep_.data());
    std::memset(keep_.data() + cost_.columns, 0, 8);
    for (Node j = 0; j < cost_.columns; j += 8) {  // eight marks at a time: most of them are zero
        std::uint64_t marks;
        std::memcpy(&marks, keep_.data() + j, 8);
        if (marks == 0) continue;
        for (Node k = j; k < j + 8; ++k) {
            if (!keep_[k]) continue;
            of_row_.partner.push_back(cost_.rows + k);
            of_row_.cost.push_back(row[k]);
        }
    }
}

void Shortlist::transpose() {
    auto& start = of_column_.start;
    std::fill(start.begin(), start.end(), 0);
    for (Node y : of_row_.partner) ++start[y - cost_.rows + std::size_t{1}];
    for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
    of_column_.partner.resize(of_row_.partner.size());
    of_column_.cost.resize(of_row_.partner.size());
    // Fill from the back, so that `start` ends up where it began.
    for (Node i = cost_.rows; i-- > 0;) {
        for (std::size_t e = of_row_.start[i + 1]; e-- > of_row_.start[i];) {
            const std::size_t slot = --start[of_row_.partner[e] - cost_.rows + std::size_t{1}];
            of_column_.partner[slot] = i;
            of_column_.cost[slot] = of_row_.cost[e];
        }
    }
    // Each start[j + 1] now holds the first slot of column j.
    std::rotate(start.begin(), start.begin() + 1, start.end());
    start.back() = of_row_.partner.size();
}

std::size_t Shortlist::degree(Node x) const {
    const auto& start = lists(x).start;
    return start[local(x) + std::size_t{1}] - start[local(x)];
}

double Shortlist::least(Node x, const double* weight) const {
    const ArcList& list = lists(x);
    const std::size_t begin = list.start[local(x)], end = list.start[local(x) + std::size_t{1}];
    const Node* partner = list.partner.data();
    const double* cost = list.cost.data();
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

Node Shortlist::least_partner(Node x, const double* weight) const {
    const ArcList& list = lists(x);
    Node found = -1;
    double best = unreachable;
    for (std::size_t e = list.start[local(x)]; e < list.start[local(x) + std::size_t{1}]; ++e) {
        const double key = list.cost[e] + weight[list.partner[e]];
        if (key < best) {
            best = key;
            found = list.partner[e];
        }
    }
    return found;
}

}  // namespace rpw
