// See unit_walk.hpp.
//
// Nobody is left behind between the two ends of a pair: it would be a nearer partner. So between two neighbouring free
// atoms lies a block of matched ones, as many of the one measure as of the other, and the next pair of atoms to be
// matched are neighbours of different kind, which shifts all pairs of the block between them by one.
#include "line/unit_walk.hpp"

#include <algorithm>
#include <vector>

#include "base/tuning.hpp"
#include "line/open_atoms.hpp"
#include "line/walked_curve.hpp"

namespace rpw {

using namespace tuning;

namespace {

// For each of the sorted numbers, the place behind the last one that is equal to it.
std::vector<Node> ends_of_runs(const std::vector<double>& sorted) {
    std::vector<Node> ends(sorted.size());
    for (auto i = static_cast<Node>(sorted.size()); i-- > 0;) {
        const bool is_last = i + 1 == static_cast<Node>(sorted.size()) || sorted[i + 1] != sorted[i];
        ends[i] = is_last ? i + 1 : ends[i + 1];
    }
    return ends;
}

// Whether runs are so long on average that a loop over them is shorter than one over pairs, eight at a time.
bool is_mostly_repeated(const std::vector<Node>& ends) {
    Node runs = 0;
    for (Node i = 0; i < static_cast<Node>(ends.size()); i = ends[i]) ++runs;
    return runs <= static_cast<Node>(ends.size()) / worth_a_run;
}

template <class Power>
class UnitWalk {
public:
    using Index = OpenAtoms::Index;

    UnitWalk(const LinePair& pair, Power power, Pulse& pulse)
        : pair_(pair),
          x_(pair.x.at.data()),
          y_(pair.y.at.data()),
          end_of_x_(ends_of_runs(pair.x.at)),
          end_of_y_(ends_of_runs(pair.y.at)),
          has_runs_(is_mostly_repeated(end_of_x_) && is_mostly_repeated(end_of_y_)),
          power_(power),
          pulse_(pulse),
          open_(pair),
          blocks_(open_.size()) {
        for (Index atom = 0; atom < open_.size(); ++atom) open_.offer(atom, 0);
    }

    // Matches the two neighbours that cost least; false if all are matched.
    bool step() {
        if (unmoved() == 0) return false;
        const Index atom = cheapest(), other = open_[atom].after, before = open_[atom].before;
        const long double change = blocks_[atom].shifted - blocks_[atom].cost;
        slope_ = std::max(slope_, static_cast<double>(change));
        cost_ += std::max(change, 0.0L);
        open_.move(atom, open_[atom].left(), slope_);
        open_.close(other);
        open_.close(atom);
        if (before != OpenAtoms::none) {
            blocks_[before].cost += blocks_[atom].shifted + blocks_[other].cost;
            open_.offer(before, slope_);  // no step costs less than the one before it
        }
        return true;
    }

    double slope() const { return slope_; }  // the most that a step has cost
    double unmoved() const { return pair_.unmoved(open_.moved()); }
    double cost() const { return static_cast<double>(cost_ / pair_.x.size()); }
    std::size_t work() const { return costs_; }  // that have been summed so far
    void write_used_up(Curve& curve) { open_.write_used_up(curve, slope_); }

private:
    // What lies between an atom and the next one: what it costs as it is, and with the two atoms around it.
    struct Block {
        long double cost = 0, shifted = 0;
    };

    // The first of the two neighbours that cost least. What a step costs is measured when its turn comes: by then its
    // block may have become part of a longer one, and only that is summed up.
    Index cheapest() {
        while (true) {
            const OpenAtoms::Offer best = open_.take();
            const double cost = best.is_measured ? best.cost : measure(best.atom);
            if (cost <= best.cost) return best.atom;
            open_.offer(best.atom, cost, true);
        }
    }

    double measure(Index atom) {
        const Node row = open_[atom].rows, column = open_[atom].columns, pairs = (open_[atom].after - atom + 1) / 2;
        blocks_[atom].shifted = has_runs_ ? cost_of_runs(row, column, pairs) : cost_of_pairs(row, column, pairs);
        return static_cast<double>(blocks_[atom].shifted - blocks_[atom].cost);
    }

    // Neighbours in rank, from these two on.
    long double cost_of_pairs(Node row, Node column, Node count) {
        constexpr Node lanes = 8, per_sum = 256;
        pulse_.note(static_cast<std::size_t>(count));
        costs_ += static_cast<std::size_t>(count);
        long double sum = 0;
        Node t = 0;
        while (t + lanes <= count) {
            double lane[lanes] = {};
            for (const Node end = std::min(count, t + per_sum); t + lanes <= end; t += lanes) {
                for (Node l = 0; l < lanes; ++l) lane[l] += power_(x_[row + t + l] - y_[column + t + l]);
            }
            for (const double part : lane) sum += part;
        }
        for (; t < count; ++t) sum += power_(x_[row + t] - y_[column + t]);
        return sum;
    }

    // The same where many points are equal: each run of equal pairs is one term.
    long double cost_of_runs(Node row, Node column, Node count) {
        long double sum = 0;
        for (Node left = count; left > 0;) {
            const Node run = std::min({left, end_of_x_[row] - row, end_of_y_[column] - column});
            sum += static_cast<long double>(power_(x_[row] - y_[column])) * run;
            row += run;
            column += run;
            left -= run;
            pulse_.note(1);
            ++costs_;
        }
        return sum;
    }

    const LinePair& pair_;
    const double* x_;
    const double* y_;
    std::vector<Node> end_of_x_, end_of_y_;  // behind the points that are equal to each
    bool has_runs_;
    Power power_;
    Pulse& pulse_;
    OpenAtoms open_;
    std::vector<Block> blocks_;
    std::size_t costs_ = 0;
    double slope_ = 0;
    long double cost_ = 0;
};

}  // namespace

bool has_equal_masses(const LinePair& pair) {
    if (pair.x.size() != pair.y.size()) return false;
    const Mass mass = pair.x.mass(0);
    for (const Atoms* atoms : {&pair.x, &pair.y}) {
        for (Node i = 0; i < atoms->size(); ++i) {
            if (atoms->mass(i) != mass) return false;
        }
    }
    return true;
}

std::optional<Curve> walk_unit_profile(const LinePair& pair, const LineCost& cost, double scale, std::size_t most_costs,
                                       Pulse& pulse) {
    return with_power(cost,
                      [&](auto power) { return walked_curve(UnitWalk(pair, power, pulse), scale, most_costs, pulse); });
}

}  // namespace rpw
