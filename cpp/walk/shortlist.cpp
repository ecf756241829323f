// Building and scanning the shortlist; see shortlist.hpp.
#include "walk/shortlist.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sample.hpp"
#include "base/simd.hpp"

namespace rpw {

namespace {

// The shortlist holds this many arcs per node at first; later its size follows the balance of work below.
constexpr double arcs_per_node = 12;
constexpr double fewest_arcs_per_node = 4;

// Horizons are quantiles of samples of about this size.
constexpr std::size_t sample_size = 512;

// A list that would keep this share of the wide one is not worth a second sample.
constexpr double nearly_all = 0.8;

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
      u_(cost_.rows),
      v_(cost_.columns),
      lists_(cost_.rows, cost_.columns),
      keep_(static_cast<std::size_t>(cost_.columns) + 8) {
    target_ = arcs_per_node * nodes();
    wide_.start.resize(cost_.rows + std::size_t{1});
}

void Shortlist::renew(const Forest& forest, double lambda, std::size_t work, Pulse& pulse) {
    for (Node i = 0; i < cost_.rows; ++i) u_[i] = forest.potential(i, lambda);
    for (Node j = 0; j < cost_.columns; ++j) v_[j] = forest.potential(cost_.rows + j, lambda);
    if (is_listed_) choose_length(work);
    pass_work_ = 0;
    if (!is_listed_ || lambda >= wide_horizon_) {
        pass_work_ = cost_.size() / 2;
        widen(lambda, pulse);
        is_listed_ = true;
    }
    pass_work_ += wide_.partner.size();
    narrow(lambda);
    lists_.list_columns();
    pulse.note(wide_.partner.size());
    for (Node x = 0; x < forest.size(); ++x) weigh(forest, x);
}

// A pass over the costs and the work between two passes should weigh about the same.
void Shortlist::choose_length(std::size_t work) {
    const auto since = static_cast<double>(work), pass = static_cast<double>(pass_work_);
    const double fewest = fewest_arcs_per_node * nodes();
    if (since < 0.5 * pass) target_ = std::min(target_ * 1.6, static_cast<double>(cost_.size()));
    if (since > 3 * pass) target_ = std::max(target_ / 1.4, fewest);
}

void Shortlist::widen(double lambda, Pulse& pulse) {
    const double target = std::max(target_, static_cast<double>(cost_.size()) / 16);
    sample_.clear();
    for (VariedPositions e(cost_.size(), sample_size); *e < cost_.size(); e.step()) {
        sample_.push_back(cost_.data[*e] + u_[*e / cost_.columns] + v_[*e % cost_.columns]);
    }
    wide_horizon_ =
        std::min(limit_, quantile_beyond(sample_, target / static_cast<double>(cost_.size()), lambda, unreachable));
    wide_.partner.clear();
    wide_.cost.clear();
    for (Node i = 0; i < cost_.rows; ++i) {
        pulse.note(static_cast<std::size_t>(cost_.columns));
        list_row(i);
    }
    wide_.start[cost_.rows] = wide_.partner.size();
}

void Shortlist::list_row(Node i) {
    const double* row = cost_.row(i);
    std::size_t size = wide_.partner.size();
    wide_.start[i] = size;
    const std::size_t count = mark_row(row, v_.data(), wide_horizon_ - u_[i], cost_.columns, keep_.data());
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
    if (share >= nearly_all) return wide_horizon_;
    sample_.clear();
    VariedPositions e(wide_.partner.size(), sample_size);
    for (Node i = 0; i < cost_.rows; ++i) {
        for (; *e < wide_.start[i + std::size_t{1}]; e.step()) {
            sample_.push_back(wide_.cost[*e] + u_[i] + v_[wide_.partner[*e] - cost_.rows]);
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
        const double limit = horizon_ - u_[i];
        for (std::size_t e = wide_.start[i]; e < wide_.start[i + std::size_t{1}]; ++e) {
            of_row.partner[size] = wide_.partner[e];
            of_row.cost[size] = wide_.cost[e];
            size += wide_.cost[e] + v_[wide_.partner[e] - cost_.rows] <= limit;  // no branch: it would be mispredicted
        }
    }
    of_row.start[cost_.rows] = size;
    of_row.partner.resize(size);
    of_row.cost.resize(size);
}

}  // namespace rpw
