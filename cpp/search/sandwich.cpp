// See sandwich.hpp.
#include "search/sandwich.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/breakpoints.hpp"
#include "base/crossing.hpp"
#include "base/in_words.hpp"
#include "base/masses.hpp"
#include "base/tuning.hpp"

namespace rpw {

using namespace tuning;

namespace {

bool is_step(const Support& left, const Support& right) {
    return left.unmoved - right.unmoved > slack_of(right.unmoved);
}

double width_of(const Support& left, const Support& right) { return left.unmoved - right.unmoved; }

double chord(const Support& left, const Support& right) { return (right.cost_p - left.cost_p) / width_of(left, right); }

// F(1 - ε) ≥ cost_p + slope · (unmoved - ε)
struct Cut {
    double unmoved;
    double cost_p;
    double slope;

    double at(double left) const { return cost_p + slope * (unmoved - left); }
};

// The unmoved mass at which the steeper cut takes over, negative if it never does; through the place of the flatter
// one, so that two cuts through one vertex meet just there.
double meet(const Cut& flatter, const Cut& steeper) {
    const double lead = flatter.cost_p - steeper.at(flatter.unmoved), faster = steeper.slope - flatter.slope;
    if (!(faster > 0)) return lead < 0 ? 1.0 : -1.0;
    return flatter.unmoved - lead / faster;
}

// A cut that is the highest until so much is left unmoved.
struct Stretch {
    Cut cut;
    double end;
};

// The upper envelope of cuts over the unmoved mass, from 1 down to 0: a convex curve that lies nowhere below any of
// them. Cuts come in the order of their slopes.
std::vector<Stretch> highest_cuts(const std::vector<Cut>& cuts) {
    std::vector<Stretch> highest;
    for (const Cut& cut : cuts) {
        double start = 1;
        while (!highest.empty()) {
            const double start_of_last = highest.size() > 1 ? highest.end()[-2].end : 1;
            start = std::min(1.0, meet(highest.back().cut, cut));
            if (start < start_of_last) break;
            highest.pop_back();
            if (!highest.empty()) highest.back().end = 0;
            start = 1;
        }
        if (start <= 0) continue;
        if (!highest.empty()) highest.back().end = start;
        highest.push_back({cut, 0});
    }
    return highest;
}

// Where the steepest cut of the left vertex meets the flattest of the right one, as a share of the way between them;
// nothing where one of the two can be turned into the chord of what is proven.
std::optional<double> kink_between(const Support& left, const Support& right) {
    const double proven = (right.proven - left.proven) / width_of(left, right);
    if (left.largest >= proven || right.least <= proven) return std::nullopt;
    return (right.least - proven) / (right.least - left.largest);
}

// The largest distance of the two curves after the root. Between an end and the kink it can fall before it rises, never
// the other way round: it is largest at one of the three.
double gap_between(const Support& left, const Support& right, double p) {
    const auto gap = [p](double high, double low) { return root(high, p) - root(std::min(low, high), p); };
    double largest = std::max(gap(left.cost_p, left.proven), gap(right.cost_p, right.proven));
    if (!is_step(left, right)) return largest;
    const auto part = kink_between(left, right);
    const double way = part ? *part * width_of(left, right) : 0;
    if (way <= smallest_step) return largest;
    const double high = left.cost_p + *part * (right.cost_p - left.cost_p);
    return std::max(largest, gap(high, left.proven + left.largest * way));
}

// Whether a vertex that was found at the slope of a chord lies below that chord.
bool is_new(const Support& found, double slope, const Support& left, const Support& right) {
    const double gain = left.cost_p - found.cost_p + slope * (left.unmoved - found.unmoved);
    const bool is_between = is_step(left, found) && is_step(found, right);
    return is_between && gain > same_height * (right.cost_p + slope * left.unmoved);
}

// The middle of an edge, with the cut that was proven there.
Support middle_of(const Support& left, const Support& right, const Support& found) {
    const double slope = std::clamp(chord(left, right), found.least, found.largest);
    const double unmoved = right.unmoved + width_of(left, right) / 2;
    const double proven = found.proven + slope * (found.unmoved - unmoved);
    return {unmoved, (left.cost_p + right.cost_p) / 2, proven, slope, slope, false};
}

// ---------------------------------------------------------------- whether two curves keep what `tol` promises
//
// As they are read later: after the p-th root, and between breakpoints that were rounded. Where the profile is steep,
// the rounding of a breakpoint's mass is a difference of costs, and beside a far outlier the root makes much of it: the
// curves may lie further apart than the search saw, or cross.

// Two roots of one number, from different sums.
constexpr double same_root = 1e-9;

std::vector<double> masses_of(const Curve& curve) {
    std::vector<double> masses(curve.unmoved.size());
    std::transform(curve.unmoved.begin(), curve.unmoved.end(), masses.begin(), [](double x) { return 1 - x; });
    return masses;
}

// A curve as `Profile` reads it: a mass beyond a breakpoint by no more than rounding is that of the breakpoint.
class Reading {
public:
    Reading(const Curve& curve, double p) : masses_(masses_of(curve)), costs_(curve.cost), p_(p) {}

    const std::vector<double>& masses() const { return masses_; }

    double at(double mass) const {
        const auto after = std::upper_bound(masses_.begin(), masses_.end(), mass);
        const std::size_t s = after - masses_.begin() - 1;
        if (after == masses_.end() || mass - masses_[s] <= smallest_step) return root(costs_[s], p_);
        const double slope = (costs_[s + 1] - costs_[s]) / (masses_[s + 1] - masses_[s]);
        return root(costs_[s] + slope * (mass - masses_[s]), p_);
    }

private:
    std::vector<double> masses_;
    const std::vector<double>& costs_;
    double p_;
};

// How far apart the curves lie, in units of the costs' scale; how far the lower one lies above the other where that is
// more than rounding. Between two breakpoints that follow each other the roots of two lines differ most at an end
// (docs/proofs/profile.md, "A sandwich of the profile").
double largest_difference(const Band& band, double p) {
    const Reading upper(band.upper, p), lower(*band.lower, p);
    double largest = 0;
    for (const Reading* curve : {&upper, &lower}) {
        for (const double breakpoint : curve->masses()) {
            for (const double step : {0.0, 0x1p-53, 0x1p-52, 1.5 * smallest_step, 3 * smallest_step}) {
                const double mass = std::min(1.0, breakpoint + step);
                const double above = upper.at(mass) - lower.at(mass);
                largest = std::max(largest, above < -same_root * upper.at(mass) ? -above : above);
            }
        }
    }
    return largest;
}

// ---------------------------------------------------------------- the curves

Curve upper_curve(const std::vector<Support>& supports) {
    Curve curve;
    const Support* left = &supports.front();
    for (const Support& right : supports) {
        if (!right.is_vertex || &right == left) continue;
        curve.slope.push_back(chord(*left, right));
        curve.unmoved.push_back(right.unmoved);
        curve.cost.push_back(right.cost_p);
        left = &right;
    }
    return curve;
}

// The highest of all cuts, from mass 0 to 1: each takes over from a flatter one where the two meet. If that is no
// further from a vertex than masses can be told apart, it is the vertex.
Curve lower_curve(const std::vector<Support>& supports) {
    std::vector<Cut> cuts;
    for (const Support& support : supports) {
        for (const double slope : {support.least, support.largest}) {
            if (slope < unreachable) cuts.push_back({support.unmoved, support.proven, slope});
        }
    }
    std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& x, const Cut& y) { return x.slope < y.slope; });
    Curve curve;
    auto vertex = supports.begin();
    for (const auto& [cut, end] : highest_cuts(cuts)) {
        while (vertex + 1 != supports.end() && (vertex + 1)->unmoved >= end) ++vertex;
        const double bend = vertex->unmoved - end <= smallest_step ? vertex->unmoved : end;
        if (bend == curve.unmoved.back()) continue;
        curve.unmoved.push_back(bend);
        curve.cost.push_back(std::max(cut.at(bend), curve.cost.back()));
        curve.slope.push_back((curve.cost.back() - curve.cost.end()[-2]) / (curve.unmoved.end()[-2] - bend));
    }
    return curve;
}

// The curves, and how far apart they are.
Sandwich sandwich_of(const std::vector<Support>& supports, double p) {
    Sandwich found{{upper_curve(supports), lower_curve(supports)}};
    found.gap = largest_difference(found.band, p);
    return found;
}

bool may_split(const Support& left, const Support& right) {
    return is_step(left, right) && left.is_vertex && right.is_vertex;
}

// Solves at the slope of the chord. A vertex below the chord comes between; else the chord is an edge of F, and what
// the solve proves about it.
Support split(ProfileOracle& oracle, const Support& left, const Support& right) {
    const double slope = chord(left, right);
    const Support found = oracle.solve(slope);
    return is_new(found, slope, left, right) ? found : middle_of(left, right, found);
}

Support vertex_of(const Curve& profile, std::size_t v) {
    const double before = v > 0 ? profile.slope[v - 1] : 0;
    const double after = v < profile.slope.size() ? profile.slope[v] : unreachable;
    return {profile.unmoved[v], profile.cost[v], profile.cost[v], before, after};
}

}  // namespace

// From mass 1 downwards, so that a simplex always stands beside the next multiplier and no basis has to be kept.
Sandwich sandwich(ProfileOracle& oracle, std::vector<Support> known, double p, double tol, std::size_t max_breakpoints,
                  Pulse& pulse) {
    const double close = tol * (1 - a_little);
    std::size_t solves = known.size();
    std::vector<Support> open = std::move(known);  // from mass 0 on; what lies between them may be too far apart
    std::vector<Support> done{open.back()};        // from mass 1 down; what lies between them is not
    open.pop_back();
    while (!open.empty()) {
        if (pulse.is_asked()) {  // for how much of the mass the curves are close enough, and bounds on their end
            pulse.tell_moved(done.back().unmoved, static_cast<long>(done.size()));
            pulse.tell_bounds(done.front().proven, done.front().cost_p);
        }
        if (gap_between(open.back(), done.back(), p) > close) {
            if (auto profile = oracle.whole_profile()) return {{*std::move(profile), std::nullopt}};
            if (may_split(open.back(), done.back())) {
                const Support between = split(oracle, open.back(), done.back());
                check_breakpoints(++solves, max_breakpoints);
                open.push_back(between);
                continue;
            }
        }
        done.push_back(open.back());
        open.pop_back();
    }
    std::reverse(done.begin(), done.end());
    return sandwich_of(done, p);
}

Sandwich condensed(const Curve& profile, double p, double tol) {
    const double close = tol * (1 - a_little);
    const std::size_t end = profile.slope.size();
    std::vector<Support> kept{vertex_of(profile, 0)};
    for (std::size_t from = 0, to = 0; from < end; from = to) {
        for (to = from + 1; to < end && gap_between(kept.back(), vertex_of(profile, to + 1), p) <= close; ++to) {
        }
        kept.push_back(vertex_of(profile, to));
    }
    if (kept.size() == profile.cost.size()) return {{profile, std::nullopt}};
    return sandwich_of(kept, p);
}

void refuse_tol(double apart, double tol, double p) {
    throw std::domain_error("tol=" + in_words(tol) + " cannot be kept: beside the largest distances, float64 " +
                            "rounds the powers p=" + in_words(p, "%g") + " of the others so far that the " +
                            "two curves are " + in_words(apart) + " apart, and the exact profile is too long; lower " +
                            "p, raise max_breakpoints, or use rpw.solve, which needs no profile");
}

}  // namespace rpw
