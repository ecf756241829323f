// See profile.hpp.
#include "line/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/crossing.hpp"
#include "line/dual.hpp"
#include "line/path.hpp"
#include "line/price_search.hpp"
#include "line/reach.hpp"
#include "line/unit_walk.hpp"
#include "line/walk.hpp"

namespace rpw {

namespace {

// Breakpoints per atom beyond which a sandwich is the shorter answer for p = 1 too.
constexpr std::size_t many_edges = 8;

// What one price found: a vertex of F, and a line below F that its potentials prove.
struct Support {
    double unmoved = 1;
    double cost = 0;
    double price = 0;
    double height = 0;  // F(1 - ε) ≥ height - price · ε

    double line_at(double at) const { return std::max(height - price * at, 0.0); }
};

// The chord method on the whole of F: a price equal to the slope of a chord finds a vertex below it, or none.
class Sandwich {
public:
    Sandwich(const LinePair& pair, const LineCost& cost, double width, Pulse& pulse)
        : pair_(pair), cost_(cost), width_(width * (1 - 1e-9)), pulse_(pulse) {}

    void run() {
        supports_.push_back({});
        std::vector<Support> open{supported(last_vertex(pair_, cost_))};  // from mass 1 down
        while (!open.empty()) {
            const Support before = supports_.back(), after = open.back();
            if (!is_close(before, after)) {
                const double slope = slope_between(before, after);
                const Support found =
                    supported(as_vertex(pair_, cost_, slope, solve_at_price(pair_, cost_, slope, pulse_)));
                lines_.push_back(found);
                if (is_new(found, before, after)) {
                    open.push_back(found);
                    continue;
                }
            }
            supports_.push_back(after);
            lines_.push_back(after);
            open.pop_back();
        }
    }

    Curve upper(double scale) const {
        Curve curve = empty(scale);
        for (std::size_t s = 1; s < supports_.size(); ++s) {
            curve.slope.push_back(slope_between(supports_[s - 1], supports_[s]));
            curve.unmoved.push_back(supports_[s].unmoved);
            curve.cost.push_back(supports_[s].cost);
        }
        return curve;
    }

    // The highest of the lines, from mass 0 to 1: each takes over from a flatter one where the two meet.
    Curve lower(double scale) {
        lines_.push_back({});
        std::sort(lines_.begin(), lines_.end(), [](const Support& a, const Support& b) {
            return std::pair(a.price, a.height) < std::pair(b.price, b.height);
        });
        std::vector<Support> highest;
        std::vector<double> from;  // the unmoved mass at which each of them takes over
        for (const Support& line : lines_) {
            double start = 1;
            while (!highest.empty()) {
                const Support& other = highest.back();
                const double run = line.price - other.price, rise = line.height - other.height;
                start = run > 0 ? std::min(1.0, rise / run) : rise > 0 ? 1.0 : -1.0;
                if (start < from.back()) break;
                highest.pop_back();
                from.pop_back();
                start = 1;
            }
            if (start <= 0) continue;
            highest.push_back(line);
            from.push_back(start);
        }
        Curve curve = empty(scale);
        for (std::size_t s = 0; s < highest.size(); ++s) {
            const double end = s + 1 < highest.size() ? from[s + 1] : 0.0;
            curve.slope.push_back(highest[s].price);
            curve.unmoved.push_back(end);
            curve.cost.push_back(std::max(highest[s].line_at(end), curve.cost.back()));
        }
        return curve;
    }

private:
    static Curve empty(double scale) {
        Curve curve;
        curve.scale = scale;
        curve.solver = Solver::line;
        return curve;
    }

    static double slope_between(const Support& before, const Support& after) {
        return (after.cost - before.cost) / (before.unmoved - after.unmoved);
    }

    Support supported(const Vertex& vertex) const {
        const LineDual dual = line_dual(pair_, cost_, vertex.price, vertex.plan);
        return {vertex.unmoved, vertex.cost, vertex.price, vertex.price - dual.sum};
    }

    static bool is_new(const Support& found, const Support& before, const Support& after) {
        const double gain = before.cost - found.cost + found.price * (before.unmoved - found.unmoved);
        const bool is_inside =
            before.unmoved - found.unmoved > smallest_step && found.unmoved - after.unmoved > smallest_step;
        return is_inside && gain > 4e-16 * (after.cost + found.price * before.unmoved);
    }

    // Whether the chord is nowhere further than the width above the two lines, after the root: it is furthest where the
    // lines meet.
    bool is_close(const Support& before, const Support& after) const {
        if (before.unmoved - after.unmoved <= smallest_step || after.price <= before.price) return true;
        const double meeting = (after.height - before.height) / (after.price - before.price);
        const double kink = std::clamp(meeting, after.unmoved, before.unmoved);
        const double lowest = std::max(before.line_at(kink), after.line_at(kink));
        const double chord = before.cost + slope_between(before, after) * (before.unmoved - kink);
        return root(chord, cost_.p) - root(lowest, cost_.p) <= width_;
    }

    const LinePair& pair_;
    LineCost cost_;
    double width_;
    Pulse& pulse_;
    std::vector<Support> supports_, lines_;
};

}  // namespace

std::optional<Curve> line_profile(const LinePair& pair, double p, Pulse& pulse) {
    if (std::isinf(p)) return whole_reaches(pair, pulse);
    const double scale = scale_near(pair.largest_distance(), p);
    if (p == 1) return walk_line_profile(pair, scale, std::numeric_limits<std::size_t>::max(), pulse);
    if (has_equal_masses(pair)) return walk_unit_profile(pair, {p, 1 / scale}, scale, pulse);
    return std::nullopt;
}

LineBand line_sandwich(LinePair pair, double p, double tol, Pulse& pulse) {
    const double scale = scale_near(pair.largest_distance(), p);
    if (p == 1) {
        if (auto curve = walk_line_profile(pair, scale, many_edges * pair.atoms(), pulse)) return {*curve, *curve};
    }
    pair.rank();
    Sandwich sandwich(pair, {p, 1 / scale}, tol / scale, pulse);
    sandwich.run();
    return {sandwich.upper(scale), sandwich.lower(scale)};
}

}  // namespace rpw
