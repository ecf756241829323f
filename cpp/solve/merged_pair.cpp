// See merged_pair.hpp.
#include "solve/merged_pair.hpp"

#include <algorithm>
#include <utility>

#include "base/tuning.hpp"

namespace rpw {

namespace {

// Gives mass of merged atoms to the atoms that they stand for, one after the other.
class Shares {
public:
    Shares(const DistinctMeasure& side, Mass total) : room_(side.given().size()), atoms_(room_.size()) {
        const Node merged = side.merged().size();
        start_.assign(merged + 1, 0);
        rounding_.assign(merged, 0);
        for (Node i = 0; i < side.given().size(); ++i) {
            room_[i] = share_of(side.given().mass[i], total);
            ++start_[side.label(i) + 1];
            rounding_[side.label(i)] += tuning::rounding_of_shares * room_[i];
        }
        for (Node s = 0; s < merged; ++s) start_[s + 1] += start_[s];
        next_.assign(start_.begin(), start_.end() - 1);
        for (Node i = 0; i < side.given().size(); ++i) atoms_[next_[side.label(i)]++] = i;
        next_.assign(start_.begin(), start_.end() - 1);
    }

    // Calls visit(atom, part). What is left over or missing by rounding makes no part of its own.
    template <class Visit>
    void give(Node merged, double mass, const Visit& visit) {
        const double rounding = rounding_[merged];
        for (std::size_t& at = next_[merged];; ++at) {
            const Node atom = atoms_[at];
            const bool is_last = at + 1 == start_[merged + 1];
            if (is_last || mass <= room_[atom] + rounding) {
                room_[atom] -= mass;
                return visit(atom, mass);
            }
            if (room_[atom] <= rounding) continue;
            visit(atom, room_[atom]);
            mass -= room_[atom];
        }
    }

private:
    std::vector<double> room_;      // of each atom
    std::vector<double> rounding_;  // of each merged atom
    std::vector<Node> atoms_;       // those of one merged atom after those of the other
    std::vector<std::size_t> start_, next_;
};

bool is_by_row(const PlanEntry& x, const PlanEntry& y) {
    return std::pair(x.row, x.column) < std::pair(y.row, y.column);
}

}  // namespace

void MergedPair::split_plan(Outcome& outcome) const {
    const Mass total = Masses{a_.given().mass, b_.given().mass}.total();
    Shares rows(a_, total), columns(b_, total);
    const bool has_lengths = !outcome.lengths.empty();
    std::vector<PlanEntry> plan;
    std::vector<double> lengths;
    for (std::size_t e = 0; e < outcome.plan.size(); ++e) {
        const PlanEntry& entry = outcome.plan[e];
        rows.give(entry.row, entry.mass, [&](Node row, double of_row) {
            columns.give(entry.column, of_row, [&](Node column, double mass) {
                plan.push_back({row, column, mass});
                if (has_lengths) lengths.push_back(outcome.lengths[e]);
            });
        });
    }
    if (!has_lengths) std::sort(plan.begin(), plan.end(), is_by_row);
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
