// Searches over a network that end early, or are begun again.
#include <cmath>

#include "matrix/bisection.hpp"
#include "matrix/matrix_search.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

double exact_crossing(const Instance& instance, const Goal& goal) {
    Pulse pulse(nullptr, 1e9);
    MatrixSearch search(instance.powers(), goal, Solver::walk, pulse);
    search.run();
    return search.unmoved();
}

// The nearest neighbours prove that the answer lies beyond: nothing has to be solved.
void check_neighbours_give_up(Checker& checker) {
    const Instance apart = draw(40, 50, Costs::line, Weights::random);
    checker.start(apart);
    const Goal goal{1, 1};
    Pulse pulse(nullptr, 1e9);
    MatrixSearch search(apart.powers(), goal, Solver::simplex, pulse);
    checker.expect(search.run({0, 0.3}) == Status::beyond_cutoff, "beyond a cutoff");
    checker.expect(search.found().pivots == 0 && exact_crossing(apart, goal) > 0.3, "before the first solve");
}

// A search that is given up leaves a cut that proves it, whatever gave it up.
void check_cuts_of_those_given_up(Checker& checker) {
    for (int repeat = 0; repeat < 20; ++repeat) {
        const Instance instance = draw(60, 50 + below(30), Costs::random, static_cast<Weights>(below(2)));
        checker.start(instance);
        const Goal goal{std::pow(10.0, uniform() - 0.5), 1.0 + below(2)};
        const double cutoff = 0.97 * exact_crossing(instance, goal);
        Pulse pulse(nullptr, 1e9);
        MatrixSearch search(instance.powers(), goal, Solver::exact, pulse);
        checker.expect(search.run({0, cutoff}) == Status::beyond_cutoff, "given up", cutoff);
        std::vector<double> u, v;
        const Found found = search.found();
        const double height = FoundOnMatrix{found, instance.powers(), pulse}.certify(u, v);
        checker.expect(goal.meets(height, found.lambda) > cutoff * (1 - slack), "its cut", found.lambda);
    }
}

// One column is so far away that at its price the simplex cannot tell the others apart.
void check_second_search(Checker& checker) {
    Instance instance = draw(12, 12, Costs::random, Weights::equal);
    for (std::size_t e = 0; e < instance.cost.size(); ++e) instance.cost[e] = e % 12 == 0 ? 1 : 1e-7 * instance.cost[e];
    checker.start(instance);
    const Goal goal{0, 1, (1 - 1e-8) / 12};
    Pulse pulse(nullptr, 1e9);
    MatrixSearch walk(instance.powers(), goal, Solver::walk, pulse),
        other(instance.powers(), goal, Solver::simplex, pulse);
    walk.run();
    other.run();
    checker.expect(std::abs(walk.found().cost_p - other.found().cost_p) <= 1e-12 * walk.found().cost_p,
                   "the cost beside a far atom");
    checker.expect(other.found().solver == Solver::walk, "what has found it");
}

// Time that runs out inside of one step leaves the interval of those before.
void check_interrupted_bisection(Checker& checker) {
    Question question;
    question.tol = 1e-6;
    int steps = 0;
    const auto cost_at = [&](double unmoved) {
        if (++steps > 5) throw TimeUp();
        Outcome outcome;
        outcome.value = (1 - unmoved) / 2;  // κ = 1: the answer is 1/3
        return outcome;
    };
    const Outcome outcome = bisect(question, cost_at);
    checker.expect(outcome.status == Status::time_limit && outcome.iterations == 5, "bisection without time");
    checker.expect(outcome.lower <= 1.0 / 3 && outcome.upper >= 1.0 / 3 && outcome.upper - outcome.lower < 0.1,
                   "what it has proven", outcome.lower, outcome.upper);
}

}  // namespace

void check_network(Checker& checker) {
    check_neighbours_give_up(checker);
    check_cuts_of_those_given_up(checker);
    check_second_search(checker);
    check_interrupted_bisection(checker);
}

}  // namespace rpw::tests
