// What comes out of the core.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/masses.hpp"
#include "base/pulse.hpp"
#include "base/reply.hpp"

namespace rpw {

struct PlanEntry {
    Node row;
    Node column;
    double mass;  // as a share of the total
};

// By rows, and within them by columns.
inline void sort_plan(std::vector<PlanEntry>& plan) {
    std::sort(plan.begin(), plan.end(), [](const PlanEntry& x, const PlanEntry& y) {
        return std::pair(x.row, x.column) < std::pair(y.row, y.column);
    });
}

enum class Status { exact, tolerance, time_limit, beyond_cutoff };

// The algorithms. To ask for `exact` is to ask for the one that p, κ and the costs call for.
enum class Solver { exact, walk, simplex, infinity, total_variation, line, lmr, bisection, points };
inline constexpr const char* solver_names[] = {"exact", "walk", "simplex",   "infinity", "total_variation",
                                               "line",  "lmr",  "bisection", "points"};

// Where an answer comes from: how an engine sees the pair, and what it promises.
enum class Engine { labels, line, points, matrix, lmr, bisection };
inline constexpr const char* engine_names[] = {"labels", "line", "points", "matrix", "lmr", "bisection"};

// An engine that was asked, and why it had no answer, or not all of it.
struct Asked {
    Engine engine;
    std::optional<Declined> declined;
};

struct Outcome {
    Status status = Status::exact;
    Solver solver = Solver::exact;
    double value = 1;  // the number asked for; where the bounds differ, the upper one
    double lower = 0;  // proven bounds on it
    double upper = 1;
    double unmoved = 1;     // ε = 1 - α of the plan
    double cost = 0;        // W of the plan, a length; not for LMR and bisection
    double multiplier = 0;  // λ, u and v in units of scale^p (finite p): F(1 - ε) ≥ λ (1 - ε) - Σ a u - Σ b v
    double scale = 1;
    std::vector<double> u;
    std::vector<double> v;  // empty where there is no proof by potentials
    std::vector<PlanEntry> plan;
    std::vector<double> lengths;  // of the entries of the plan, which are sorted by it (p = ∞)
    long iterations = 0;
    std::vector<Asked> route;
};

// Throws TimeUp where there are bounds only, which depend on the clock.
inline double value_in_time(const Outcome& outcome) {
    if (outcome.status == Status::time_limit) throw TimeUp();
    return outcome.value;
}

// Breakpoints of the profile: unmoved mass and cost (in units of scale^p, or the threshold at p = ∞).
struct Curve {
    std::vector<double> unmoved{1.0};
    std::vector<double> cost{0.0};
    std::vector<double> slope;  // of the edge after each breakpoint but the last (finite p)
    // For each atom of the two measures, the slope (the threshold at p = ∞) at which all of its mass had moved; where a
    // rest stays to the end, the last one. Empty where no walk over atoms found the curve.
    std::vector<double> used_up_a;
    std::vector<double> used_up_b;
    double scale = 1;
    Solver solver = Solver::exact;
};

// The profile lies between two curves; without a lower one, the upper is the profile itself.
struct Band {
    Curve upper;
    std::optional<Curve> lower;
};

}  // namespace rpw
