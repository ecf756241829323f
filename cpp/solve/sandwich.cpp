// See sandwich.hpp.
#include "solve/sandwich.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/breakpoints.hpp"
#include "base/crossing.hpp"
#include "base/highest_lines.hpp"
#include "ground/powers.hpp"
#include "simplex/fixed_simplex.hpp"
#include "solve/walked_profile.hpp"
#include "walk/certificate.hpp"

namespace rpw {

namespace {

// A point this near to a chord, as a share of F, lies on it.
constexpr double same_height = 1e-15;

constexpr double first_growth = 4;

// After this many solves the walk is given a chance.
constexpr std::size_t first_walk = 128;

// Of one pass over all pairs, beside one step of the walk.
constexpr double work_per_cost = 0.2;

// Below F: F(1 - ε) ≥ height - slope · ε.
struct Line {
    double slope = 0;
    double height = 0;

    double at(double unmoved) const { return height - slope * unmoved; }
};

// Where both lines are equally high.
double meet(const Line& flat, const Line& steep) { return (steep.height - flat.height) / (steep.slope - flat.slope); }

// What one solve found: a plan, and a line that proves it optimal to rounding.
struct Support {
    double unmoved = 1;
    double cost_p = 0;
    Line line;
};

bool is_step(const Support& left, const Support& right) { return left.unmoved - right.unmoved > smallest_step; }

double chord(const Support& left, const Support& right) {
    return (right.cost_p - left.cost_p) / (left.unmoved - right.unmoved);
}

double on_chord(const Support& left, const Support& right, double unmoved) {
    const double part = (unmoved - right.unmoved) / (left.unmoved - right.unmoved);
    return right.cost_p + part * (left.cost_p - right.cost_p);
}

// The largest distance of chord and lines after the root: it lies where the lines meet.
double gap_between(const Support& left, const Support& right, double p) {
    if (!(right.line.slope > left.line.slope)) return 0;
    const double kink = std::clamp(meet(left.line, right.line), right.unmoved, left.unmoved);
    const double low = std::max(left.line.at(kink), right.line.at(kink));
    return root(on_chord(left, right, kink), p) - root(low, p);
}

// The mean cost of the nearest column: about half of the mass can be moved at such a price.
double first_multiplier(const PowerProblem& problem) {
    const Powers& cost = problem.powers;
    double sum = 0, least = unreachable;
    for (Node i = 0; i < cost.rows; ++i) {
        const double* row = cost.row(i);
        sum += *std::min_element(row, row + cost.columns) / cost.rows;
        for (Node j = 0; j < cost.columns; ++j) least = row[j] > 0 ? std::min(least, row[j]) : least;
    }
    if (sum > 0) return sum;
    return least < unreachable ? least : 1;
}

class SandwichSearch {
public:
    SandwichSearch(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints, Pulse& pulse)
        : problem_(problem),
          p_(p),
          tol_(tol * (1 - 1e-9)),
          max_breakpoints_(max_breakpoints),
          total_(problem.masses.total()),
          pulse_(pulse),
          simplex_(problem, pulse) {}

    Band run() {
        climb();
        if (!refine()) return {walk_->curve(), std::nullopt};
        return {upper_curve(), lower_curve()};
    }

private:
    void climb();
    bool refine();
    bool walk_arrives();
    Support solve(double lambda);
    Curve upper_curve() const;
    Curve lower_curve();

    PowerProblem problem_;
    double p_;
    double tol_;
    std::size_t max_breakpoints_;
    Mass total_;
    Pulse& pulse_;
    FixedSimplex simplex_;
    std::optional<WalkedProfile> walk_;
    std::size_t next_walk_ = first_walk;
    std::vector<Support> open_{Support{}};  // from mass 0 on; what lies between them may be too far apart
    std::vector<Support> done_;             // from mass 1 down; what lies between them is not
    std::vector<Line> lines_{Line{}};       // F ≥ 0
};

Support SandwichSearch::solve(double lambda) {
    simplex_.solve(lambda);
    const Mass left = total_ - simplex_.moved();
    std::vector<double> u, v;
    const Line line{lambda, lambda - certify(problem_, Forest(problem_.masses, simplex_.basis()), lambda, u, v)};
    lines_.push_back(line);
    check_breakpoints(lines_.size(), max_breakpoints_);
    const double unmoved = left <= problem_.masses.negligible() ? 0.0 : share_of(left, total_);
    return {unmoved, static_cast<double>(simplex_.cost() / total_), line};
}

// From a small multiplier up to one at which all mass is moved. Costs are at most 1, the slope of F may be more.
void SandwichSearch::climb() {
    double lambda = first_multiplier(problem_), growth = first_growth;
    while (open_.back().unmoved > 0 && lambda < dearest_path) {
        const Support found = solve(lambda);
        if (is_step(open_.back(), found)) {
            open_.push_back(found);
        } else if (found.unmoved == 0) {
            open_.back() = found;  // its last breakpoint is the end
        }
        if (lambda < 1) {
            lambda = std::min(1.0, lambda * growth);
            growth *= growth;
        } else {
            lambda *= first_growth;
        }
    }
}

// From mass 1 downwards, so that the simplex always stands beside the next multiplier and no basis has to be kept.
// False if the walk has found the whole profile meanwhile.
bool SandwichSearch::refine() {
    done_.push_back(open_.back());
    open_.pop_back();
    while (!open_.empty()) {
        const Support left = open_.back(), right = done_.back();
        if (gap_between(left, right, p_) > tol_) {
            if (walk_arrives()) return false;
            const Support found = solve(chord(left, right));
            const bool is_between = is_step(left, found) && is_step(found, right);
            const double below = on_chord(left, right, found.unmoved) - found.cost_p;
            if (is_between && below > same_height * right.cost_p) {
                open_.push_back(found);
                continue;
            }
        }
        done_.push_back(left);
        open_.pop_back();
    }
    return true;
}

// From time to time the walk may do as much work as all solves did. It is resumed, not repeated.
bool SandwichSearch::walk_arrives() {
    if (lines_.size() < next_walk_) return false;
    next_walk_ *= 2;
    if (!walk_) walk_.emplace(problem_, pulse_);
    const double proofs = work_per_cost * static_cast<double>(problem_.powers.size() * lines_.size());
    return walk_->walk(simplex_.work() + proofs, max_breakpoints_);
}

Curve SandwichSearch::upper_curve() const {
    Curve curve;
    curve.solver = Solver::simplex;
    for (std::size_t s = done_.size() - 1; s-- > 0;) {
        curve.slope.push_back(chord(done_[s + 1], done_[s]));
        curve.unmoved.push_back(done_[s].unmoved);
        curve.cost.push_back(done_[s].cost_p);
    }
    return curve;
}

// The highest of all lines, from mass 0 to 1: each takes over from a flatter one where the two meet.
Curve SandwichSearch::lower_curve() {
    std::sort(lines_.begin(), lines_.end(), [](const Line& x, const Line& y) {
        return x.slope < y.slope || (x.slope == y.slope && x.height > y.height);
    });
    const auto takes_over = [](const Line& flatter, const Line& steeper) {
        return steeper.slope == flatter.slope ? -1.0 : meet(flatter, steeper);
    };
    Curve curve;
    curve.solver = Solver::simplex;
    for (const auto& [line, end] : highest_lines(lines_, takes_over)) {
        curve.slope.push_back(line.slope);
        curve.unmoved.push_back(end);
        curve.cost.push_back(std::max(line.at(end), curve.cost.back()));
    }
    return curve;
}

}  // namespace

Band sandwich_profile(const PowerProblem& problem, double p, double tol, std::size_t max_breakpoints, Pulse& pulse) {
    return SandwichSearch(problem, p, tol, max_breakpoints, pulse).run();
}

}  // namespace rpw
