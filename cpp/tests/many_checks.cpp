// Lists of pairs on threads, several prices at once, and the bounds of a search.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "many/bounds.hpp"
#include "many/pair_values.hpp"
#include "solve/solve.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

std::vector<double> no_values(std::size_t count) {
    return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
}

rpw::PairValues values_of(const rpw::Batch& batch, const rpw::Pairs& pairs, const rpw::Effort& effort) {
    rpw::PairValues found{no_values(pairs.size()), {}};
    found.failures = rpw::pair_values(batch, pairs, found.values, effort);
    return found;
}

// By the last `most` cuts of each first measure: the best of them where places are shared, and their mixture elsewhere.
std::vector<double> bounds_by_cuts(const rpw::Batch& batch, const rpw::Pairs& pairs, const rpw::Cuts& cuts,
                                   std::size_t most, const rpw::Effort& effort) {
    if (!batch.space.matrix) return rpw::mixed_bounds(batch, pairs, cuts, most, effort);
    std::vector<std::int64_t> since;
    for (std::size_t s = 0; s < batch.a.size(); ++s) since.push_back(std::max(cuts.count(s), most) - most);
    return rpw::cut_bounds(batch, pairs, cuts, since, effort);
}

// Bounds lie below the distances, whoever's potentials they come from.
void check_cuts(Checker& checker, const rpw::Batch& batch, const rpw::Pairs& pairs, const rpw::Cuts& cuts,
                const std::vector<double>& distances) {
    const rpw::Effort effort{3, rpw::unreachable, [](std::size_t) {}};
    for (const std::size_t most : {1, 2, 12}) {
        const auto by_cuts = bounds_by_cuts(batch, pairs, cuts, most, effort);
        const auto mixed = rpw::mixed_bounds(batch, pairs, cuts, most, effort);
        for (std::size_t e = 0; e < pairs.size(); ++e) {
            checker.expect(mixed[e] <= distances[e] + 1e-13, "mixed bound", mixed[e], distances[e]);
            checker.expect(most > 1 || mixed[e] >= by_cuts[e] - 1e-13, "sharper", mixed[e], by_cuts[e]);
            checker.expect(by_cuts[e] <= distances[e] + 1e-13, "bound by cuts", by_cuts[e], distances[e]);
        }
    }
}

// A pair that was solved to its end has the sharpest cut itself; and pairs on threads leave what each leaves alone, in
// their order.
void check_own_cuts(Checker& checker, const rpw::Batch& batch, const rpw::Pairs& pairs, const rpw::Cuts& cuts,
                    const std::vector<double>& cutoffs, const std::vector<double>& distances) {
    const rpw::Effort effort{1, rpw::unreachable, [](std::size_t) {}};
    std::vector<std::size_t> seen(batch.a.size(), 0);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
        const rpw::Pairs pair{pairs.first.subspan(e, 1), pairs.second.subspan(e, 1)};
        const std::int64_t s = pairs.first[e];
        rpw::Cuts own(batch.a.size());
        const double value = rpw::pair_values_within(batch, pair, {&cutoffs[e], 1}, own, effort).values[0];
        if (own.count(s) == 0) continue;
        const double bound = bounds_by_cuts(batch, pair, own, 1, effort)[0];
        checker.expect(value != distances[e] || bound >= value - 1e-9, "own cut", bound, value);
        const bool is_there = seen[s] < cuts.count(s);
        const rpw::Cut cut = is_there ? cuts.of(s)[seen[s]++] : rpw::Cut{};
        checker.expect(cut.lambda == own.of(s)[0].lambda && cut.u == own.of(s)[0].u, "cuts in their order");
    }
    for (std::size_t s = 0; s < batch.a.size(); ++s) checker.expect(seen[s] == cuts.count(s), "no other cuts");
}

// Bounds of all kinds; solves within a cutoff end with the same bits, or prove that they need not end.
void check_bounds(Checker& checker, const rpw::Batch& batch, const rpw::Pairs& pairs) {
    const rpw::Effort effort{3, rpw::unreachable, [](std::size_t) {}};
    const std::vector<double> distances = values_of(batch, pairs, effort).values;
    const auto by_neighbours = rpw::neighbour_bounds(batch, pairs, effort);
    std::vector<double> cutoffs;
    for (const double distance : distances) {
        cutoffs.push_back(below(2) ? std::max(0.0, distance - 1e-6) : distance + 1e-12);
    }
    rpw::Cuts cuts(batch.a.size());
    const auto within = rpw::pair_values_within(batch, pairs, cutoffs, cuts, effort);
    check_cuts(checker, batch, pairs, cuts, distances);
    check_own_cuts(checker, batch, pairs, cuts, cutoffs, distances);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
        const double distance = distances[e], found = within.values[e];
        checker.expect(by_neighbours[e] <= distance + 1e-12, "bound by neighbours", by_neighbours[e], distance);
        const bool is_given_up = std::isinf(found) && distance > cutoffs[e];
        checker.expect(found == distance || is_given_up, "within a cutoff", found, distance);
    }
}

// The same for measures on the places of a matrix, which they share.
void check_bounds_on_places(Checker& checker, rpw::Batch batch, const rpw::Pairs& pairs) {
    const rpw::Node places = 9;
    std::vector<double> matrix(places * places);
    for (double& entry : matrix) entry = below(6) / 5.0;
    rpw::Space space;
    space.matrix = rpw::PlaceMatrix{matrix.data(), places, places, places, 1, nullptr};
    std::vector<std::int32_t> place;
    for (std::size_t e = 0; e < batch.a.mass.size(); ++e) place.push_back(below(places));
    rpw::Measures all{batch.a.start, batch.a.mass};
    all.place = place;
    check_bounds(checker, {space, all, all, batch.question}, pairs);
}

// Several prices at once against one at a time, and answers with plans on threads against one pair at a time.
void check_several(Checker& checker, rpw::Batch batch, const rpw::Pairs& pairs) {
    const rpw::Effort effort{3, rpw::unreachable, [](std::size_t) {}};
    const std::vector<double> kappas{1, 0, 10, 1e-9, 0.3, 1};
    std::vector<double> stack = no_values(pairs.size() * kappas.size());
    rpw::pair_values_at(batch, pairs, stack, kappas, effort);
    for (std::size_t s = 0; s < kappas.size(); ++s) {
        batch.question.kappa = kappas[s];
        batch.question.quantity = kappas[s] == 0 ? rpw::Quantity::shared : rpw::Quantity::crossing;
        const auto alone = values_of(batch, pairs, effort);
        for (std::size_t e = 0; e < pairs.size(); ++e) {
            const double value = stack[e * kappas.size() + s];
            checker.expect(std::abs(value - alone.values[e]) <= 1e-12, "one of several", value, alone.values[e]);
        }
    }
    batch.question.quantity = rpw::Quantity::crossing;
    batch.question.need = rpw::Need::plan;
    std::vector<double> own;  // a price for each pair
    for (std::size_t e = 0; e < pairs.size(); ++e) own.push_back(kappas[e % 2 == 0 ? 0 : 2]);
    const auto priced = rpw::pair_outcomes(batch, pairs, own, effort);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
        const double value = stack[e * kappas.size() + (e % 2 == 0 ? 0 : 2)];
        const double found = priced.outcomes[e].value;
        checker.expect(std::abs(found - value) <= 1e-12, "price of its own", found, value);
    }
    batch.question.quantity = rpw::Quantity::mass;
    for (const double truncation : {0.3, 1.0, rpw::unreachable}) {
        batch.question.truncation = truncation;
        const auto many = rpw::pair_outcomes(batch, pairs, {}, effort);
        batch.question.need = rpw::Need::value;
        const auto values = values_of(batch, pairs, effort);
        batch.question.need = rpw::Need::plan;
        for (std::size_t e = 0; e < pairs.size(); ++e) {
            const rpw::Outcome& outcome = many.outcomes[e];
            const double value = values.values[e];
            checker.expect(std::abs(outcome.value - value) <= 1e-12, "value of a plan", outcome.value, value);
            checker.expect(outcome.lower >= value * (1 - 1e-9) - 1e-12, "proof of a plan", outcome.lower, value);
        }
    }
}

// Profiles on threads against one pair at a time; without time there are none.
void check_profiles(Checker& checker, const rpw::Batch& batch, const rpw::Pairs& pairs) {
    const auto many = rpw::pair_profiles(batch, pairs, {3, rpw::unreachable, [](std::size_t) {}});
    rpw::Room room;
    rpw::Pulse pulse([] {}, rpw::unreachable);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
        const auto alone = rpw::whole_profile(pairs.of(batch, e), batch.question, room, pulse).upper;
        checker.expect(many.bands[e] && many.bands[e]->upper.unmoved == alone.unmoved, "profile on threads");
        checker.expect(many.bands[e] && many.bands[e]->upper.cost == alone.cost, "costs of a profile on threads");
    }
    const auto none = rpw::pair_profiles(batch, pairs, {3, 0, [](std::size_t) {}});
    checker.expect(none.failures.empty(), "profiles without time");
}

}  // namespace

// Threads over pairs against one pair at a time, and bounds against distances.
void check_many(Checker& checker) {
    const Instance whatever = draw(1, 1, Costs::random, Weights::equal);
    checker.start(whatever);
    const int count = 12, dimension = 2;
    std::vector<std::int64_t> start{0};
    std::vector<double> points;
    std::vector<Mass> masses;
    for (int s = 0; s < count; ++s) {
        const int size = 1 + below(9);
        for (const Mass mass : draw_masses(size, Weights::random)) masses.push_back(mass);
        for (int e = 0; e < size * dimension; ++e) points.push_back(below(5) / 4.0);
        start.push_back(start.back() + size);
    }
    rpw::Measures all;
    all.start = start;
    all.mass = masses;
    all.coordinates = points;
    all.dimension = dimension;
    const rpw::Space plane;
    std::vector<std::int64_t> first, second;
    for (int s = 0; s < count; ++s) {
        for (int t = 0; t < count; ++t) {
            first.push_back(s);
            second.push_back(t);
        }
    }
    const rpw::Pairs pairs{first, second};
    const auto quiet = [](std::size_t) {};
    for (const double p : {1.0, 2.0, rpw::unreachable}) {
        rpw::Batch batch{plane, all, all, {}};
        batch.question.p = p;
        const auto one = values_of(batch, pairs, {1, rpw::unreachable, quiet});
        const auto three = values_of(batch, pairs, {3, rpw::unreachable, quiet});
        checker.expect(one.values == three.values && one.failures.empty(), "threads");
        rpw::Room room;
        rpw::Pulse pulse(nullptr, 1e9);
        for (int e = 0; e < count * count; ++e) {
            const double single = rpw::solve(pairs.of(batch, e), batch.question, room, pulse).value;
            checker.expect(single == one.values[e], "one of many", single, one.values[e]);
        }
        check_several(checker, batch, pairs);
        check_profiles(checker, batch, pairs);
        check_bounds(checker, batch, pairs);
        check_bounds_on_places(checker, batch, pairs);
    }
    bool thrown = false;
    try {
        const auto interrupt = [](std::size_t) { throw std::string("interrupt"); };
        values_of({plane, all, all, {}}, pairs, {2, rpw::unreachable, interrupt});
    } catch (const std::string&) {
        thrown = true;
    }
    checker.expect(thrown, "interrupt of threads");
    bool is_told = false;
    const auto hear = [&](std::size_t) { is_told = true; };
    const bool in_time = rpw::ends_in_time([&] { values_of({plane, all, all, {}}, pairs, {2, 0, hear}); });
    checker.expect(!in_time && is_told, "deadline of threads");
}

}  // namespace rpw::tests
