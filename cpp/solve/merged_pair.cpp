// See merged_pair.hpp.
#include "solve/merged_pair.hpp"

#include <algorithm>
#include <utility>

#include "base/split.hpp"

namespace rpw {

namespace {

// The atoms that each merged one stands for.
Groups<double> atoms_of(const DistinctMeasure& side, Mass total) {
    return {shares_of(side.given().mass, total), side.merged().size(), [&](Node i) { return side.label(i); }};
}

}  // namespace

void MergedPair::split_plan(Outcome& outcome) const {
    const Mass total = Masses{a_.given().mass, b_.given().mass}.total();
    Groups<double> rows = atoms_of(a_, total), columns = atoms_of(b_, total);
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

Outcome MergedPair::as_given(Outcome of_merged) const {
    of_merged.u = a_.as_given(of_merged.u);
    of_merged.v = b_.as_given(of_merged.v);
    if (!of_merged.plan.empty()) split_plan(of_merged);
    return of_merged;
}

Band MergedPair::as_given(Band of_merged) const {
    of_merged.upper.used_up_a = a_.as_given(of_merged.upper.used_up_a);
    of_merged.upper.used_up_b = b_.as_given(of_merged.upper.used_up_b);
    return of_merged;
}

}  // namespace rpw
