// See walk.hpp.
//
// For p = 1 the plan is a flow along the line. An augmenting path joins a source and a sink that have mass left and no
// such atom between them; it costs the length of the way, where the flow it cancels counts backwards. Between two
// neighbouring atoms with mass left all gaps will carry the same further flow for ever, so gaps with equal flow are
// one.
#include "line/walk.hpp"

#include <cstdint>
#include <queue>

#include "line/edges.hpp"

namespace rpw {

namespace {

constexpr std::int32_t none = -1;

// Meldable heaps of gaps by the amount of their flow, with a pending addition at every node.
class FlowHeaps {
public:
    explicit FlowHeaps(std::size_t room) {
        flow_.reserve(room);
        length_.reserve(room);
        pending_.reserve(room);
        left_.reserve(room);
        right_.reserve(room);
        rank_.reserve(room);
    }

    std::int32_t make(Mass flow, long double length) {
        if (!free_.empty()) {
            const std::int32_t node = free_.back();
            free_.pop_back();
            flow_[node] = flow, length_[node] = length, pending_[node] = 0;
            left_[node] = right_[node] = none, rank_[node] = 1;
            return node;
        }
        flow_.push_back(flow);
        length_.push_back(length);
        pending_.push_back(0);
        left_.push_back(none);
        right_.push_back(none);
        rank_.push_back(1);
        return static_cast<std::int32_t>(flow_.size()) - 1;
    }

    Mass least(std::int32_t root) const { return flow_[root]; }
    long double length(std::int32_t root) const { return length_[root]; }

    void add(std::int32_t root, Mass amount) {
        if (root == none) return;
        flow_[root] += amount;
        pending_[root] += amount;
    }

    // Leftist: the right spine has at most log2(size) nodes.
    std::int32_t meld(std::int32_t a, std::int32_t b) {
        if (a == none) return b;
        if (b == none) return a;
        if (flow_[b] < flow_[a]) std::swap(a, b);
        settle(a);
        right_[a] = meld(right_[a], b);
        if (rank_of(left_[a]) < rank_of(right_[a])) std::swap(left_[a], right_[a]);
        rank_[a] = rank_of(right_[a]) + 1;
        return a;
    }

    std::int32_t pop(std::int32_t root) {
        settle(root);
        free_.push_back(root);
        return meld(left_[root], right_[root]);
    }

private:
    int rank_of(std::int32_t node) const { return node == none ? 0 : rank_[node]; }

    void settle(std::int32_t node) {
        add(left_[node], pending_[node]);
        add(right_[node], pending_[node]);
        pending_[node] = 0;
    }

    std::vector<Mass> flow_, pending_;
    std::vector<long double> length_;
    std::vector<std::int32_t> left_, right_, free_;
    std::vector<int> rank_;
};

// The way between two neighbouring atoms with mass left: gaps without flow, with flow to the right, and to the left.
struct Way {
    long double still = 0, rightwards = 0, leftwards = 0;  // lengths
    std::int32_t to_right = none, to_left = none;          // heaps
};

class LineWalk {
public:
    LineWalk(const LinePair& pair, double scale) : heaps_(pair.atoms()), total_(pair.total()) {
        const Atoms &x = pair.x, &y = pair.y;
        double last = 0;
        for (Node i = 0, j = 0; i < x.size() || j < y.size();) {
            const bool is_source = j == y.size() || (i < x.size() && x.at[i] <= y.at[j]);
            const double at = is_source ? x.at[i] : y.at[j];
            left_.push_back(is_source ? x.mass(i) : y.mass(j));
            is_source_.push_back(is_source);
            before_.push_back(static_cast<std::int32_t>(left_.size()) - 2);
            after_.push_back(static_cast<std::int32_t>(left_.size()));
            ways_.push_back({});
            if (left_.size() > 1) ways_[left_.size() - 2].still = (static_cast<long double>(at) - last) / scale;
            last = at;
            (is_source ? i : j) += 1;
        }
        after_.back() = none;
        version_.assign(left_.size(), 0);
        for (std::int32_t k = 0; k + 1 < static_cast<std::int32_t>(left_.size()); ++k) schedule(k);
    }

    // Takes the next path; false if there is none.
    bool step() {
        while (!events_.empty() && events_.top().version != version_[events_.top().atom]) events_.pop();
        if (events_.empty()) return false;
        const std::int32_t atom = events_.top().atom, other = after_[atom];
        slope_ = std::max(slope_, static_cast<double>(events_.top().price));
        events_.pop();
        const bool to_right = is_source_[atom];
        Way& way = ways_[atom];
        Mass amount = std::min(left_[atom], left_[other]);
        const std::int32_t against = to_right ? way.to_left : way.to_right;
        if (against != none) amount = std::min(amount, heaps_.least(against));
        push(way, to_right, amount);
        left_[atom] -= amount;
        left_[other] -= amount;
        moved_ += amount;
        cost_ += static_cast<long double>(slope_) * amount;
        if (left_[other] == 0) remove(other);
        if (left_[atom] == 0) remove(atom);
        if (left_[atom] > 0) schedule(atom);
        return true;
    }

    double slope() const { return slope_; }
    Mass moved() const { return moved_; }
    double cost() const { return static_cast<double>(cost_ / static_cast<long double>(total_)); }

private:
    struct Event {
        long double price;
        std::int32_t atom;
        std::uint32_t version;
        bool operator<(const Event& other) const {
            return price != other.price ? price > other.price : atom > other.atom;
        }
    };

    void schedule(std::int32_t atom) {
        ++version_[atom];
        const std::int32_t other = after_[atom];
        if (other == none || is_source_[atom] == is_source_[other]) return;
        const Way& way = ways_[atom];
        const long double with = is_source_[atom] ? way.rightwards : way.leftwards;
        const long double against = is_source_[atom] ? way.leftwards : way.rightwards;
        events_.push({with + way.still - against, atom, version_[atom]});
    }

    // Sends `amount` along the way; no gap changes its direction, for the amount is at most the least flow against it.
    void push(Way& way, bool to_right, Mass amount) {
        std::int32_t& with = to_right ? way.to_right : way.to_left;
        std::int32_t& against = to_right ? way.to_left : way.to_right;
        long double& length_with = to_right ? way.rightwards : way.leftwards;
        long double& length_against = to_right ? way.leftwards : way.rightwards;
        heaps_.add(with, amount);
        if (way.still > 0) with = heaps_.meld(with, heaps_.make(amount, way.still));
        length_with += way.still;
        way.still = 0;
        heaps_.add(against, -amount);
        while (against != none && heaps_.least(against) == 0) {
            way.still += heaps_.length(against);
            length_against -= heaps_.length(against);
            against = heaps_.pop(against);
        }
        if (against == none) length_against = 0;
    }

    // An atom that is used up: the ways on its two sides become one.
    void remove(std::int32_t atom) {
        ++version_[atom];
        const std::int32_t before = before_[atom], after = after_[atom];
        if (after != none) before_[after] = before;
        if (before == none) return;
        after_[before] = after;
        if (after != none) {
            Way &first = ways_[before], &second = ways_[atom];
            first.still += second.still;
            first.rightwards += second.rightwards;
            first.leftwards += second.leftwards;
            first.to_right = heaps_.meld(first.to_right, second.to_right);
            first.to_left = heaps_.meld(first.to_left, second.to_left);
        }
        schedule(before);
    }

    FlowHeaps heaps_;
    std::vector<Mass> left_;
    std::vector<char> is_source_;
    std::vector<std::int32_t> before_, after_;  // neighbours with mass left
    std::vector<Way> ways_;                     // from each atom to the one after it
    std::vector<std::uint32_t> version_;
    std::priority_queue<Event> events_;
    Mass total_, moved_ = 0;
    double slope_ = 0;
    long double cost_ = 0;
};

// Steps of a path in its queue and heaps.
constexpr std::size_t work_per_path = 64;

}  // namespace

std::optional<Curve> walk_line_profile(const LinePair& pair, double scale, std::size_t most, Pulse& pulse) {
    LineWalk walk(pair, scale);
    Edges edges;
    while (pair.total() - walk.moved() > pair.negligible() && walk.step()) {
        pulse.note(work_per_path);
        edges.add(walk.slope(), pair.unmoved(walk.moved()), walk.cost());
        if (edges.count() > most) return std::nullopt;
    }
    return edges.take(scale);
}

double slope_where(const LinePair& pair, double scale, std::size_t most,
                   const std::function<bool(double, double)>& is_enough, Pulse& pulse) {
    LineWalk walk(pair, scale);
    for (std::size_t edges = 0; edges < most && walk.step(); ++edges) {
        pulse.note(work_per_path);
        if (is_enough(share_of(pair.total() - walk.moved(), pair.total()), walk.cost())) return walk.slope();
    }
    return 0;
}

}  // namespace rpw
