// The two strategies by themselves, checked from outside: their bases, their bounds and their certificates.
// tests/properties/test_sabotage.py builds it with one line of the core made wrong, and it has to notice.
#include <cstdio>

#include "simplex/fixed_simplex.hpp"
#include "tests/basis_checks.hpp"
#include "walk/certificate.hpp"
#include "walk/profile_walk.hpp"

namespace {

using namespace rpw::tests;
using rpw::Basis;
using rpw::Mass;
using rpw::Node;

int failures = 0;

void expect(bool holds, const Instance& instance, const char* what) {
    if (holds) return;
    if (++failures <= 20) {
        std::printf("FAILED %s (%d x %d, %s)\n", what, instance.rows, instance.columns, instance.name.c_str());
    }
}

void check_basis(const Instance& instance, const Basis& basis) {
    const char* rule = broken_rule(instance, basis);
    expect(rule == nullptr, instance, rule != nullptr ? rule : "");
}

double moved(const Basis& basis, Mass total) {
    Mass sum = 0;
    for (const auto& node : basis) sum += node.parent >= 0 ? node.flow : 0;
    return rpw::share_of(sum, total);
}

double cost(const Basis& basis, Mass total) {
    double sum = 0;
    for (const auto& node : basis) sum += node.parent >= 0 ? rpw::share_of(node.flow, total) * node.arc_cost : 0;
    return sum;
}

// u, v ≥ 0 and u_i + v_j ≥ λ - C_ij, whatever basis the potentials come from; gives Σ a u + Σ b v.
double checked_certificate(const Instance& instance, const Basis& basis, double lambda) {
    const rpw::PowerProblem problem = instance.powers();
    std::vector<double> u, v;
    const double sum = rpw::certify(problem, rpw::Forest(problem.masses, basis), lambda, u, v);
    const double rounding = 1e-13 * (lambda + instance.largest()), total = static_cast<double>(problem.masses.total());
    double again = 0;
    for (Node i = 0; i < instance.rows; ++i) {
        expect(u[i] >= 0, instance, "u");
        again += u[i] * static_cast<double>(instance.a[i]) / total;
        for (Node j = 0; j < instance.columns; ++j) {
            expect(u[i] + v[j] + problem.powers.at(i, j) >= lambda - rounding, instance, "feasible potentials");
        }
    }
    for (Node j = 0; j < instance.columns; ++j) {
        expect(v[j] >= 0, instance, "v");
        again += v[j] * static_cast<double>(instance.b[j]) / total;
    }
    expect(std::abs(sum - again) <= 1e-12 * (again + lambda), instance, "sum of the potentials");
    return sum;
}

// F(α) = λ α - G: the plan of the basis is the cheapest of its mass.
void check_optimal(const Instance& instance, const Basis& basis, double lambda) {
    const Mass total = instance.powers().masses.total();
    const double bound = lambda * moved(basis, total) - checked_certificate(instance, basis, lambda);
    const double rounding = 1e-12 * (lambda + instance.largest());
    expect(cost(basis, total) <= bound + rounding, instance, "bounds meet");
}

// The multipliers on the way.
std::vector<double> check_walk(const Instance& instance) {
    rpw::Pulse pulse(nullptr, 1e9);
    rpw::ProfileWalk walk(instance.powers(), pulse);
    std::vector<double> lambdas;
    while (walk.find_edge()) {
        check_basis(instance, walk.forest().basis());
        if (lambdas.empty() || walk.lambda() > lambdas.back()) lambdas.push_back(walk.lambda());
        walk.take_edge();
        check_basis(instance, walk.forest().basis());
        check_optimal(instance, walk.forest().basis(), walk.lambda());
    }
    expect(walk.moved() == walk.total(), instance, "the walk moves everything");
    return lambdas;
}

// A basis is optimal up to both ends of its range.
void check_range(const Instance& instance, rpw::FixedSimplex& simplex) {
    const double least = simplex.least_lambda(), largest = simplex.largest_lambda();
    expect(least <= simplex.lambda() && simplex.lambda() <= largest, instance, "the range of a basis");
    if (least > 0) check_optimal(instance, simplex.basis(), least);
    if (largest < rpw::unreachable) check_optimal(instance, simplex.basis(), largest);
}

void check_simplex(const Instance& instance, const std::vector<double>& lambdas) {
    rpw::Pulse pulse(nullptr, 1e9);
    rpw::FixedSimplex simplex(instance.powers(), pulse);
    for (std::size_t step = 0; step < lambdas.size(); ++step) {  // up and down, as a search does
        const std::size_t place = step % 2 == 0 ? step : lambdas.size() - step;
        simplex.solve(lambdas[place] * (1 + 1e-9));
        check_basis(instance, simplex.basis());
        check_optimal(instance, simplex.basis(), simplex.lambda());
        check_range(instance, simplex);
    }
}

// The certificate proves something for a basis that is not optimal, too.
void check_certificate_of_nothing_moved(const Instance& instance) {
    const Basis start = rpw::Forest(instance.powers().masses).basis();
    for (const double part : {0.3, 1.0, 3.0}) checked_certificate(instance, start, part * instance.largest());
}

}  // namespace

int main() {
    int problems = 0;
    for (int repeat = 0; repeat < 400; ++repeat) {
        const auto costs = static_cast<Costs>(below(static_cast<int>(Costs::count)));
        const auto weights = static_cast<Weights>(below(static_cast<int>(Weights::count)));
        if (costs == Costs::wide) continue;  // bounds over 80 orders of magnitude meet in units of the dearest only
        const Instance instance = draw(1 + below(12), 1 + below(repeat % 4 == 0 ? 60 : 12), costs, weights);
        check_simplex(instance, check_walk(instance));
        check_certificate_of_nothing_moved(instance);
        ++problems;
    }
    for (int repeat = 0; repeat < 12; ++repeat) {  // large enough for a walk to leave arcs out of its list
        const auto weights = repeat % 2 == 0 ? Weights::random : Weights::equal;
        check_walk(draw(40 + below(30), 40 + below(30), Costs::outliers, weights));
        ++problems;
    }
    std::printf("invariants: %d problems, %d failures\n", problems, failures);
    return failures == 0 ? 0 : 1;
}
