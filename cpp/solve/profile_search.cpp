// See profile_search.hpp.
#include "solve/profile_search.hpp"

#include "base/tuning.hpp"
#include "solve/mixed_plan.hpp"
#include "walk/certificate.hpp"

namespace rpw {

using namespace tuning;

ProfileSearch::ProfileSearch(const PowerProblem& problem, const Goal& goal, Solver strategy, Pulse& pulse)
    : problem_(problem), pulse_(pulse), network_(problem, strategy, pulse), bracket_(goal, network_.start()) {}

Status ProfileSearch::run(const Limits& limits) {
    if (!bracket_.goal().is_beyond(bracket_.left())) return bracket_.end_at_left(Status::exact);
    return search(limits, [&] { return network_.begin(bracket_, limits); });
}

Status ProfileSearch::go_on(const Goal& goal) {
    bracket_.aim_at(goal);
    return search({}, [&] { return network_.go_on(bracket_, {}); });
}

template <class Begin>
Status ProfileSearch::search(const Limits& limits, const Begin& begin) {
    Status found = Status::time_limit;
    std::optional<Vertex<Basis>> doubtful;
    const bool in_time = ends_in_time([&] {
        auto status = begin();
        if (!status) status = search_profile(network_, bracket_, limits);
        if (!status || !is_sound(*status)) {  // rounding at a large λ can hide what is cheap; no worse was ever seen
            doubtful = bracket_.right();
            status = network_.walk_from_start(bracket_, limits);
        }
        found = *status;
    });
    if (in_time) return found;
    if (network_.pivots() == 0) {  // no time at all: nothing is known, whatever was looked at before the clock was
        bracket_.aim_at(Goal(bracket_.goal()));
        return bracket_.end_at_left(Status::time_limit);
    }
    network_.cut_off(bracket_);
    if (doubtful) bracket_.offer(*std::move(doubtful), 0);
    return bracket_.end_anyhow(Status::time_limit);
}

// Whether the answer can be trusted. That to a crossing has bounds that agree, and a plan that costs no more than it
// may; a plan between two vertices is held against the best line. A cost must not be lost in the rounding of λ.
bool ProfileSearch::is_sound(Status status) const {
    if (status != Status::exact || network_.is_walking()) return true;
    const Goal& goal = bracket_.goal();
    if (!goal.is_crossing()) return lambda() <= sharp_lambda * cost_p() || cost_p() == 0;
    const bool is_paid = root(cost_p(), goal.p) <= goal.kappa * unmoved() * (1 + proven_enough);
    return is_paid && unmoved() - bracket_.proven() <= proven_enough * unmoved();
}

std::vector<PlanEntry> ProfileSearch::plan() const {
    const Basis& left = bracket_.left().plan;
    const Basis& right = bracket_.right() ? bracket_.right()->plan : left;
    return mixed_plan(left, right, bracket_.answer().weight, problem_.powers.rows, problem_.masses.total());
}

double ProfileSearch::certify(std::vector<double>& u, std::vector<double>& v) const {
    return lambda() - rpw::certify(problem_, Forest(problem_.masses, bracket_.proof().plan), lambda(), u, v, &pulse_);
}

std::vector<double> ProfileSearch::row_potentials() const {
    return rpw::row_potentials(Forest(problem_.masses, bracket_.proof().plan), lambda());
}

}  // namespace rpw
