// See solve.hpp.
#include "solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/tuning.hpp"
#include "flow/labels.hpp"
#include "line/on_line.hpp"
#include "lmr/lmr.hpp"
#include "matrix/on_matrix.hpp"
#include "points/at_infinity.hpp"
#include "points/coarse_at_infinity.hpp"
#include "points/on_points.hpp"
#include "points/point_lengths.hpp"
#include "search/read_off.hpp"
#include "solve/ask.hpp"
#include "solve/prepared_pair.hpp"

namespace rpw {

namespace {

// The answer of an algorithm that may have none.
template <class Answer>
Reply<Answer> or_declined(std::optional<Answer> answer) {
    if (!answer) return Declined::not_its_kind;
    return *std::move(answer);
}

// At p = ∞ a trial ends where too many pairs would have to be listed.
template <class Answer, class List>
Reply<Answer> unless_too_many(const Leg& leg, const List& list) {
    if (!leg.is_trial) return list();
    try {
        return list();
    } catch (const TooManyPairs&) {
        return Declined::too_much_work;
    }
}

// What is known before anything is computed.
Outcome nothing_proven(const Question& question, Solver solver) {
    Outcome outcome;
    outcome.status = Status::time_limit;
    outcome.solver = solver;
    outcome.value = outcome.upper = question.quantity == Quantity::mass ? unreachable : 1.0;
    return outcome;
}

Reply<Outcome> ask_one(const Leg& leg, PreparedPair& prepared, const Question& question, Room& room, Pulse& pulse) {
    const bool at_infinity = std::isinf(question.p);
    switch (leg.engine) {
        case Engine::labels:
            return match_labels(prepared.pair(), pulse);
        case Engine::line:
            return solve_on_line(prepared.given(), *prepared.line(), question, pulse);
        case Engine::points:
            if (!at_infinity) return solve_on_points(prepared.pair(), question, leg.most_work, pulse);
            return unless_too_many<Outcome>(
                leg, [&] { return solve_on_points_at_infinity(prepared.pair(), question, leg.most_work, pulse); });
        case Engine::lmr:
            if (at_infinity) return lmr_on_matrix(prepared.pair(), question, room, pulse);
            return or_declined(cross_by_lmr(prepared.pair(), question, pulse));
        case Engine::bisection:
            return bisect_on_matrix(prepared.pair(), question, room, pulse);
        case Engine::matrix:
            break;
    }
    return solve_on_matrix(prepared.pair(), question, room, pulse);
}

// The same at several κ > 0, in ascending order.
Reply<std::vector<double>> ask_several(const Leg& leg, PreparedPair& prepared, const Question& question,
                                       std::span<const double> kappas, Room& room, Pulse& pulse) {
    switch (leg.engine) {
        case Engine::line:
            return several_on_line(prepared.given(), *prepared.line(), question, kappas, pulse);
        case Engine::points:
            if (!std::isinf(question.p)) {
                return several_on_points(prepared.pair(), question, kappas, leg.most_work, pulse);
            }
            return unless_too_many<std::vector<double>>(
                leg, [&] { return several_on_points_at_infinity(prepared.pair(), kappas, leg.most_work, pulse); });
        case Engine::labels:
        case Engine::lmr:
        case Engine::bisection:
            return Declined::not_its_kind;
        case Engine::matrix:
            break;
    }
    return several_on_matrix(prepared.pair(), question, kappas, room, pulse);
}

Reply<Band> ask_profile(const Leg& leg, PreparedPair& prepared, const Question& question, Room& room, Pulse& pulse) {
    switch (leg.engine) {
        case Engine::line:
            return profile_on_line(prepared.given(), *prepared.line(), question, pulse);
        case Engine::points:
            return profile_on_points(prepared.pair(), question, pulse);
        case Engine::lmr:
            if (std::isinf(question.p)) return Declined::not_its_kind;
            return or_declined(profile_by_lmr(prepared.pair(), question, pulse));
        case Engine::labels:
        case Engine::bisection:
            return Declined::not_its_kind;
        case Engine::matrix:
            break;
    }
    return profile_on_matrix(prepared.pair(), question, room, pulse);
}

// Where time may run out: what cells of points prove before a long solve begins, should it be cut off. Nothing where a
// solve soon knows as much, and where it begins with cells itself.
std::optional<Outcome> first_bounds(const Pair& pair, const Question& question, const Route& route, Pulse& pulse) {
    const bool has_points = !pair.space.matrix && question.quantity != Quantity::shared;
    const double pairs = static_cast<double>(pair.a.size()) * pair.b.size();
    const bool is_long = has_points && question.truncation == unreachable && pairs >= tuning::pairs_for_first_bounds &&
                         !route.begins_with(Engine::line);
    if (!is_long || length_unit(pair.a.points, pair.b.points) != 1) return {};  // cells would need a unit of their own
    if (std::isinf(question.p)) return bounds_by_cells_at_infinity(pair, question, pulse);
    const bool begins_with_cells = route.main().engine == Engine::points;
    return begins_with_cells ? std::nullopt : first_bounds_on_points(pair, question, pulse);
}

// Whether cells have answered before an engine is asked.
bool is_enough(const Outcome& first, const Question& question) {
    return question.quantity == Quantity::crossing && question.tol > 0 && first.upper - first.lower <= question.tol;
}

}  // namespace

Outcome solve(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    std::optional<PreparedPair> prepared;
    const bool in_time = ends_in_time([&] { prepared.emplace(pair, question, pulse); });
    const Layout layout = in_time ? prepared->layout() : layout_of(pair, false);
    const Route route = route_of(question, layout);
    Outcome outcome = nothing_proven(question, solver_of(route, question));
    if (!in_time) return outcome;
    std::vector<Asked> asked;
    std::optional<Outcome> first;
    if (!ends_in_time([&] {
            if (pulse.has_deadline()) first = first_bounds(prepared->pair(), question, route, pulse);
        })) {
        return outcome;
    }
    if (first && is_enough(*first, question)) {
        first->status = Status::tolerance;
        first->route = {{Engine::points, std::nullopt}};
        return prepared->as_given(*std::move(first));
    }
    if (first) outcome.solver = first->solver;  // should nothing more be known in time
    (void)ends_in_time([&] {
        outcome = ask_along(route, question, layout, room, asked,
                            [&](const Leg& leg) { return ask_one(leg, *prepared, question, room, pulse); });
    });
    if (first && outcome.status == Status::time_limit) improve(outcome, *std::move(first));
    outcome.route = std::move(asked);
    return prepared->as_given(std::move(outcome));
}

std::vector<double> solve_several(const Pair& pair, const Question& question, std::span<const double> kappas,
                                  Room& room, Pulse& pulse) {
    std::vector<double> positive;
    std::copy_if(kappas.begin(), kappas.end(), std::back_inserter(positive), [](double kappa) { return kappa != 0; });
    std::sort(positive.begin(), positive.end());
    Question asked_for = question;
    asked_for.quantity = positive.empty() ? Quantity::shared : Quantity::crossings;
    PreparedPair prepared(pair, asked_for, pulse);
    std::vector<double> found;
    if (!positive.empty()) {
        const Layout layout = prepared.layout();
        std::vector<Asked> asked;
        found = ask_along(route_of(asked_for, layout), asked_for, layout, room, asked,
                          [&](const Leg& leg) { return ask_several(leg, prepared, asked_for, positive, room, pulse); });
    }
    asked_for.quantity = Quantity::shared;
    const bool has_zero = positive.size() < kappas.size();
    const double unshared = has_zero ? value_in_time(solve(prepared.labelled(), asked_for, room, pulse)) : 0;
    std::vector<double> values;
    for (const double kappa : kappas) {
        const auto place = std::lower_bound(positive.begin(), positive.end(), kappa) - positive.begin();
        values.push_back(kappa != 0 ? found[place] : unshared);
    }
    return values;
}

Band whole_profile(const Pair& pair, const Question& question, Room& room, Pulse& pulse) {
    Question asked_for = question;
    asked_for.quantity = Quantity::profile;
    PreparedPair prepared(pair, asked_for, pulse);
    const Layout layout = prepared.layout();
    std::vector<Asked> asked;
    return prepared.as_given(
        ask_along(route_of(asked_for, layout), asked_for, layout, room, asked,
                  [&](const Leg& leg) { return ask_profile(leg, prepared, asked_for, room, pulse); }));
}

}  // namespace rpw
