// A place on the profile, by vertices at guessed multipliers.
//
// The search keeps a vertex before the goal and one that is not, and asks an oracle, over a matrix, trees or the line,
// for another one between them, until their chord is an edge of F or the bounds are close. docs/proofs/simplex.md, "Two
// strategies", has the proofs. An oracle has
//
//     using Plan                       what describes a vertex: a basis, or a plan
//     begin(bracket, limits)           before the first solve; a status if that ends the search
//     go_on(bracket)                   the same before the search for another goal, at a larger κ
//     next(bracket)                    the next λ, and whether it is the slope of the chord
//     solve(trial, bracket)            the vertex there; nothing if that leads nowhere
//     refine(bracket, limits)          may improve either vertex; a status if that ends the search
//     start_again(bracket, limits)     the answer by another way, where rounding has spoilt this one
//     cut_off(bracket)                 past the deadline: takes in what was found so far
//     is_used_up()                     whether it has done all the work that it may
//     is_trusted()                     whether an exact answer needs no second look
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/pulse.hpp"
#include "base/tuning.hpp"
#include "ground/powers.hpp"
#include "search/bracket.hpp"

namespace rpw {

struct Trial {
    double lambda;
    bool is_chord;
};

template <class Oracle>
class SearchOver {
public:
    using Plan = typename Oracle::Plan;

    // The oracle must outlive the search.
    SearchOver(Oracle& oracle, Bracket<Plan> bracket) : oracle_(oracle), bracket_(std::move(bracket)) {}

    // The goal, or as near to it as the limits ask for; nothing if the oracle may not do as much work. If time is up,
    // the bracket has the best that is known.
    std::optional<Status> run(const Limits& limits = {}) {
        if (!bracket_.goal().is_beyond(bracket_.left())) return bracket_.end_at_left(Status::exact);
        return search(limits, [&] { return oracle_.begin(bracket_, limits); });
    }

    // The exact RPW at a larger κ, from all that was found until here; after `run`, once or more.
    std::optional<Status> go_on(const Goal& goal) {
        bracket_.aim_at(goal);
        return search({}, [&] { return oracle_.go_on(bracket_); });
    }

    const Bracket<Plan>& bracket() const { return bracket_; }

private:
    template <class Begin>
    std::optional<Status> search(const Limits& limits, const Begin& begin) {
        std::optional<Vertex<Plan>> doubtful;
        std::optional<Status> found;
        const bool in_time = ends_in_time([&] {
            found = begin();
            if (!found && !oracle_.is_used_up()) found = solve_between(limits);
            if (found ? is_sound(*found) : oracle_.is_used_up()) return;
            doubtful = bracket_.right();  // rounding at a large λ can hide what is cheap; no worse was ever seen
            found = oracle_.start_again(bracket_, limits);
        });
        if (in_time) return found;
        oracle_.cut_off(bracket_);
        if (doubtful) bracket_.offer(*std::move(doubtful), 0);
        return bracket_.end_anyhow(Status::time_limit);
    }

    // Nothing if that leads nowhere; with a status, the bracket has an answer.
    std::optional<Status> solve_between(const Limits& limits) {
        for (int solves = 0; solves < tuning::most_solves; ++solves) {
            const Trial trial = oracle_.next(bracket_);
            auto found = oracle_.solve(trial, bracket_);
            if (!found) return std::nullopt;
            bracket_.place(*std::move(found), trial.is_chord);
            if (const auto status = bracket_.ending(limits)) return status;
            if (const auto status = oracle_.refine(bracket_, limits)) return status;
        }
        return std::nullopt;
    }

    bool is_sound(Status status) const {
        return status != Status::exact || oracle_.is_trusted() || bracket_.is_sound();
    }

    Oracle& oracle_;
    Bracket<Plan> bracket_;
};

// RPW at each κ > 0, in ascending order, by a search that was made for the first of them and goes on from each to the
// next. Nothing if its oracle may not do as much work. Throws TimeUp.
template <class Search>
std::optional<std::vector<double>> cross_in_turn(Search& search, std::span<const double> kappas, double scale,
                                                 double p) {
    std::vector<double> values;
    double searched = 0;
    for (const double kappa : kappas) {
        const Price price = scaled_price(kappa, scale);
        if (price.kappa > searched) {
            const std::optional<Status> status = searched == 0 ? search.run() : search.go_on({price.kappa, p});
            if (!status) return std::nullopt;
            if (status == Status::time_limit) throw TimeUp();
        }
        searched = price.kappa;
        values.push_back(price.shrink * search.unmoved());
    }
    return values;
}

}  // namespace rpw
