// See walk.hpp.
//
// For p = 1 the plan is a flow along the line. An augmenting path joins a source and a sink that have mass left and no
// such atom between them; it costs the length of the way, where the flow it cancels counts backwards. Between two
// neighbouring atoms with mass left all gaps will carry the same further flow for ever, so gaps with equal flow are
// one.
#include "line/walk.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>

#include "line/edges.hpp"

namespace rpw {

namespace {

constexpr std::int32_t none = -1;

// The monotone plan of these masses; both sums are the same.
LinePlan plan_in_order(std::vector<Mass> of_x, std::vector<Mass> of_y) {
    LinePlan plan;
    plan.reserve(of_x.size() + of_y.size());
    std::size_t i = 0, j = 0;
    while (true) {
        while (i < of_x.size() && of_x[i] == 0) ++i;
        while (j < of_y.size() && of_y[j] == 0) ++j;
        if (i == of_x.size() || j == of_y.size()) return plan;
        const Mass amount = std::min(of_x[i], of_y[j]);
        plan.push_back({static_cast<Node>(i), static_cast<Node>(j), amount});
        of_x[i] -= amount;
        of_y[j] -= amount;
    }
}

// Meldable heaps of gaps by the amount of their flow, with a pending addition at every node.
class FlowHeaps {
public:
    explicit FlowHeaps(std::size_t room) { nodes_.reserve(room); }

    std::int32_t make(Mass flow, long double length) {
        if (free_ == none) {
            nodes_.push_back({length, flow, 0, none, none, 1});
            return static_cast<std::int32_t>(nodes_.size()) - 1;
        }
        const std::int32_t node = free_;
        free_ = nodes_[node].left;
        nodes_[node] = {length, flow, 0, none, none, 1};
        return node;
    }

    Mass least(std::int32_t root) const { return nodes_[root].flow; }
    long double length(std::int32_t root) const { return nodes_[root].length; }

    void add(std::int32_t root, Mass amount) {
        if (root == none) return;
        nodes_[root].flow += amount;
        nodes_[root].pending += amount;
    }

    // Leftist: the right spine has at most log2(size) nodes.
    std::int32_t meld(std::int32_t a, std::int32_t b) {
        if (a == none) return b;
        if (b == none) return a;
        if (nodes_[b].flow < nodes_[a].flow) std::swap(a, b);
        settle(a);
        Node& top = nodes_[a];
        top.right = meld(top.right, b);
        if (rank_of(top.left) < rank_of(top.right)) std::swap(top.left, top.right);
        top.rank = rank_of(top.right) + 1;
        return a;
    }

    std::int32_t pop(std::int32_t root) {
        settle(root);
        const std::int32_t rest = meld(nodes_[root].left, nodes_[root].right);
        nodes_[root].left = std::exchange(free_, root);
        return rest;
    }

private:
    struct Node {
        long double length;
        Mass flow, pending;
        std::int32_t left, right;  // of a node that is free, `left` is the next one
        std::int32_t rank;
    };

    std::int32_t rank_of(std::int32_t node) const { return node == none ? 0 : nodes_[node].rank; }

    void settle(std::int32_t node) {
        Node& own = nodes_[node];
        if (own.pending == 0) return;
        add(own.left, own.pending);
        add(own.right, own.pending);
        own.pending = 0;
    }

    std::vector<Node> nodes_;
    std::int32_t free_ = none;
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
        atoms_.reserve(pair.atoms());
        double last = 0;
        for (Node i = 0, j = 0; i < x.size() || j < y.size();) {
            const bool is_source = j == y.size() || (i < x.size() && x.at[i] <= y.at[j]);
            const double at = is_source ? x.at[i] : y.at[j];
            const auto place = static_cast<std::int32_t>(atoms_.size());
            if (place > 0) atoms_.back().way.still = (static_cast<long double>(at) - last) / scale;
            atoms_.push_back({{}, is_source ? x.mass(i) : y.mass(j), place - 1, place + 1, 0, is_source});
            last = at;
            (is_source ? i : j) += 1;
        }
        atoms_.back().after = none;
        std::vector<Event> first;
        first.reserve(atoms_.size());
        for (std::int32_t atom = 0; atom < static_cast<std::int32_t>(atoms_.size()); ++atom) {
            if (is_open(atom)) first.push_back(event_of(atom));
        }
        events_ = Events({}, std::move(first));
    }

    // Takes the next path; false if there is none.
    bool step() {
        if (!find_next()) return false;
        const double price = events_.top().price;
        if (price > slope_) {
            slope_ = price;
            edge_.clear();
        }
        const std::int32_t atom = events_.top().atom, other = atoms_[atom].after;
        events_.pop();
        Atom &one = atoms_[atom], &two = atoms_[other];
        Mass amount = std::min(one.left, two.left);
        const std::int32_t against = one.is_source ? one.way.to_left : one.way.to_right;
        if (against != none) amount = std::min(amount, heaps_.least(against));
        push(one.way, one.is_source, amount);
        one.left -= amount;
        two.left -= amount;
        moved_ += amount;
        cost_ += static_cast<long double>(slope_) * amount;
        edge_.push_back({atom, other, amount});
        if (two.left == 0) remove(other);
        if (one.left == 0) remove(atom);
        if (one.left > 0) schedule(atom);
        return true;
    }

    // Whether the next path belongs to the same edge of the profile.
    bool goes_on() { return find_next() && events_.top().price <= slope_; }

    std::size_t size() const { return atoms_.size(); }
    bool is_source(std::size_t atom) const { return atoms_[atom].is_source; }
    Mass left(std::size_t atom) const { return atoms_[atom].left; }
    // The two ends of the last path.
    std::pair<std::size_t, std::size_t> ends() const { return {edge_.back().from, edge_.back().to}; }

    double slope() const { return slope_; }
    Mass moved() const { return moved_; }
    double cost() const { return static_cast<double>(cost_ / static_cast<long double>(total_)); }

    // The plan at the end of the edge so far; at its start if the paths that make it up are taken back.
    LinePlan plan(const LinePair& pair, bool at_start) const {
        std::vector<Mass> used_x, used_y;
        std::vector<Mass> left(atoms_.size());
        for (std::size_t k = 0; k < atoms_.size(); ++k) left[k] = atoms_[k].left;
        if (at_start) {
            for (const Path& path : edge_) left[path.from] += path.amount, left[path.to] += path.amount;
        }
        used_x.reserve(pair.x.at.size());
        used_y.reserve(pair.y.at.size());
        for (std::size_t k = 0; k < atoms_.size(); ++k) {
            const bool is_source = atoms_[k].is_source;
            const Mass whole = is_source ? pair.x.mass(static_cast<Node>(used_x.size()))
                                         : pair.y.mass(static_cast<Node>(used_y.size()));
            (is_source ? used_x : used_y).push_back(whole - left[k]);
        }
        return plan_in_order(used_x, used_y);
    }

private:
    struct Atom {
        Way way;                     // to the next one
        Mass left;                   // mass
        std::int32_t before, after;  // neighbours with mass left
        std::uint32_t version;       // of its event
        bool is_source;
    };

    struct Event {
        double price;
        std::int32_t atom;
        std::uint32_t version;
        bool operator<(const Event& other) const {
            return price != other.price ? price > other.price : atom > other.atom;
        }
    };
    using Events = std::priority_queue<Event>;

    struct Path {
        std::int32_t from, to;
        Mass amount;
    };

    // Drops events that are out of date.
    bool find_next() {
        while (!events_.empty() && events_.top().version != atoms_[events_.top().atom].version) events_.pop();
        return !events_.empty();
    }

    // Whether a path leads from or to the next atom.
    bool is_open(std::int32_t atom) const {
        const std::int32_t other = atoms_[atom].after;
        return other != none && atoms_[atom].is_source != atoms_[other].is_source;
    }

    Event event_of(std::int32_t atom) const {
        const Atom& own = atoms_[atom];
        const long double with = own.is_source ? own.way.rightwards : own.way.leftwards;
        const long double against = own.is_source ? own.way.leftwards : own.way.rightwards;
        return {static_cast<double>(with + own.way.still - against), atom, own.version};
    }

    void schedule(std::int32_t atom) {
        ++atoms_[atom].version;
        if (is_open(atom)) events_.push(event_of(atom));
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
        Atom& own = atoms_[atom];
        ++own.version;
        const std::int32_t before = own.before, after = own.after;
        if (after != none) atoms_[after].before = before;
        if (before == none) return;
        atoms_[before].after = after;
        if (after != none) {
            Way &first = atoms_[before].way, &second = own.way;
            first.still += second.still;
            first.rightwards += second.rightwards;
            first.leftwards += second.leftwards;
            first.to_right = heaps_.meld(first.to_right, second.to_right);
            first.to_left = heaps_.meld(first.to_left, second.to_left);
        }
        schedule(before);
    }

    FlowHeaps heaps_;
    std::vector<Atom> atoms_;
    Events events_;
    std::vector<Path> edge_;  // the paths of the last edge
    Mass total_, moved_ = 0;
    double slope_ = 0;
    long double cost_ = 0;
};

// Steps of a path in its queue and heaps.
constexpr std::size_t work_per_path = 64;

}  // namespace

namespace {

// The price at which each atom of a walk is used up, as `UsedUp` says it of nodes.
class PricesOfAtoms {
public:
    PricesOfAtoms(const LinePair& pair, const LineWalk& walk)
        : pair_(pair), walk_(walk), price_(walk.size(), unreachable), rest_(walk.size()) {
        for (std::size_t k = 0; k < rest_.size(); ++k) rest_[k] = std::min(pair.negligible(), walk.left(k) / 2);
    }

    // After every step.
    void note() {
        const auto [from, to] = walk_.ends();
        for (const std::size_t k : {from, to}) {
            const Mass left = walk_.left(k);
            const bool is_used_up = left == 0 || left <= rest_[k];  // mostly 0, and then nothing is looked up
            if (is_used_up && price_[k] == unreachable) price_[k] = walk_.slope();
        }
    }

    void write(Curve& curve) {
        curve.used_up_a.reserve(pair_.x.at.size());
        curve.used_up_b.reserve(pair_.y.at.size());
        for (std::size_t k = 0; k < price_.size(); ++k) {
            const double price = price_[k] == unreachable ? walk_.slope() : price_[k];
            (walk_.is_source(k) ? curve.used_up_a : curve.used_up_b).push_back(price);
        }
        take_largest_of_equals(pair_.x, curve.used_up_a);
        take_largest_of_equals(pair_.y, curve.used_up_b);
    }

private:
    const LinePair& pair_;
    const LineWalk& walk_;
    std::vector<double> price_;
    std::vector<Mass> rest_;  // that counts as nothing
};

}  // namespace

std::optional<Curve> walk_line_profile(const LinePair& pair, double scale, std::size_t most, bool with_used_up,
                                       Pulse& pulse) {
    LineWalk walk(pair, scale);
    Edges edges;
    std::optional<PricesOfAtoms> prices;
    if (with_used_up) prices.emplace(pair, walk);
    while (pair.total() - walk.moved() > pair.negligible() && walk.step()) {
        pulse.note(work_per_path);
        edges.add(walk.slope(), pair.unmoved(walk.moved()), walk.cost());
        if (edges.count() > most) return std::nullopt;
        if (prices) prices->note();
    }
    Curve curve = edges.take(scale);
    if (prices) prices->write(curve);
    return curve;
}

std::optional<WalkedEdge> edge_where(const LinePair& pair, double scale, std::size_t most,
                                     const std::function<bool(double, double)>& is_enough, Pulse& pulse) {
    LineWalk walk(pair, scale);
    for (std::size_t paths = 0; paths < most && walk.step(); ++paths) {
        pulse.note(work_per_path);
        if (!is_enough(share_of(pair.total() - walk.moved(), pair.total()), walk.cost())) continue;
        while (walk.goes_on()) walk.step();
        return WalkedEdge{walk.slope(), walk.plan(pair, true), walk.plan(pair, false)};
    }
    return {};
}

}  // namespace rpw
