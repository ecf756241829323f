// Lists of pairs on threads, several prices at once, and the search.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "many/pair_values.hpp"
#include "many/search.hpp"
#include "solve/solve.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

// One query on four threads: the same answer, and every pair in some count.
void check_single_query(Checker& checker, const rpw::Batch& batch, const std::vector<rpw::Neighbour>& expected) {
    rpw::Measures first = batch.a;
    first.start = first.start.first(2);
    const auto quiet = [](std::size_t) {};
    const auto found = rpw::search({batch.space, first, batch.b, batch.question}, {4, rpw::unreachable, {}, {}},
                                   {4, rpw::unreachable, quiet});
    const auto& counts = found.counts;
    const std::int64_t counted = counts.bounded + counts.stopped_early + counts.solved;
    checker.expect(counted == static_cast<std::int64_t>(batch.b.size()), "counts", static_cast<double>(counted));
    for (std::size_t place = 0; place < expected.size(); ++place) {
        const auto& neighbour = found.neighbours[0][place];
        checker.expect(neighbour.index == expected[place].index && neighbour.distance == expected[place].distance,
                       "one query");
    }
}

// Several prices at once against one at a time, and answers with plans on threads against one pair at a time.
void check_several(Checker& checker, rpw::Batch batch, std::span<const std::int64_t> first,
                   std::span<const std::int64_t> second) {
    const rpw::Effort effort{3, rpw::unreachable, [](std::size_t) {}};
    const std::vector<double> kappas{1, 0, 10, 1e-9, 0.3, 1};
    const auto stack = rpw::pair_values_at(batch, kappas, first, second, effort);
    for (std::size_t s = 0; s < kappas.size(); ++s) {
        batch.question.kappa = kappas[s];
        batch.question.quantity = kappas[s] == 0 ? rpw::Quantity::shared : rpw::Quantity::crossing;
        const auto alone = rpw::pair_values(batch, first, second, effort);
        for (std::size_t e = 0; e < first.size(); ++e) {
            const double value = stack.values[e * kappas.size() + s];
            checker.expect(std::abs(value - alone.values[e]) <= 1e-12, "one of several", value, alone.values[e]);
        }
    }
    batch.question.quantity = rpw::Quantity::mass;
    batch.question.need = rpw::Need::plan;
    for (const double truncation : {0.3, 1.0, rpw::unreachable}) {
        batch.question.truncation = truncation;
        const auto many = rpw::pair_outcomes(batch, first, second, effort);
        batch.question.need = rpw::Need::value;
        const auto values = rpw::pair_values(batch, first, second, effort);
        batch.question.need = rpw::Need::plan;
        for (std::size_t e = 0; e < first.size(); ++e) {
            const rpw::Outcome& outcome = many.outcomes[e];
            const double value = values.values[e];
            checker.expect(std::abs(outcome.value - value) <= 1e-12, "value of a plan", outcome.value, value);
            checker.expect(outcome.lower >= value * (1 - 1e-9) - 1e-12, "proof of a plan", outcome.lower, value);
        }
    }
}

}  // namespace

// Threads over pairs against one pair at a time, and the search against sorting all distances.
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
    const auto quiet = [](std::size_t) {};
    for (const double p : {1.0, 2.0, rpw::unreachable}) {
        rpw::Batch batch{plane, all, all, {}};
        batch.question.p = p;
        const auto one = rpw::pair_values(batch, first, second, {1, rpw::unreachable, quiet});
        const auto three = rpw::pair_values(batch, first, second, {3, rpw::unreachable, quiet});
        checker.expect(one.values == three.values && one.failures.empty(), "threads");
        rpw::Room room;
        rpw::Pulse pulse(nullptr, 1e9);
        for (int e = 0; e < count * count; ++e) {
            const double single = rpw::solve(batch.pair(first[e], second[e]), batch.question, room, pulse).value;
            checker.expect(single == one.values[e], "one of many", single, one.values[e]);
        }
        check_several(checker, batch, first, second);
        const rpw::Wanted wanted{4, rpw::unreachable, {}, {}};
        const auto found = rpw::search(batch, wanted, {3, rpw::unreachable, quiet});
        check_single_query(checker, batch, found.neighbours[0]);
        for (int s = 0; s < count; ++s) {
            std::vector<rpw::Neighbour> row;
            for (int t = 0; t < count; ++t) row.push_back({one.values[s * count + t], t});
            std::sort(row.begin(), row.end());
            for (int place = 0; place < 4; ++place) {
                const auto& neighbour = found.neighbours[s][place];
                checker.expect(neighbour.index == row[place].index && neighbour.distance == row[place].distance,
                               "search");
            }
        }
    }
    bool thrown = false;
    try {
        const auto interrupt = [](std::size_t) { throw std::string("interrupt"); };
        rpw::pair_values({plane, all, all, {}}, first, second, {2, rpw::unreachable, interrupt});
    } catch (const std::string&) {
        thrown = true;
    }
    checker.expect(thrown, "interrupt of threads");
    const bool in_time =
        rpw::ends_in_time([&] { rpw::pair_values({plane, all, all, {}}, first, second, {2, 0, quiet}); });
    checker.expect(!in_time, "deadline of threads");
}

}  // namespace rpw::tests
