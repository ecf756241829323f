// See thresholds.hpp.
#include "line/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/steps.hpp"
#include "base/tuning.hpp"
#include "line/threshold_walk.hpp"

namespace rpw {

using namespace tuning;

namespace {

// The largest flow over pairs no longer than the threshold: in order, each atom takes the first partners it reaches,
// and an atom that does not reach the next one, to its right, reaches nobody any more.
template <class Take, class Skip>
Mass flow_within(const LinePair& pair, double threshold, const Take& take, const Skip& skip) {
    const Atoms &x = pair.x, &y = pair.y;
    Node i = 0, j = 0;
    Mass left_x = x.mass(0), left_y = y.mass(0), moved = 0;
    while (i < x.size() && j < y.size()) {
        const double apart = x.at[i] - y.at[j], length = std::abs(apart);
        bool is_x_done = apart < 0, is_y_done = !is_x_done;
        if (length <= threshold) {
            const Mass amount = std::min(left_x, left_y);
            take(FlowEntry{i, j, amount}, length);
            moved += amount;
            left_x -= amount;
            left_y -= amount;
            is_x_done = left_x == 0;
            is_y_done = left_y == 0;
        } else {
            skip(length);
        }
        if (is_x_done && ++i < x.size()) left_x = x.mass(i);
        if (is_y_done && ++j < y.size()) left_y = y.mass(j);
    }
    return moved;
}

// One pass, and between which thresholds it would run just the same.
struct Pass {
    double unmoved = 1;
    double longest = 0;         // of the pairs that are used: it would from here on
    double next = unreachable;  // shortest of the pairs that were found too long: it would below
};

Pass pass_at(const LinePair& pair, double threshold, Pulse& pulse) {
    Pass pass;
    pulse.note(2 * pair.atoms());
    const Mass moved = flow_within(
        pair, threshold, [&](const FlowEntry&, double length) { pass.longest = std::max(pass.longest, length); },
        [&](double length) { pass.next = std::min(pass.next, length); });
    pass.unmoved = pair.unmoved(moved);
    return pass;
}

// Two passes of which the first is not enough and the second is, while they are brought together. What is enough must
// stay so as thresholds grow.
struct Narrowing {
    const LinePair& pair;
    Pulse& pulse;
    Pass low = pass_at(pair, 0, pulse);
    Pass high{0, pair.largest_distance()};  // everything moves

    template <class Enough>
    void look_at(double threshold, const Enough& is_enough) {
        const Pass pass = pass_at(pair, threshold, pulse);
        (is_enough(pass) ? high : low) = pass;
    }

    template <class Enough, class Close>
    void run(const Enough& is_enough, const Close& is_close) {
        while (low.next < high.longest && !is_close()) look_at(between(), is_enough);
    }

    // A threshold at which a pass tells something new.
    double between() const {
        const double from = low.next, to = high.longest;
        const double middle = to / from > 4 ? std::sqrt(from) * std::sqrt(to) : from + (to - from) / 2;
        return middle >= from && middle < to ? middle : from;
    }
};

// The plan at a threshold, over the atoms as they came, shortest pairs first.
void read_plan(Outcome& outcome, const SortedPair& line, double threshold) {
    std::vector<std::tuple<double, Node, Node, Mass>> sorted;
    const auto take = [&](const FlowEntry& e, double length) {
        sorted.emplace_back(length, line.order_x[e.row], line.order_y[e.column], e.mass);
    };
    flow_within(line.pair, threshold, take, [](double) {});
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [length, row, column, mass] : sorted) {
        outcome.plan.push_back({row, column, share_of(mass, line.pair.total())});
        outcome.lengths.push_back(length);
    }
}

// The least threshold with a flow as large as that of a pass.
double start_of_step(const LinePair& pair, const Pass& pass, Pulse& pulse) {
    double start = pass.longest;
    (void)ends_in_time([&] {  // what is looked for is a better plan, not the answer
        const auto is_as_much = [&](const Pass& other) { return other.unmoved <= pass.unmoved; };
        Narrowing narrowing{pair, pulse};
        if (is_as_much(narrowing.low)) {
            start = 0;
            return;
        }
        narrowing.look_at(pass.longest, is_as_much);
        narrowing.run(is_as_much, [] { return false; });
        start = narrowing.high.longest;
    });
    return start;
}

}  // namespace

// A pass over pairs up to `longest` shows that max(longest / κ, unmoved) is enough. As thresholds grow, the first of
// the two grows and the second falls.
Outcome cross_line_thresholds(const SortedPair& line, const Question& question, Pulse& pulse) {
    const double kappa = question.kappa;
    Outcome outcome;
    outcome.solver = Solver::line;
    Narrowing narrowing{line.pair, pulse};
    const Pass &low = narrowing.low, &high = narrowing.high;
    const auto read_bounds = [&] {
        const double beyond = high.longest / kappa;
        outcome.upper = low.unmoved == 0 ? 0.0 : std::min(beyond, low.unmoved);
        outcome.lower = std::min(low.next / kappa, outcome.upper);
        outcome.cost = beyond < low.unmoved ? high.longest : low.longest;
    };
    const auto is_close = [&] {
        ++outcome.iterations;
        read_bounds();
        if (outcome.lower > question.cutoff) outcome.status = Status::beyond_cutoff;
        if (question.tol > 0 && outcome.upper - outcome.lower <= question.tol) outcome.status = Status::tolerance;
        return outcome.status != Status::exact;
    };
    const auto is_enough = [&](const Pass& pass) { return pass.longest / kappa >= pass.unmoved; };
    const bool in_time = ends_in_time([&] {
        if (low.unmoved == 0) return;
        for (const double first : {kappa, kappa * question.cutoff}) {
            if (first >= low.next && first < high.longest) narrowing.look_at(first, is_enough);
        }
        narrowing.run(is_enough, is_close);
    });
    read_bounds();
    if (!in_time) outcome.status = Status::time_limit;
    const bool is_exact = outcome.status == Status::exact;
    if (is_exact) outcome.lower = outcome.upper;
    if (outcome.status == Status::beyond_cutoff) outcome.lower = question.cutoff;
    outcome.value = outcome.unmoved = outcome.upper;
    if (question.need != Need::plan || outcome.upper >= 1) return outcome;
    const bool is_on_step = is_exact && outcome.cost == low.longest && low.longest > 0;
    if (is_on_step) outcome.cost = start_of_step(line.pair, low, pulse);
    read_plan(outcome, line, outcome.cost);
    return outcome;
}

Outcome line_threshold_at(const SortedPair& line, const Question& question, Pulse& pulse) {
    Outcome outcome;
    outcome.solver = Solver::line;
    outcome.value = outcome.upper = 0;
    outcome.unmoved = question.unmoved;
    const double enough = question.unmoved + slack_of(question.unmoved);
    if (enough >= 1) return outcome;
    Narrowing narrowing{line.pair, pulse};
    const Pass &low = narrowing.low, &high = narrowing.high;
    const auto is_enough = [&](const Pass& pass) { return pass.unmoved <= enough; };
    double longest = 0, left = low.unmoved;
    if (!is_enough(low)) {
        const bool in_time = ends_in_time([&] {
            narrowing.run(is_enough, [&] {
                ++outcome.iterations;
                return low.next >= question.truncation;
            });
        });
        outcome.status = in_time ? Status::exact : Status::time_limit;
        outcome.lower = std::min({low.next, high.longest, question.truncation});
        outcome.upper = std::min(high.longest, question.truncation);
        longest = in_time ? high.longest : low.longest;
        left = in_time ? high.unmoved : low.unmoved;
    }
    outcome.unmoved = std::max(question.unmoved, left);
    outcome.value = outcome.cost = outcome.upper;
    if (question.need == Need::plan) read_plan(outcome, line, longest);
    for (double& length : outcome.lengths) length = std::min(length, question.truncation);
    return outcome;
}

namespace {

// By passes half way between those that are known, a multiple of tol from the first, until what lies between two of
// them is as narrow as tol.
Band thresholds_by_passes(const LinePair& pair, double tol, Pulse& pulse) {
    Steps steps(Solver::line, tol);
    Pass low = pass_at(pair, 0, pulse);
    steps.add(0, 0, low.unmoved);
    std::vector<Pass> high{pass_at(pair, pair.largest_distance(), pulse)};  // longest first
    while (!high.empty()) {
        const double from = low.next, to = high.back().longest;
        const bool is_same = low.unmoved <= high.back().unmoved;
        if (!is_same && to - from > tol) {
            const double half = from + tol * std::floor(std::ceil((to - from) / tol) / 2);
            high.push_back(pass_at(pair, half < to ? half : from, pulse));  // by rounding, half of it may be all
            continue;
        }
        if (!is_same) steps.add(std::min(from, to), to, high.back().unmoved);
        low = high.back();
        high.pop_back();
    }
    return steps.take();
}

}  // namespace

Band whole_line_thresholds(const LinePair& pair, double tol, Pulse& pulse) {
    const bool is_rough = tol > 0 && longest_of(pair, monotone_plan(pair)) <= many_passes * tol;
    return is_rough ? thresholds_by_passes(pair, tol, pulse) : walk_thresholds(pair, tol, pulse);
}

}  // namespace rpw
