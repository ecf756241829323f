// The one model of work, in elementary steps: how much a walk along the profile may take beside solves.
//
// Both ways from one place to another are taken to cost so much per unit of -log ε, as they did before. Until there was
// a solve, one from nothing is guessed from the sizes.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/tuning.hpp"
#include "search/goal.hpp"

namespace rpw {

class WalkBudget {
public:
    WalkBudget(Node rows, Node columns)
        : size_(static_cast<double>(rows) * columns),
          cold_solve_(
              tuning::pivots_per_node * (rows + columns) *
              (tuning::work_per_pivot + tuning::lines_per_pivot * tuning::work_per_cost * std::min(rows, columns))) {}

    // What a solve from nothing is expected to take.
    double cold_solve() const { return cold_solve_; }

    void note_solve(const ProfilePoint& from, const ProfilePoint& to, double work) {
        room_ += work;
        if (from.unmoved == 0 || to.unmoved == 0) return;
        const double stretch = std::abs(std::log(from.unmoved / to.unmoved));
        if (stretch > tuning::short_stretch) solve_rate_ = work / stretch;
    }

    // `work`: of the last stretch; `whole`: of all of the walk. After one from mass 0 it gets dearer: towards the end
    // of the profile trees are larger.
    void note_walk(const ProfilePoint& from, const ProfilePoint& to, double work, double whole, bool is_from_start) {
        const double stretch = std::log(from.unmoved / to.unmoved);
        walk_rate_ =
            stretch > 0 ? (is_from_start ? tuning::dearer_towards_end : tuning::caution) * work / stretch : unreachable;
        room_ -= whole;
    }
    // What was walked before the first solve counts for nothing.
    void forget_walk() { room_ = 0; }

    // What a walk over such a stretch may take, if it looks cheaper than more solves.
    std::optional<double> of_walk(double stretch) const {
        if (walk_rate_ == 0) return std::nullopt;
        const double walk = tuning::walk_overhead * size_ + walk_rate_ * stretch;
        const double solves = solve_rate_ > 0 ? tuning::solve_overhead * size_ + solve_rate_ * stretch : unreachable;
        const double most = tuning::share_for_walk * std::min(room_, solves);
        if (walk > most) return std::nullopt;
        return std::min(2 * walk, std::max(walk, room_));
    }

    // The same for the rest of a first walk, beside a solve from nothing: what is `left` of its way is guessed from its
    // last stretch and the work of that.
    std::optional<double> of_first_walk(double stretch, double left, double work) const {
        const double rest = stretch > 0 ? tuning::caution * work * left / stretch : unreachable;
        return rest < cold_solve_ ? std::optional(2 * rest + size_) : std::nullopt;
    }

private:
    double size_;  // the number of pairs
    double cold_solve_;
    double room_ = 0;        // work that walks may still take
    double walk_rate_ = 0;   // work per unit of -log ε, guessed high; 0: not known
    double solve_rate_ = 0;  // the same of solves that start near by
};

}  // namespace rpw
