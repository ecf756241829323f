// The core without Python, over random and degenerate problems; meant for -fsanitize=address,undefined.
// Every answer is checked by what must hold of it: plans within the marginals, weak duality, primal = dual.
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "matrix/network_profile.hpp"
#include "tests/checker.hpp"
#include "walk/walked_profile.hpp"

namespace {

using namespace rpw::tests;
using rpw::Node;

void check_everything(Checker& checker, const Instance& instance) {
    checker.start(instance);
    const double unit = instance.largest();
    checker.check_profile();
    checker.check_sandwich();
    for (const double k : {1e-9, 0.1, 1.0, 10.0, 1e9}) {
        for (const double p : {1.0, 1.5, 2.0}) checker.check_crossing(std::pow(unit, 1 / p) * k, p);
    }
    for (const double k : {0.1, 10.0}) checker.check_strategies(std::sqrt(unit) * k, 2);
    checker.check_strategies(unit, 1);
    checker.check_simplex();
    for (const double k : {0.1, 1.0, 10.0}) checker.check_thresholds(unit * k);
    check_transport(checker, instance);
    check_lmr(checker, instance);
}

// A poll that throws must leave nothing behind: the address sanitizer would report a leak.
void check_interrupt(Checker& checker) {
    const Instance large = draw(400, 300, Costs::line, Weights::random);
    checker.start(large);
    bool thrown = false;
    rpw::Pulse pulse([] { throw std::string("interrupt"); }, 1e9);
    try {
        for (;;) rpw::walk_whole_profile<rpw::ProfileWalk>(large.powers(), no_limit, pulse);
    } catch (const std::string&) {
        thrown = true;
    }
    checker.expect(thrown, "interrupt");
}

}  // namespace

// With the argument "quick", one shape for each kind of costs and weights, and a tenth of the random problems.
int main(int count, char** arguments) {
    const bool is_quick = count > 1 && std::string(arguments[1]) == "quick";
    const auto repeats = [is_quick](int all) { return is_quick ? (all + 9) / 10 : all; };
    Checker checker;
    const std::vector<std::pair<Node, Node>> shapes = {{1, 1}, {1, 9},  {9, 1},   {2, 2},
                                                       {7, 7}, {8, 13}, {25, 16}, {40, 40}};
    const int every = is_quick ? static_cast<int>(shapes.size()) : 1;
    for (int c = 0; c < static_cast<int>(Costs::count); ++c) {
        for (int w = 0; w < static_cast<int>(Weights::count); ++w) {
            for (std::size_t s = (c + w) % every; s < shapes.size(); s += every) {
                const auto& [rows, columns] = shapes[s];
                check_everything(checker, draw(rows, columns, static_cast<Costs>(c), static_cast<Weights>(w)));
            }
        }
    }
    for (int repeat = 0; repeat < repeats(600); ++repeat) {
        const auto costs = static_cast<Costs>(below(static_cast<int>(Costs::count)));
        const auto weights = static_cast<Weights>(below(static_cast<int>(Weights::count)));
        check_everything(checker, draw(1 + below(12), 1 + below(12), costs, weights));
    }
    check_everything(checker, draw(150, 130, Costs::grid, Weights::random));
    check_everything(checker, draw(3, 200, Costs::line, Weights::random));
    check_everything(checker, draw(200, 3, Costs::ties, Weights::ratios));
    check_everything(checker, draw(130, 150, Costs::random, Weights::equal));
    for (int repeat = 0; repeat < repeats(20); ++repeat) check_many(checker);
    for (int repeat = 0; repeat < repeats(300); ++repeat)
        check_line(checker, 1 + below(30), 1 + below(30), repeat % 2 == 0);
    for (const bool on_grid : {false, true}) check_line(checker, 450, 400, on_grid);
    for (int repeat = 0; repeat < repeats(200); ++repeat) {
        const double p = std::vector{1.0, 1.5, 2.0, 3.0}[below(4)];
        check_tree(checker, 1 + below(300), 1 + below(6), static_cast<rpw::Metric>(below(3)), p);
        check_points(checker, 1 + below(40), 1 + below(40), 1 + below(4));
        check_split_basis(checker, 1 + below(60), 1 + below(60), {1 + below(9), 1 + below(9)});
    }
    for (const double p : {1.0, 2.0}) check_point_simplex(checker, 250, p);
    for (int repeat = 0; repeat < 6; ++repeat) check_points(checker, 60 + below(40), 60 + below(40), 2);  // merged
    check_labels(checker, 70, 50);
    for (const double p : {1.0, 2.0, HUGE_VAL}) check_first_bounds(checker, 1100, 1030, p);
    check_sandwich_of_all_edges(checker);
    check_work_of_walk(checker);
    check_search(checker);
    check_network(checker);
    check_interrupt(checker);
    check_written(checker, repeats(2000));
    std::printf("sanitize: %d problems, %d failures\n", checker.problems, checker.failures);
    return checker.failures == 0 ? 0 : 1;
}
