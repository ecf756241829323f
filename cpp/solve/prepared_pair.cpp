// See prepared_pair.hpp.
#include "solve/prepared_pair.hpp"

#include <span>
#include <utility>
#include <vector>

#include "base/split.hpp"
#include "base/tuning.hpp"

namespace rpw {

namespace {

// The atoms that each merged one stands for.
Groups<double> atoms_of(const DistinctMeasure& side, Mass total) {
    return {shares_of(side.given().mass, total), side.merged().size(), [&](Node i) { return side.merged_atom(i); }};
}

}  // namespace

PreparedPair::PreparedPair(const Pair& given, const Question& question, Pulse& pulse) : given_(given) {
    const bool has_points = !given.space.matrix && given.a.label.empty() && given.a.points.data && given.b.points.data;
    if (!has_points || question.quantity == Quantity::shared) return;
    if (is_for_line(question)) line_ = direction_of(given.a.points, given.b.points, given.space.metric);
    // Where there are so few atoms, looking for equal ones would be felt.
    if (line_ || given.a.size() + given.b.size() < tuning::atoms_worth_merging) return;
    labels_ = label_points(given.a.points, given.b.points, pulse);
    const std::span<const std::int64_t> label(labels_.of_point);
    BalancedPair whole(given);
    DistinctMeasure a(whole.pair().a, label.first(given.a.size()), labels_.count);
    DistinctMeasure b(whole.pair().b, label.subspan(given.a.size()), labels_.count);
    if (a.has_equal() || b.has_equal()) merged_.emplace(Merged{std::move(whole), std::move(a), std::move(b)});
}

const Pair& PreparedPair::pair() {
    if (!balanced_) balanced_.emplace(merged());
    return balanced_->pair();
}

Pair PreparedPair::labelled() const {
    Pair pair = given_;
    const std::span<const std::int64_t> label(labels_.of_point);
    if (label.empty()) return pair;
    pair.a.label = label.first(pair.a.size());
    pair.b.label = label.subspan(pair.a.size());
    return pair;
}

void PreparedPair::split_plan(Outcome& outcome) const {
    const Mass total = merged_->whole.pair().masses().total();
    Groups<double> rows = atoms_of(merged_->a, total), columns = atoms_of(merged_->b, total);
    const bool has_lengths = !outcome.lengths.empty();
    std::vector<PlanEntry> plan;
    std::vector<double> lengths;
    for (std::size_t e = 0; e < outcome.plan.size(); ++e) {
        const PlanEntry& entry = outcome.plan[e];
        split(rows, entry.row, columns, entry.column, entry.mass, [&](Node row, Node column, double part) {
            if (part <= 0) return;
            plan.push_back({row, column, part});
            if (has_lengths) lengths.push_back(outcome.lengths[e]);
        });
    }
    if (!has_lengths) sort_plan(plan);
    outcome.plan = std::move(plan);
    outcome.lengths = std::move(lengths);
}

Outcome PreparedPair::as_given(Outcome of_merged) const {
    if (!merged_) return of_merged;
    of_merged.u = merged_->a.as_given(of_merged.u);
    of_merged.v = merged_->b.as_given(of_merged.v);
    if (!of_merged.plan.empty()) split_plan(of_merged);
    return of_merged;
}

Band PreparedPair::as_given(Band of_merged) const {
    if (!merged_) return of_merged;
    of_merged.upper.used_up_a = merged_->a.as_given(of_merged.upper.used_up_a);
    of_merged.upper.used_up_b = merged_->b.as_given(of_merged.upper.used_up_b);
    return of_merged;
}

}  // namespace rpw
