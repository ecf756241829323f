// See max_flow.hpp.
#include "max_flow.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace rpw {

namespace {
constexpr Node unseen = -1;
constexpr Node sampled_rows = 24;
constexpr std::size_t sampled_pairs = 1 << 12;
}  // namespace

// ---------------------------------------------------------------- one maximum flow

MaxFlow::MaxFlow(const Problem& problem, Pulse& pulse)
    : problem_(problem),
      pulse_(pulse),
      total_(problem.total()),
      negligible_(problem.negligible()),
      left_at_row_(problem.a.begin(), problem.a.end()),
      room_in_column_(problem.b.begin(), problem.b.end()),
      into_(problem.b.size()),
      next_pair_(problem.a.size()),
      next_inflow_(problem.b.size()),
      row_level_(problem.a.size()),
      column_level_(problem.b.size()),
      place_(problem.a.size()) {}

void MaxFlow::start_from(const std::vector<FlowEntry>& flow) {
    left_at_row_.assign(problem_.a.begin(), problem_.a.end());
    room_in_column_.assign(problem_.b.begin(), problem_.b.end());
    for (auto& inflows : into_) inflows.clear();
    moved_ = 0;
    for (const FlowEntry& entry : flow) {
        left_at_row_[entry.row] -= entry.mass;
        room_in_column_[entry.column] -= entry.mass;
        into_[entry.column].push_back({entry.row, entry.mass});
        moved_ += entry.mass;
    }
}

double MaxFlow::unmoved() const {
    const Mass left = total_ - moved_;
    return left <= negligible_ ? 0.0 : static_cast<double>(left) / static_cast<double>(total_);
}

bool MaxFlow::augment(const Neighbours& pairs, double enough) {
    while (!stopped_ && unmoved() > enough && total_ - moved_ > negligible_) {
        merge_inflows();
        if (!find_levels(pairs)) break;
        std::copy(pairs.begin, pairs.begin + next_pair_.size(), next_pair_.begin());
        std::fill(next_inflow_.begin(), next_inflow_.end(), std::size_t{0});
        for (std::size_t i = 0; i < left_at_row_.size(); ++i) {
            if (left_at_row_[i] > 0 && !block(pairs, static_cast<Node>(i))) break;
        }
    }
    return !stopped_;
}

// A breadth-first search from all rows with mass left, up to the first level of columns where there is room. False if
// there is no such level.
bool MaxFlow::find_levels(const Neighbours& pairs) {
    std::fill(row_level_.begin(), row_level_.end(), unseen);
    std::fill(column_level_.begin(), column_level_.end(), unseen);
    rows_.clear();
    for (std::size_t i = 0; i < left_at_row_.size(); ++i) {
        if (left_at_row_[i] == 0) continue;
        row_level_[i] = 0;
        rows_.push_back(static_cast<Node>(i));
    }
    std::size_t unseen_columns = column_level_.size();
    for (Node level = 1; !rows_.empty(); level += 2) {
        bool found = false;
        columns_.clear();
        for (const Node row : rows_) {
            if (unseen_columns == 0) break;
            for (std::size_t e = pairs.begin[row]; e < pairs.end[row]; ++e) {
                const Node column = pairs.columns[e];
                if (column_level_[column] != unseen) continue;
                column_level_[column] = level;
                columns_.push_back(column);
                --unseen_columns;
                if (room_in_column_[column] > 0) found = true;
            }
            if (pulse_.expired(1 + pairs.end[row] - pairs.begin[row])) {
                stopped_ = true;
                return false;
            }
        }
        last_level_ = level;
        if (found) return true;
        rows_.clear();
        for (const Node column : columns_) {
            for (const Inflow& inflow : into_[column]) {
                if (row_level_[inflow.row] != unseen) continue;
                row_level_[inflow.row] = level + 1;
                rows_.push_back(inflow.row);
            }
        }
    }
    return false;
}

// Moves what can be moved from one row along paths that rise by one level with each step, depth first. What turned out
// to lead nowhere is not looked at again in this phase. False if the deadline passed.
bool MaxFlow::block(const Neighbours& pairs, Node source) {
    rows_.assign(1, source);
    columns_.clear();
    for (;;) {
        const Node row = rows_.back();
        std::size_t& pair = next_pair_[row];
        const std::size_t before = pair, end = pairs.end[row];
        while (pair < end && column_level_[pairs.columns[pair]] != row_level_[row] + 1) ++pair;
        if (pulse_.expired(1 + pair - before)) {
            stopped_ = true;
            return false;
        }
        if (pair < end) {
            columns_.push_back(pairs.columns[pair]);
        } else {
            row_level_[row] = unseen;
            rows_.pop_back();
            if (rows_.empty()) return true;
            ++next_inflow_[columns_.back()];
        }
        // From here on, the path ends at a column.
        const Node column = columns_.back();
        if (column_level_[column] == last_level_ && room_in_column_[column] > 0) {
            const std::size_t kept = push_along_path();
            if (left_at_row_[source] == 0) return true;
            columns_.resize(kept);
            rows_.resize(kept);
        }
        const Node end_column = columns_.back();
        const auto& inflows = into_[end_column];
        std::size_t& next = next_inflow_[end_column];
        const Node wanted = column_level_[end_column] + 1;
        if (column_level_[end_column] == last_level_) {
            next = inflows.size();
        } else {
            while (next < inflows.size() && (inflows[next].mass == 0 || row_level_[inflows[next].row] != wanted))
                ++next;
        }
        if (next < inflows.size()) {
            rows_.push_back(inflows[next].row);
        } else {
            column_level_[end_column] = unseen;
            columns_.pop_back();
        }
    }
}

// Returns how much of the path, in columns, stays usable up to the first pair that has nothing left to take back.
std::size_t MaxFlow::push_along_path() {
    const Node source = rows_.front(), target = columns_.back();
    Mass amount = std::min(left_at_row_[source], room_in_column_[target]);
    for (std::size_t s = 0; s + 1 < columns_.size(); ++s) {
        amount = std::min(amount, into_[columns_[s]][next_inflow_[columns_[s]]].mass);
    }
    std::size_t kept = columns_.size();
    for (std::size_t s = columns_.size(); s-- > 0;) {
        auto& inflows = into_[columns_[s]];
        if (s + 1 < columns_.size()) {
            Mass& taken = inflows[next_inflow_[columns_[s]]].mass;
            taken -= amount;
            if (taken == 0) kept = s + 1;
        }
        if (!inflows.empty() && inflows.back().row == rows_[s]) {
            inflows.back().mass += amount;
        } else {
            inflows.push_back({rows_[s], amount});
        }
    }
    left_at_row_[source] -= amount;
    room_in_column_[target] -= amount;
    moved_ += amount;
    ++augmentations_;
    return kept;
}

// One entry for each pair that carries mass.
void MaxFlow::merge_inflows() {
    for (auto& inflows : into_) {
        std::size_t kept = 0;
        for (const Inflow inflow : inflows) {
            if (inflow.mass == 0) continue;
            const std::size_t place = place_[inflow.row];
            if (place < kept && inflows[place].row == inflow.row) {
                inflows[place].mass += inflow.mass;
            } else {
                place_[inflow.row] = kept;
                inflows[kept++] = inflow;
            }
        }
        inflows.resize(kept);
    }
}

std::vector<FlowEntry> MaxFlow::flow() {
    merge_inflows();
    std::vector<FlowEntry> entries;
    for (std::size_t j = 0; j < into_.size(); ++j) {
        for (const Inflow& inflow : into_[j]) entries.push_back({inflow.row, static_cast<Node>(j), inflow.mass});
    }
    return entries;
}

// ---------------------------------------------------------------- the search for a threshold

ThresholdSearch::ThresholdSearch(const Problem& problem, double longest, Enough enough, Pulse& pulse)
    : problem_(problem),
      cost_(problem.cost),
      longest_(longest),
      enough_(std::move(enough)),
      pulse_(pulse),
      flow_(problem, pulse) {}

bool ThresholdSearch::step() {
    note(0);
    if (stopped_) return false;
    if (above_.threshold < unreachable || horizon_ >= longest_) {
        const double threshold = candidate();
        if (threshold < 0) return false;
        split(threshold);
        if (!stopped_) try_at(threshold);
    } else {
        const double horizon = horizon_ < 0 ? first_guess() : next_horizon();
        collect(std::min(horizon, longest_));
        const double threshold = longest_collected();
        if (threshold < 0) return horizon_ < longest_;
        split_ = end_;
        if (!stopped_) try_at(threshold);
    }
    return !stopped_;
}

void ThresholdSearch::try_at(double threshold) {
    // A flow that went too far may, without its longer pairs, still be the better one to start from.
    std::vector<FlowEntry> short_part;
    Mass mass = 0;
    for (const FlowEntry& entry : above_.flow) {
        if (cost_.at(entry.row, entry.column) > threshold) continue;
        short_part.push_back(entry);
        mass += entry.mass;
    }
    flow_.start_from(mass > below_.moved ? short_part : below_.flow);
    stopped_ = !flow_.augment({columns_.data(), begin_.data(), split_.data()}, enough_(threshold));
    FlowAt found{threshold, flow_.unmoved(), flow_.moved(), flow_.flow()};
    if (found.unmoved <= enough_(threshold)) {
        const double used = longest_used(found);
        if (used > below_.threshold && found.unmoved <= enough_(used)) found.threshold = used;
        above_ = std::move(found);
        drop_above();
    } else if (stopped_) {
        found.threshold = below_.threshold;
        below_ = std::move(found);
    } else {
        if (found.moved > below_.moved) floor_ = std::move(below_);
        below_ = std::move(found);
        open_ = split_;
    }
}

void ThresholdSearch::find_start_of_step() {
    const double as_much = below_.unmoved;
    enough_ = [as_much](double) { return as_much; };
    above_ = std::move(below_);
    below_ = std::move(floor_);
    above_.threshold = longest_used(above_);
    open_ = begin_;
    drop_above();
    split(below_.threshold);
    open_ = split_;
}

void ThresholdSearch::complete(double enough) {
    if (above_.unmoved <= enough || stopped_) return;
    flow_.start_from(above_.flow);
    stopped_ = !flow_.augment({columns_.data(), begin_.data(), end_.data()}, enough);
    above_ = {above_.threshold, flow_.unmoved(), flow_.moved(), flow_.flow()};
}

double ThresholdSearch::longest_used(const FlowAt& at) const {
    double longest = 0;
    for (const FlowEntry& entry : at.flow) longest = std::max(longest, cost_.at(entry.row, entry.column));
    return longest;
}

// If every row could send all its mass to the nearest column, and every column be filled from the nearest row.
double ThresholdSearch::first_guess() {
    std::vector<double> of_row(cost_.rows, unreachable), of_column(cost_.columns, unreachable);
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        double least = unreachable;
        for (Node j = 0; j < cost_.columns; ++j) {
            least = std::min(least, row[j]);
            of_column[j] = std::min(of_column[j], row[j]);
        }
        of_row[i] = least;
        note(cost_.columns);
    }
    return std::max(guess_from(of_row, problem_.a), guess_from(of_column, problem_.b));
}

double ThresholdSearch::guess_from(std::span<const double> nearest, std::span<const Mass> masses) const {
    std::vector<Node> order(nearest.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Node x, Node y) { return nearest[x] < nearest[y]; });
    const Mass total = problem_.total();
    Mass left = total;
    for (const Node x : order) {
        left = std::max<Mass>(left - masses[x], 0);
        if (static_cast<double>(left) / static_cast<double>(total) <= enough_(nearest[x])) return nearest[x];
    }
    return nearest[order.back()];
}

// About twice as many pairs as now, judged from some rows.
double ThresholdSearch::next_horizon() const {
    const Node count = std::min(cost_.rows, sampled_rows);
    std::vector<double> sample;
    for (Node s = 0; s < count; ++s) {
        const double* row = cost_.row(static_cast<Node>(static_cast<std::int64_t>(s) * cost_.rows / count));
        std::copy_if(row, row + cost_.columns, std::back_inserter(sample), [&](double c) { return c > horizon_; });
    }
    const auto rank = static_cast<std::size_t>(static_cast<double>(columns_.size()) / cost_.rows * count);
    if (rank >= sample.size()) return longest_;
    std::nth_element(sample.begin(), sample.begin() + rank, sample.end());
    return sample[rank];
}

// Lists the pairs up to the horizon.
void ThresholdSearch::collect(double horizon) {
    begin_.assign(cost_.rows, 0);
    end_.assign(cost_.rows, 0);
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        begin_[i] = count;
        std::size_t in_row = 0;
        for (Node j = 0; j < cost_.columns; ++j) in_row += row[j] <= horizon;
        count += in_row;
        end_[i] = count;
        note(cost_.columns);
    }
    columns_.clear();
    columns_.resize(count);
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        std::size_t place = begin_[i];
        for (Node j = 0; place < end_[i]; ++j) {
            columns_[place] = j;
            place += row[j] <= horizon;
        }
        note(cost_.columns);
    }
    horizon_ = horizon;
    open_ = begin_;
    split(below_.threshold);
    open_ = split_;
}

double ThresholdSearch::longest_collected() {
    double longest = -1;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        for (std::size_t e = open_[i]; e < end_[i]; ++e) longest = std::max(longest, row[columns_[e]]);
        note(end_[i] - open_[i]);
    }
    return longest;
}

// A length in the middle of those in question; -1 if there is none.
double ThresholdSearch::candidate() {
    std::size_t count = 0;
    for (Node i = 0; i < cost_.rows; ++i) count += end_[i] - open_[i];
    const std::size_t step = 1 + count / sampled_pairs;
    sample_.clear();
    double longest = -1;
    std::size_t until = step / 2;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        const std::size_t here = end_[i] - open_[i];
        for (; until < here; until += step) {
            const double length = row[columns_[open_[i] + until]];
            if (length < above_.threshold) sample_.push_back(length);
        }
        until -= here;
    }
    if (!sample_.empty()) {
        const auto middle = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
        std::nth_element(sample_.begin(), middle, sample_.end());
        return *middle;
    }
    if (step == 1) return -1;
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        for (std::size_t e = open_[i]; e < end_[i]; ++e) {
            const double length = row[columns_[e]];
            if (length < above_.threshold) longest = std::max(longest, length);
        }
        note(end_[i] - open_[i]);
    }
    return longest;
}

// Sorts the pairs in question into those up to the threshold and those above it.
void ThresholdSearch::split(double threshold) {
    split_.resize(cost_.rows);
    for (Node i = 0; i < cost_.rows; ++i) {
        const double* row = cost_.row(i);
        const auto first = columns_.begin() + static_cast<std::ptrdiff_t>(open_[i]);
        const auto last = columns_.begin() + static_cast<std::ptrdiff_t>(end_[i]);
        const auto middle = std::partition(first, last, [&](Node j) { return row[j] <= threshold; });
        split_[i] = static_cast<std::size_t>(middle - columns_.begin());
        note(end_[i] - open_[i]);
    }
}

void ThresholdSearch::drop_above() {
    split(above_.threshold);
    end_ = split_;
}

std::vector<PlanEntry> ThresholdSearch::plan(const FlowAt& at) const {
    std::vector<FlowEntry> entries = at.flow;
    const auto key = [&](const FlowEntry& entry) {
        return std::tuple(cost_.at(entry.row, entry.column), entry.row, entry.column);
    };
    std::sort(entries.begin(), entries.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
    std::vector<PlanEntry> plan;
    const auto total = static_cast<double>(problem_.total());
    for (const FlowEntry& entry : entries) {
        plan.push_back({entry.row, entry.column, static_cast<double>(entry.mass) / total});
    }
    return plan;
}

}  // namespace rpw
