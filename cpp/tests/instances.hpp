// Random and degenerate problems for the checks of the core.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/matrix.hpp"

namespace rpw::tests {

using rpw::Mass;
using rpw::Node;

inline constexpr double one = 1152921504606846976.0;  // 2^60, as in Python

inline std::mt19937_64 engine(1);

inline double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine); }
inline int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }

struct Instance {
    std::string name;
    Node rows, columns;
    std::vector<double> cost;
    std::vector<Mass> a, b;

    // The numbers serve as p-th powers and as distances.
    rpw::PowerProblem powers() const { return {{{cost.data(), rows, columns}}, {a, b}}; }
    rpw::LengthProblem lengths() const { return {{{cost.data(), rows, columns}}, {a, b}}; }
    double largest() const { return std::max(1e-300, *std::max_element(cost.begin(), cost.end())); }
};

enum class Costs { random, ties, zeros, grid, constant, permutation, wide, line, outliers, count };
enum class Weights { equal, random, ratios, rounded, count };

inline const char* name_of(Costs kind) {
    static const char* const names[] = {"random",      "ties", "zeros", "grid",    "constant",
                                        "permutation", "wide", "line",  "outliers"};
    return names[static_cast<int>(kind)];
}

inline const char* name_of(Weights kind) {
    static const char* const names[] = {"equal", "random", "ratios", "rounded"};
    return names[static_cast<int>(kind)];
}

// Masses of about 2^60 in all, every one at least 1; they need not sum to the same on both sides.
inline std::vector<Mass> draw_masses(Node size, Weights kind) {
    std::vector<double> share(size, 1.0);
    for (double& s : share) {
        if (kind == Weights::random) s = -std::log(1 - uniform());
        if (kind == Weights::ratios) s = std::pow(10.0, -17 * uniform());
        if (kind == Weights::rounded) s = 1 + below(3);
    }
    const double sum = std::accumulate(share.begin(), share.end(), 0.0);
    std::vector<Mass> masses;
    for (double s : share) masses.push_back(std::max<Mass>(1, static_cast<Mass>(std::rint(s / sum * one))));
    return masses;
}

inline double draw_cost(Costs kind, Node i, Node j, const std::vector<double>& x, const std::vector<double>& y) {
    switch (kind) {
        case Costs::ties:
            return 1 + below(3);
        case Costs::zeros:
            return below(3) == 0 ? uniform() : 0.0;
        case Costs::grid:
            return std::abs(i % 5 - j % 5) + std::abs(i / 5 - j / 5);
        case Costs::constant:
            return 1;
        case Costs::permutation:
            return i == j ? 0.0 : 1 + std::abs(i - j);
        case Costs::wide:
            return std::pow(10.0, 80 * uniform() - 40);
        case Costs::line:
            return std::abs(x[i] - y[j]);
        case Costs::outliers:  // every fifth row, and every seventh column
            return std::abs(x[i] + 2 - y[j]) + (i % 5 == 4 ? 40 + x[i] : 0) + (j % 7 == 6 ? 90 + y[j] : 0);
        default:
            return uniform();
    }
}

inline Instance draw(Node rows, Node columns, Costs costs, Weights weights) {
    Instance made{std::string(name_of(costs)) + "/" + name_of(weights), rows, columns, {}, {}, {}};
    std::vector<double> x(rows), y(columns);
    for (double& v : x) v = uniform();
    for (double& v : y) v = 2 + uniform();
    for (Node i = 0; i < rows; ++i) {
        for (Node j = 0; j < columns; ++j) made.cost.push_back(draw_cost(costs, i, j, x, y));
    }
    made.a = draw_masses(rows, weights);
    made.b = draw_masses(columns, weights);
    return made;
}

}  // namespace rpw::tests
