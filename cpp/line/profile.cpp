// See profile.hpp.
#include "line/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/crossing.hpp"
#include "base/highest_lines.hpp"
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

// Costs per atom that take as long as a sandwich, where the measures lie apart.
constexpr std::size_t many_costs = 4000;

// A vertex of F, and a line that is nowhere above F: potentials prove it, or it is an edge.
struct Support {
    double unmoved = 1;
    double cost = 0;
    double price = 0;
    double height = 0;  // F(1 - ε) ≥ height - price · ε

    double line_at(double at) const { return std::max(height - price * at, 0.0); }
};

double slope_between(const Support& before, const Support& after) {
    return (after.cost - before.cost) / (before.unmoved - after.unmoved);
}

// A curve of chords above F, and one of lines below it.
class Sandwich {
public:
    Sandwich(double p, double width) : p_(p), width_(width * (1 - 1e-9)) {}

    const Support& last() const { return supports_.back(); }
    std::size_t size() const { return supports_.size(); }
    void add_line(const Support& support) { lines_.push_back(support); }

    // A vertex of F with the line that supports it, further along than the last one.
    void add(const Support& support) {
        supports_.push_back(support);
        lines_.push_back(support);
    }

    // Whether the chord is nowhere further than the width above the two lines, after the root: it is furthest where the
    // lines meet.
    bool is_close(const Support& before, const Support& after) const {
        if (before.unmoved - after.unmoved <= smallest_step || after.price <= before.price) return true;
        const double meeting = (after.height - before.height) / (after.price - before.price);
        const double kink = std::clamp(meeting, after.unmoved, before.unmoved);
        const double lowest = std::max(before.line_at(kink), after.line_at(kink));
        const double chord = before.cost + slope_between(before, after) * (before.unmoved - kink);
        return root(chord, p_) - root(lowest, p_) <= width_;
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
        const auto meet = [](const Support& flatter, const Support& steeper) {
            const double run = steeper.price - flatter.price, rise = steeper.height - flatter.height;
            return run > 0 ? rise / run : rise > 0 ? 1.0 : -1.0;
        };
        Curve curve = empty(scale);
        for (const auto& [line, end] : highest_lines(lines_, meet)) {
            curve.slope.push_back(line.price);
            curve.unmoved.push_back(end);
            curve.cost.push_back(std::max(line.line_at(end), curve.cost.back()));
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

    double p_;
    double width_;
    std::vector<Support> supports_{Support{}}, lines_;
};

bool is_new(const Support& found, const Support& before, const Support& after) {
    const double gain = before.cost - found.cost + found.price * (before.unmoved - found.unmoved);
    const bool is_inside =
        before.unmoved - found.unmoved > smallest_step && found.unmoved - after.unmoved > smallest_step;
    return is_inside && gain > 4e-16 * (after.cost + found.price * before.unmoved);
}

// The chord method on the whole of F: a price equal to the slope of a chord finds a vertex below it, or none.
void fill_by_prices(Sandwich& sandwich, const LinePair& pair, const LineCost& cost, Pulse& pulse) {
    const auto supported = [&](const Vertex& vertex) -> Support {
        const LineDual dual = line_dual(pair, cost, vertex.price, vertex.plan);
        return {vertex.unmoved, vertex.cost, vertex.price, vertex.price - dual.sum};
    };
    std::vector<Support> open{supported(last_vertex(pair, cost))};  // from mass 1 down
    while (!open.empty()) {
        const Support before = sandwich.last(), after = open.back();
        if (!sandwich.is_close(before, after)) {
            const double slope = slope_between(before, after);
            const Support found = supported(as_vertex(pair, cost, slope, solve_at_price(pair, cost, slope, pulse)));
            sandwich.add_line(found);
            if (is_new(found, before, after)) {
                open.push_back(found);
                continue;
            }
        }
        sandwich.add(after);
        open.pop_back();
    }
}

// From all of F: each chord goes as far as it is close to the lines of its first and its last edge.
void fill_from(Sandwich& sandwich, const Curve& curve) {
    const auto line_of = [&](std::size_t vertex, std::size_t edge) -> Support {
        const double slope = curve.slope[edge], height = curve.cost[edge] + slope * curve.unmoved[edge];
        return {curve.unmoved[vertex], curve.cost[vertex], slope, height};
    };
    const std::size_t end = curve.slope.size();
    for (std::size_t from = 0, to = 0; from < end; from = to) {
        const Support before = line_of(from, from);
        for (to = from + 1; to < end && sandwich.is_close(before, line_of(to + 1, to)); ++to) {
        }
        sandwich.add_line(before);
        sandwich.add(line_of(to, to - 1));
    }
}

}  // namespace

namespace {

// What a profile may take: edges for p = 1, costs between equal masses.
struct Most {
    std::size_t edges;
    std::size_t costs;
};

// Exactly, where it is short and takes no more than that.
std::optional<Curve> short_profile(const LinePair& pair, double p, double scale, const Most& most, bool with_used_up,
                                   Pulse& pulse) {
    if (p == 1) return walk_line_profile(pair, scale, most.edges, with_used_up, pulse);
    if (has_equal_masses(pair)) return walk_unit_profile(pair, {p, 1 / scale}, scale, most.costs, pulse);
    return std::nullopt;
}

}  // namespace

std::optional<Curve> line_profile(const LinePair& pair, double p, bool with_used_up, std::size_t most_costs,
                                  Pulse& pulse) {
    if (std::isinf(p)) return whole_reaches(pair, 0, pulse).upper;
    const double scale = scale_near(pair.largest_distance(), p);
    const Most most{std::numeric_limits<std::size_t>::max(), most_costs};
    return short_profile(pair, p, scale, most, with_used_up, pulse);
}

Band line_sandwich(LinePair pair, double p, double tol, Pulse& pulse) {
    if (std::isinf(p)) return whole_reaches(pair, tol, pulse);
    const double scale = scale_near(pair.largest_distance(), p);
    Sandwich sandwich(p, tol / scale);
    const Most most{many_edges * pair.atoms(), many_costs * pair.atoms()};
    std::optional<Curve> exact = short_profile(pair, p, scale, most, true, pulse);
    if (!exact) {
        pair.rank();
        fill_by_prices(sandwich, pair, {p, 1 / scale}, pulse);
        return {sandwich.upper(scale), sandwich.lower(scale)};
    }
    fill_from(sandwich, *exact);
    if (sandwich.size() == exact->cost.size()) return {*std::move(exact), {}};
    Band band{sandwich.upper(scale), sandwich.lower(scale)};
    band.upper.used_up_a = std::move(exact->used_up_a);
    band.upper.used_up_b = std::move(exact->used_up_b);
    return band;
}

}  // namespace rpw
