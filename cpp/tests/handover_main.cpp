// Searches against the walk alone. tests/properties/test_sabotage.py builds it with a simplex that is never let finish,
// where the walk has to answer; the last line tells how often the simplex did.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "matrix/matrix_search.hpp"
#include "tests/instances.hpp"

namespace {

using namespace rpw::tests;

struct Answer {
    double unmoved, cost_p, lower;
    bool by_simplex;
};

Answer search(const Instance& instance, const rpw::Goal& goal, rpw::Solver strategy) {
    rpw::Pulse pulse(nullptr, 1e9);
    rpw::MatrixSearch search(instance.powers(), goal, strategy, pulse);
    search.run();
    const rpw::Found found = search.found();
    std::vector<double> u, v;
    const double height = rpw::FoundOnMatrix{found, instance.powers(), pulse}.certify(u, v);
    return {found.unmoved, found.cost_p, goal.meets(height, found.lambda), found.solver == rpw::Solver::simplex};
}

}  // namespace

int main() {
    int failures = 0, by_simplex = 0;
    for (int repeat = 0; repeat < 300; ++repeat) {
        const auto costs = repeat % 2 == 0 ? Costs::random : Costs::line;
        const Instance instance = draw(2 + below(30), 2 + below(30), costs, static_cast<Weights>(below(2)));
        const double p = 1 + below(2), kappa = instance.largest() * std::pow(10.0, 2 * uniform() - 1);
        const rpw::Goal goal{kappa, p};
        const Answer walk = search(instance, goal, rpw::Solver::walk);
        const Answer other = search(instance, goal, rpw::Solver::simplex);
        const bool agrees = std::abs(other.unmoved - walk.unmoved) <= 1e-12 && other.unmoved - other.lower <= 1e-10;
        if (!agrees) std::printf("FAILED: %.17g, %.17g, %.17g\n", walk.unmoved, other.unmoved, other.lower);
        failures += !agrees;
        by_simplex += other.by_simplex;
    }
    std::printf("%d failures, %d by the simplex\n", failures, by_simplex);
    return failures == 0 ? 0 : 1;
}
