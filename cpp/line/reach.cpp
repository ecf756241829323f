// See reach.hpp.
#include "line/reach.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/steps.hpp"
#include "line/reach_walk.hpp"

namespace rpw {

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
            take(LineEntry{i, j, amount}, length);
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
struct Reach {
    double unmoved = 1;
    double longest = 0;         // of the pairs that are used: it would from here on
    double next = unreachable;  // shortest of the pairs that were found too long: it would below
};

Reach reach_within(const LinePair& pair, double threshold, Pulse& pulse) {
    Reach reach;
    pulse.note(2 * pair.atoms());
    const Mass moved = flow_within(
        pair, threshold, [&](const LineEntry&, double length) { reach.longest = std::max(reach.longest, length); },
        [&](double length) { reach.next = std::min(reach.next, length); });
    reach.unmoved = pair.unmoved(moved);
    return reach;
}

// Some threshold from low.next on and below high.longest: a pass there tells something new.
double threshold_between(const Reach& low, const Reach& high) {
    const double from = low.next, to = high.longest;
    const double middle = to / from > 4 ? std::sqrt(from) * std::sqrt(to) : from + (to - from) / 2;
    return middle >= from && middle < to ? middle : from;
}

// Two passes of which the first is not enough and the second is; between them they are narrowed down.
class Narrowing {
public:
    Narrowing(const LinePair& pair, Pulse& pulse) : pair_(pair), pulse_(pulse), low_(reach_within(pair, 0, pulse)) {
        all_.unmoved = 0;
        all_.longest = pair.largest_distance();
        high_ = all_;
    }

    // `is_enough(reach)` must stay true as thresholds grow.
    template <class Enough>
    void look_at(double threshold, const Enough& is_enough) {
        passes_.push_back(reach_within(pair_, threshold, pulse_));
        (is_enough(passes_.back()) ? high_ : low_) = passes_.back();
    }

    // Asks for more than before: the passes that were not enough still are not.
    template <class Enough>
    void go_on(const Enough& is_enough) {
        high_ = all_;
        for (const Reach& pass : passes_) {
            if (!is_enough(pass)) {
                if (pass.next > low_.next) low_ = pass;
            } else if (pass.longest < high_.longest) {
                high_ = pass;
            }
        }
    }

    template <class Enough, class Close>
    void run(const Enough& is_enough, const Close& is_close) {
        while (low_.next < high_.longest && !is_close()) look_at(threshold_between(low_, high_), is_enough);
    }

    const Reach& low() const { return low_; }
    const Reach& high() const { return high_; }

private:
    const LinePair& pair_;
    Pulse& pulse_;
    Reach low_, high_, all_;
    std::vector<Reach> passes_;
};

// The plan at a threshold, over the atoms as they came, shortest pairs first.
void read_plan(Outcome& outcome, const SortedPair& line, double threshold) {
    struct Entry {
        PlanEntry entry;
        double length;
    };
    std::vector<Entry> found;
    const Mass total = line.pair.total();
    flow_within(
        line.pair, threshold,
        [&](const LineEntry& e, double length) {
            found.push_back({{line.order_x[e.row], line.order_y[e.column], share_of(e.mass, total)}, length});
        },
        [](double) {});
    std::stable_sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.length < b.length; });
    for (const Entry& entry : found) {
        outcome.plan.push_back(entry.entry);
        outcome.lengths.push_back(entry.length);
    }
}

// Of a sandwich: beyond that the walk, which finds the profile itself, is the shorter way.
constexpr double many_passes = 2048;

double longest_of(const LinePair& pair, const LinePlan& plan) {
    double longest = 0;
    for (const LineEntry& e : plan) longest = std::max(longest, std::abs(pair.x.at[e.row] - pair.y.at[e.column]));
    return longest;
}

constexpr auto never = [] { return false; };

// The least threshold with a flow as large as that of a pass.
double start_of_step(const LinePair& pair, const Reach& reach, Pulse& pulse) {
    double start = reach.longest;
    (void)ends_in_time([&] {  // what is looked for is a better plan, not the answer
        const auto is_as_much = [&](const Reach& other) { return other.unmoved <= reach.unmoved; };
        Narrowing narrowing(pair, pulse);
        if (is_as_much(narrowing.low())) {
            start = 0;
            return;
        }
        narrowing.look_at(reach.longest, is_as_much);
        narrowing.run(is_as_much, never);
        start = narrowing.high().longest;
    });
    return start;
}

}  // namespace

namespace {

// A pass over pairs up to `longest` shows that max(longest / κ, unmoved) is enough. As thresholds grow, the first of
// the two grows and the second falls. Gives the outcome without its plan, whose threshold is its cost.
Outcome narrow_to_crossing(Narrowing& narrowing, const Question& question) {
    const double kappa = question.kappa;
    Outcome outcome;
    outcome.solver = Solver::line;
    const Reach &low = narrowing.low(), &high = narrowing.high();
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
    const auto is_enough = [&](const Reach& reach) { return reach.longest / kappa >= reach.unmoved; };
    const bool in_time = ends_in_time([&] {
        if (low.unmoved == 0) return;
        narrowing.go_on(is_enough);
        for (const double first : {kappa, kappa * question.cutoff}) {
            if (first >= low.next && first < high.longest) narrowing.look_at(first, is_enough);
        }
        narrowing.run(is_enough, is_close);
    });
    read_bounds();
    if (!in_time) outcome.status = Status::time_limit;
    if (outcome.status == Status::exact) outcome.lower = outcome.upper;
    if (outcome.status == Status::beyond_cutoff) outcome.lower = question.cutoff;
    outcome.value = outcome.unmoved = outcome.upper;
    return outcome;
}

}  // namespace

Outcome cross_reaches(const SortedPair& line, const Question& question, Pulse& pulse) {
    const LinePair& pair = line.pair;
    Narrowing narrowing(pair, pulse);
    Outcome outcome = narrow_to_crossing(narrowing, question);
    if (question.need == Need::plan && outcome.upper < 1) {
        const Reach& low = narrowing.low();
        const bool is_on_step = outcome.status == Status::exact && outcome.cost == low.longest && low.longest > 0;
        if (is_on_step) outcome.cost = start_of_step(pair, low, pulse);
        read_plan(outcome, line, outcome.cost);
    }
    return outcome;
}

std::vector<double> cross_reaches_in_turn(const LinePair& pair, std::span<const double> kappas, Pulse& pulse) {
    std::vector<double> values;
    Narrowing narrowing(pair, pulse);
    for (const double kappa : kappas) {
        Question question;
        question.kappa = kappa;
        const Outcome outcome = narrow_to_crossing(narrowing, question);
        if (outcome.status == Status::time_limit) throw TimeUp();
        values.push_back(outcome.value);
    }
    return values;
}

Outcome reach_at(const SortedPair& line, const Question& question, Pulse& pulse) {
    Outcome outcome;
    outcome.solver = Solver::line;
    outcome.value = outcome.upper = 0;
    outcome.unmoved = question.unmoved;
    const double enough = question.unmoved + smallest_step;
    if (enough >= 1) return outcome;
    Narrowing narrowing(line.pair, pulse);
    const auto is_enough = [&](const Reach& reach) { return reach.unmoved <= enough; };
    const Reach &low = narrowing.low(), &high = narrowing.high();
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

double unmoved_within(const LinePair& pair, double longest, Pulse& pulse) {
    return reach_within(pair, longest, pulse).unmoved;
}

namespace {

// By passes half way between those that are known, a multiple of tol from the first, until what lies between two of
// them is as narrow as tol.
Band rough_reaches(const LinePair& pair, double tol, Pulse& pulse) {
    Steps steps(Solver::line, tol);
    Reach low = reach_within(pair, 0, pulse);
    steps.add(0, 0, low.unmoved);
    std::vector<Reach> high{reach_within(pair, pair.largest_distance(), pulse)};  // longest first
    while (!high.empty()) {
        const double from = low.next, to = high.back().longest;
        const bool is_same = low.unmoved <= high.back().unmoved;
        if (!is_same && to - from > tol) {
            const double half = tol * std::floor(std::ceil((to - from) / tol) / 2);
            high.push_back(reach_within(pair, from + half, pulse));
            continue;
        }
        if (!is_same) steps.add(std::min(from, to), to, high.back().unmoved);
        low = high.back();
        high.pop_back();
    }
    return steps.take();
}

}  // namespace

Band whole_reaches(const LinePair& pair, double tol, Pulse& pulse) {
    if (tol > 0 && longest_of(pair, monotone_plan(pair)) <= many_passes * tol) return rough_reaches(pair, tol, pulse);
    ReachWalk walk(pair, pulse);
    Steps steps(Solver::line, tol);
    while (walk.next()) steps.add(walk.threshold(), walk.threshold(), walk.unmoved());
    Band band = steps.take();
    walk.write_used_up(band.upper);
    return band;
}

}  // namespace rpw
