// Building and scanning the shortlist; see shortlist.hpp.
#include "walk/shortlist.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/least.hpp"
#include "base/sample.hpp"
#include "base/simd.hpp"

namespace rpw {

using namespace tuning;

namespace {

// keep[j] = 1 where cost[j] + v[j] ≤ limit; returns how many there are.
RPW_SIMD std::size_t mark_row(const double* cost, const double* v, double limit, Node columns, std::uint8_t* keep) {
    for (Node j = 0; j < columns; ++j) keep[j] = cost[j] + v[j] <= limit;
    std::size_t count = 0;
    for (Node j = 0; j < columns; ++j) count += keep[j];
    return count;
}

// Which of eight bytes, read as one number, is the first with a mark (its lowest bit) that `marks &= marks - 1` takes.
Node first_marked_byte(std::uint64_t marks) {
    const Node byte = std::countr_zero(marks) / 8;
    return std::endian::native == std::endian::little ? byte : 7 - byte;
}

// The quantile `share` of the sample, or a later one if that is not beyond λ; `otherwise` if there is none.
double quantile_beyond(std::vector<double>& sample, double share, double lambda, double otherwise) {
    auto rank = static_cast<std::size_t>(share * static_cast<double>(sample.size()));
    for (; rank + 1 < sample.size(); rank = 2 * rank + 1) {
        const double found = entry_of_rank(sample, rank);
        if (found > lambda * (1 + 1e-12)) return found;
    }
    return otherwise;
}

}  // namespace

Shortlist::Shortlist(const PowerProblem& problem, double limit)
    : cost_(problem.powers),
      limit_(limit),
      potential_(static_cast<std::size_t>(cost_.rows) + cost_.columns),
      lists_(cost_.rows, cost_.columns),
      all_of_(potential_.size()),
      columns_(cost_.columns),
      keep_(static_cast<std::size_t>(cost_.columns) + 8) {
    target_ = arcs_per_node_of_list * nodes();
    wide_.start.resize(cost_.rows + std::size_t{1});
}

void Shortlist::renew(const Forest& forest, double lambda, std::size_t work, Pulse& pulse) {
    for (Node x = 0; x < forest.size(); ++x) {
        potential_[x] = forest.potential(x, lambda);
        lists_.weigh(forest, x);
    }
    if (is_listed_) choose_length(work);
    pass_work_ = 0;
    if (!is_listed_ || lambda >= wide_horizon_ || only_active_) {
        pass_work_ = static_cast<std::size_t>(work_of_pass());
        widen(forest, lambda, work, pulse);
        is_listed_ = true;
    }
    pass_work_ += wide_.partner.size();
    narrow(lambda);
    lists_.list_columns();
    pulse.note(wide_.partner.size());
    lambda_ = lambda;
}

// A pass over the costs and the work between two passes should weigh about the same.
void Shortlist::choose_length(std::size_t work) {
    const double balance = static_cast<double>(pass_work_) / static_cast<double>(std::max<std::size_t>(work, 1));
    target_ *= std::clamp(std::sqrt(balance), 1 / most_change_of_list, most_change_of_list);
    target_ = std::min(std::max(target_, static_cast<double>(nodes())), static_cast<double>(cost_.size()));
}

void Shortlist::widen(const Forest& forest, double lambda, std::size_t work, Pulse& pulse) {
    wide_horizon_ = horizon_between(forest, false, lambda);
    const double of_active = is_listed_ ? horizon_between(forest, true, lambda) : 0;
    only_active_ = of_active > wide_horizon_ && pays_to_leave_out(lambda, work);
    if (only_active_) wide_horizon_ = of_active;
    std::fill(all_of_.begin(), all_of_.end(), nullptr);
    wide_.partner.clear();
    wide_.cost.clear();
    for (Node i = 0; i < cost_.rows; ++i) {
        wide_.start[i] = wide_.partner.size();
        if (only_active_ && !forest.is_active(i)) continue;
        list_row(i, only_active_ ? lists_.weights().data() : potential_.data());
        pulse.note(static_cast<std::size_t>(cost_.columns));
    }
    wide_.start[cost_.rows] = wide_.partner.size();
}

// Up to where about as many arcs lie as are to be listed.
double Shortlist::horizon_between(const Forest& forest, bool only_active, double lambda) {
    std::vector<Node> rows, columns;
    for (Node x = 0; x < forest.size(); ++x) {
        if (!only_active || forest.is_active(x)) (forest.is_row(x) ? rows : columns).push_back(x);
    }
    const std::size_t pairs = rows.size() * columns.size();
    sample_.clear();
    for (VariedPositions e(pairs, pairs_in_sample); *e < pairs; e.step()) {
        const Node row = rows[*e / columns.size()], column = columns[*e % columns.size()];
        sample_.push_back(cost(row, column) + potential_[row] + potential_[column]);
    }
    const double share = std::max(target_ / static_cast<double>(pairs), only_active ? 0 : share_of_wide);
    return std::min(limit_, quantile_beyond(sample_, share, lambda, unreachable));
}

// Whether questions to all costs, as many as came since the last renewal, take less than the pass for a list of all
// arcs, as far as that would reach.
bool Shortlist::pays_to_leave_out(double lambda, std::size_t work) const {
    const double in_lists = std::max(1.0, 2 * static_cast<double>(lists_.of_row.partner.size()) / nodes());
    const double in_all = nodes() / 2 / costs_per_arc;
    const double questions = static_cast<double>(work) / (only_active_ ? in_all : in_lists);
    const double stretches = (wide_horizon_ - lambda) / (lambda - lambda_);
    return questions * stretches * in_all < static_cast<double>(pass_work_);
}

void Shortlist::list_row(Node i, const double* potential) {
    const double* row = cost_.row(i);
    std::size_t size = wide_.partner.size();
    const double limit = std::min(wide_horizon_ - potential[i], std::numeric_limits<double>::max());
    const std::size_t count = mark_row(row, potential + cost_.rows, limit, cost_.columns, keep_.data());
    wide_.partner.resize(size + count);
    wide_.cost.resize(size + count);
    std::memset(keep_.data() + cost_.columns, 0, 8);
    for (Node j = 0; j < cost_.columns; j += 8) {  // eight marks at a time: most of them are zero
        std::uint64_t marks;
        std::memcpy(&marks, keep_.data() + j, 8);
        for (; marks != 0; marks &= marks - 1, ++size) {
            const Node k = j + first_marked_byte(marks);
            wide_.partner[size] = cost_.rows + k;
            wide_.cost[size] = row[k];
        }
    }
}

double Shortlist::narrow_horizon(double lambda) {
    const double share = target_ / static_cast<double>(wide_.partner.size());
    if (only_active_ || share >= 1) return wide_horizon_;
    sample_.clear();
    VariedPositions e(wide_.partner.size(), pairs_in_sample);
    for (Node i = 0; i < cost_.rows; ++i) {
        for (; *e < wide_.start[i + std::size_t{1}]; e.step()) {
            sample_.push_back(wide_.cost[*e] + potential_[i] + potential_[wide_.partner[*e]]);
        }
    }
    return std::min(wide_horizon_, quantile_beyond(sample_, share, lambda, wide_horizon_));
}

void Shortlist::narrow(double lambda) {
    horizon_ = narrow_horizon(lambda);
    ArcList& of_row = lists_.of_row;
    of_row.partner.resize(wide_.partner.size());
    of_row.cost.resize(wide_.cost.size());
    std::size_t size = 0;
    for (Node i = 0; i < cost_.rows; ++i) {
        of_row.start[i] = size;
        const double limit = horizon_ - potential_[i];
        for (std::size_t e = wide_.start[i]; e < wide_.start[i + std::size_t{1}]; ++e) {
            of_row.partner[size] = wide_.partner[e];
            of_row.cost[size] = wide_.cost[e];
            size += wide_.cost[e] + potential_[wide_.partner[e]] <= limit;  // no branch: it would be mispredicted
        }
    }
    of_row.start[cost_.rows] = size;
    of_row.partner.resize(size);
    of_row.cost.resize(size);
}

// Some arcs of a node that becomes active were left out.
void Shortlist::weigh(const Forest& forest, Node x) {
    lists_.weigh(forest, x);
    if (only_active_ && !all_of_[x] && forest.is_active(x)) all_of_[x] = all_costs(x);
}

const double* Shortlist::all_costs(Node x) {
    if (x < cost_.rows) return cost_.row(x);
    const Node j = x - cost_.rows;
    auto& column = columns_[j];
    if (column.empty()) {
        column.resize(cost_.rows);
        for (Node i = 0; i < cost_.rows; ++i) column[i] = cost_.at(i, j);
    }
    return column.data();
}

double Shortlist::least_of_all(Node x) const {
    const auto [first, size] = others(x);
    return least_sum(all_of_[x], lists_.weights().data() + first, size);
}

Node Shortlist::least_of_all_partner(Node x) const {
    const auto [first, size] = others(x);
    const double least = least_of_all(x);
    return least < unreachable ? first + find_sum(all_of_[x], lists_.weights().data() + first, size, least) : -1;
}

}  // namespace rpw
