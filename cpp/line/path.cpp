// See path.hpp.
//
// A monotone plan is a path through the rectangle [0, mass of x] × [0, mass of y]: diagonal where mass is matched,
// horizontal where mass of x is left behind, vertical where mass of y is. The objective splits into one independent
// problem per diagonal s - t = c + 1/2: on which side of it does the path run, and where does it cross? Each is a chain
// of binary choices, solved by one pass forwards and one backwards. All diagonals that meet the atoms in the same order
// have the same answer, and the answers are nested; so the diagonals are bisected, and each part of the path is only
// looked at from diagonals on its own side. Where plans at other λ are known, the diagonals along which they run
// come first: the answer is seldom far from them, and any order of the diagonals leads to it.
#include "line/path.hpp"

#include <limits>
#include <type_traits>

#include "base/tuning.hpp"
#include "line/windows.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Sums along a diagonal that differ by less than this share of the λ count as equal.
constexpr double rounding = 1e-13;

struct Point {
    Mass s, t;
    Node i, j;  // atoms of x and y at or shortly before this place

    Mass offset() const { return s - t; }
};

// The path runs from one point to another, and its offset s - t stays within [low, high].
struct Stretch {
    Point from, to;
    Mass low, high;
    int hints = 0;  // that have been followed to get here

    // Half of the way along it, as s + t.
    Mass middle() const { return (from.s + from.t) / 2 + (to.s + to.t) / 2; }
};

// The way of a known plan: its offset at every entry.
class Guide {
public:
    Guide(const LinePair& pair, const LinePlan& plan) : along_(plan.size()), offset_(plan.size()) {
        Mass used_x = 0, used_y = 0;
        Node row = -1, column = -1;
        for (std::size_t e = 0; e < plan.size(); ++e) {
            const FlowEntry& entry = plan[e];
            used_x = entry.row == row ? used_x : 0;
            used_y = entry.column == column ? used_y : 0;
            row = entry.row, column = entry.column;
            const Mass s = pair.x.before[row] + used_x, t = pair.y.before[column] + used_y;
            along_[e] = s + t;
            offset_[e] = s - t;
            used_x += entry.mass;
            used_y += entry.mass;
        }
    }

    Mass offset_at(Mass place) const {
        const auto next = std::upper_bound(along_.begin(), along_.end(), place) - along_.begin();
        return offset_[std::max<std::ptrdiff_t>(next - 1, 0)];
    }

private:
    std::vector<Mass> along_, offset_;
};

using Beyond = std::make_unsigned_t<Mass>;

enum Side : std::uint8_t { below = 0, above = 1, as_next = 2 };

// So many steps along a diagonal, at this cell, the path is known to be on this side of it.
struct Turn {
    Node i, j;
    std::size_t steps;
    std::uint8_t side;
};

template <class Power>
class PathSolver {
public:
    PathSolver(const LinePair& pair, Power power, double lambda, Pulse& pulse, LinePlan& plan)
        : pair_(pair),
          x_(pair.x.at.data()),
          y_(pair.y.at.data()),
          a_(pair.x.before.data()),
          b_(pair.y.before.data()),
          power_(power),
          lambda_(lambda),
          pulse_(pulse),
          plan_(plan),
          end_i_(pair.x.size() - 1),
          end_j_(pair.y.size() - 1),
          rank_x_(pair.x.rank.data()),
          rank_y_(pair.y.rank.data()),
          tie_(lambda * rounding) {}

    void follow(const LinePlan& plan) {
        if (!plan.empty()) guides_.emplace_back(pair_, plan);
    }

    // The atoms between two corners, among themselves.
    void run(Corner begin, Corner end) {
        if (begin.rows == end.rows || begin.columns == end.columns) return;
        const Point from{a_[begin.rows], b_[begin.columns], begin.rows, begin.columns};
        const Point to{a_[end.rows], b_[end.columns], end.rows - 1, end.columns - 1};
        stretches_.push_back({from, to, from.s - to.t, to.s - from.t});
        while (!stretches_.empty()) {
            Stretch stretch = stretches_.back();
            stretches_.pop_back();
            pulse_.note(count_ + 1);
            settle(stretch.from);
            if (is_straight(stretch)) {
                emit(stretch);
            } else {
                split(stretch);
            }
        }
    }

private:
    double gain(Node i, Node j) const { return std::max(lambda_ - power_(x_[i] - y_[j]), 0.0); }

    void settle(Point& point) const {
        while (a_[point.i + 1] <= point.s && point.i < end_i_) ++point.i;
        while (b_[point.j + 1] <= point.t && point.j < end_j_) ++point.j;
    }

    // Nothing to decide: one diagonal is left, or the rectangle lies in a single row and column of atoms.
    bool is_straight(Stretch& stretch) {
        const Point &from = stretch.from, &to = stretch.to;
        stretch.low = std::max(stretch.low, from.s - to.t);
        stretch.high = std::min(stretch.high, to.s - from.t);
        if (from.s == to.s || from.t == to.t) return true;
        if (stretch.low == stretch.high) return true;
        return a_[from.i + 1] >= to.s && b_[from.j + 1] >= to.t;
    }

    void emit(const Stretch& stretch) {
        Point at = stretch.from;
        const Point& to = stretch.to;
        at.s += std::max<Mass>(to.offset() - at.offset(), 0);  // the upper of the equally good paths
        while (at.s < to.s && at.t < to.t) {
            settle(at);
            const Mass amount = std::min({a_[at.i + 1] - at.s, b_[at.j + 1] - at.t, to.s - at.s, to.t - at.t});
            if (lambda_ - power_(x_[at.i] - y_[at.j]) > 0) put(at.i, at.j, amount);
            at.s += amount;
            at.t += amount;
        }
    }

    void put(Node i, Node j, Mass amount) {
        if (!plan_.empty() && plan_.back().row == i && plan_.back().column == j) {
            plan_.back().mass += amount;
        } else {
            plan_.push_back({i, j, amount});
        }
    }

    // Where the diagonal through c + 1/2 enters the rectangle.
    Point entry(const Stretch& stretch, Mass c, Side side) const {
        const Point &from = stretch.from, &to = stretch.to;
        Point at = from;
        if (side == below) {
            at.i = static_cast<Node>(std::upper_bound(a_ + from.i + 1, a_ + to.i + 1, from.t + c) - a_ - 1);
        } else {
            at.j = static_cast<Node>(std::upper_bound(b_ + from.j + 1, b_ + to.j + 1, from.s - c - 1) - b_ - 1);
        }
        return at;
    }

    // The diagonal to look at next. The path is expected between two plans: of the diagonals on both sides of the upper
    // plan, the one below it is asked first.
    Mass choose(const Stretch& stretch) const {
        if (!guides_.empty() && stretch.hints < most_hints) {
            const std::size_t which = stretch.hints % guides_.size();
            const Mass hint = guides_[which].offset_at(stretch.middle());
            const Mass other = guides_[guides_.size() - 1 - which].offset_at(stretch.middle());
            const bool is_upper = hint > other || hint == stretch.high;
            if (is_upper && stretch.low < hint && hint <= stretch.high) return hint - 1;
            if (stretch.low <= hint && hint < stretch.high) return hint;
        }
        return stretch.low + (stretch.high - stretch.low) / 2;
    }

    void split(const Stretch& stretch) {
        const Point &from = stretch.from, &to = stretch.to;
        const Mass c = choose(stretch);
        const Side first = from.offset() > c ? above : below, last = to.offset() > c ? above : below;
        Point at = entry(stretch, c, first);
        // The diagonals c' in [same_low, same_high) meet the same atoms in the same order.
        Mass same_low = stretch.low, same_high = stretch.high;
        if (first == below) {
            same_low = std::max({same_low, from.offset(), a_[at.i] - from.t});
            same_high = std::min(same_high, a_[at.i + 1] - from.t);
        } else {
            same_high = std::min({same_high, from.offset(), from.s - b_[at.j]});
            same_low = std::max(same_low, from.s - b_[at.j + 1]);
        }
        (last == above ? same_high : same_low) =
            last == above ? std::min(same_high, to.offset()) : std::max(same_low, to.offset());
        walk_diagonal(stretch, c, first, at, same_low, same_high);
        read_sides(stretch, last, at, same_low, same_high);
    }

    // The pass forwards. Of the gain of a cell, one part belongs to its atom of x and the other to its atom of y. Being
    // above rather than below costs the part of y less the part of x, given all that came before; where that is more
    // than the whole gain either way, the side is settled. The part of the atom that stays is kept.
    //
    // Which atom comes next is as good as random, so nothing branches on it; and all that the loop needs is held in
    // variables of its own, which no store can change.
    void walk_diagonal(const Stretch& stretch, Mass c, Side first, Point entry, Mass& same_low, Mass& same_high) {
        const Mass end_s = stretch.to.s, end_t = stretch.to.t;
        const std::size_t room = static_cast<std::size_t>(stretch.to.i - entry.i) + (stretch.to.j - entry.j) + 4;
        if (steps_.size() < room) steps_.resize(2 * room);
        Node i = entry.i, j = entry.j;
        const double entry_gain = gain(i, j);
        double part[2];  // of x, of y
        part[1] = first == below ? entry_gain : 0;
        part[0] = entry_gain - part[1];
        known_ = {i, j, 0, entry_gain > tie_ ? second_gain(i, j) : 0.0, 0.0};
        known_.cost = first == below ? known_.gain : -known_.gain;
        turns_.clear();
        const double *const x = x_, *const y = y_;
        const Mass *const a = a_ + 1, *const b = b_ + 1;  // where atoms end
        const Power power = power_;
        const double lambda = lambda_, tie = tie_;
        const Node start = i + j;
        std::uint8_t* const steps = steps_.data();
        // Corners up to c wrap round, so the nearest one beyond c is the least of all, and the nearest one before it
        // the largest.
        Beyond nearest = std::numeric_limits<Beyond>::max(), furthest = 0;
        const auto beyond = [&](Mass corner) { return static_cast<Beyond>(corner) - static_cast<Beyond>(c) - 1; };
        const auto note = [&](Beyond corner) {
            nearest = std::min(nearest, corner);
            furthest = std::max(furthest, corner);
            return static_cast<Node>(corner >> 63);  // whether the diagonal goes on to the next atom of x
        };
        const auto step = [&](Node on_x) {
            steps[i + j - start] = static_cast<std::uint8_t>(on_x);
            i += on_x;
            j += 1 - on_x;
            const double next = lambda - std::min(power(x[i] - y[j]), lambda);
            const double kept = part[on_x], other = next - kept;
            part[1 - on_x] = other;
            if (other <= tie || kept == 0) [[unlikely]] {
                const std::size_t count = i + j - start;
                const std::uint8_t side = settle_side(i, j, on_x, next, kept, count);
                if (side == as_next) return;
                const bool is_kept = side == (on_x ? below : above);
                if (other <= tie) part[on_x] = is_kept ? next : 0, part[1 - on_x] = is_kept ? 0 : next;
                note_turn({i, j, count, side});
            }
        };
        Node last_i = stretch.to.i, last_j = stretch.to.j;
        while (last_i > i && a[last_i - 1] >= end_s) --last_i;
        while (last_j > j && b[last_j - 1] >= end_t) --last_j;
        while (i < last_i && j < last_j) step(note(beyond(a[i] - b[j])));
        for (;;) {  // along the border of the rectangle
            const Node on_x = note(beyond(std::min(a[i], end_s) - std::min(b[j], end_t)));
            if ((on_x ? a[i] - end_s : b[j] - end_t) >= 0) break;
            step(on_x);
        }
        if (furthest >> 63) same_low = std::max(same_low, c + 1 + static_cast<Mass>(furthest));
        if (!(nearest >> 63)) same_high = std::min(same_high, c + 1 + static_cast<Mass>(nearest));
        count_ = i + j - start;
    }

    // The side after the last of `count` steps where it leaves no choice, or a tie, or the same choice one step later.
    std::uint8_t settle_side(Node i, Node j, bool on_x, double next, double kept, std::size_t count) {
        const double other = next - kept;
        const std::uint8_t forced = on_x ? below : above;
        if (other > tie_) {  // leaving the same atom behind one step later costs the same
            return on_x != (x_[i] - y_[j] <= 0) ? as_next : on_x ? above : below;
        }
        std::uint8_t side;
        if (other < -tie_) {
            side = forced;
        } else if (next <= tie_) {  // nothing to gain: back to where the atoms are nearer to each other
            side = x_[i] > y_[j] ? below : above;
        } else {
            return break_tie(i, j, forced, count);
        }
        const double gain = next > tie_ ? second_gain(i, j) : 0.0;
        known_ = {i, j, count, gain, side == below ? gain : -gain};
        return side;
    }

    // Of settled sides that follow each other and are the same, the last one decides.
    void note_turn(const Turn& turn) {
        if (turns_.empty() || turns_.back().side != turn.side) {
            turns_.push_back(turn);
        } else {
            turns_.back() = turn;
        }
    }

    // Ties are broken as if every cost were larger by an infinitesimal multiple of (rank of x - rank of y)^2, with
    // jittered ranks. The infinitesimal part of the cost of being above is only computed when it is asked for, from
    // where it was last known.
    std::uint8_t break_tie(Node i, Node j, std::uint8_t forced, std::size_t count) {
        for (; known_.steps < count; ++known_.steps) {
            const bool step_on_x = steps_[known_.steps];
            (step_on_x ? known_.i : known_.j) += 1;
            const double next = second_gain(known_.i, known_.j);
            known_.cost += step_on_x ? known_.gain - next : next - known_.gain;
            known_.gain = next;
        }
        const double limit = second_gain(i, j);
        const double excess = forced == below ? known_.cost - limit : -limit - known_.cost;
        const double even = 1e-9 * (1 + std::abs(limit));
        const bool prefers = (x_[i] > y_[j]) == (forced == below);
        if (excess < -even || (excess <= even && !prefers)) return as_next;
        known_.cost = forced == below ? limit : -limit;
        return forced;
    }

    double second_gain(Node i, Node j) const {
        const double d = rank_x_[i] - rank_y_[j];
        return -d * d;
    }

    // The pass backwards, from one turn to the one before it: leaves the stretches between the crossings on the stack.
    void read_sides(const Stretch& stretch, Side last, Point entry, Mass low, Mass high) {
        const Point& from = stretch.from;
        Point end = stretch.to;
        std::uint8_t side = last;
        const auto look_at = [&](const Turn& turn) {
            if (turn.side == side) return;
            const Node i = turn.i, j = turn.j;
            const std::size_t k = turn.steps;
            Point stop{0, 0, i, j}, go{0, 0, i, j};
            const bool x_is_left = x_[i] <= y_[j];
            if (side == above) {
                const Mass first_t = k == 0 ? from.t : steps_[k - 1] ? a_[i] - low : b_[j];
                const Mass last_t = k == count_ ? stretch.to.t : steps_[k] ? a_[i + 1] - high : b_[j + 1];
                const Mass t = x_is_left ? first_t : last_t;
                stop.s = t + low, stop.t = t, go.s = t + high, go.t = t;
            } else {
                const Mass first_s = k == 0 ? from.s : steps_[k - 1] ? a_[i] : b_[j] + high;
                const Mass last_s = k == count_ ? stretch.to.s : steps_[k] ? a_[i + 1] : b_[j + 1] + low;
                const Mass s = x_is_left ? last_s : first_s;
                stop.s = s, stop.t = s - high, go.s = s, go.t = s - low;
            }
            leave(go, end, side, stretch, low, high);
            end = stop;
            side = turn.side;
        };
        for (std::size_t e = turns_.size(); e-- > 0;) look_at(turns_[e]);
        look_at({entry.i, entry.j, 0, first_side(from, high)});
        leave(from, end, side, stretch, low, high);
    }

    static std::uint8_t first_side(const Point& from, Mass high) { return from.offset() >= high ? above : below; }

    void leave(const Point& from, const Point& to, std::uint8_t side, const Stretch& whole, Mass low, Mass high) {
        if (from.s == to.s || from.t == to.t) return;
        const Mass lowest = side == above ? high : whole.low, highest = side == above ? whole.high : low;
        stretches_.push_back({from, to, lowest, highest, whole.hints + 1});
    }

    const LinePair& pair_;
    const double* x_;
    const double* y_;
    const Mass* a_;
    const Mass* b_;
    Power power_;
    double lambda_;
    Pulse& pulse_;
    LinePlan& plan_;
    Node end_i_, end_j_;
    std::vector<Stretch> stretches_;
    std::vector<Guide> guides_;
    std::vector<std::uint8_t> steps_;  // whether the diagonal goes on to the next atom of x
    std::size_t count_ = 0;            // of these
    std::vector<Turn> turns_;          // in order; their sides alternate
    const double* rank_x_;
    const double* rank_y_;
    double tie_;
    struct {
        Node i, j;
        std::size_t steps;
        double gain, cost;
    } known_{};
};

}  // namespace

LinePlan solve_at(const LinePair& pair, const LineCost& cost, double lambda, Pulse& pulse) {
    LinePlan plan;
    with_power(cost, [&](auto power) {
        PathSolver(pair, power, lambda, pulse, plan).run({0, 0}, {pair.x.size(), pair.y.size()});
    });
    return plan;
}

LinePlan solve_between(const LinePair& pair, const LineCost& cost, double lambda, const LinePlan& before,
                       const LinePlan& after, Pulse& pulse) {
    LinePlan plan;
    with_power(cost, [&](auto power) {
        PathSolver solver(pair, power, lambda, pulse, plan);
        solver.follow(before);
        solver.follow(after);
        compare_plans(
            pair, before, after,
            [&](std::span<const FlowEntry> same) { plan.insert(plan.end(), same.begin(), same.end()); },
            [&](Corner from, Corner to) { solver.run(from, to); });
    });
    return plan;
}

}  // namespace rpw
