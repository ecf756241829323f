// See walk.hpp.
//
// For p = 1 the plan is a flow along the line. An augmenting path joins a source and a sink that have mass left and no
// such atom between them; it costs the length of the way, where the flow it cancels counts backwards. Between two
// neighbouring atoms with mass left all gaps will carry the same further flow for ever, so gaps with equal flow are
// one.
#include "line/walk.hpp"

#include <algorithm>
#include <utility>

#include "base/tuning.hpp"
#include "line/open_atoms.hpp"
#include "line/walked_curve.hpp"

namespace rpw {

using namespace tuning;

namespace {

// Gaps with flow in one direction, the one with the least of it first. The flow of all of them changes together.
class Gaps {
public:
    bool empty() const { return heap_.empty(); }
    long double length() const { return length_; }  // of all
    Mass least_flow() const { return heap_.front().flow + added_; }

    void add_flow(Mass amount) { added_ += amount; }

    void put(Mass flow, long double length) {
        heap_.push_back({flow - added_, length});
        std::push_heap(heap_.begin(), heap_.end());
        length_ += length;
    }

    // Takes the gap with the least flow away, and gives its length.
    long double pop() {
        std::pop_heap(heap_.begin(), heap_.end());
        const long double length = heap_.back().length;
        heap_.pop_back();
        length_ = empty() ? 0 : length_ - length;
        return length;
    }

    // Each gap of the smaller heap goes to the larger, so none goes more than log2(n) times.
    void take_all(Gaps& other) {
        if (other.empty()) return;
        if (heap_.size() < other.heap_.size()) std::swap(*this, other);
        for (const Gap& gap : other.heap_) put(gap.flow + other.added_, gap.length);
        other = {};
    }

private:
    struct Gap {
        Mass flow;  // less what was added to all
        long double length;
        bool operator<(const Gap& than) const { return flow > than.flow; }
    };

    std::vector<Gap> heap_;
    Mass added_ = 0;
    long double length_ = 0;
};

// The way between two neighbouring atoms with mass left.
struct Way {
    long double still = 0;  // the length of gaps without flow
    Gaps rightwards, leftwards;

    Gaps& along(bool to_right) { return to_right ? rightwards : leftwards; }

    double cost(bool to_right) {
        return static_cast<double>(along(to_right).length() + still - along(!to_right).length());
    }

    // No gap changes its direction, for the amount is at most the least flow against it.
    void push(bool to_right, Mass amount) {
        Gaps &with = along(to_right), &against = along(!to_right);
        with.add_flow(amount);
        if (still > 0) with.put(amount, std::exchange(still, 0));
        against.add_flow(-amount);
        while (!against.empty() && against.least_flow() == 0) still += against.pop();
    }

    void join(Way& next) {
        still += next.still;
        rightwards.take_all(next.rightwards);
        leftwards.take_all(next.leftwards);
    }
};

class LineWalk {
public:
    using Index = OpenAtoms::Index;

    LineWalk(const LinePair& pair, double scale) : pair_(pair), open_(pair), ways_(open_.size()) {
        const auto place = [&](Index atom) {
            return open_[atom].is_row ? pair.x.at[open_[atom].rows] : pair.y.at[open_[atom].columns];
        };
        for (Index atom = 0; atom < open_.size(); ++atom) {
            if (atom + 1 < open_.size()) {
                ways_[atom].still = (static_cast<long double>(place(atom + 1)) - place(atom)) / scale;
            }
            offer(atom);
        }
    }

    // Takes the next path; false if there is none, or nothing to move.
    bool step() {
        if (!open_.best() || unmoved() == 0) return false;
        const auto [cost, atom, other, is_measured] = open_.take();
        if (cost > slope_) {
            slope_ = cost;
            edge_.clear();
        }
        const bool to_right = open_[atom].is_row;
        const Gaps& against = ways_[atom].along(!to_right);
        Mass amount = std::min(open_[atom].left(), open_[other].left());
        if (!against.empty()) amount = std::min(amount, against.least_flow());
        ways_[atom].push(to_right, amount);
        open_.move(atom, amount, slope_);
        cost_ += static_cast<long double>(slope_) * amount;
        edge_.push_back({atom, other, amount});
        ++paths_;
        const Index first = open_[atom].left() > 0 ? atom : open_[atom].before;
        for (const Index each : {other, atom}) {
            if (open_[each].left() == 0) close(each);
        }
        if (first != OpenAtoms::none) offer(first);
        return true;
    }

    // Whether the next path belongs to the same edge of the profile.
    bool goes_on() { return open_.best() && open_.best()->cost <= slope_; }

    double slope() const { return slope_; }
    double unmoved() const { return pair_.unmoved(open_.moved()); }
    double cost() const { return static_cast<double>(cost_ / static_cast<long double>(pair_.total())); }
    std::size_t work() const { return paths_; }
    void write_used_up(Curve& curve) { open_.write_used_up(curve, slope_); }

    // The plan at the end of the edge so far; at its start if the paths that make it up are taken back.
    LinePlan plan(bool at_start) const {
        std::vector<Mass> left(open_.size()), of_x, of_y;
        for (Index atom = 0; atom < open_.size(); ++atom) left[atom] = open_[atom].left();
        if (at_start) {
            for (const Path& path : edge_) left[path.from] += path.amount, left[path.to] += path.amount;
        }
        for (Index atom = 0; atom < open_.size(); ++atom) {
            if (open_[atom].is_row) {
                of_x.push_back(pair_.x.mass(open_[atom].rows) - left[atom]);
            } else {
                of_y.push_back(pair_.y.mass(open_[atom].columns) - left[atom]);
            }
        }
        return plan_in_order(of_x, of_y);
    }

private:
    struct Path {
        Index from, to;
        Mass amount;
    };

    void offer(Index atom) { open_.offer(atom, ways_[atom].cost(open_[atom].is_row), true); }

    // The ways on its two sides become one.
    void close(Index atom) {
        if (open_[atom].before != OpenAtoms::none) ways_[open_[atom].before].join(ways_[atom]);
        open_.close(atom);
    }

    const LinePair& pair_;
    OpenAtoms open_;
    std::vector<Way> ways_;   // from each atom to the next
    std::vector<Path> edge_;  // the paths of the last edge
    std::size_t paths_ = 0;
    double slope_ = 0;
    long double cost_ = 0;
};

}  // namespace

std::optional<Curve> walk_line_profile(const LinePair& pair, double scale, std::size_t most_paths, Pulse& pulse) {
    return walked_curve(LineWalk(pair, scale), scale, most_paths, pulse);
}

std::optional<WalkedEdge> edge_where(const LinePair& pair, double scale, std::size_t most_paths,
                                     const std::function<bool(double, double)>& is_enough, Pulse& pulse) {
    LineWalk walk(pair, scale);
    while (walk.work() < most_paths && walk.step()) {
        pulse.note(work_per_path);
        if (!is_enough(walk.unmoved(), walk.cost())) continue;
        while (walk.goes_on() && walk.step()) {
        }
        return WalkedEdge{walk.slope(), walk.plan(true), walk.plan(false)};
    }
    return {};
}

}  // namespace rpw
