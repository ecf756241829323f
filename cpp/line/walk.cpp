// See walk.hpp.
//
// For p = 1 the plan is a flow along the line. An augmenting path joins a source and a sink that have mass left and no
// such atom between them; it costs the length of the way, where the flow it cancels counts backwards. Between two
// neighbouring atoms with mass left all gaps will carry the same further flow for ever, so gaps with equal flow are
// one.
#include "line/walk.hpp"

#include <algorithm>
#include <utility>

#include "base/tell_profile.hpp"
#include "base/tuning.hpp"
#include "base/used_up.hpp"
#include "line/edges.hpp"
#include "line/open_atoms.hpp"

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

    LineWalk(const LinePair& pair, double scale)
        : pair_(pair), total_(pair.total()), open_(pair), ways_(open_.size()), left_(open_.size()) {
        double last = 0;
        for (Index atom = 0; atom < open_.size(); ++atom) {
            const auto& [rows, columns, before, after, is_row] = open_[atom];
            const double at = is_row ? pair.x.at[rows] : pair.y.at[columns];
            left_[atom] = is_row ? pair.x.mass(rows) : pair.y.mass(columns);
            if (atom > 0) ways_[atom - 1].still = (static_cast<long double>(at) - last) / scale;
            last = at;
        }
        for (Index atom = 0; atom < open_.size(); ++atom) offer(atom);
    }

    // Takes the next path; false if there is none.
    bool step() {
        if (!open_.best()) return false;
        const auto [cost, atom, other, is_measured] = open_.take();
        if (cost > slope_) {
            slope_ = cost;
            edge_.clear();
        }
        const bool to_right = open_[atom].is_row;
        const Gaps& against = ways_[atom].along(!to_right);
        Mass amount = std::min(left_[atom], left_[other]);
        if (!against.empty()) amount = std::min(amount, against.least_flow());
        ways_[atom].push(to_right, amount);
        left_[atom] -= amount;
        left_[other] -= amount;
        moved_ += amount;
        cost_ += static_cast<long double>(slope_) * amount;
        edge_.push_back({atom, other, amount});
        const Index first = left_[atom] > 0 ? atom : open_[atom].before;
        if (left_[other] == 0) close(other);
        if (left_[atom] == 0) close(atom);
        if (first != OpenAtoms::none) offer(first);
        return true;
    }

    // Whether the next path belongs to the same edge of the profile.
    bool goes_on() { return open_.best() && open_.best()->cost <= slope_; }

    double slope() const { return slope_; }
    bool moves_all() const { return total_ - moved_ <= pair_.negligible(); }
    double unmoved() const { return pair_.unmoved(moved_); }
    double cost() const { return static_cast<double>(cost_ / static_cast<long double>(total_)); }

    // After a step: what is left of the two ends of its path.
    void note(UsedUp& used_up) const {
        for (const Index atom : {edge_.back().from, edge_.back().to}) {
            const Node node = open_[atom].is_row ? open_[atom].rows : pair_.x.size() + open_[atom].columns;
            used_up.note(node, left_[atom], slope_);
        }
    }

    // The plan at the end of the edge so far; at its start if the paths that make it up are taken back.
    LinePlan plan(bool at_start) const {
        std::vector<Mass> left = left_, of_x, of_y;
        if (at_start) {
            for (const Path& path : edge_) left[path.from] += path.amount, left[path.to] += path.amount;
        }
        of_x.reserve(pair_.x.at.size());
        of_y.reserve(pair_.y.at.size());
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
    Mass total_, moved_ = 0;
    OpenAtoms open_;
    std::vector<Way> ways_;   // from each atom to the next
    std::vector<Mass> left_;  // of each atom
    std::vector<Path> edge_;  // the paths of the last edge
    double slope_ = 0;
    long double cost_ = 0;
};

}  // namespace

std::optional<Curve> walk_line_profile(const LinePair& pair, double scale, std::size_t most, bool with_used_up,
                                       Pulse& pulse) {
    LineWalk walk(pair, scale);
    Edges edges;
    std::optional<UsedUp> used_up;
    if (with_used_up) used_up.emplace(Masses{pair.x.masses(), pair.y.masses()});
    while (!walk.moves_all() && walk.step()) {
        pulse.note(work_per_path);
        edges.add(walk.slope(), walk.unmoved(), walk.cost());
        tell_profile(pulse, walk.unmoved(), walk.cost(), walk.slope(), static_cast<long>(edges.count()));
        if (edges.count() > most) return std::nullopt;
        if (used_up) walk.note(*used_up);
    }
    Curve curve = edges.take(scale);
    if (!used_up) return curve;
    used_up->write(curve, walk.slope());
    take_largest_of_equals(pair.x, curve.used_up_a);
    take_largest_of_equals(pair.y, curve.used_up_b);
    return curve;
}

std::optional<WalkedEdge> edge_where(const LinePair& pair, double scale, std::size_t most,
                                     const std::function<bool(double, double)>& is_enough, Pulse& pulse) {
    LineWalk walk(pair, scale);
    for (std::size_t paths = 0; paths < most && walk.step(); ++paths) {
        pulse.note(work_per_path);
        if (!is_enough(walk.unmoved(), walk.cost())) continue;
        while (walk.goes_on()) walk.step();
        return WalkedEdge{walk.slope(), walk.plan(true), walk.plan(false)};
    }
    return {};
}

}  // namespace rpw
