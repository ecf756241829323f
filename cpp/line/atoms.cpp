// See atoms.hpp.
#include "line/atoms.hpp"

#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/balance.hpp"
#include "ground/distances.hpp"
#include "line/sort.hpp"

namespace rpw {

namespace {

std::vector<double> places(const Points& points, const Direction& direction) {
    std::vector<double> values(points.count);
    for (Node i = 0; i < points.count; ++i) values[i] = direction.place(points.at(i));
    return values;
}

// Sorts one measure, and raises its mass to `total`; `order` tells where its atoms were.
Atoms sorted(const Measure& measure, const Direction& direction, Mass total, std::vector<Node>& order) {
    SortedNumbers numbers = sorted_numbers(places(measure.points, direction));
    order = std::move(numbers.order);
    Atoms atoms;
    atoms.at = std::move(numbers.at);
    std::vector<Mass> masses(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) masses[i] = measure.mass[order[i]];
    masses = raised(masses, total);  // in this order: the answer does not depend on the one in which atoms came
    atoms.before.assign(1, 0);
    std::partial_sum(masses.begin(), masses.end(), std::back_inserter(atoms.before));
    return atoms;
}

// A number in [0, 1) from a counter (splitmix64).
double jitter(std::uint64_t k) {
    k += 0x9e3779b97f4a7c15u;
    k = (k ^ (k >> 30)) * 0xbf58476d1ce4e5b9u;
    k = (k ^ (k >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((k ^ (k >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

SortedPair sorted_pair(const Pair& pair, const Direction& line) {
    if (length_unit(pair.a.points, pair.b.points) == unreachable) throw TooFarApart();
    SortedPair sides;
    sides.rounding = line.rounding;
    const Mass total = common_total(pair.masses());
    sides.pair.lightest = std::min(least_of(pair.a.mass), least_of(pair.b.mass));
    sides.pair.x = sorted(pair.a, line, total, sides.order_x);
    sides.pair.y = sorted(pair.b, line, total, sides.order_y);
    return sides;
}

void LinePair::rank() {
    x.rank.resize(x.at.size());
    y.rank.resize(y.at.size());
    Node i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
        const std::uint64_t place = static_cast<std::uint64_t>(i) + j;
        const bool on_x = j == y.size() || (i < x.size() && x.at[i] <= y.at[j]);
        (on_x ? x.rank[i++] : y.rank[j++]) = static_cast<double>(place) + jitter(place);
    }
}

double LinePair::largest_distance() const {
    const double largest = std::max(x.at.back() - y.at.front(), y.at.back() - x.at.front());
    return largest > 0 ? largest : 1;
}

bool LinePair::spans_float64(double length) const {
    return largest_distance() > huge_length && std::min(length, least_distance()) < tiny_length;
}

double LinePair::least_distance() const {
    double least = unreachable;
    std::size_t before = 0, up_to = 0;  // how many of y lie left of a place, and how many not right of it
    for (const double here : x.at) {
        while (before < y.at.size() && y.at[before] < here) ++before;
        while (up_to < y.at.size() && y.at[up_to] <= here) ++up_to;
        if (before > 0) least = std::min(least, here - y.at[before - 1]);
        if (up_to < y.at.size()) least = std::min(least, y.at[up_to] - here);
    }
    return least;
}

std::vector<Mass> Atoms::masses() const {
    std::vector<Mass> masses(at.size());
    for (Node i = 0; i < size(); ++i) masses[i] = mass(i);
    return masses;
}

LinePlan plan_in_order(const std::vector<Mass>& of_x, const std::vector<Mass>& of_y, Mass spare) {
    constexpr Mass rounding = 1 << 9;
    if (of_x.empty() || of_y.empty()) return {};
    LinePlan plan;
    plan.reserve(of_x.size() + of_y.size());
    Mass left_x = of_x[0], left_y = of_y[0];
    for (std::size_t i = 0, j = 0; i < of_x.size() && j < of_y.size();) {
        const Mass amount = std::min(left_x, left_y);
        const bool is_light = std::min(of_x[i], of_y[j]) <= rounding;  // an atom of its own, not the rest of one
        if (!is_light && amount <= std::min(rounding, spare)) {
            spare -= amount;
        } else if (amount > 0) {
            plan.push_back({static_cast<Node>(i), static_cast<Node>(j), amount});
        }
        left_x -= amount;
        left_y -= amount;
        if (left_x == 0 && ++i < of_x.size()) left_x = of_x[i];
        if (left_y == 0 && ++j < of_y.size()) left_y = of_y[j];
    }
    return plan;
}

LinePlan monotone_plan(const LinePair& pair) {
    return plan_in_order(pair.x.masses(), pair.y.masses(), pair.negligible());
}

Mass mass_of(const LinePlan& plan) {
    Mass sum = 0;
    for (const FlowEntry& entry : plan) sum += entry.mass;
    return sum;
}

double longest_of(const LinePair& pair, const LinePlan& plan) {
    double longest = 0;
    for (const FlowEntry& e : plan) longest = std::max(longest, std::abs(pair.x.at[e.row] - pair.y.at[e.column]));
    return longest;
}

double cost_of(const LinePair& pair, const LinePlan& plan, const LineCost& cost) {
    return with_power(cost, [&](auto power) {
        long double sum = 0;
        for (const FlowEntry& e : plan) {
            sum += static_cast<long double>(e.mass) * power(pair.x.at[e.row] - pair.y.at[e.column]);
        }
        return static_cast<double>(sum / static_cast<long double>(pair.total()));
    });
}

double scale_near(double length, double p) {
    constexpr double large_p = 16;
    if (p > large_p || length >= 0x1p1023) return length;
    int exponent = 0;
    std::frexp(length, &exponent);
    return std::ldexp(1.0, exponent);
}

void SortedPair::rescale(double scale) {
    unit = scale < tiny_length / huge_length ? tiny_length : pair.largest_distance() > 0x1p800 ? huge_length : 1;
    if (unit == 1) return;
    for (Atoms* atoms : {&pair.x, &pair.y}) {
        for (double& at : atoms->at) at /= unit;
    }
}

std::vector<double> unsorted(const std::vector<double>& values, const std::vector<Node>& order) {
    std::vector<double> back(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) back[order[i]] = values[i];
    return back;
}

void take_largest_of_equals(const Atoms& atoms, std::vector<double>& values) {
    for (std::size_t start = 0, end = 0; start < values.size(); start = end) {
        while (end < values.size() && atoms.at[end] == atoms.at[start]) ++end;
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(start);
        const auto last = values.begin() + static_cast<std::ptrdiff_t>(end);
        std::fill(first, last, *std::max_element(first, last));
    }
}

LineCost SortedPair::cost(double p, double scale) const { return {p, 1 / (scale / unit)}; }

}  // namespace rpw
