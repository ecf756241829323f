// Trees over points: the nearest point under weights, against a look at all of them; and whole answers without a
// matrix.
#include <cmath>
#include <vector>

#include "ground/distances.hpp"
#include "ground/powers.hpp"
#include "points/cells.hpp"
#include "points/coarse_at_infinity.hpp"
#include "points/on_points.hpp"
#include "points/point_simplex.hpp"
#include "points/point_tree.hpp"
#include "points/split_basis.hpp"
#include "solve/prepared_pair.hpp"
#include "solve/solve.hpp"
#include "tests/basis_checks.hpp"
#include "tests/checker.hpp"

namespace rpw::tests {

namespace {

std::vector<double> draw_points(Node count, Node dimension, bool on_grid) {
    std::vector<double> points(static_cast<std::size_t>(count) * dimension);
    for (double& at : points) at = on_grid ? below(4) : uniform();
    return points;
}

constexpr double scale = 0.7;

double nearest_of_all(const Points& points, const double* from, Metric metric, double p, const std::vector<double>& w) {
    std::vector<double> row(points.count);
    PointRows(points, metric, 1).fill(from, row.data());
    scaled_powers(row.data(), row.size(), scale, p, row.data());
    double least = unreachable;
    for (Node i = 0; i < points.count; ++i) least = std::min(least, row[i] + w[i]);
    return least;
}

// No row moves more than its mass.
void check_rows(Checker& checker, const std::vector<PlanEntry>& plan, const Masses& masses) {
    std::vector<double> moved(masses.a.size());
    for (const PlanEntry& entry : plan) moved[entry.row] += entry.mass;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        const double most = share_of(masses.a[i], masses.total()) + 1e-14;
        checker.expect(moved[i] <= most, "what a row moves", moved[i], most);
    }
}

}  // namespace

// Weights change one at a time, some of them to infinity and back.
void check_tree(Checker& checker, Node count, Node dimension, Metric metric, double p) {
    const std::vector<double> data = draw_points(count, dimension, below(2) == 0);
    const Points points{data.data(), count, dimension};
    const PointCost cost(metric, 1, scale, p);
    Pulse pulse(nullptr, 1e9);
    const PointTree tree(points, 1, pulse);
    WeightedTree weighted(tree, cost);
    std::vector<double> given(count);
    for (double& w : given) w = below(3) == 0 ? unreachable : uniform();
    weighted.set_all([&](Node x) { return given[tree.given(x)]; });
    for (int step = 0; step < 60; ++step) {
        const Node x = below(count);
        given[tree.given(x)] = below(3) == 0 ? unreachable : uniform();
        weighted.set(x, given[tree.given(x)]);
        const std::vector<double> from = draw_points(1, dimension, step % 2 == 0);
        std::size_t boxes = 0;
        const NearestPoint found = weighted.least(from.data(), {}, boxes);
        const double expected = nearest_of_all(points, from.data(), metric, p, given);
        const bool is_close = std::abs(found.cost - expected) <= 1e-13 * expected || found.cost == expected;
        checker.expect(is_close, "the nearest point of a tree", found.cost, expected);
        if (found.node < 0) continue;
        const double again = weighted.cost(from.data(), found.node) + weighted.weight(found.node);
        checker.expect(again == found.cost, "its cost", again, found.cost);
        const NearestPoint none = weighted.least(from.data(), {found.cost, -1}, boxes);
        checker.expect(none.node == -1, "nothing is nearer");
    }
}

// The same numbers as with a matrix.
void check_points(Checker& checker, Node rows, Node columns, Node dimension) {
    const std::vector<double> x = draw_points(rows, dimension, below(2) == 0);
    const std::vector<double> y = draw_points(columns, dimension, below(2) == 0);
    const auto weights = [] { return static_cast<Weights>(below(static_cast<int>(Weights::count))); };
    const auto a = draw_masses(rows, weights()), b = draw_masses(columns, weights());
    const Space space{static_cast<Metric>(below(3)), {}};
    const Pair pair{space, {a, {x.data(), rows, dimension}, {}, {}}, {b, {y.data(), columns, dimension}, {}, {}}};
    Question question;
    question.need = Need::plan;
    for (const double p : {1.0, 1.5, 2.0, unreachable}) {
        for (const double kappa : {0.1, 1.0, 10.0}) {
            question.p = p;
            question.kappa = kappa;
            question.quantity = kappa == 10 ? Quantity::mass : Quantity::crossing;
            const auto by = [&](Solver solver) {
                question.solver = solver;
                Room room;
                Pulse pulse(nullptr, 1e9);
                return solve(pair, question, room, pulse);
            };
            const Outcome dense = by(Solver::walk), trees = by(Solver::points);
            const double apart = std::abs(trees.value - dense.value);
            checker.expect(trees.solver == Solver::points, "trees answer");
            check_rows(checker, trees.plan, pair.masses());
            checker.expect(apart <= 1e-12 * dense.value + 1e-15, "points without a matrix", trees.value, dense.value);
            checker.expect(trees.upper - trees.lower <= 1e-9 * trees.upper, "their proof", trees.lower, trees.upper);
        }
    }
}

// Every basis of a walk between cells becomes one between their points that a simplex and a walk may go on from.
void check_split_basis(Checker& checker, Node rows, Node columns, PerCell per_cell) {
    const std::vector<double> x = draw_points(rows, 2, below(2) == 0), y = draw_points(columns, 2, below(2) == 0);
    const auto weights = static_cast<Weights>(below(static_cast<int>(Weights::count)));
    const auto a = draw_masses(rows, weights), b = draw_masses(columns, weights);
    const PointCost cost(Metric::euclidean, 1, 1, 2);
    Pulse pulse(nullptr, 1e9);
    const PointProblem points({x.data(), rows, 2}, {y.data(), columns, 2}, {a, b}, cost, 1, pulse);
    const CellProblem of_cells(points, per_cell, pulse);
    const PointProblem& cells = of_cells.problem;
    Instance instance{"split", rows, columns, {}, {}, {}};
    const WeightedTree tree(points.columns, cost);
    double point[2];
    for (Node i = 0; i < rows; ++i) {
        points.rows.copy_point(i, point);
        for (Node j = 0; j < columns; ++j) instance.cost.push_back(tree.cost(point, j));
    }
    instance.a.assign(points.masses.a.begin(), points.masses.a.end());
    instance.b.assign(points.masses.b.begin(), points.masses.b.end());
    PointWalk walk(cells, pulse);
    for (bool goes_on = true; goes_on;) {
        const Basis split = split_basis(walk.forest().basis(), cells, points, per_cell);
        const char* broken = broken_rule(instance, split);
        checker.expect(!broken, broken ? broken : "a split basis");
        Mass moved = 0;
        for (const BasisNode& node : split) moved += node.parent < 0 ? 0 : node.flow;
        checker.expect(std::abs(static_cast<double>(moved - walk.moved())) <= 2000, "the mass that it moves");
        goes_on = walk.find_edge();
        if (goes_on) walk.take_edge();
    }
}

// From a basis that moves nothing to a multiplier at which everything moves. More arcs gain on the way than a list may
// hold.
void check_point_simplex(Checker& checker, Node count, double p) {
    const std::vector<double> x = draw_points(count, 2, false), y = draw_points(count, 2, false);
    const auto a = draw_masses(count, Weights::equal), b = a;
    const Instance instance{"points", count, count, {}, a, b};
    checker.start(instance);
    const Pair pair{{Metric::euclidean, {}}, {a, {x.data(), count, 2}, {}, {}}, {b, {y.data(), count, 2}, {}, {}}};
    Question question;
    question.p = p;
    question.quantity = Quantity::mass;
    question.solver = Solver::walk;
    Room room;
    Pulse pulse(nullptr, 1e9);
    const double expected = solve(pair, question, room, pulse).value;
    const PointProblem points(pair.a.points, pair.b.points, pair.masses(), {Metric::euclidean, 1, 1, p}, 1, pulse);
    const std::vector<double> no_potentials(count);
    PointSimplex simplex(points, nothing_moved(points.masses), no_potentials, no_potentials, 0.01, pulse);
    for (const double lambda : {0.05, 20.0}) checker.expect(simplex.solve(lambda), "the simplex over points ends");
    const ProfilePoint found = simplex.point();
    const double cost = std::pow(found.cost_p, 1 / p);
    checker.expect(found.unmoved == 0, "all mass moves", found.unmoved, 0);
    checker.expect(std::abs(cost - expected) <= 1e-12 * expected, "the simplex over points", cost, expected);
}

// A prepared pair hands on what is equal, so that k = 0 after other k need not look for it again.
void check_labels(Checker& checker, Node rows, Node columns) {
    const std::vector<double> x = draw_points(rows, 2, true), y = draw_points(columns, 2, true);
    const auto a = draw_masses(rows, Weights::equal), b = draw_masses(columns, Weights::equal);
    const Space space{Metric::euclidean, {}};
    const Pair pair{space, {a, {x.data(), rows, 2}, {}, {}}, {b, {y.data(), columns, 2}, {}, {}}};
    Question question;
    question.quantity = Quantity::crossings;
    Pulse pulse(nullptr, 1e9);
    const PreparedPair prepared(pair, question, pulse);
    const Pair labelled = prepared.labelled();
    checker.expect(labelled.a.label.size() == x.size() / 2 && labelled.b.label.size() == y.size() / 2, "labels");
    for (Node i = 0; i < rows; ++i) {
        for (Node j = 0; j < columns; ++j) {
            const bool is_equal = x[2 * i] == y[2 * j] && x[2 * i + 1] == y[2 * j + 1];
            checker.expect(is_equal == (labelled.a.label[i] == labelled.b.label[j]), "equal points, equal labels");
        }
    }
}

// Bounds by cells, at every p, beside the answer; some points lie far out.
void check_first_bounds(Checker& checker, Node rows, Node columns, double p) {
    std::vector<double> x = draw_points(rows, 2, false), y = draw_points(columns, 2, false);
    for (Node i = 0; i < rows / 10; ++i) x[2 * i] += 1e6;
    const auto a = draw_masses(rows, Weights::random), b = draw_masses(columns, Weights::equal);
    const Instance instance{"points", rows, columns, {}, a, b};
    checker.start(instance);
    const Pair pair{{Metric::euclidean, {}}, {a, {x.data(), rows, 2}, {}, {}}, {b, {y.data(), columns, 2}, {}, {}}};
    Room room;
    Pulse pulse(nullptr, 1e6);
    for (const Quantity quantity : {Quantity::crossing, Quantity::mass}) {
        Question question;
        question.p = p;
        question.quantity = quantity;
        question.unmoved = quantity == Quantity::mass ? 0.2 : 0;
        question.need = Need::plan;
        const double exact = solve(pair, question, room, pulse).value;
        const auto bounds = std::isinf(p) ? bounds_by_cells_at_infinity(pair, question, pulse)
                                          : first_bounds_on_points(pair, question, pulse).value();
        checker.expect(bounds.lower <= exact * (1 + slack), "first lower bound", bounds.lower, exact);
        checker.expect(bounds.upper >= exact * (1 - slack), "first upper bound", bounds.upper, exact);
        checker.expect(bounds.upper < 1, "something is known", bounds.upper, 1);
        check_rows(checker, bounds.plan, pair.masses());
    }
}

}  // namespace rpw::tests
