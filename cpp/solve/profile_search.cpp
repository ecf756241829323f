// See profile_search.hpp.
#include "solve/profile_search.hpp"

namespace rpw {

ProfileSearch::ProfileSearch(const PowerProblem& problem, const Goal& goal, Solver strategy, Pulse& pulse)
    : problem_(problem), network_(problem, strategy, pulse), bracket_(goal, {{}, nothing_moved(problem.masses)}) {}

Status ProfileSearch::run(const Limits& limits) {
    if (!bracket_.goal().is_beyond(bracket_.left())) return bracket_.end_at_left(Status::exact);
    return search(limits, [&] { return network_.begin(bracket_, limits); });
}

Status ProfileSearch::go_on(const Goal& goal) {
    bracket_.aim_at(goal);
    return search({}, [&] { return network_.go_on(bracket_); });
}

template <class Begin>
Status ProfileSearch::search(const Limits& limits, const Begin& begin) {
    std::optional<Vertex<Basis>> doubtful;
    const bool in_time = ends_in_time([&] {
        auto status = begin();
        if (!status) status = search_profile(network_, bracket_, limits);
        if (!status || !is_sound(*status)) {  // rounding at a large λ can hide what is cheap; no worse was ever seen
            doubtful = bracket_.right();
            status = network_.walk_from_start(bracket_, limits);
        }
        status_ = *status;
    });
    if (!in_time) status_ = cut_off(std::move(doubtful));
    return status_;
}

Status ProfileSearch::cut_off(std::optional<Vertex<Basis>> doubtful) {
    if (network_.pivots() == 0) {  // no time at all: nothing is known, whatever was looked at before the clock was
        bracket_.aim_at(Goal(bracket_.goal()));
        return bracket_.end_at_left(Status::time_limit);
    }
    network_.cut_off(bracket_);
    if (doubtful) bracket_.offer(*std::move(doubtful), 0);
    return bracket_.end_anyhow(Status::time_limit);
}

bool ProfileSearch::is_sound(Status status) const {
    return status != Status::exact || network_.is_walking() || bracket_.is_sound();
}

Found ProfileSearch::found(bool with_plan) const {
    const auto& [unmoved, weight] = bracket_.answer();
    const auto& proof = bracket_.proof();
    Found found{{status_, network_.solver(), network_.pivots(), unmoved, bracket_.cost_p(), proof.lambda,
                 bracket_.lower_without_line()},
                proof.plan};
    if (!with_plan) return found;
    found.weight = weight;
    found.left = bracket_.left().plan;
    if (weight > 0) found.right = bracket_.right()->plan;
    return found;
}

}  // namespace rpw
